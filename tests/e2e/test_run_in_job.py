"""PrologFlags=RunInJob: Prolog and Epilog are among the processes of their job."""
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from muster import is_alive, wait_for, write_program

V1 = Path("/sys/fs/cgroup/freezer").exists()
pytestmark = [pytest.mark.ours, pytest.mark.as_root,
              pytest.mark.skipif(not V1, reason="needs cgroup v1 with its controllers")]
PROGRAMS = Path(tempfile.mkdtemp(prefix="muster.inside.", dir="/tmp"))
LOG = PROGRAMS / "log"
CLUSTER = dict(nodes=1, cpus=2, cgroup="CgroupPlugin=cgroup/v1\nConstrainCores=yes\n",
               conf=f"Prolog={PROGRAMS}/Prolog\nEpilog={PROGRAMS}/Epilog\nPrologFlags=RunInJob\n"
                    "ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\n")


def write(name, body):
    write_program(PROGRAMS / name, body)


@pytest.fixture(scope="module", autouse=True)
def directory():
    PROGRAMS.chmod(0o777)
    write("Prolog", "true")
    write("Epilog", "true")
    yield
    shutil.rmtree(PROGRAMS)


@pytest.fixture(autouse=True)
def log():
    for name in ("Prolog", "Epilog"):
        write(name, f"echo {name} $SLURM_JOB_ID $(nproc) $(grep -o 'freezer:.*' /proc/self/cgroup) >> {LOG}")
    LOG.write_text("")


def seen(job):
    return [line.split() for line in LOG.read_text().splitlines() if line.split()[1] == job]


def test_both_run_in_the_extern_step_within_the_jobs_limits(cluster):
    job = cluster.sbatch("-c1", "--wrap", f"echo script $SLURM_JOB_ID >> {LOG}")
    cluster.wait_end(job)
    wait_for(lambda: len(seen(job)) == 3, "both programs")
    group = f"freezer:/slurm_n1/uid_{os.getuid()}/job_{job}/step_extern"
    cpus = str(min(1, os.cpu_count()))
    assert seen(job) == [["Prolog", job, cpus, group], ["script", job], ["Epilog", job, cpus, group]]
    wait_for(cluster.queue_is_empty, "the node to be free")
    assert not list(Path("/sys/fs/cgroup").glob(f"*/slurm_n?/uid_*/job_{job}"))


def test_a_prolog_that_fails_drains_the_node_and_holds_the_job(cluster):
    write("Prolog", "exit 1")
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_reason(job, "launch failed requeued held")
    assert "Prolog error" in cluster.run("scontrol", "show", "node", "n1").out


def test_what_the_epilog_leaves_ends_with_the_job(cluster):
    write("Epilog", f"setsid sleep 1000 < /dev/null > /dev/null 2>&1 & echo left $SLURM_JOB_ID $! >> {LOG}")
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_end(job)
    pid = wait_for(lambda: [words[2] for words in seen(job) if words[0] == "left"], "the Epilog")[0]
    wait_for(cluster.queue_is_empty, "the node to be free")
    wait_for(lambda: not is_alive(pid), "its process to end", limit=10)
