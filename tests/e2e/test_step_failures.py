"""Steps when something fails: slurmd, srun, a node that no longer answers, a task that ignores signals."""
import os
import re
import signal

import pytest

from muster import is_alive, wait_for

CLUSTER = dict(nodes=2, conf="SlurmdTimeout=10\n")


def tick(count):
    """Prints numbers with pauses, so that things can happen in between."""
    return f"touch started.$SLURM_PROCID; for ((i = 1; i <= {count}; i++)); do echo $i; sleep 0.01; done; exit 3"


def wait_started(cluster, tasks):
    wait_for(lambda: len(list(cluster.work.glob("started.*"))) == tasks, "the tasks")


def test_output_and_exit_are_whole_though_slurmd_is_killed(cluster):
    process = cluster.start("srun", "--mem=100", "-N2", "-n2", "-l", "bash", "-c", tick(300))
    wait_started(cluster, 2)
    cluster.stop_node("n1", signal.SIGKILL)
    cluster.start_node("n1")
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert sorted(out.splitlines()) == sorted(f"{rank}: {i}" for rank in (0, 1) for i in range(1, 301))


@pytest.mark.accounting
def test_the_end_of_a_step_is_recorded_once_though_slurmd_was_dead(cluster):
    process = cluster.start("srun", "--mem=100", "-N1", "-n1", "-w", "n1", "bash", "-c", tick(50))
    wait_started(cluster, 1)
    job = cluster.run("squeue", "-h", "-o", "%i").out.strip()
    cluster.stop_node("n1", signal.SIGKILL)
    process.communicate(timeout=60)
    assert process.returncode == 3
    cluster.start_node("n1")
    cluster.wait_sacct([rf"{job}\|FAILED\|3:0", rf"{job}\.0\|FAILED\|3:0"], "-j", job, "-o", "jobid,state,exitcode")


@pytest.mark.ours
def test_steps_run_though_the_process_that_forks_them_is_killed(cluster):
    wait_for(lambda: len(cluster.nurseries()) == 2, "both nodes' nurseries")
    process = cluster.start("srun", "--mem=100", "-N2", "-n2", "bash", "-c", tick(100))
    wait_started(cluster, 2)
    killed = cluster.nurseries()
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    assert cluster.run("srun", "--mem=100", "-N2", "-n2", "echo", "here").ok().out == "here\n" * 2
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3 and len(out.splitlines()) == 200
    wait_for(lambda: len(set(cluster.nurseries()) - set(killed)) == 2, "other nurseries")
    assert cluster.run("srun", "--mem=100", "-N2", "-n2", "echo", "again").ok().out == "again\n" * 2


@pytest.mark.ours
def test_the_process_that_forks_steps_ends_with_slurmd(cluster):
    wait_for(lambda: len(cluster.nurseries()) == 2, "both nodes' nurseries")
    before = cluster.nurseries()
    cluster.stop_node("n1", signal.SIGKILL)
    wait_for(lambda: sum(is_alive(pid) for pid in before) == 1, "the nursery of n1 to end")
    cluster.start_node("n1")
    wait_for(lambda: len(cluster.nurseries()) == 2, "both nodes' nurseries")


def test_a_killed_srun_takes_its_tasks_along_and_its_job_goes_on(cluster):
    job = cluster.sbatch("-n1", "--wrap", "srun bash -c 'echo $$ > pid; exec sleep 300' &\n"
                         "until [ -s pid ]; do sleep 0.05; done; kill -9 $!; until [ -e go ]; do sleep 0.05; done")
    cluster.wait_text("pid", r"\d")
    task = int((cluster.work / "pid").read_text())
    wait_for(lambda: not is_alive(task), "the task to end")
    assert cluster.state(job) == "RUNNING"
    (cluster.work / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


def test_an_allocation_whose_srun_was_killed_ends(cluster):
    process = cluster.start("srun", "--mem=100", "-n1", "bash", "-c", "echo $$ > pid; exec sleep 300")
    cluster.wait_text("pid", r"\d")
    task = int((cluster.work / "pid").read_text())
    process.kill()
    process.communicate()
    wait_for(lambda: not is_alive(task), "the task to end")
    wait_for(cluster.queue_is_empty, "the job to end")


@pytest.mark.ours
def test_a_task_that_ignores_the_signal_is_killed_after_killwait(cluster):
    process = cluster.start("srun", "--mem=100", "-n1", "bash", "-c",
                            "trap 'echo ignored' TERM; echo $$ > pid; while :; do sleep 0.05; done")
    cluster.wait_text("pid", r"\d")
    job = cluster.run("squeue", "-h", "-o", "%i").out.strip()
    cluster.run("scancel", job).ok()
    out, err = process.communicate(timeout=60)
    assert process.returncode != 0, err
    assert "ignored" in out
    assert not is_alive(int((cluster.work / "pid").read_text()))


def test_a_node_that_no_longer_answers_is_given_up_with_its_job(cluster):
    job = cluster.sbatch("-w", "n2", "--no-requeue", "--wrap", "sleep 300")
    cluster.wait_state(job, "RUNNING")
    slurmd = cluster.node_pid("n2")
    os.kill(slurmd, signal.SIGSTOP)
    try:
        assert cluster.wait_end(job, limit=150)["JobState"] == "NODE_FAIL"
        wait_for(lambda: "down" in cluster.run("sinfo", "-h", "-n", "n2", "-o", "%t").out, "the node to be down")
    finally:
        os.kill(slurmd, signal.SIGCONT)
    wait_for(lambda: "idle" in cluster.run("sinfo", "-h", "-n", "n2", "-o", "%t").out.split(), "the node to return",
             limit=150)


@pytest.mark.ours
def test_a_stopped_supervisor_stops_its_step_and_no_other(cluster):
    goes_on = "touch started.$SLURM_PROCID; until [ -e go ]; do sleep 0.05; done"
    process = cluster.start("srun", "--mem=100", "-N2", "-n2", "-l", "bash", "-c", f"{goes_on}; {tick(100)}")
    wait_started(cluster, 2)
    job = cluster.run("squeue", "-h", "-o", "%i").out.strip()
    pids = cluster.supervisors(f"{job}.0")
    assert len(pids) == 2
    os.kill(pids[0], signal.SIGSTOP)
    try:
        assert cluster.run("srun", "--mem=100", "-N2", "-n2", "hostname").code == 0
    finally:
        os.kill(pids[0], signal.SIGCONT)
        (cluster.work / "go").touch()
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 3
    assert len(re.findall(r"^\d: \d+$", out, re.M)) == 200
