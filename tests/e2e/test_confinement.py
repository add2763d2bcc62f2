"""Control groups: what a job may use, and that no process survives it."""
import os
import re
import signal
from pathlib import Path

import pytest

from muster import is_alive, wait_for
from raw_client import RawClient, controller_socket, decode, field, frame, message, node_socket

V1 = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists()
pytestmark = [pytest.mark.as_root, pytest.mark.skipif(not V1, reason="needs cgroup v1 with its controllers")]
DEVICES = "".join(f"NodeName=n[1-2] Name=gpu Type=v100 File=/dev/{name}\n" for name in ("full", "random"))
CLUSTER = dict(nodes=2, cpus=2, gpus=2, gres=DEVICES, conf="ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\n",
               cgroup="CgroupPlugin=cgroup/v1\nConstrainRAMSpace=yes\nConstrainSwapSpace=yes\nConstrainCores=yes\n"
                      "ConstrainDevices=yes\n")
GREEDY = "python3 -c 'x = bytearray(300 << 20)'"
# Leaves its parent, its session and its process group.
DAEMON = "(setsid setsid bash -c 'echo $BASHPID > daemon; exec sleep 1000' > /dev/null 2>&1 &)"


def kernel_log():
    lines = []
    try:
        log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return lines
    while True:
        try:
            lines.append(os.read(log, 8192).decode(errors="replace"))
        except BrokenPipeError:  # overwritten meanwhile
            continue
        except OSError:
            os.close(log)
            return lines


def groups_left(job):
    return list(Path("/sys/fs/cgroup").glob(f"*/slurm_n?/uid_*/job_{job}"))


def test_a_job_that_takes_too_much_memory(cluster):
    job = cluster.sbatch("--wrap", f"{GREEDY}; exit 0", memory="50")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"], record["Reason"]) == ("OUT_OF_MEMORY", "0:125", "OutOfMemory")
    assert f"Detected 1 oom-kill event(s) in StepId={job}.batch." in cluster.output(job)


@pytest.mark.ours
def test_the_killed_process_is_named(cluster):
    job = cluster.sbatch("--wrap", GREEDY, memory="50")
    cluster.wait_end(job)
    said = re.search(r"Process (.*) needed more than the limit of 50M\. Ask for more memory, .* --mem=100M", cluster.output(job))
    assert said
    # The kernel names it in its log, unless it has just named many; and not every machine shows that log.
    is_logged = any("task=python3" in line and f"/job_{job}/" in line for line in kernel_log())
    assert re.fullmatch(r"\d+ \(python3\)" if is_logged else "unknown", said[1])


def test_waiting_for_it_fails(cluster):
    assert cluster.run("sbatch", "-W", "--mem=50", "--wrap", f"{GREEDY}; exit 0").code != 0


def test_a_step_that_takes_too_much_memory(cluster):
    done = cluster.run("srun", "--mem=50", "python3", "-c", "x = bytearray(300 << 20)")
    assert done.code != 0
    assert "Out Of Memory" in done.err


def test_a_daemonized_child_does_not_survive(cluster):
    job = cluster.sbatch("--wrap", f"{DAEMON}; while [ ! -s daemon ]; do sleep 0.05; done")
    cluster.wait_end(job)
    assert cluster.job(job)["JobState"] == "COMPLETED"
    pid = int((cluster.work / "daemon").read_text())
    wait_for(lambda: not is_alive(pid), "the daemon's end")
    wait_for(lambda: not groups_left(job), "the groups to go")


def test_a_task_that_ignores_sigterm_is_killed(cluster):
    job = cluster.sbatch("--wrap", "trap '' TERM; touch begun; while true; do sleep 0.1; done")
    wait_for((cluster.work / "begun").exists, "the job to begin")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"


@pytest.mark.ours
def test_nothing_is_left_of_a_killed_slurmstepd(cluster):
    job = cluster.sbatch("--wrap", f"{DAEMON}; sleep 1000")
    cluster.wait_text("daemon")
    pid = int((cluster.work / "daemon").read_text())
    supervisor, = cluster.supervisors(f"{job}.batch")
    os.kill(supervisor, signal.SIGKILL)
    cluster.wait_end(job)
    wait_for(lambda: not is_alive(pid), "the daemon's end")
    wait_for(lambda: not groups_left(job), "the groups to go")


def test_a_job_sees_its_own_cpus_and_devices_only(cluster):
    job = cluster.sbatch("-w", "n1", "-n1", "--gres=gpu:1", "--wrap",
                         "grep Cpus_allowed_list /proc/self/status; "
                         "for i in full random null; do (: < /dev/$i) 2> /dev/null && echo $i; done")
    cluster.wait_end(job)
    assert cluster.output(job) == "Cpus_allowed_list:\t0\nfull\nnull\n"


def test_a_suspended_job_stands_still(cluster):
    job = cluster.sbatch("--wrap", "while [ ! -e go ]; do date +%s%N > tick; sleep 0.05; done")
    cluster.wait_text("tick")
    cluster.run("scontrol", "suspend", job).ok()
    tick = cluster.work / "tick"

    def stands_still():
        before = tick.read_text()
        try:
            wait_for(lambda: tick.read_text() != before, "a change", limit=1)
        except AssertionError:
            return True
        return False

    wait_for(stands_still, "the job to stand still")
    cluster.run("scontrol", "resume", job).ok()
    before = tick.read_text()
    wait_for(lambda: tick.read_text() != before, "the job to go on")
    (cluster.work / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


@pytest.mark.ours
def test_a_file_for_a_job_that_runs_nothing_here_comes_into_its_groups(cluster, alice):
    cluster.run("salloc", "-Q", "--no-shell", "-n1", "-w", "n1", "--mem=50", user=alice).ok()
    job = cluster.run("squeue", "-h", "-o", "%i", "-u", alice).out.strip()
    with RawClient(controller_socket(cluster), alice) as client:
        client.read_hello()
        _, reply = client.ask("Broadcast", message((1, int(job))))
    target = cluster.work / "sent"
    with RawClient(node_socket(cluster, "n1"), alice) as client:
        client.read_hello()
        client.send(frame(field(1, field(2, message((1, reply[2][0]), (2, str(target)), (3, 0o600))))))
        wait_for(lambda: any(group.name == "files" and (group / "cgroup.procs").read_text().strip()
                             for left in groups_left(job) for group in left.glob("*")), "its process in a group of the job")
        limit = next(left for left in groups_left(job) if "memory" in left.parts) / "memory.limit_in_bytes"
        assert limit.read_text() == f"{50 << 20}\n"
        client.send(frame(field(1, b"text")) + frame(b""))
        assert 1 not in decode(client.read_frame())
    assert target.read_text() == "text"
    wait_for(lambda: not groups_left(job), "the groups to go")
    cluster.run("scancel", job, user=alice).ok()
