"""Jobs that a reservation can never take, and jobs whose nodes are reserved for others."""
import pytest

CLUSTER = dict(nodes=4)
UNAVAILABLE = "sbatch: error: Batch job submission failed: Requested node configuration is not available\n"


@pytest.fixture
def reserve(cluster):
    names = []

    def make(*words, start="now", duration="20"):
        names.append(f"r{len(names)}")
        cluster.run("scontrol", "create", "reservation", f"reservationname={names[-1]}", f"starttime={start}",
                    f"duration={duration}", "users=root", *words).ok()
        return names[-1]
    yield make
    cluster.cancel_all()
    for name in names:
        cluster.run("scontrol", "delete", f"reservation={name}").ok()


def submit(cluster, *options):
    return cluster.run("sbatch", "--mem=10", "-t1", *options, "--wrap", "true")


@pytest.mark.as_root
@pytest.mark.parametrize("options", [("-N3",), ("-n20",), ("-x", "n1", "-N2"), ("-c9",)])
def test_what_it_can_never_take_is_refused(cluster, reserve, options):
    refused = submit(cluster, f"--reservation={reserve('nodes=n[1-2]')}", *options)
    assert refused.code == 1 and refused.err.endswith(UNAVAILABLE)


@pytest.mark.as_root
def test_nodes_outside_of_it_are_refused(cluster, reserve):
    refused = submit(cluster, f"--reservation={reserve('nodes=n[1-2]')}", "-w", "n3")
    assert refused.err == "sbatch: error: Problem using reservation\n" + UNAVAILABLE


@pytest.mark.as_root
@pytest.mark.parametrize("words, start", [(("flags=flex",), "now"), (("flags=any_nodes",), "now"), ((), "now+1hour")])
def test_one_that_gives_other_nodes_or_is_still_to_come_takes_more(cluster, reserve, words, start):
    submit(cluster, f"--reservation={reserve('nodes=n[1-2]', *words, start=start)}", "-N3").ok()


@pytest.mark.as_root
def test_one_of_several_will_do(cluster, reserve):
    small, large = reserve("nodes=n4"), reserve("nodes=n[1-3]")
    job = cluster.sbatch("--mem=10", "-t1", f"--reservation={small},{large}", "-N3", "--wrap", "sleep 100")
    assert cluster.wait_state(job, "RUNNING")["NodeList"] == "n[1-3]"
    assert submit(cluster, f"--reservation={small},{large}", "-N4").err == UNAVAILABLE


@pytest.mark.as_root
def test_a_job_hears_that_its_nodes_are_reserved(cluster, reserve):
    reserve("nodes=n[1-2]")
    wait = lambda *options: cluster.sbatch("--mem=10", "-t1", *options, "--wrap", "sleep 100")
    for options in ("-N3",), ("-n20",), ("-w", "n1"):
        cluster.wait_reason(wait(*options), "ReqNodeNotAvail, May be reserved for other job")
        cluster.cancel_all()
    cluster.wait_state(wait("-w", "n3", "--exclusive"), "RUNNING")
    cluster.wait_reason(wait("-N2"), "Resources")  # the nodes would suffice without other jobs


@pytest.mark.as_root
def test_a_job_hears_that_all_nodes_are_reserved(cluster, reserve):
    reserve("nodes=ALL")
    job = cluster.sbatch("--mem=10", "-t1", "-w", "n1", "--wrap", "true")
    cluster.wait_reason(job, "ReqNodeNotAvail, Reserved for maintenance")


def test_a_count_of_nodes_needs_a_partition(cluster):
    cluster.run("scontrol", "update", "partitionname=batch", "default=no").ok()
    refused = cluster.run("scontrol", "create", "reservation", "starttime=now", "duration=5", "users=root", "nodecnt=1")
    cluster.run("scontrol", "update", "partitionname=batch", "default=yes").ok()
    assert refused.code == 1
    assert refused.err == "Error creating the reservation: No partition specified or system default partition\n"
