"""What a job's output says about signals of scancel, and about scripts that leave steps behind."""
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=1)
JOB = """\
trap 'echo shell has TERM' TERM
srun -n1 bash -c 'touch there; for ((i = 0; i < 40; i++)); do sleep 0.1; done'
echo "code $?"
"""
JOB_LINE = r"error: \*\*\* JOB \d+ ON n1 CANCELLED AT 20[\d-]{8}T[\d:]{8} \*\*\*"
STEP_LINE = r"error: \*\*\* STEP \d+\.0 ON n1 CANCELLED AT 20[\d-]{8}T[\d:]{8} \*\*\*"
FORCED = r"srun: Force Terminated StepId=\d+\.0"
ABORTED = "srun: Job step aborted: Waiting up to"


@pytest.fixture
def running(cluster):
    job = cluster.sbatch(cluster.script("job.sh", JOB))
    wait_for(lambda: (cluster.work / "there").exists(), "the step")
    return job


def told(text, *lines):
    """Which of the lines are in the text."""
    return [bool(re.search(line, text)) for line in lines]


@pytest.mark.parametrize("options, step, lines", [
    (["-s", "TERM"], "", [False, True, True, False]),
    (["-s", "INT"], "", [False, False, False, False]),
    (["-b", "-s", "TERM"], "", [True, False, False, False]),
    (["-s", "TERM"], ".0", [False, True, True, False]),
    (["-s", "KILL"], ".0", [False, False, True, False]),
    ([], ".0", [False, True, False, True]),
])
def test_a_signal_that_ends_things_is_told(cluster, running, options, step, lines):
    cluster.run("scancel", *options, f"{running}{step}").ok()
    assert cluster.wait_end(running)["JobState"] == "COMPLETED"
    text = cluster.output(running)
    assert told(text, JOB_LINE, STEP_LINE, FORCED, ABORTED) == lines, text


def test_a_script_that_is_killed_is_told(cluster, running):
    cluster.run("scancel", "-b", running).ok()
    assert cluster.wait_end(running)["JobState"] == "FAILED"
    assert re.search(JOB_LINE, cluster.output(running))
    assert ABORTED in cluster.wait_text(f"slurm-{running}.out", ABORTED)


def test_full_means_the_script_and_its_children(cluster, running):
    cluster.run("scancel", "-f", "-s", "INT", running).ok()
    text = cluster.wait_text(f"slurm-{running}.out", "interrupt")
    assert "srun: interrupt (one more within 1 sec to abort)" in text
    assert cluster.wait_end(running)["ExitCode"] in ("0:0", "0:2")


def test_full_and_kill_cancel_a_job(cluster, running):
    cluster.run("scancel", "-f", "-s", "KILL", running).ok()
    assert cluster.wait_end(running)["JobState"] == "CANCELLED"


def test_an_allocation_has_no_script_to_signal(cluster):
    with cluster.start("srun", "--mem=100", "bash", "-c", "echo $SLURM_JOB_ID; sleep 600") as step:
        job = step.stdout.readline().strip()
        done = cluster.run("scancel", "-b", job)
        cluster.run("scancel", "-f", "-s", "TERM", job).ok()
        assert cluster.state(job) == "RUNNING"
        step.kill()
    cluster.cancel_all()
    assert done.err == f"scancel: error: Kill job error on job id {job}: Job script not specified\n"
    assert done.code == 217


def test_tasks_have_the_jobs_grace_although_its_script_dies(cluster):
    job = cluster.sbatch("--wrap", "srun -n1 bash -c 'trap \"echo saving\" TERM; touch up; sleep 0.1; "
                                   "for ((i = 0; i < 8; i++)); do sleep 0.1; done; echo saved'")
    wait_for(lambda: (cluster.work / "up").exists(), "the step")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    assert "saved" in cluster.wait_text(f"slurm-{job}.out", "saved")


def test_steps_that_a_script_leaves_behind_are_told_to_end(cluster):
    job = cluster.sbatch(cluster.script(
        "left.sh", "srun -n1 bash -c 'trap \"sleep 0.5; echo saved; exit\" TERM; touch left; "
                   "for ((i = 0; i < 600; i++)); do sleep 0.1; done' &\n"
                   "while [ ! -e left ]; do sleep 0.1; done\n"))
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    text = cluster.wait_text(f"slurm-{job}.out", "saved")
    assert ABORTED in text and re.search(STEP_LINE, text)


def test_other_processes_that_a_script_leaves_behind_are_killed_at_once(cluster):
    job = cluster.sbatch(cluster.script(
        "left.sh", "bash -c 'trap \"touch asked\" TERM; touch left; while :; do sleep 0.1; done' &\n"
                   "while [ ! -e left ]; do sleep 0.1; done\n"))
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert not (cluster.work / "asked").exists()
