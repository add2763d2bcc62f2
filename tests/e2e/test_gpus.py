"""GPUs found and sampled through NVML, with a stand-in for NVIDIA's library."""
import os
from pathlib import Path

import pytest

import muster

STANDINS = Path(os.environ.get("MUSTER_STANDINS", muster.BIN.parent / "tests/standins"))
CLUSTER = dict(nodes=1, gpus=2, gres="AutoDetect=nvml\n", conf="JobAcctGatherFrequency=1\n",
               variables={"LD_LIBRARY_PATH": str(STANDINS)})
pytestmark = [pytest.mark.ours,
              pytest.mark.skipif(not STANDINS.exists(), reason="the stand-in library is not built")]


def test_gpus_are_found_and_used(cluster):
    assert "AutoDetect=nvml: 2 GPUs found" in (cluster.directory / "log/slurmd.n1.log").read_text()
    job = cluster.sbatch("--gres=gpu:2", "--wrap", "echo $CUDA_VISIBLE_DEVICES")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.output(job) == "0,1\n"


@pytest.mark.accounting
def test_accounting_tells_how_busy_they_were(cluster):
    job = cluster.sbatch("--gres=gpu:1", "--wrap", "sleep 3")
    cluster.wait_end(job)
    cluster.wait_sacct([".*,gres/gpumem=1G,gres/gpuutil=50,.*"], "-j", f"{job}.batch", "-o", "tresusageinave")
    energy = int(cluster.sacct("-j", f"{job}.batch", "-o", "consumedenergyraw")[0])
    assert 0 < energy < 70 * 60  # at 70 W
