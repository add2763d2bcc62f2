"""CR_Socket: a job gets all of the sockets that contain its cores."""
import re

import pytest

CLUSTER = dict(nodes=2, cpus=16, sockets=4, conf="SelectTypeParameters=CR_Socket_Memory\n")


def allocated(cluster, *args):
    result = cluster.run("salloc", "--no-shell", *args).ok()
    job = re.search(r"Granted job allocation (\d+)", result.err)[1]
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    return " ".join(f"{n}:{ids}" for n, ids in re.findall(r" Nodes=(\S+) CPU_IDs=(\S+) ", shown))


@pytest.mark.parametrize("args, cpus", [
    ("-n1", "n1:0-3"),
    ("-n3", "n1:0-11"),
    ("-n3 -m block:block", "n1:0-3"),
    ("-n5 -m block:block", "n1:0-7"),
    ("-n2 -c3", "n1:0-7"),
    ("-n1 -c6", "n1:0-15"),
    ("-N2 -n6", "n1:0-7 n2:0-15"),
    ("-n1 --ntasks-per-socket=1", "n1:12-15"),
])
def test_an_idle_cluster(cluster, args, cpus):
    assert allocated(cluster, "--mem=10", *args.split()) == cpus


def test_a_socket_is_one_job_s(cluster):
    allocated(cluster, "--mem=10", "-w", "n1", "-n1")
    assert allocated(cluster, "--mem=10", "-w", "n1", "-n2") == "n1:4-11"


def test_memory_goes_by_the_cpus_of_the_sockets(cluster):
    allocated(cluster, "--mem-per-cpu=100", "-n3")
    job = cluster.run("squeue", "-h", "-o", "%A").ok().out.strip()
    assert "mem=1200M" in cluster.job(job)["TRES"]
