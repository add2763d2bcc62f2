"""PrologFlags=DeferBatch: the script waits for the Prologs of all nodes."""
import shutil
import tempfile
from pathlib import Path

import pytest

from muster import wait_for

PROGRAMS = Path(tempfile.mkdtemp(prefix="muster.defer.", dir="/tmp"))
PROGRAMS.chmod(0o777)
CLUSTER = dict(nodes=2, conf=f"Prolog={PROGRAMS}/Prolog\nPrologFlags=Alloc,DeferBatch\n")


@pytest.fixture(scope="module", autouse=True)
def prolog():
    program = PROGRAMS / "Prolog"
    program.write_text(f"#!/bin/bash\ntouch {PROGRAMS}/$SLURMD_NODENAME\n"
                       f"[ $SLURMD_NODENAME = n1 ] || while [ ! -e {PROGRAMS}/go ]; do sleep .1; done\n")
    program.chmod(0o755)
    yield
    shutil.rmtree(PROGRAMS)


def test_the_script_waits_for_the_slowest_prolog(cluster):
    job = cluster.sbatch("-N2", "-o", "out", "--wrap", "touch began; echo ran")
    wait_for(lambda: (PROGRAMS / "n1").exists() and (PROGRAMS / "n2").exists(), "both Prologs")
    small = cluster.sbatch("-N1", "-w", "n1", "-o", "small", "--wrap", "echo ran")
    cluster.wait_end(small)
    assert not (cluster.work / "began").exists()
    (PROGRAMS / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert (cluster.work / "out").read_text() == "ran\n"


@pytest.mark.ours
def test_a_new_controller_goes_on_waiting(cluster):
    (PROGRAMS / "go").unlink(missing_ok=True)
    (PROGRAMS / "n2").unlink(missing_ok=True)
    job = cluster.sbatch("-N2", "-o", "out", "--wrap", "touch began")
    wait_for((PROGRAMS / "n2").exists, "the Prolog")
    cluster.stop_controller()
    cluster.start_controller()
    assert not (cluster.work / "began").exists()
    (PROGRAMS / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
