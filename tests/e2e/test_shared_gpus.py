"""Shares of GPUs (shard, mps), and GPUs close to the cores of a job."""
import re

import pytest

CLUSTER = dict(nodes=2, cpus=8, gpus=4, gres="""\
NodeName=n[1-2] Name=gpu Type=v100 File=/dev/tty[20-21] Cores=0-3
NodeName=n[1-2] Name=gpu Type=v100 File=/dev/tty[22-23] Cores=4-7
NodeName=n1 Name=shard Count=16
""", conf="GresTypes=gpu,shard\n")


@pytest.fixture(autouse=True, scope="module")
def two_sockets(module_cluster):
    """The nodes get two sockets, and the first node shares of its GPUs."""
    text = module_cluster.config_file.read_text()
    text = text.replace("SocketsPerBoard=1 CoresPerSocket=8", "SocketsPerBoard=2 CoresPerSocket=4")
    nodes = re.search(r"^NodeName=n\[1-2\](.*)Port=(\d+)-(\d+)(.*)$", text, re.M)
    lines = [f"NodeName=n{i}{nodes[1]}Port={nodes[i + 1]}{nodes[4]}" for i in (1, 2)]
    lines[0] = lines[0].replace("gpu:v100:4", "gpu:v100:4,shard:16")
    module_cluster.config_file.write_text(text.replace(nodes[0], "\n".join(lines)))
    module_cluster.stop_controller()
    for node in ("n1", "n2"):
        module_cluster.stop_node(node)
    module_cluster.start_controller()
    for node in ("n1", "n2"):
        module_cluster.start_node(node)
    module_cluster.wait_nodes("idle")


def detail(cluster, job):
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    return re.search(r" Nodes=\S+ CPU_IDs=(\S+) Mem=\d+ GRES=(\S*)", shown).groups()


def running(cluster, *args, node="n1"):
    job = cluster.sbatch("-w", node, *args, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(job, "RUNNING")
    return job


def test_a_share_of_a_gpu_and_its_variables(cluster):
    job = cluster.sbatch("-w", "n1", "--gres=shard:2", "--wrap",
                         "env | grep -E '^CUDA_V|^SLURM_.*(GPUS|SHARDS)' | sort; srun true", memory="10")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.output(job).split() == [
        "CUDA_VISIBLE_DEVICES=0", "SLURM_GPUS_ON_NODE=1", "SLURM_JOB_GPUS=0", "SLURM_SHARDS_ON_NODE=2"]


def test_a_gpu_is_used_whole_or_by_its_shares(cluster):
    share = running(cluster, "--gres=shard:2")
    assert detail(cluster, share)[1] == "shard:2(IDX:0)"
    whole = running(cluster, "--gres=gpu:3")
    assert detail(cluster, whole)[1] == "gpu:v100:3(IDX:1-3)"
    waits = [cluster.sbatch("-w", "n1", gres, "--wrap", "true", memory="10")
             for gres in ("--gres=gpu:1", "--gres=shard:3")]
    cluster.wait_reason(waits[0], "Resources")
    assert cluster.state(waits[1]) == "PENDING"
    cluster.run("scancel", whole).ok()
    for job in waits:
        assert cluster.wait_end(job)["JobState"] == "COMPLETED"


def test_cpus_and_gpus_are_close(cluster):
    running(cluster, "-n1", "--gres=gpu:2", node="n2")
    job = running(cluster, "-n2", "-N1", "--gres=gpu:2", node="n2")
    assert detail(cluster, job) == ("4-5", "gpu:v100:2(IDX:2-3)")
    shown = cluster.run("scontrol", "-d", "show", "node", "n2").ok().out
    assert "Gres=gpu:v100:4(S:0-1)\n" in shown
    assert "GresUsed=gpu:v100:4(IDX:0-3)" in shown


def test_binding_can_be_enforced_or_not(cluster):
    refused = cluster.run("sbatch", "-w", "n2", "--mem=10", "-N1", "-n6", "--gres=gpu:1",
                          "--gres-flags=enforce-binding", "--wrap", "true")
    assert refused.code == 1 and "Requested node configuration is not available" in refused.err
    job = running(cluster, "-N1", "-n6", "--gres=gpu:1", "--gres-flags=disable-binding", node="n2")
    assert cluster.job(job)["GresEnforceBind"] == "No"
    assert cluster.run("sbatch", "--gres-flags=both", "--wrap", "true").code == 255
