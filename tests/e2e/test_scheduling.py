"""Who runs first: backfill, several partitions, licenses, constraints, limits of partitions."""
import re

from muster import is_reference, wait_for

CLUSTER = dict(nodes=2, conf="""Licenses=matlab:2
PartitionName=left Nodes=n1 State=UP
PartitionName=right Nodes=n2 State=UP
PartitionName=staff Nodes=ALL State=UP AllowAccounts=staff
PartitionName=wheel Nodes=ALL State=UP AllowGroups=nosuchgroup
PartitionName=kept Nodes=ALL State=UP ReqResv=YES
PartitionName=noroot Nodes=ALL State=UP DisableRootJobs=YES
PartitionName=far Nodes=ALL State=UP AllocNodes=elsewhere
PartitionName=closed Nodes=ALL State=DRAIN Alternate=right
PartitionName=small Nodes=ALL State=UP MaxMemPerNode=100
""")


def sleep(cluster, *args):
    return cluster.sbatch(*args, "--wrap", "sleep 100")


def running(cluster, *args):
    return cluster.wait_state(sleep(cluster, *args), "RUNNING")


def test_a_short_job_passes_one_that_waits_and_a_long_one_does_not(cluster):
    running(cluster, "-w", "n1", "--exclusive", "-t", "10")
    big = sleep(cluster, "-N2", "--exclusive", "-t", "10")
    cluster.wait_reason(big, "Resources")
    long = sleep(cluster, "-t", "30")
    cluster.wait_reason(long, "Priority")
    running(cluster, "-t", "5")
    assert cluster.state(long) == "PENDING"


def test_a_waiting_job_is_told_when_and_where_it_will_start(cluster):
    running(cluster, "-N2", "--exclusive", "-t", "10")
    job = sleep(cluster, "-N2", "-t", "10")
    wait_for(lambda: re.match(r"\d{4}-", cluster.run("squeue", "-h", "-j", job, "--start", "-o", "%S").out),
             "an expected start")
    assert cluster.job(job)["SchedNodeList"] == "n[1-2]"


def test_of_several_partitions_the_one_with_room_is_taken(cluster):
    running(cluster, "-p", "left", "--exclusive")
    assert running(cluster, "-p", "left,right")["Partition"] == "right"
    refused = cluster.run("sbatch", "-p", "left,nowhere", "--wrap", "true")
    assert refused.code == 1 and "invalid partition specified: nowhere" in refused.err


def test_licenses_are_counted(cluster):
    running(cluster, "-L", "matlab:2")
    second = sleep(cluster, "-L", "matlab")
    cluster.wait_reason(second, "Licenses")
    assert "Invalid license specification" in cluster.run("sbatch", "-L", "nolicense", "--wrap", "true").err


def test_partitions_admit_only_whom_they_list(cluster):
    assert "Invalid account" in cluster.run("sbatch", "-p", "staff", "--wrap", "true").err
    running(cluster, "-p", "staff", "-A", "staff")
    alone = cluster.run("sbatch", "-p", "wheel", "--wrap", "true", user="nobody")
    assert "User's group not permitted" in alone.err


def test_partitions_ask_for_more_than_a_name(cluster):
    for partition, message in (("kept", "Access/permission denied"), ("noroot", "Invalid user id"),
                               ("far", "Access/permission denied")):
        refused = cluster.run("sbatch", "-p", partition, "--wrap", "true")
        assert refused.code == 1 and message in refused.err, (partition, refused.err)
    assert running(cluster, "-p", "closed")["Partition"] == "right"
    cluster.wait_reason(sleep(cluster, "-p", "small", "--mem=200"), "MaxMemPerLimit")
    running(cluster, "-p", "small", "--mem=50")


def test_a_request_that_can_never_run_says_what_would_fit(cluster):
    for args, known in ((("--gres=gpu:9",), ""), (("--mem=9999999",), "Memory specification can not be satisfied"),
                        (("--mincpus=99",), "CPU count per node can not be satisfied"),
                        (("--sockets-per-node=7",), "Socket, core and/or thread specification can not be satisfied")):
        err = cluster.run("sbatch", *args, "--wrap", "true").err
        refusal = "sbatch: error: Batch job submission failed: Requested node configuration is not available\n"
        assert err == (f"sbatch: error: {known}\n" if known else "") + refusal
        if not is_reference():
            err = cluster.run("sbatch", "-v", *args, "--wrap", "true").err  # or on a terminal
            assert re.search(r"is not available\nsbatch: error: no node has \d+ .*; the largest has \d+ \(n\d\)\n$", err), err


def test_nice_moves_a_job_back_only_with_factors_but_is_shown(cluster):
    running(cluster, "-N2", "--exclusive")
    job = sleep(cluster, "--nice=50")
    assert cluster.job(job)["Nice"] == "50"


def test_constraints_of_every_form(cluster):
    for constraint in ("fast", "fast&fast", "[fast]", "(fast)", "fast*2"):
        count = ("-N2",) if "*2" in constraint else ()
        job = cluster.sbatch("-C", constraint, *count, "--wrap", "true")
        assert cluster.wait_end(job)["JobState"] == "COMPLETED", constraint
    for bad in ("slow", "fast&", "[fast", "fast*0"):
        assert "Invalid feature specification" in cluster.run("sbatch", "-C", bad, "--wrap", "true").err, bad
