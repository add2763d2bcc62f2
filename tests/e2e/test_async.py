"""srun --async: steps that wait in the controller and start when there is room."""
import signal

import pytest

from muster import wait_for

pytestmark = pytest.mark.ours
CLUSTER = dict(nodes=2)
HOLD = "srun -n2 --exact bash -c 'touch held; until [ -e go ]; do sleep 0.05; done' &\nuntil [ -e held ]; do sleep 0.05; done\n"
END = "\nwait; until [ -e end ]; do sleep 0.05; done\n"


def start(cluster, body, *args):
    for name in "held go end".split():
        (cluster.work / name).unlink(missing_ok=True)
    return cluster.sbatch("--mem=400", *args, cluster.script("job.sh", body))


def let(cluster, name):
    (cluster.work / name).touch()


def queued(cluster, job):
    """The messages of the job's sruns so far."""
    return text(cluster, f"slurm-{job}.out")


def text(cluster, name):
    path = cluster.work / name
    return path.read_text() if path.exists() else ""


def test_a_step_is_queued_and_runs_when_there_is_room(cluster):
    job = start(cluster, HOLD + "srun --async -n1 --exact --mem=10 echo later; echo code $?; srun --parsable --async -n1 "
                "--exact --mem=10 -o mine.%s bash -c 'echo $SLURM_STEP_ID $SLURM_PROCID'" + END, "-n2")
    wait_for(lambda: f"{job}.2" in queued(cluster, job), "both to be queued")
    assert queued(cluster, job).splitlines() == [f"srun: step {job}.1 queued", "code 0", f"{job}.2"]
    assert [line.split() for line in cluster.run("squeue", "-s", "-h", "-O", "stepid,stepstate").ok().lines
            if f"{job}.1 " in line or f"{job}.2 " in line] == [[f"{job}.1", "PENDING"], [f"{job}.2", "PENDING"]]
    assert "State=PENDING" in cluster.run("scontrol", "show", "step", f"{job}.1").ok().out
    let(cluster, "go")
    wait_for(lambda: text(cluster, "mine.2") == "2 0\n", "the second step")
    wait_for(lambda: text(cluster, f"slurm-{job}.1.out") == "later\n", "the first step")
    let(cluster, "end")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


def test_a_step_that_waits_can_be_cancelled(cluster):
    job = start(cluster, HOLD + "srun --async -n1 --exact --mem=10 touch ran" + END, "-n2")
    wait_for(lambda: "queued" in queued(cluster, job), "the step to be queued")
    cluster.run("scancel", f"{job}.1").ok()
    assert f"{job}.1" not in cluster.run("squeue", "-s", "-h").ok().out
    let(cluster, "go")
    let(cluster, "end")
    cluster.wait_end(job)
    assert not (cluster.work / "ran").exists()


def test_it_survives_a_killed_controller(cluster):
    job = start(cluster, HOLD + "srun --async -n1 --exact --mem=10 echo survived" + END, "-n2")
    wait_for(lambda: "queued" in queued(cluster, job), "the step to be queued")
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    let(cluster, "go")
    wait_for(lambda: text(cluster, f"slurm-{job}.1.out") == "survived\n", "the step")
    let(cluster, "end")
    cluster.wait_end(job)


def test_the_end_of_the_job_ends_what_waits(cluster):
    job = start(cluster, HOLD + "srun --async -n1 --exact --mem=10 touch ran" + END, "-n2")
    wait_for(lambda: "queued" in queued(cluster, job), "the step to be queued")
    cluster.run("scancel", job).ok()
    cluster.wait_end(job)
    assert not (cluster.work / "ran").exists()


def test_tasks_of_two_nodes_write_one_file(cluster):
    job = start(cluster, "srun --async -o both.txt bash -c 'echo $SLURM_PROCID $SLURMD_NODENAME'" + END, "-N2", "-n2")
    wait_for(lambda: sorted(text(cluster, "both.txt").splitlines()) == ["0 n1", "1 n2"], "both tasks")
    let(cluster, "end")
    cluster.wait_end(job)


@pytest.mark.parametrize("options, words", [
    (["--pty"], "do not go with --async"), (["--mpi=pmi2"], "does not go with --mpi"), (["-o", "0"], "name a file"),
])
def test_what_needs_an_srun_that_stays_is_refused(cluster, options, words):
    done = cluster.run("srun", "--async", *options, "true", env={"SLURM_JOB_ID": "1"})
    assert done.code == 1 and words in done.err
    assert "there is none here" in cluster.run("srun", "--async", "true").err
