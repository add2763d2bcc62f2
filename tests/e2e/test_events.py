"""sacctmgr show event and show reservation: nodes that were out of service, the size of the cluster, reservations."""
import pytest

from muster import is_reference, wait_for
from accounted import accounted_cluster

FORMAT = "format=nodename,state,reason,user,end"


@pytest.fixture(scope="module")
def cluster():
    cluster = accounted_cluster(nodes=2, conf="AccountingStorageTRES=gres/gpu\n")
    try:
        cluster.up()
        yield cluster
    finally:
        cluster.down()


def events(cluster, *words):
    return cluster.run("sacctmgr", "-nP", "show", "event", *words, FORMAT).ok().lines


def test_the_cluster_says_how_much_it_has(cluster):
    # The reference tells slurmdbd a little later.
    wait_for(lambda: cluster.run("sacctmgr", "-nP", "show", "event", "event=cluster").lines, "the cluster's event")
    told = cluster.run("sacctmgr", "-nP", "show", "event", "event=cluster", "format=cluster,tres,clusternodes,end").ok()
    name, resources, nodes, end = told.lines[-1].split("|")
    assert (name, nodes, end) == ("e2e", "n[1-2]", "Unknown")
    assert {"cpu=16", "gres/gpu=8", "mem=32000M", "node=2"} <= set(resources.split(","))


def test_a_node_is_out_of_service_until_it_is_resumed(cluster):
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=bad disk").ok()
    wait_for(lambda: events(cluster, "nodes=n1") == ["n1|DRAIN|bad disk|root(0)|Unknown"], "the event")
    assert events(cluster, "state=drain") == ["n1|DRAIN|bad disk|root(0)|Unknown"] or is_reference()
    cluster.run("scontrol", "update", "nodename=n1", "state=resume").ok()

    def is_over():
        shown = events(cluster, "nodes=n1", "start=now-7days")
        return len(shown) == 1 and not shown[0].endswith("Unknown")

    wait_for(is_over, "the end of the event")
    assert events(cluster, "nodes=n1", "end=now-1days") == []
    assert events(cluster, "where", "nodes=n2") == []
    line = cluster.run("sacctmgr", "--noheader", "show", "event", "Start=now-7days",
                       "Format=NodeName,TimeStart%20,Duration,State%-6,Reason%-40", "where", "nodes=n1").ok()
    assert line.lines[0].split()[0] == "n1" and "DRAIN  bad disk" in line.out


def test_a_draining_node_is_in_service_until_its_last_job_ends(cluster):
    job = cluster.run("sbatch", "--parsable", "-w", "n2", "--wrap", "sleep 300").ok().out.strip()
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "update", "nodename=n2", "state=drain", "reason=later").ok()
    assert events(cluster, "nodes=n2") == []
    cluster.run("scancel", job).ok()
    wait_for(lambda: [line.split("|")[2] for line in events(cluster, "nodes=n2")] == ["later"], "the event")
    cluster.run("scontrol", "update", "nodename=n2", "state=resume").ok()


@pytest.mark.ours
def test_an_event_outlives_slurmctld(cluster):
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=power").ok()
    wait_for(lambda: events(cluster, "nodes=n1", "reason=power"), "the event")
    cluster.stop_controller()
    cluster.start_controller()
    shown = events(cluster, "nodes=n1", "reason=power")
    assert len(shown) == 1 and shown[0].endswith("Unknown")
    cluster.run("scontrol", "update", "nodename=n1", "state=resume").ok()


def test_a_reservation_is_shown_after_its_end(cluster):
    cluster.run("scontrol", "create", "reservation", "reservationname=r1", "users=root", "starttime=now", "duration=60",
                "nodes=n1").ok()

    def shown():
        return cluster.run("sacctmgr", "-nP", "show", "reservation", "names=r1", "format=cluster,name,tres").lines

    wait_for(shown, "the reservation")
    assert shown()[0].startswith("e2e|r1|") and "cpu=8" in shown()[0]
    cluster.run("scontrol", "delete", "reservationname=r1").ok()
    assert shown()[0].startswith("e2e|r1|")
