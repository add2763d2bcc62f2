"""Parts of a GPU (MIG) as devices of their own, with a stand-in for NVIDIA's library."""
import os
from pathlib import Path

import pytest

import muster

STANDINS = Path(os.environ.get("MUSTER_STANDINS", muster.BIN.parent / "tests/standins"))
CLUSTER = dict(nodes=1, gpus=3, gpu_type="1g.5gb", gres="AutoDetect=nvml\n",
               variables={"LD_LIBRARY_PATH": str(STANDINS), "NVML_STANDIN_GPUS": "1", "NVML_STANDIN_MIG": "3"})
pytestmark = [pytest.mark.ours,
              pytest.mark.skipif(not STANDINS.exists(), reason="the stand-in library is not built")]


def test_a_job_sees_its_parts_by_name(cluster):
    job = cluster.sbatch("--gres=gpu:1g.5gb:2", "--wrap", "echo $CUDA_VISIBLE_DEVICES $SLURM_JOB_GPUS")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.output(job) == "MIG-0000-0,MIG-0000-1 0,1\n"


def test_each_task_sees_its_own(cluster):
    job = cluster.sbatch("-n3", "--gres=gpu:3", "--wrap",
                         "srun --gpu-bind=single:1 sh -c 'echo $SLURM_PROCID $CUDA_VISIBLE_DEVICES' | sort")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.output(job) == "0 MIG-0000-0\n1 MIG-0000-1\n2 MIG-0000-2\n"
