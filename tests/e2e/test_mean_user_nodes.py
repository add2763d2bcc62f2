"""Jobs of a malicious user that try to harm their node, with the commands that every user has."""
import os
import signal
import subprocess

import pytest

from muster import is_alive, wait_for

CLUSTER = dict(nodes=2, conf="MessageTimeout=5\n")
ours = pytest.mark.ours
as_root = pytest.mark.as_root


@pytest.fixture
def fifo(cluster):
    path = cluster.work / "fifo"
    os.mkfifo(path)
    path.chmod(0o666)
    return path


def end(cluster, job):
    cluster.run("scancel", job)
    cluster.wait_end(job, limit=60)


@ours  # Slurm waits for a reader in any case
@pytest.mark.parametrize("option", ["-o", "-i"])
def test_a_job_whose_fifo_nobody_opens_can_be_cancelled(cluster, fifo, option):
    job = cluster.sbatch(option, str(fifo), "--wrap", "cat")
    cluster.wait_state(job, "RUNNING")
    end(cluster, job)
    assert cluster.state(job) == "CANCELLED"


def test_a_fifo_with_a_reader_gets_the_output(cluster, fifo):
    reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True)
    job = cluster.sbatch("-o", str(fifo), "--wrap", "echo out; echo err >&2")
    assert sorted(reader.communicate(timeout=60)[0].split()) == ["err", "out"]
    cluster.wait_end(job)
    assert cluster.state(job) == "COMPLETED"


def test_a_reader_may_come_later(cluster, fifo):
    job = cluster.sbatch("-o", str(fifo), "--wrap", "echo text")
    cluster.wait_state(job, "RUNNING")
    assert fifo.read_text() == "text\n"
    cluster.wait_end(job)


def test_input_may_come_through_a_fifo(cluster, fifo):
    job = cluster.sbatch("-i", str(fifo), "-o", "out", "--wrap", "cat")
    cluster.wait_state(job, "RUNNING")
    fifo.write_text("text\n")
    cluster.wait_end(job)
    assert (cluster.work / "out").read_text() == "text\n"


@ours
def test_a_reader_that_has_stopped_does_not_stop_a_cancel(cluster, fifo):
    held = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    job = cluster.sbatch("-o", str(fifo), "--wrap", "touch started; yes")
    wait_for((cluster.work / "started").exists, "the job")
    end(cluster, job)
    os.close(held)


@ours
def test_a_fifo_may_be_the_output_of_labelled_tasks(cluster, fifo):
    reader = subprocess.Popen(["cat", fifo], stdout=subprocess.PIPE, text=True)
    cluster.run("srun", "--mem=50", "-n2", "-l", "-o", str(fifo), "echo", "text").ok()
    assert sorted(reader.communicate(timeout=60)[0].splitlines()) == ["0: text", "1: text"]


@ours
@as_root
def test_a_job_whose_slurmstepd_hangs_can_be_ended(cluster, alice, bob):
    body = "setsid sleep 1000 & echo $! > orphan; sleep 1000 & echo $! > child; touch started; wait"
    job = cluster.sbatch("-w", "n1", "--wrap", body, user=alice)
    wait_for((cluster.work / "started").exists, "the job")
    (supervisor,) = cluster.supervisors(f"{job}.batch")
    os.kill(supervisor, signal.SIGSTOP)
    slurmd = cluster.node_pid("n1")
    end(cluster, job)
    for name in ("orphan", "child"):
        pid = int((cluster.work / name).read_text())
        wait_for(lambda: not is_alive(pid), f"the {name} to end")
    wait_for(lambda: not is_alive(supervisor), "slurmstepd to end")
    assert cluster.node_pid("n1") == slurmd
    after = cluster.sbatch("-w", "n1", "--wrap", "true", user=bob)
    cluster.wait_end(after)
    assert cluster.state(after) == "COMPLETED"


@as_root
def test_a_job_leaves_nothing_in_the_spool_directory(cluster, alice):
    body = 'd=$(dirname "$0"); stat -c "%U %a" "$d"; touch "$d/left" || echo refused; ls -a "$d/slurm_script" >/dev/null'
    job = cluster.sbatch("-w", "n1", "-o", "out", "--wrap", body, user=alice)
    cluster.wait_end(job)
    assert (cluster.work / "out").read_text().splitlines()[0] == "root 750"
    assert "refused" in (cluster.work / "out").read_text()
    wait_for(lambda: not list((cluster.directory / "spool/n1").glob("job*")), "the directory to go")


@pytest.fixture
def small_spool(cluster):
    """The spool directory of n1 is a disk of 2 MiB."""
    spool = cluster.directory / "spool/n1"
    cluster.stop_node("n1")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", spool], capture_output=True).returncode != 0:
        cluster.start_node("n1")
        pytest.skip("needs mounts")
    cluster.start_node("n1")
    cluster.wait_nodes("idle")
    yield spool
    cluster.stop_node("n1")
    subprocess.run(["umount", spool], check=True)
    cluster.start_node("n1")
    cluster.run("scontrol", "update", "nodename=n1", "state=resume")


@ours
@as_root
@pytest.mark.parametrize("left", [0, 512 << 10])
def test_a_node_with_a_full_spool_directory_is_drained_and_its_jobs_go_elsewhere(cluster, small_spool, bob, left):
    fill = small_spool / "fill"
    with open(fill, "wb", buffering=0) as file:
        try:
            while file.write(b"x" * 4096) == 4096:
                pass
        except OSError:
            pass
        file.truncate(file.tell() - left)
    script = cluster.script("large.sh", "true\n" + "# text\n" * 200_000)
    job = cluster.sbatch("--nodelist=n1", script, user=bob)
    wait_for(lambda: "SlurmdSpoolDir is full" in cluster.run("scontrol", "show", "node", "n1").out, "n1 to be drained")
    cluster.run("scontrol", "update", f"jobid={job}", "reqnodelist=n2").ok()
    cluster.wait_end(job, limit=120)
    assert cluster.state(job) == "COMPLETED"
    fill.unlink()


@as_root
def test_tasks_are_not_spared_when_memory_is_short(cluster, alice):
    done = cluster.run("srun", "--mem=50", "cat", "/proc/self/oom_score_adj", user=alice).ok()
    assert done.out.strip() == "0"
