"""Jobs whose launch fails: on a node that cannot start them, for an unknown user, on a node that has gone."""
import os
import re
import signal
import subprocess

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2, conf="BatchStartTimeout=3\nSlurmdTimeout=8\nMessageTimeout=5\n")


@pytest.fixture
def broken(cluster):
    """n1's slurmd cannot write anything: its spool directory is a file."""
    spool = cluster.directory / "spool/n1"
    away = spool.with_suffix(".away")
    os.rename(spool, away)
    spool.write_text("")

    def repair():
        if away.exists():
            spool.unlink()
            os.rename(away, spool)

    yield repair
    repair()


def node(cluster, name):
    """State, reason and who gave it."""
    return cluster.run("sinfo", "-h", "-p", "batch", "-n", name, "-o", "%T|%E|%u").out.strip()


def test_a_job_that_the_node_cannot_start_is_held(cluster, broken):
    job = cluster.sbatch("-w", "n1", "--wrap", "true")
    cluster.wait_reason(job, "launch failed requeued held")
    record = cluster.job(job)
    assert (record["JobState"], record["Reason"]) == ("PENDING", "launch_failed_requeued_held")
    assert (record["Priority"], record["Restarts"]) == ("0", "1")
    assert node(cluster, "n1") == "idle|none|Unknown", "the next job may try"
    other = cluster.sbatch("-w", "n2", "--wrap", "true")
    assert cluster.wait_end(other)["JobState"] == "COMPLETED"
    broken()
    cluster.run("scontrol", "release", job).ok()
    # Slurm delays a requeued job for about two minutes.
    wait_for(lambda: cluster.state(job) == "COMPLETED" or cluster.reason(job) == "BeginTime", "the job to go on")


def test_one_that_may_not_return_to_the_queue_is_cancelled(cluster, broken):
    job = cluster.sbatch("-w", "n1", "--no-requeue", "--wrap", "true")
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    assert node(cluster, "n1") == "idle|none|Unknown"


def test_a_node_that_is_gone_gives_its_job_back(cluster):
    cluster.stop_node("n1", signal.SIGKILL)
    job = cluster.sbatch("-w", "n1", "--wrap", "true")
    cluster.wait_state(job, "RUNNING")
    cluster.wait_reason(job, "ReqNodeNotAvail, UnavailableNodes:n1")
    assert cluster.job(job)["Restarts"] == "1"
    assert node(cluster, "n1") == "down*|Not responding|root"
    cluster.start_node("n1")
    cluster.wait_nodes("idle")
    wait_for(lambda: cluster.state(job) == "COMPLETED" or cluster.reason(job) == "BeginTime", "the job to go on")


def test_a_step_says_which_node_is_gone(cluster):
    cluster.stop_node("n2", signal.SIGKILL)
    script = cluster.script("job.sh", "srun -N2 -n2 hostname\necho ended $?\n")
    job = cluster.sbatch("-N2", "-w", "n[1-2]", script)
    text = cluster.wait_text(f"slurm-{job}.out", "ended")
    assert re.search(r"launch for StepId=\d+\.0 failed on node n2: Communication connection failure", text), text
    assert not re.search(r"ended 0$", text, re.M)
    cluster.start_node("n2")
    cluster.wait_end(job)
    cluster.wait_nodes("idle")


@pytest.mark.ours
@pytest.mark.as_root
def test_nobody_computes_for_a_user_whom_the_node_does_not_know(cluster):
    """With Slurm, slurmctld on this machine does not know the user either."""
    subprocess.run(["useradd", "--no-create-home", "muster-ghost"], check=True)
    try:
        job = cluster.sbatch("-H", "-D", "/tmp", "-o", "/dev/null", "--wrap", "true", user="muster-ghost", cwd="/tmp")
    finally:
        subprocess.run(["userdel", "muster-ghost"], check=True)
    cluster.run("scontrol", "release", job).ok()
    cluster.wait_reason(job, "launch failed requeued held")
    assert {node(cluster, name) for name in cluster.node_names} == {"idle|none|Unknown"}
