"""A cluster for a client, which finds it as any user's program does: PATH and SLURM_CONF."""
import os
from pathlib import Path

import pytest

import muster

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def cluster():
    cluster = muster.Cluster(nodes=2).up()
    yield cluster
    cluster.down()


@pytest.fixture
def as_client(cluster, monkeypatch):
    """The environment of a user's shell on this cluster, and its work directory."""
    for name in ("PATH", "SLURM_CONF"):
        monkeypatch.setenv(name, cluster.environment[name])
    # A client that pickles a function has to find its module in the job.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(cluster.work)
    return cluster
