"""What options about GPUs mean together: nodes, tasks, and contradictions."""
import re

import pytest

CLUSTER = dict(nodes=3)


def allocate(cluster, *args):
    return cluster.run("salloc", "-I", "--no-shell", "--mem=10", *args)


def job_text(cluster, *args):
    result = allocate(cluster, *args).ok()
    job = re.search(r"Granted job allocation (\d+)", result.err)[1]
    return cluster.run("scontrol", "-d", "show", "job", job).ok().out


@pytest.mark.parametrize("args, nodes, tasks", [
    ("-N1-3 --gpus=5", "n[1-2]", 2),
    ("-N2-3 --gpus=6", "n[1-2]", 2),
    ("-N1-2 -n6 --gpus=3", "n1", 6),
    ("--gpus-per-node=4 --ntasks-per-gpu=2", "n1", 8),
])
def test_few_nodes_will_do(cluster, args, nodes, tasks):
    text = job_text(cluster, *args.split())
    assert re.search(r"\n   NodeList=(\S+)", text)[1] == nodes
    assert re.search(r"NumTasks=(\d+)", text)[1] == str(tasks)


@pytest.mark.parametrize("args, gpus", [
    ("--gres=gpu:3,gpu:2", "gpu:v100:2(IDX:0-1)"),
    ("--gpus-per-node=3 --gres=gpu:1", "gpu:v100:1(IDX:0)"),
])
def test_of_a_kind_that_is_named_twice_the_last_number_counts(cluster, args, gpus):
    assert f"GRES={gpus}\n" in job_text(cluster, "-N1", *args.split())


@pytest.mark.ours
def test_gpus_of_sockets_and_of_the_job_are_the_same(cluster):
    text = job_text(cluster, "--gpus-per-socket=2", "--sockets-per-node=1", "--gpus=4")
    assert "Nodes=n[1-2] CPU_IDs=0 Mem=10 GRES=gpu:v100:2(IDX:0-1)" in text


def test_memory_of_no_cpu_is_that_of_the_node(cluster):
    job = cluster.sbatch("-H", "--mem-per-cpu=0", "--wrap", "true", memory=None)
    assert cluster.job(job)["MinMemoryNode"] == "0"


@pytest.mark.parametrize("args, words", [
    ("--gres=gpu:v100:1,gpu:1", "error: Invalid GRES specification (with and without type identification)"),
    ("-N3 --gpus=1", "error: Failed to validate job spec, --gpus < -N"),
    ("-N1-3 --gpus-per-task=2", "--gpus-per-task used without either --gpus or -n/--ntasks is not allowed."),
    ("--gpus=2 --ntasks-per-node=1 --ntasks-per-gpu=1",
     "fatal: --ntasks-per-node is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU"),
    ("-N1 --gpus-per-task=1 --gpus-per-node=2 --ntasks-per-node=1",
     "Based on --gres=gpu/--gpus-per-node and --gpus-per-task requested number of tasks per node differ from --ntasks-per-node."),
    ("--gres=gpu:2 --gpus-per-socket=1 --sockets-per-node=1",
     "Based on --gres=gpu/--gpus-per-node and --gpus-per-socket required number of sockets differ from --sockets-per-node."),
    ("--gpus-per-node=3 --gpus-per-socket=2 --sockets-per-node=1", "--gres=gpu/--gpus-per-node not multiple of --gpus-per-socket."),
    ("--gpus-per-socket=2 --sockets-per-node=1 --gpus=1",
     "error: Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket"),
    ("--gpus-per-socket=1 --ntasks-per-gpu=1",
     "fatal: --gpus-per-socket is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU"),
])
def test_contradictions_are_told(cluster, args, words):
    result = allocate(cluster, *args.split())
    assert result.code == 1 and words in result.err
