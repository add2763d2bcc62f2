"""Processes that SIGKILL does not end: here because they are frozen, in reality because a disk does not answer."""
import os
import tempfile
from pathlib import Path

import pytest

from muster import IS_ROOT, wait_for, write_program

PLACE = Path(tempfile.mkdtemp(prefix="muster.unkillable.", dir="/tmp"))
CLUSTER = dict(nodes=2, conf=f"UnkillableStepTimeout=2\nUnkillableStepProgram={PLACE}/program\nKillWait=1\n")
FREEZER = Path("/sys/fs/cgroup/freezer")
pytestmark = pytest.mark.skipif(not (IS_ROOT and (FREEZER / "cgroup.procs").exists()), reason="needs a freezer")


@pytest.fixture
def ice():
    """A group whose processes stop when it is frozen."""
    write_program(PLACE / "program", f"env > {PLACE}/told.new; mv {PLACE}/told.new {PLACE}/told")
    group = FREEZER / f"muster-test-{os.getpid()}"
    group.mkdir()
    yield group
    (group / "freezer.state").write_text("THAWED")
    wait_for(lambda: not (group / "cgroup.procs").read_text(), "the processes to end")
    group.rmdir()
    for file in PLACE.iterdir():
        file.unlink()
    PLACE.rmdir()


def test_a_node_on_which_processes_do_not_end_is_drained(cluster, ice):
    job = cluster.sbatch("-w", "n1", "-o", "out", cluster.script(
        "stuck.sh", f"echo $BASHPID > {ice}/cgroup.procs\ntouch ready\nsleep 1000\n"))
    wait_for((cluster.work / "ready").exists, "the job")
    (ice / "freezer.state").write_text("FROZEN")
    wait_for(lambda: (ice / "freezer.state").read_text() == "FROZEN\n", "ice")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    assert f"*** JOB {job} STEPD TERMINATED ON n1 AT " in cluster.wait_text("out", "NOT ENDING WITH SIGNALS")
    wait_for(lambda: cluster.run("sinfo", "-h", "-R", "-o", "%E %N").out == "Kill task failed n1\n", "n1 to be drained")
    wait_for((PLACE / "told").exists, "UnkillableStepProgram")
    assert f"SLURM_JOB_ID={job}\n" in (PLACE / "told").read_text()
