"""The layout of jobs on nodes with two sockets of four cores with two threads: CPUs, and what the job sees."""
import re

import pytest

CLUSTER = dict(nodes=4, cpus=16, threads=2, sockets=2)
SCRIPT = "echo $SLURM_JOB_CPUS_PER_NODE $SLURM_TASKS_PER_NODE > layout; exec sleep 100"

# Request, CPUs per node, CPUs and tasks per node as the job sees them, tasks as scontrol shows them.
LAYOUTS = [
    ("-N2-4 -n20", "n1:0-13 n2:0-1,8-9 n[3-4]:0-1", "14,4,2(x2)", "12,4,2(x2)", 20),
    ("-N2-4 -n40", "n[1-2]:0-15 n3:0-3,8-11 n4:0-1", "16(x2),8,2", "15(x2),8,2", 40),
    ("-N1-3 -n5", "n1:0-1,8-9 n[2-3]:0-1", "4,2(x2)", "2(x2),1", 5),
    ("-N2-4 -n6", "n[1-4]:0-1", "2(x4)", "2(x2),1(x2)", 6),
    ("-N2-4 -n6 -c4", "n[1-2]:0-7 n[3-4]:0-3", "8(x2),4(x2)", "2(x2),1(x2)", 6),
    ("-N2-4 -n20 --use-min-nodes", "n1:0-15 n2:0-1,8-9", "16,4", "16,4", 20),
    ("-N4 -n20", "n1:0-13 n[2-4]:0-1", "14,2(x3)", "14,2(x3)", 20),
    ("-n17", "n1:0-15 n2:0-1", "16,2", "15,2", 17),
    ("-n20 -m plane=4", "n1:0-15 n2:0-3", "16,4", "16,4", 20),
    ("--spread-job -n6", "n1:0-1,8-9 n[2-4]:0-1", "4,2(x3)", "2(x2),1(x2)", 6),
    ("--spread-job -n20", "n1:0-13 n2:0-1,8-9 n[3-4]:0-1", "14,4,2(x2)", "12,4,2(x2)", 20),
    ("--spread-job -n20 -c2", "n1:0-15 n2:0-13 n3:0-7 n4:0-1", "16,14,8,2", "8,7,4,1", 20),
    ("--spread-job -N2-3 -n6", "n1:0-1,8-9 n[2-3]:0-1", "4,2(x2)", "2(x3)", 6),
    ("-n20 --ntasks-per-node=12", "n[1-2]:0-5,8-13", "12(x2)", "12(x2)", 24),
    ("-n7 --ntasks-per-node=3", "n[1-3]:0-1,8-9", "4(x3)", "3(x3)", 9),
    ("-n5 --ntasks-per-node=12", "n1:0-5,8-13", "12", "12", 12),
    ("-N2-4 --ntasks-per-node=3", "n[1-4]:0-1,8-9", "4(x4)", "3(x4)", 12),
    ("-N2", "n[1-2]:0-1", "2(x2)", "2(x2)", 2),
    ("-c1", "n1:0-1", "2", "2", 1),
    ("-N2-4", "n[1-4]:0-1", "2(x4)", "2(x4)", 4),
    ("--exclusive", "n1:0-15", "16", "16", 1),
    ("--exclusive -N2 -c5", "n[1-2]:0-15", "16(x2)", "3(x2)", 2),
    ("--exclusive -n20", "n[1-2]:0-15", "16(x2)", "10(x2)", 20),
    ("--exclusive -N2 -n5", "n[1-2]:0-15", "16(x2)", "3,2", 5),
    ("--mincpus=8 -n20", "n1:0-5,8-13 n2:0-3,8-11", "12,8", "12,8", 20),
    ("--mincpus=5 -N2 -n4", "n[1-2]:0-3,8-9", "6(x2)", "2(x2)", 4),
    ("-O -N2 -n40", "n[1-2]:0-1", "2(x2)", "20(x2)", 40),
    ("-O -N2-4 -n20", "n[1-4]:0-1", "2(x4)", "5(x4)", 20),
    ("-O -N2 -c4", "n[1-2]:0-3", "4(x2)", "1(x2)", 2),
    ("-O -n4 --ntasks-per-core=1", "n1:0-1", "2", "4", 4),
    ("-N1 --cores-per-socket=2 -c2", "n1:0-3", "4", "2", 2),
    ("-N2 --threads-per-core=2", "n[1-2]:0-1", "2(x2)", "2(x2)", 4),
    ("--exclusive --ntasks-per-socket=1 -n2", "n1:0-15", "16", "2", 2),
    ("--contiguous -N2-3 -n7", "n1:0-1,8-9 n[2-3]:0-1", "4,2(x2)", "3,2(x2)", 7),
    ("-n3 -c3", "n1:0-5,8-11", "10", "3", 3),
    ("-n3 -c3 -m cyclic:block", "n1:0-9", "10", "3", 3),
    ("-n2 -c3 --ntasks-per-core=1", "n1:0-7", "8", "2", 2),
    ("--threads-per-core=1 -n20", "n[1-2]:0-15 n3:0-3,8-11", "8(x2),4", "8(x2),4", 20),
    ("--threads-per-core=1 -c3 -n2", "n1:0-5,8-13", "6", "2", 2),
    ("--hint=nomultithread --exclusive", "n1:0-15", "8", "8", 1),
    ("--hint=nomultithread -c3 -n3", "n1:0-5,8-13 n2:0-5", "6,3", "2,1", 3),
    ("-w n3 -n20", "n3:0-15 n4:0-1,8-9", "16,4", "16,4", 20),
    ("-w n4 -n20", "n3:0-1,8-9 n4:0-15", "4,16", "4,16", 20),
    ("-w n3 -n40", "n2:0-3,8-11 n[3-4]:0-15", "8,16(x2)", "8,16(x2)", 40),
    ("-w n[1,4] -N3 -n3", "n[1-2,4]:0-1", "2(x3)", "1(x3)", 3),
    ("-x n1 -N2-4 -n20", "n2:0-15 n3:0-1,8-9 n4:0-1", "16,4,2", "14,4,2", 20),
]


