"""sstat: the usage of running steps."""
import pytest

from muster import wait_for


@pytest.fixture
def job(cluster):
    """A job with a step of two tasks, both running; its id."""
    number = cluster.sbatch("-n2", "--wrap", "srun -n2 bash -c 'touch $SLURM_PROCID; sleep 100'")
    wait_for(lambda: all((cluster.work / str(i)).exists() for i in (0, 1)), "the tasks")
    return number


def test_the_lowest_step_is_shown(cluster, job):
    rows = cluster.run("sstat", "-n", "-P", "-o", "jobid,ntasks,maxrss,maxrssnode,avecpu", "-j", job).ok().lines
    assert len(rows) == 1
    step, tasks, rss, node, cpu = rows[0].split("|")
    assert (step, tasks, node) == (f"{job}.0", "2", "n1")
    assert rss.endswith("K") and int(rss[:-1]) > 0
    assert cpu.startswith("00:00")


def test_all_steps_and_the_batch_script(cluster, job):
    rows = cluster.run("sstat", "-a", "-n", "-P", "-o", "jobid", "-j", job).ok().lines
    assert sorted(rows) == [f"{job}.0", f"{job}.batch"]
    done = cluster.run("sstat", "-j", f"{job}.batch", "-o", "JobID,NTasks").ok()
    assert done.lines[0].split() == ["JobID", "NTasks"]
    assert done.lines[2].split() == [f"{job}.batch", "1"]


def test_process_ids(cluster, job):
    step, node, pids = cluster.run("sstat", "-i", "-n", "-P", "-j", f"{job}.0").ok().lines[0].split("|")
    assert (step, node) == (f"{job}.0", "n1")
    assert len(pids.split(",")) >= 2


def test_what_does_not_run(cluster, job):
    assert f"sstat: error: StepId={job}.7 not found running." in cluster.run("sstat", "-j", f"{job}.7").ok().err
    assert "sstat: error: couldn't get steps for job 99999" in cluster.run("sstat", "-j", "99999").ok().err
    done = cluster.run("sstat", "-o", "foo", "-j", job)
    assert (done.code, done.err) == (1, 'sstat: error: Invalid field requested: "foo"\n')
    done = cluster.run("sstat")
    assert (done.code, done.err) == (1, "sstat: error: You didn't give me any jobs to stat.\n")
