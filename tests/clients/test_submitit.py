"""submitit: functions as jobs and as an array, their results, their errors, cancelling one."""
import os
import time

import pytest
import submitit

import muster


def add(a, b):
    return a + b


def where():
    environment = submitit.JobEnvironment()
    return environment.job_id, environment.num_tasks, environment.global_rank, os.environ["SLURM_JOB_NODELIST"]


def fail():
    raise ValueError("this one fails")


def wait_long():
    time.sleep(600)


def state_becomes(job, *states):
    """How submitit reads sacct's output, which it requests each time."""
    return muster.wait_for(lambda: job.watcher.get_state(job.job_id, mode="force").split()[0] in states,
                           lambda: f"job {job.job_id} to be {states}: {job.state}", every=0.3)


@pytest.fixture
def executor(as_client):
    executor = submitit.AutoExecutor(folder=as_client.work / "logs", cluster="slurm")
    executor.update_parameters(timeout_min=5, mem_gb=1, cpus_per_task=1, tasks_per_node=1, nodes=1)
    return executor


def test_a_function_runs_as_a_job(executor):
    job = executor.submit(add, 5, 7)
    assert job.result() == 12
    assert state_becomes(job, "COMPLETED")


def test_the_job_knows_where_it_is(executor):
    executor.update_parameters(tasks_per_node=2)
    job = executor.submit(where)
    results = job.results()
    assert [r[1:3] for r in results] == [(2, 0), (2, 1)]
    assert {r[0] for r in results} == {job.job_id}


def test_an_array_gives_all_results(executor):
    executor.update_parameters(slurm_array_parallelism=2)
    jobs = executor.map_array(add, range(5), range(5))
    assert [job.result() for job in jobs] == [0, 2, 4, 6, 8]
    assert all("_" in job.job_id for job in jobs)


def test_an_exception_comes_back(executor):
    job = executor.submit(fail)
    with pytest.raises(submitit.core.utils.FailedJobError, match="this one fails"):
        job.result()


def test_a_cancelled_job_is_seen_as_such(executor):
    job = executor.submit(wait_long)
    assert state_becomes(job, "PENDING", "RUNNING")
    job.cancel()
    assert state_becomes(job, "CANCELLED")


class Training:
    """Counts its runs in a file; the first one only ends when it is told to save its work."""

    def __init__(self, runs):
        self.runs = runs

    def __call__(self):
        with open(self.runs, "a") as file:
            file.write(f"run {os.environ.get('SLURM_RESTART_COUNT', '0')}\n")
        if "SLURM_RESTART_COUNT" not in os.environ:
            time.sleep(600)
        return "trained"

    def checkpoint(self, *args, **kwargs):
        return submitit.helpers.DelayedSubmission(self, *args, **kwargs)


def logs(job):
    return "\n".join(path.read_text() for path in sorted(job.paths.folder.glob(f"{job.job_id}_*.*")) if path.suffix != ".pkl")


def begin_training(executor, runs):
    training = Training(runs)
    executor.update_parameters(slurm_additional_parameters={"requeue": True})
    job = executor.submit(training)
    muster.wait_for(lambda: training.runs.exists(), "the training to begin")
    return job


def ends_well(job):
    """The requeue inside the job was answered, so submitit does not complain."""
    muster.wait_for(lambda: job.done(force_check=True), lambda: f"the training to end: {job.state}", every=0.3)
    assert job.result() == "trained"
    text = logs(job)
    assert "exception" not in text.lower() and "Traceback" not in text, text


def test_a_checkpoint_requeues_the_job_and_the_next_run_goes_on(executor, tmp_path):
    job = begin_training(executor, tmp_path / "runs")
    job._interrupt(timeout=True)
    ends_well(job)


def test_a_preempted_job_saves_its_work_and_is_requeued(executor, tmp_path):
    job = begin_training(executor, tmp_path / "runs")
    job._interrupt()
    ends_well(job)
