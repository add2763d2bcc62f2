"""SchedulerParameters=pack_serial_at_end: jobs of one CPU are on the last nodes."""
import re

import pytest

CLUSTER = dict(nodes=4, cpus=4, conf="SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,pack_serial_at_end\n")


def allocated(cluster, *args):
    result = cluster.run("salloc", "--no-shell", "--mem=10", *args).ok()
    return cluster.job(re.search(r"Granted job allocation (\d+)", result.err)[1])["NodeList"]


@pytest.mark.parametrize("args, node", [
    ("-n1", "n4"), ("-N1", "n4"), ("-n1 -x n4", "n3"), ("-n1 -w n2", "n2"), ("-n2", "n1"), ("-n1 -c2", "n1"),
])
def test_an_idle_cluster(cluster, args, node):
    assert allocated(cluster, *args.split()) == node


def test_a_full_node_is_passed_over(cluster):
    allocated(cluster, "-w", "n4", "-n4")
    assert allocated(cluster, "-n1") == "n3"


def test_the_fullest_node_is_not_looked_for(cluster):
    allocated(cluster, "-w", "n2", "-n3")
    assert allocated(cluster, "-n1") == "n4"
