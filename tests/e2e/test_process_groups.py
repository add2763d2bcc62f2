"""ProctrackType=proctrack/pgid: a step consists of the process groups of its tasks."""
import os
import signal

import pytest

from muster import is_alive, wait_for

CLUSTER = dict(nodes=1, conf="ProctrackType=proctrack/pgid\n")


def pid_in(file):
    wait_for(lambda: file.exists() and file.read_text().endswith("\n"), f"{file.name}")
    return int(file.read_text())


@pytest.mark.parametrize("runs", ["", "srun -n1 "])
def test_what_stays_in_the_group_ends_with_the_step(cluster, runs):
    cluster.script("task.sh", "sleep 1000 & echo $! > child\n")
    job = cluster.sbatch("-n1", "--wrap", f"{runs}./task.sh")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    child = pid_in(cluster.work / "child")
    wait_for(lambda: not is_alive(child), "the child to end")


def test_what_left_the_group_goes_on(cluster):
    job = cluster.sbatch("-n1", "--wrap", "setsid bash -c 'echo $$ > child; exec sleep 1000' & while [ ! -s child ]; do sleep .1; done")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    child = pid_in(cluster.work / "child")
    assert is_alive(child)
    os.kill(child, signal.SIGKILL)


def test_a_signal_reaches_the_whole_group(cluster):
    job = cluster.sbatch("-n1", "-o", "out", cluster.script("job.sh", """
        bash -c 'trap "echo child; exit" USR1; touch ready; while :; do sleep .1; done' &
        trap "echo shell" USR1
        wait; wait"""))
    wait_for((cluster.work / "ready").exists, "the child")
    cluster.run("scancel", "-f", "-s", "USR1", job).ok()
    cluster.wait_end(job)
    assert {"child", "shell"} <= set((cluster.work / "out").read_text().splitlines())


def test_a_cancelled_job_ends(cluster):
    job = cluster.sbatch("-n2", "--wrap", "srun -n2 bash -c 'sleep 1000 & echo $! >> pids; wait'")
    pids = cluster.work / "pids"
    wait_for(lambda: pids.exists() and len(pids.read_text().split()) == 2, "both tasks")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    wait_for(lambda: not any(is_alive(int(pid)) for pid in pids.read_text().split()), "the processes to end")
