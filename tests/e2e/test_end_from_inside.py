"""Commands that end or requeue the job that they run in: each gets its answer and its exit code."""
import pytest

CLUSTER = dict(nodes=2)

FIRST_RUN = '[ -n "$SLURM_RESTART_COUNT" ] && exit 0\n'
SELF = "$SLURM_JOB_ID"


def said(cluster):
    """What the script wrote about the exit code of its command."""
    return cluster.wait_text("said", r"rc \S+\n")


@pytest.mark.parametrize("verb", ["scontrol requeue", "scontrol requeuehold", "scancel"])
def test_a_script_hears_that_it_was_done(cluster, verb):
    cluster.sbatch("--requeue", cluster.script("job.sh", FIRST_RUN + f'{verb} {SELF}; echo "rc $?" > said\nsleep 1000\n'))
    assert said(cluster) == "rc 0\n"


def test_a_handler_of_a_signal_requeues_its_job(cluster):
    """As checkpoints of training scripts do."""
    job = cluster.sbatch("--requeue", cluster.script("job.sh", FIRST_RUN + f"""
trap 'scontrol requeue {SELF}; echo "rc $?" > said; exit 3' USR1
echo yes > ready
while :; do sleep 0.1; done
"""))
    cluster.wait_text("ready")
    cluster.run("scancel", "--signal=USR1", "--batch", job).ok()
    assert said(cluster) == "rc 0\n"
    cluster.wait_state(job, "PENDING", "COMPLETED")


def test_a_task_requeues_the_job_of_its_step(cluster):
    task = cluster.script("task.sh", f'scontrol requeue {SELF}; echo "rc $?" > said; sleep 1000\n')
    cluster.sbatch("--requeue", "-N2", cluster.script("job.sh", FIRST_RUN + f"srun -n1 -N1 -w n2 {task}\n"))
    assert said(cluster) == "rc 0\n"


def test_the_signal_comes_after_the_answer(cluster):
    job = cluster.sbatch(cluster.script("job.sh", f"""
trap 'echo "term" >> said' TERM
scancel {SELF}
echo "rc $?" >> said
while :; do sleep 0.1; done
"""))
    cluster.wait_state(job, "CANCELLED")
    assert said(cluster) == "rc 0\nterm\n"


def test_a_task_cancels_its_own_step(cluster):
    task = cluster.script("task.sh", f'scancel {SELF}.$SLURM_STEP_ID; echo "rc $?" > said; sleep 1000\n')
    cluster.sbatch(cluster.script("job.sh", f"srun -n1 {task}\n"))
    assert said(cluster) == "rc 0\n"
