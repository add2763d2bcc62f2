"""Hydra with its submitit launcher: `python code.py +setup=hpc_gpu params=1,2 --multirun` and its relatives."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import muster

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def cluster():
    cluster = muster.Cluster(nodes=6).up()
    yield cluster
    cluster.down()


@pytest.fixture
def project(as_client, tmp_path):
    """A directory with the program and its virtual environment: the one that the tests run in."""
    shutil.copy(HERE / "hydra/code.py", tmp_path / "code.py")
    (tmp_path / "venv").symlink_to(sys.prefix)
    return tmp_path


def hydra(project, *arguments, **environment):
    return subprocess.run([sys.executable, "code.py", *arguments], cwd=project, env=os.environ | environment,
                          capture_output=True, text=True, timeout=180)


def outputs(project):
    """What the tasks printed, in their order."""
    return [path.read_text() for path in sorted(project.glob("some/new/basedir/*/*/.submitit/*/*_log.out"))]


def results(project):
    return sorted((path.parent.name, path.name, path.read_text().strip())
                  for path in project.glob("some/new/basedir/*/*/[0-9]*/result.*"))


def test_a_sweep_is_an_array_with_gpus(cluster, project):
    done = hydra(project, "+setup=hpc_gpu", "params=1,2", "--multirun")
    assert done.returncode == 0, done.stderr
    assert results(project) == [("0", "result.0", "1"), ("1", "result.0", "2")]
    first, second = outputs(project)
    assert "params 1 SLURM_ARRAY_TASK_ID=0" in first and "params 2 SLURM_ARRAY_TASK_ID=1" in second
    for text in (first, second):
        assert "CUDA_VISIBLE_DEVICES=0,1,2,3" in text and "WANDB_MODE=offline" in text and f"VIRTUAL_ENV={sys.prefix}" in text
    jobs = {line.split("|")[0] for line in cluster.run("sacct", "-nPX", "-o", "JobID,ReqTRES,TimelimitRaw").out.splitlines()
            if "gres/gpu=4" in line and line.endswith("|30")}
    assert len(jobs) == 2


def test_one_value_still_needs_multirun(project):
    done = hydra(project, "+setup=hpc_gpu", "params=7", "--multirun")
    assert done.returncode == 0, done.stderr
    assert results(project) == [("0", "result.0", "7")]


def test_a_sweep_over_six_nodes(project):
    done = hydra(project, "+setup=hpc_batch", "params=3", "--multirun")
    assert done.returncode == 0, done.stderr
    assert "SLURM_JOB_NUM_NODES=6" in outputs(project)[0]
    assert [name for _, name, _ in results(project)] == [f"result.{rank}" for rank in range(6)]


def test_the_local_launcher_works_beside_it(project):
    done = hydra(project, "hydra/launcher=submitit_local_custom", "params=1,2", "--multirun")
    assert done.returncode == 0, done.stderr
    assert len(list(project.glob("multirun/*/*/[01]/result.*"))) == 2


def test_the_configuration_of_the_launcher_is_shown(project):
    done = hydra(project, "+setup=hpc_gpu", "params=1", "--cfg", "all", "-p", "hydra.launcher")
    assert done.returncode == 0, done.stderr
    assert "gres: gpu:4" in done.stdout and "timeout_min: 30" in done.stdout
    plain = hydra(project, "hydra/launcher=submitit_slurm", "params=1", "--cfg", "all", "-p", "hydra.launcher")
    assert "submitit_folder:" in plain.stdout


def test_a_task_that_ignores_signals_is_still_ended_by_scancel(cluster, project):
    """The workaround of those whose launcher is hit by signals must not make jobs immortal."""
    fifo = project / "fifo"
    os.mkfifo(fifo)
    program = subprocess.Popen([sys.executable, "code.py", "+setup=hpc_gpu", f"params={fifo}", "--multirun"], cwd=project,
                               env=os.environ | {"IGNORE_SIGNALS": "1"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        job = muster.wait_for(lambda: cluster.run("squeue", "-h", "-t", "R", "-o", "%A").out.strip(), "the job to run")
        muster.wait_for(lambda: any("params" in text for text in outputs(project)), "the task to begin")
        for name in ("USR2", "CONT", "TERM"):
            cluster.run("scancel", "-s", name, job).ok()
        assert cluster.state(job) == "RUNNING"
        cluster.run("scancel", job).ok()
        cluster.wait_state(job, "CANCELLED")
    finally:
        program.kill()
        program.communicate()
