"""Which nodes a job gets if nodes have weights: n1, n2, n5 and n6 are light, the others heavy."""
import re

import pytest

CLUSTER = dict(nodes=8, cpus=4)


@pytest.fixture(autouse=True)
def weights(cluster):
    for nodes, weight in ("n[1-2,5-6]", 1), ("n[3-4,7-8]", 5):
        cluster.run("scontrol", "update", f"nodename={nodes}", f"weight={weight}").ok()


def allocated(cluster, *args):
    result = cluster.run("salloc", "--no-shell", "--mem=10", *args).ok()
    return cluster.job(re.search(r"Granted job allocation (\d+)", result.err)[1])["NodeList"]


@pytest.mark.parametrize("args, nodes", [
    ("-N3", "n[1-2,5]"),
    ("-N5", "n[1-3,5-6]"),
    ("-N3 --contiguous", "n[1-3]"),
    ("-N2-6 --contiguous", "n[1-6]"),
    ("-N2 -w n6", "n[5-6]"),
    ("-n12 -w n6", "n[1,5-6]"),
    ("-n5 -w n7", "n[1,7]"),
    ("-N5 -w n7,n8", "n[1-2,5,7-8]"),
    ("-n3 --spread-job -w n4", "n[1-2,4]"),
    ("-N1-4 --ntasks-per-node=2", "n[1-2]"),
    ("-N1-4 --use-min-nodes", "n1"),
])
def test_an_idle_cluster(cluster, args, nodes):
    assert allocated(cluster, *args.split()) == nodes
