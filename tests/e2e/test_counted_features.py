"""--constraint with counts and brackets: a number of nodes of each kind."""
import re

import pytest

CLUSTER = dict(nodes=4)


@pytest.fixture(autouse=True)
def features(cluster):
    for node, features in {"n[1-2]": "a", "n[3-4]": "b"}.items():
        cluster.run("scontrol", "update", f"nodename={node}", f"availablefeatures={features}",
                    f"activefeatures={features}").ok()


def allocate(cluster, *args):
    return cluster.run("salloc", "-I", "--no-shell", "--mem=10", *args)


def kinds(cluster, *args):
    """How many nodes with a, and with b."""
    result = allocate(cluster, *args).ok()
    nodes = cluster.job(re.search(r"Granted job allocation (\d+)", result.err)[1])["NodeList"]
    names = cluster.run("scontrol", "show", "hostnames", nodes).ok().lines
    return sum(n in ("n1", "n2") for n in names), sum(n in ("n3", "n4") for n in names)


@pytest.mark.parametrize("args, counts", [
    (["-C", "[a*1&b*2]"], (1, 2)),
    (["-C", "[a*1&b*1]"], (1, 1)),
    (["-C", "a*2"], (2, 0)),
    (["-C", "a*2", "-n1"], (2, 0)),
    (["-C", "[a*2&b*1]", "-N2-4"], (2, 1)),
    (["-C", "[a|b]", "-N2"], (2, 0)),
])
def test_there_are_as_many_nodes_as_the_counts_say(cluster, args, counts):
    assert kinds(cluster, *args) == counts


@pytest.mark.parametrize("constraint", ["[a&b]", "[a*1|b*1]", "[a|b*2]"])
def test_brackets_hold_alternatives_or_counts(cluster, constraint):
    result = allocate(cluster, "-C", constraint)
    assert result.code == 1 and "Invalid feature specification" in result.err


@pytest.mark.parametrize("args", [["-C", "a*2", "-N1"], ["-C", "[a*3&b*1]"], ["-C", "a*5"]])
def test_more_nodes_than_there_can_be_are_refused(cluster, args):
    result = allocate(cluster, *args)
    assert result.code == 1 and "Requested node configuration is not available" in result.err
