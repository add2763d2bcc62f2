"""-B and similar options ask for free sockets; options about cores override --hint."""
import re

import pytest

CLUSTER = dict(nodes=2, cpus=16, threads=2, sockets=2)


def allocate(cluster, *args):
    return cluster.run("salloc", "-I", "--no-shell", "--mem=10", *args)


def job_text(cluster, *args):
    result = allocate(cluster, *args).ok()
    job = re.search(r"Granted job allocation (\d+)", result.err)[1]
    return cluster.run("scontrol", "-d", "show", "job", job).ok().out


def cpus(cluster, *args):
    return " ".join(f"{n}:{ids}" for n, ids in re.findall(r" Nodes=(\S+) CPU_IDs=(\S+) ", job_text(cluster, *args)))


@pytest.mark.parametrize("args, where", [
    ("-n2 --cores-per-socket=4", "n1:8-9"),
    ("-n7 --cores-per-socket=4", "n1:8-15"),
    ("-n7 --cores-per-socket=3", "n1:2-5,8-11"),
    ("-n9 --cores-per-socket=4", "n2:0-5,8-11"),
    ("-n1 --sockets-per-node=2 --cores-per-socket=4", "n2:0-1"),
])
def test_sockets_are_as_free_as_asked_for(cluster, args, where):
    cpus(cluster, "-w", "n1", "-n1")
    assert cpus(cluster, *args.split()) == where


def test_a_node_without_such_sockets_is_busy(cluster):
    cpus(cluster, "-w", "n1", "-n14")
    result = allocate(cluster, "-w", "n1", "-n1", "--sockets-per-node=2")
    assert result.code == 1 and "Requested nodes are busy" in result.err


@pytest.mark.parametrize("args, asked", [
    ("--hint=nomultithread", "0:0:*:1"),
    ("--hint=nomultithread --threads-per-core=2", "0:0:*:2"),
    ("--threads-per-core=2 --hint=memory_bound", "0:0:*:2"),
    ("--hint=memory_bound --ntasks-per-core=2", "0:0:*:*"),
    ("--hint=memory_bound --cores-per-socket=2", "0:0:1:1"),
    ("--hint=compute_bound -B1:1", "0:0:1:*"),
    ("--threads-per-core=2 -B1:1", "0:0:1:*"),
])
def test_a_hint_gives_way(cluster, args, asked):
    assert re.search(r"ReqB:S:C:T=(\S+)", job_text(cluster, *args.split()))[1] == asked


@pytest.mark.parametrize("args, tasks", [
    ("-B1:4:1 -N2-3", 2), ("-B1:4:1 -N2", 8), ("--sockets-per-node=2 --cores-per-socket=2 -w n1", 4),
])
def test_tasks_follow_from_the_shape_of_nodes(cluster, args, tasks):
    assert int(re.search(r"NumTasks=(\d+)", job_text(cluster, *args.split()))[1]) == tasks


def test_a_job_of_one_task_has_no_room_for_more(cluster):
    assert cpus(cluster, "-n1", "--ntasks-per-node=4") == "n1:0-1"


@pytest.mark.parametrize("args", ["-N2 -n2 -m plane=2", "-N2 -m plane=1", "-N2 --ntasks-per-node=1 -m plane=2"])
def test_planes_leave_no_node_empty(cluster, args):
    result = allocate(cluster, *args.split())
    assert result.code == 1
    assert result.err == "salloc: error: Too few processes for the requested {plane,node} distribution\n"
