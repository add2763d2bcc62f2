"""Which of the nodes with room a job gets: the run of neighbours that just suffices, and there the
fullest node that has room for all of it."""
import re

import pytest

CLUSTER = dict(nodes=8)


def allocated(cluster, *args):
    """Where an allocation is placed, without running anything in it."""
    result = cluster.run("salloc", "--no-shell", "--mem=10", *args).ok()
    job = re.search(r"Granted job allocation (\d+)", result.err)[1]
    return cluster.job(job)["NodeList"]


def leave_free(cluster, *cpus):
    for node, free in enumerate(cpus, start=1):
        if free < cluster.cpus:
            allocated(cluster, "-w", f"n{node}", f"-n{cluster.cpus - free}")


@pytest.mark.parametrize("free, args, nodes", [
    ((8, 2, 8, 5, 8, 8, 8, 8), "-n1", "n2"),
    ((8, 2, 8, 5, 8, 8, 8, 8), "-n3", "n4"),
    ((8, 8, 0, 8, 8, 8, 0, 8), "-n1", "n8"),
    ((8, 8, 0, 8, 8, 8, 0, 8), "-N2", "n[1-2]"),
    ((8, 8, 0, 8, 8, 8, 0, 8), "-N3", "n[4-6]"),
    ((8, 8, 0, 8, 8, 8, 0, 8), "-n20", "n[4-6]"),
    ((8, 8, 0, 8, 8, 8, 0, 8), "-N4 -n4", "n[4-6,8]"),
    ((7, 7, 0, 7, 8, 0, 8, 8), "-N3 -n3", "n[1,7-8]"),
    ((7, 8, 8, 8, 8, 1, 8, 8), "-N1 -n5", "n7"),
    ((7, 8, 8, 8, 8, 1, 8, 8), "-n5", "n1"),
    ((6, 6, 8, 3, 8, 8, 8, 8), "-N2 -n14", "n[1,3]"),
    ((0, 1, 4, 3, 0, 0, 1, 7), "-N2 -n10", "n[3,8]"),
    ((4, 1, 3, 8, 6, 0, 8, 8), "-N1-3 -n6", "n[2,7-8]"),
    ((8, 0, 8, 8, 0, 8, 8, 8), "-w n3 -N3", "n[3,6-7]"),
    ((8, 8, 8, 8, 8, 8, 8, 8), "-w n3 -N2", "n[3-4]"),
    ((8, 8, 4, 8, 0, 8, 8, 8), "--contiguous -N2", "n[6-7]"),
    ((8, 8, 4, 8, 0, 8, 8, 8), "--exclusive -N1", "n4"),
    ((8, 8, 4, 8, 0, 8, 8, 8), "--spread-job -n3", "n[1-3]"),
    ((8, 3, 2, 8, 8, 8, 8, 8), "-n1 -c2", "n3"),
    ((4, 4, 8, 8, 0, 8, 8, 8), "-n3 --ntasks-per-node=1", "n[1-3]"),
])
def test_the_best_fit_is_chosen(cluster, free, args, nodes):
    leave_free(cluster, *free)
    assert allocated(cluster, *args.split()) == nodes


def test_gpus_counted_over_the_job_come_from_few_nodes(cluster):
    for node, gpus in (1, 2), (2, 2), (4, 3), (5, 4), (7, 3), (8, 3):
        allocated(cluster, "-w", f"n{node}", "-n1", f"--gres=gpu:{gpus}")
    assert allocated(cluster, "--gpus=9") == "n[1,3,6]"  # 2, 4 and 4
    cluster.cancel_all()
    allocated(cluster, "-w", "n1", "-n1", "--gres=gpu:3")
    assert allocated(cluster, "--gpus=2") == "n2"
