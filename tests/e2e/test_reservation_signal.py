"""--signal=R: a job on nodes that are reserved, until a job of the reservation needs them."""
import pytest

CLUSTER = dict(nodes=2, conf="PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n")


@pytest.fixture(autouse=True)
def reserved(cluster):
    """n1 is reserved; a job of the reservation may have to wait for a minute."""
    cluster.run("scontrol", "create", "reservation", "reservationname=r", "starttime=now", "duration=60",
                "nodes=n1", "users=root,alice", "maxstartdelay=1").ok()
    yield
    cluster.cancel_all()
    cluster.run("scontrol", "delete", "reservationname=r").ok()


def sleep(cluster, *args):
    return cluster.sbatch("-w", "n1", "-t", "30", *args, "--wrap", "exec sleep 300")


def test_a_job_that_yields_soon_enough_runs_on_reserved_nodes(cluster):
    shown = cluster.run("scontrol", "show", "reservation", "r").ok().out
    assert "MaxStartDelay=00:01:00" in shown
    slow, none = sleep(cluster, "--signal=R:USR1@61"), sleep(cluster, "--signal=USR1@10")
    cluster.wait_state(sleep(cluster, "--signal=R:USR1@60"), "RUNNING")
    for job in (slow, none):
        cluster.wait_reason(job, "ReqNodeNotAvail.*|Priority|Resources")


def test_it_makes_room_for_a_job_of_the_reservation(cluster):
    borrower = sleep(cluster, "--signal=R:USR1@3")
    cluster.wait_state(borrower, "RUNNING")
    owner = sleep(cluster, "--reservation=r", "-n8")
    cluster.wait_state(owner, "RUNNING")
    assert cluster.wait_end(borrower)["JobState"] == "PREEMPTED"


def test_both_letters_may_be_given(cluster):
    for letters in ("RB", "BR", "r"):
        cluster.wait_state(sleep(cluster, f"--signal={letters}:USR1@10"), "RUNNING")
    refused = cluster.run("sbatch", "--signal=X:USR1", "--wrap", "true")
    assert refused.code != 0 and "Invalid --signal specification" in refused.err
