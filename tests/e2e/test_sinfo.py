"""sinfo: layouts, node states, filters, formats."""
import re

from muster import wait_for


def sinfo(cluster, *args):
    return cluster.run("sinfo", *args).ok().out


def settle(cluster, check, what):
    """Slurm's counts can be old until somebody asks for the nodes."""
    def seen():
        cluster.run("scontrol", "show", "node")
        return check()

    wait_for(seen, what)


def test_the_default_layout(cluster):
    assert sinfo(cluster) == """\
PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST
batch*       up   infinite      4   idle n[1-4]
standard     up   infinite      4   idle n[1-4]
short        up      10:00      4   idle n[1-4]
"""


def test_states_of_nodes_in_use(cluster):
    whole = cluster.sbatch("-w", "n2", "--exclusive", "--wrap", "sleep 100")
    part = cluster.sbatch("-w", "n3", "--wrap", "sleep 100")
    for job in (whole, part):
        cluster.wait_state(job, "RUNNING")
    settle(cluster, lambda: sinfo(cluster, "-p", "batch", "-h") == """\
batch*       up   infinite      1    mix n3
batch*       up   infinite      1  alloc n2
batch*       up   infinite      2   idle n[1,4]
""", lambda: "three states: " + sinfo(cluster, "-p", "batch"))
    assert sinfo(cluster, "-s", "-p", "batch") == """\
PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST
batch*       up   infinite          2/2/0/4 n[1-4]
"""
    assert sinfo(cluster, "-h", "-p", "batch", "-o", "%C").split() == ["9/23/0/32"]


def test_drained_nodes_show_their_reason(cluster):
    busy = cluster.sbatch("-w", "n3", "--wrap", "sleep 100")
    cluster.wait_state(busy, "RUNNING")
    for node, reason in (("n4", "bad disk"), ("n3", "later")):
        cluster.run("scontrol", "update", f"nodename={node}", "state=drain", f"reason={reason}").ok()
    rows = sinfo(cluster, "-p", "batch", "-h")
    assert re.search(r" 1   drng n3$", rows, re.M)
    assert re.search(r" 1  drain n4$", rows, re.M)
    assert re.search(r"^bad disk +\w+ +20[0-9T:-]+ n4$", sinfo(cluster, "-h", "-R"), re.M)
    cluster.run("scontrol", "update", "nodename=n[3-4]", "state=resume").ok()
    assert sinfo(cluster, "-h", "-p", "batch", "-t", "drain", "-o", "%D").split() in ([], ["0"])


def test_one_line_for_each_node(cluster):
    rows = sinfo(cluster, "-h", "-N", "-p", "batch").splitlines()
    assert [r.split() for r in rows] == [[f"n{i}", "1", "batch*", "idle"] for i in range(1, 5)]
    long = sinfo(cluster, "-N", "-l", "-p", "batch").splitlines()
    assert long[1].split() == "NODELIST NODES PARTITION STATE CPUS S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON".split()


def test_formats(cluster):
    assert sinfo(cluster, "-h", "-o", "%P").split() == ["batch*", "standard", "short"]
    assert sinfo(cluster, "-h", "-o", "%R").split() == ["batch", "standard", "short"]
    assert sinfo(cluster, "-h", "-p", "batch", "-o", "%D|%c|%m|%G|%f|%N") == "4|8|16000|gpu:v100:4|fast|n[1-4]\n"
    assert sinfo(cluster, "-h", "-p", "batch", "-n", "n2", "-o", "%N %T") == "n2 idle\n"


def test_the_version_is_the_second_word(cluster):
    assert sinfo(cluster, "-V").split()[1] == "22.05.8"
