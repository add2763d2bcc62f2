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
    """What submitit makes of sacct's answer, asked anew each time."""
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
