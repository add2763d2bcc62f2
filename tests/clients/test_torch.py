"""PyTorch over several nodes with gloo: torchrun as its examples start it, env:// by --rendezvous, and Lightning's idea of Slurm."""
import re
import socket
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
pytest.importorskip("torch", reason="python3-torch is not installed")

# The script of PyTorch's own example for Slurm, with a port that is free here. PyTorch 1.13 under Python 3.11 wants
# its output teed.
TORCHRUN = """\
nodes=( $( scontrol show hostnames $SLURM_JOB_NODELIST ) )
nodes_array=($nodes)
head_node=${{nodes_array[0]}}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname --ip-address)
echo Node IP: $head_node_ip
export LOGLEVEL=INFO
srun {python} -m torch.distributed.run --nnodes 2 --nproc_per_node 2 --rdzv_id $SLURM_JOB_ID --rdzv_backend c10d \\
  --rdzv_endpoint $head_node_ip:{port} --tee 1 --redirects 1 {program}
"""


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def ranks(text):
    return sorted(re.findall(r"rank (\d) of (\d): (\d+)", text))


FOUR = [(str(rank), "4", "6") for rank in range(4)]


def run(cluster, script, *options):
    done = cluster.run("sbatch", "--parsable", "--mem=500", "--time=5", "-J", "torch", *options, script).ok()
    job = done.out.strip()
    cluster.wait_end(job, limit=150)
    output = cluster.output(job)
    assert cluster.state(job) == "COMPLETED", output
    return output


def test_torchrun_over_two_nodes(as_client):
    body = TORCHRUN.format(python=sys.executable, port=free_port(), program=HERE / "torch/reduce.py")
    script = as_client.script("torchrun.sh", body)
    assert ranks(run(as_client, script, "--nodes=2", "--ntasks=2", "--cpus-per-task=2")) == FOUR


def test_ranks_meet_by_rendezvous(as_client):
    script = as_client.script("env.sh", f"srun --rendezvous {sys.executable} {HERE}/torch/reduce.py\n")
    assert ranks(run(as_client, script, "--nodes=2", "--ntasks-per-node=2")) == FOUR


def test_lightning_knows_its_place(as_client):
    # Names of pretended nodes do not resolve, so the address is given; the rest is Lightning's.
    script = as_client.script("lightning.sh", f"MAIN_ADDRESS=127.0.0.1 srun {sys.executable} {HERE}/torch/reduce.py lightning\n")
    output = run(as_client, script, "--nodes=2", "--ntasks-per-node=2")
    assert ranks(output) == FOUR
    assert sorted(re.findall(r"job \d+ torch node (\d) local (\d)", output)) == [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]
