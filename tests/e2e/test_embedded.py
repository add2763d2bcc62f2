"""muster up, down and status: a cluster for one user with no configuration, no root and no munge."""
import os
import re
import subprocess
import tempfile
from pathlib import Path

import pytest

import muster
from muster import wait_for

pytestmark = pytest.mark.ours


class Embedded:
    """The commands with a home directory of their own, so that no other cluster of this user is touched."""

    def __init__(self):
        self.home = Path(tempfile.mkdtemp(prefix="muster-home.", dir="/tmp"))
        self.environment = {"PATH": f"{muster.BIN}:/usr/bin:/bin", "HOME": str(self.home),
                            "XDG_STATE_HOME": str(self.home / "state"), "XDG_RUNTIME_DIR": str(self.home / "run")}
        (self.home / "run").mkdir(mode=0o700)

    def run(self, *args):
        return subprocess.run(list(args), env=self.environment, cwd=self.home, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=muster.LIMIT)

    def up(self, *args):
        done = self.run("muster", "up", *args)
        assert done.returncode == 0, done.stderr + done.stdout
        conf = re.search(r"SLURM_CONF=(\S+)", done.stdout)  # named where /etc/slurm/slurm.conf exists
        if conf:
            self.environment["SLURM_CONF"] = conf[1]
        return done.stdout


@pytest.fixture
def embedded():
    cluster = Embedded()
    yield cluster
    cluster.run("muster", "down", "--force")
    subprocess.run(["rm", "-rf", cluster.home])


def test_a_job_runs_on_the_embedded_cluster(embedded):
    embedded.up()
    assert embedded.run("muster", "status").returncode == 0
    done = embedded.run("sbatch", "--wait", "-o", "out", "--wrap", "echo hello from $SLURM_JOB_ID")
    assert done.returncode == 0, done.stderr
    assert (embedded.home / "out").read_text() == "hello from 1\n"
    assert "COMPLETED" in embedded.run("sacct", "-j", "1").stdout


def test_a_second_up_says_that_it_runs_already(embedded):
    embedded.up()
    again = embedded.run("muster", "up")
    assert "already" in again.stdout + again.stderr


def test_pretend_nodes(embedded):
    embedded.up("--nodes", "4")
    wait_for(lambda: embedded.run("sinfo", "-h", "-o", "%D %T").stdout.split() == ["4", "idle"],
             lambda: "four idle nodes: " + embedded.run("sinfo").stdout)
    done = embedded.run("srun", "-N4", "bash", "-c", "echo $SLURMD_NODENAME")
    assert len(set(done.stdout.split())) == 4, done.stderr


def test_down_stops_it_and_up_brings_the_jobs_back(embedded):
    embedded.up()
    job = embedded.run("sbatch", "--parsable", "-H", "--wrap", "true").stdout.strip()
    embedded.run("muster", "down", "--force")
    assert embedded.run("squeue").returncode != 0
    embedded.up()
    assert embedded.run("squeue", "-h", "-o", "%i").stdout.split() == [job]


def test_up_recovers_after_a_crash(embedded):
    embedded.up()
    job = embedded.run("sbatch", "--parsable", "-H", "--wrap", "true").stdout.strip()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environ, name = (process / "environ").read_bytes(), (process / "comm").read_text().strip()
        except OSError:
            continue
        if str(embedded.home).encode() in environ and name in ("slurmctld", "slurmd"):
            os.kill(int(process.name), 9)
    embedded.up()
    assert embedded.run("squeue", "-h", "-o", "%i").stdout.split() == [job]
    done = embedded.run("sbatch", "--wait", "-o", "out", "--wrap", "echo again")
    assert done.returncode == 0, done.stderr
