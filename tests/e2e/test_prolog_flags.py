"""PrologFlags, and an EpilogSlurmctld that a crash of the controller cuts off."""
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from muster import wait_for, write_program

PROGRAMS = Path(tempfile.mkdtemp(prefix="muster.flags.", dir="/tmp"))
PROGRAMS.chmod(0o777)
CLUSTER = dict(nodes=1, conf=f"Prolog={PROGRAMS}/Prolog\nEpilogSlurmctld={PROGRAMS}/EpilogSlurmctld\n"
               "PrologFlags=Serial,ForceRequeueOnFail\n")
pytestmark = pytest.mark.ours


def write(name, body="true"):
    write_program(PROGRAMS / name, body)


@pytest.fixture(scope="module", autouse=True)
def directory():
    write("Prolog")
    write("EpilogSlurmctld")
    yield
    shutil.rmtree(PROGRAMS)


@pytest.fixture(autouse=True)
def log():
    write("Prolog")
    write("EpilogSlurmctld")
    path = PROGRAMS / "log"
    path.write_text("")
    path.chmod(0o666)
    return path


def test_serial_prologs_run_one_after_the_other(cluster, log):
    write("Prolog", f"echo begin >> {log}; sleep 0.3; echo end >> {log}")
    jobs = [cluster.sbatch("--wrap", "true") for _ in range(3)]
    for job in jobs:
        cluster.wait_end(job)
    assert log.read_text().split() == ["begin", "end"] * 3


def test_a_job_whose_prolog_failed_is_requeued_whatever_it_says(cluster):
    write("Prolog", "exit 1")
    job = cluster.sbatch("--no-requeue", "--wrap", "true")
    cluster.wait_reason(job, "launch failed requeued held")


def test_an_epilog_that_a_crash_cut_off_runs_again(cluster, log):
    write("EpilogSlurmctld", f"echo $SLURM_JOB_ID $SLURM_JOB_NODELIST >> {log}; "
          f"while [ ! -e {PROGRAMS}/go ]; do sleep 0.1; done; echo over >> {log}")
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_end(job)
    wait_for(lambda: log.read_text() == f"{job} n1\n", "the first run")
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    wait_for(lambda: log.read_text() == f"{job} n1\n" * 2, "the second run")
    (PROGRAMS / "go").touch()
    wait_for(lambda: log.read_text().count("over") == 2, "both to end")
