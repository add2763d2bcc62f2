"""scontrol notify: messages to the owners of jobs."""
from muster import wait_for

CLUSTER = dict(nodes=1)


def test_a_batch_script_has_it_among_its_errors(cluster):
    job = cluster.sbatch("-e", "err", "--wrap", "touch there; sleep 600")
    wait_for(lambda: (cluster.work / "there").exists(), "the script")
    cluster.run("scontrol", "notify", job, "the disk", "is full").ok()
    assert cluster.wait_text("err", "disk").endswith("error: the disk is full\n")
    cluster.run("scancel", job).ok()


def test_srun_and_salloc_say_it(cluster):
    with cluster.start("srun", "--mem=100", "bash", "-c", "echo $SLURM_JOB_ID; while [ ! -e go ]; do sleep 0.1; done") as step:
        job = step.stdout.readline().strip()
        cluster.run("scontrol", "notify", job, "hello").ok()
        assert step.stderr.readline() == "srun: hello\n"
        (cluster.work / "go").touch()
    done = cluster.run("salloc", "--mem=100", "bash", "-c", "scontrol notify $SLURM_JOB_ID twice; sleep 1")
    assert "salloc: twice\n" in done.err


def test_it_is_refused_where_nobody_hears_it(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    waits = cluster.run("scontrol", "notify", job, "hello")
    cluster.run("scancel", job).ok()
    over = cluster.run("scontrol", "notify", job, "hello")
    unknown = cluster.run("scontrol", "notify", "999", "hello")
    silent = cluster.run("scontrol", "notify", job)
    assert [d.code for d in (waits, over, unknown, silent)] == [1] * 4
    assert waits.err == "job notify failure: Requested operation is presently disabled\n"
    assert over.err == "job notify failure: Job/step already completing or completed\n"
    assert unknown.err == "job notify failure: Invalid job id specified\n"
    assert silent.err == "too few arguments for keyword:notify\n"