def layout(cluster, request):
    job = cluster.sbatch(*request.split(), "--wrap", SCRIPT)
    cluster.wait_state(job, "RUNNING")
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    cpus = " ".join(f"{node}:{ids}" for node, ids in re.findall(r" Nodes=(\S+) CPU_IDs=(\S+) ", shown))
    told = cluster.wait_text("layout", r"\n").split()
    return cpus, *told, int(re.search(r"NumTasks=(\d+)", shown)[1])


@pytest.mark.parametrize("request_, cpus, cpus_per_node, tasks_per_node, tasks", LAYOUTS)
def test_an_idle_cluster(cluster, request_, cpus, cpus_per_node, tasks_per_node, tasks):
    assert layout(cluster, request_) == (cpus, cpus_per_node, tasks_per_node, tasks)


@pytest.mark.parametrize("request_, cpus", [
    ("-n20", "n1:2-7,10-15 n2:4-7,12-15"),
    ("-n16", "n4:0-15"),
    ("-n40", "n1:2-7,10-15 n2:4-7,12-15 n3:4-15 n4:0-3,8-11"),
    ("-N4 -n20", "n1:2-7,10-15 n2:4-5,12-13 n3:4-5 n4:0-1"),
    ("-N2-4 -n20", "n1:2-7,10-13 n2:4-7,12-15 n3:4-5 n4:0-1"),
    ("-N2-3 -n20 -c2", "n1:2-7,10-15 n3:4-15 n4:0-15"),
])
def test_a_cluster_in_use(cluster, request_, cpus):
    for args in ("-w n1 -n3", "-w n2 -n8", "-w n3 -n1", "-w n3 -n1"):
        cluster.wait_state(cluster.sbatch(*args.split(), "--wrap", "sleep 100"), "RUNNING")
    assert layout(cluster, request_)[0] == cpus


def test_tasks_of_each_node_need_room_on_each(cluster):
    for request in ("-N1 -n20 --ntasks-per-node=12", "-n40 --ntasks-per-node=17"):
        refused = cluster.run("sbatch", "--mem=100", *request.split(), "--wrap", "true")
        assert refused.code == 1 and "Requested node configuration is not available" in refused.err


@pytest.mark.ours
@pytest.mark.parametrize("request_, cpus, tasks_per_node", [
    ("-n6 --ntasks-per-socket=3", "n1:0-3,8-11", "6"),
    ("-n4 --ntasks-per-socket=1", "n[1-2]:0-1,8-9", "2(x2)"),
    ("-n10 --ntasks-per-core=1", "n1:0-15 n2:0-1,8-9", "8,2"),
    ("-N2 -n5 -c5", "n1:0-15 n2:0-5,8-11", "3,2"),
])
def test_bounds_are_kept(cluster, request_, cpus, tasks_per_node):
    found = layout(cluster, request_)
    assert (found[0], found[2]) == (cpus, tasks_per_node)


@pytest.mark.parametrize("request_, mib", [
    ("-n3", 400), ("-n3 --hint=nomultithread", 300), ("-n3 --ntasks-per-core=1", 600),
    ("--exclusive --threads-per-core=1", 800)])
def test_memory_per_cpu_counts_no_threads_that_stay_idle(cluster, request_, mib):
    job = cluster.sbatch(*request_.split(), "--mem-per-cpu=100", "--wrap", "sleep 100", memory=None)
    assert f"mem={mib}M," in cluster.wait_state(job, "RUNNING")["TRES"]


def test_tasks_that_need_more_nodes_than_there_are_are_refused(cluster):
    result = cluster.run("sbatch", "-n5", "--ntasks-per-node=1", "--wrap", "true")
    assert (result.code, "Requested node configuration is not available" in result.err) == (1, True)
