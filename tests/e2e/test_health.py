"""HealthCheckProgram: when it runs, and that it may drain its node."""
import tempfile
from pathlib import Path

import pytest

from muster import wait_for, write_program

PLACE = Path(tempfile.mkdtemp(prefix="muster.health.", dir="/tmp"))
PLACE.chmod(0o777)
CLUSTER = dict(nodes=2, conf=f"HealthCheckProgram={PLACE}/check\nHealthCheckInterval=2\nHealthCheckNodeState=IDLE\n")


def write_check(body=""):
    """Notes that it ran, then does what the test wants."""
    write_program(PLACE / "check", f"echo $SLURMD_NODENAME >> {PLACE}/ran\n{body}")


def runs(node):
    try:
        return (PLACE / "ran").read_text().split().count(node)
    except FileNotFoundError:
        return 0


@pytest.fixture(scope="module", autouse=True)
def check():
    write_check()
    yield
    for file in PLACE.iterdir():
        file.unlink()
    PLACE.rmdir()


def wait_another_run(node):
    before = runs(node)
    wait_for(lambda: runs(node) > before, f"a check on {node}")


def test_it_runs_again_and_again_on_idle_nodes_only(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    wait_another_run("n2")
    busy = runs("n1")
    wait_another_run("n2")
    wait_another_run("n2")
    assert runs("n1") == busy


def test_it_runs_when_slurmd_starts(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 1000")  # no check at intervals
    cluster.wait_state(job, "RUNNING")
    wait_another_run("n2")
    before = runs("n1")
    cluster.stop_node("n1")
    cluster.start_node("n1")
    wait_for(lambda: runs("n1") == before + 1, "the check at the start")


def test_it_may_drain_its_node(cluster):
    write_check("[ $SLURMD_NODENAME = n2 ] && "
                f"SLURM_CONF={cluster.config_file} {cluster.run('which', 'scontrol').out.strip()} "
                "update nodename=$SLURMD_NODENAME state=drain reason=ill")
    wait_for(lambda: "drain" in cluster.run("sinfo", "-h", "-n", "n2", "-o", "%T").out, "n2 to be drained")
    write_check()
    assert "ill" in cluster.run("sinfo", "-R", "-h").out
    assert cluster.run("sinfo", "-h", "-n", "n1", "-o", "%T").lines == ["idle"]
