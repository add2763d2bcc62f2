"""Usage and its effects: fair share, sshare, limits of a QOS on earlier usage."""
import re

import pytest

from muster import USER, wait_for

CLUSTER = dict(nodes=2, conf="""
QoS=normal
QoS=short GrpTRESMins=cpu=1
QoS=spent GrpWall=1
QoS=double UsageFactor=2
PriorityType=priority/multifactor
PriorityWeightFairShare=1000
PriorityDecayHalfLife=0
PriorityUsageResetPeriod=NONE
""", partitions="""\
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=dear Nodes=ALL MaxTime=INFINITE State=UP TRESBillingWeights=CPU=0.4,Mem=0.25G,GRES/gpu=1.5
""")

pytestmark = pytest.mark.ours  # Slurm keeps associations in its database


def usage(cluster, user):
    rows = [r.split("|") for r in cluster.run("sshare", "-a", "-n", "-P", "-o", "user,rawusage").ok().lines]
    return next((int(used) for name, used in rows if name == user), None)


def spend(cluster, user=None, *options):
    """Runs a job and waits until its usage is counted."""
    job = cluster.sbatch("-c4", *options, "-o", "/dev/null", "--wrap", "sleep 2", user=user)
    cluster.wait_state(job, "COMPLETED")


@pytest.mark.as_root
def test_who_has_used_more_waits_behind_who_has_used_less(cluster, alice):
    spend(cluster)
    wait_for(lambda: (usage(cluster, USER) or 0) >= 4, "the job's usage")
    full = cluster.sbatch("-N2", "--exclusive", "--wrap", "sleep 60")
    cluster.wait_state(full, "RUNNING")
    heavy = cluster.sbatch("--wrap", "true")
    light = cluster.sbatch("-o", "/dev/null", "--wrap", "true", user=alice)
    cluster.wait_reason(light, "Resources")
    cluster.wait_reason(heavy, "Priority")  # though it came first
    header, *rows = cluster.run("sprio", "-l").lines
    at = header.split().index("FAIRSHARE")
    factors = {r.split()[0]: int(r.split()[at]) for r in rows}
    assert factors == {heavy: 500, light: 1000}
    assert cluster.run("sprio", "-h", "-n", "-j", heavy, "-o", "%f").lines == ["0.5000000"]
    assert cluster.run("sprio", "-h", "-j", light, "-o", "%F").lines == ["1000"]
    queue = cluster.run("squeue", "-h", "-t", "PD", "--sort=-p", "-o", "%i %Q").lines
    assert queue == [f"{light} 1000", f"{heavy} 500"]
    assert cluster.job(heavy)["Priority"] == "500"


@pytest.mark.as_root
def test_sshare_lists_the_users_below_the_root(cluster, alice):
    spend(cluster)
    spend(cluster, alice)
    wait_for(lambda: usage(cluster, USER) and usage(cluster, alice), "usage of both")
    lines = cluster.run("sshare", "-a").ok().lines
    assert lines[:2] == [
        "Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare ",
        "-------------------- ---------- ---------- ----------- ----------- ------------- ---------- "]
    assert re.fullmatch(r"root {42}0\.000000 +\d+      1\.000000            ", lines[2])
    assert [line.split()[:4] for line in lines[3:]] == [
        ["root", "alice", "1", "0.500000"], ["root", "root", "1", "0.500000"]]
    assert lines[3].startswith(" root ")
    assert [line.split()[1] for line in cluster.run("sshare", "-n").ok().lines[1:]] == ["root"]
    assert cluster.run("sshare", "-n", "-U", "-u", alice, "-P", "-o", "account,user").lines == ["root|alice"]
    parsable = cluster.run("sshare", "-n", "-p", "-a", "-o", "user,rawshares").lines
    assert parsable == ["||", "alice|1|", "root|1|"]


def test_sshare_has_more_columns(cluster):
    header = cluster.run("sshare", "-l", "-P").ok().lines[0]
    assert header == ("Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|"
                      "TRESRunMins")
    assert cluster.run("sshare", "-m", "-P").lines[0].split("|")[:4] == ["Account", "User", "Partition", "RawShares"]
    job = cluster.sbatch("-c2", "-t", "10", "--wrap", "sleep 60")
    cluster.wait_state(job, "RUNNING")
    row = cluster.run("sshare", "-n", "-P", "-U", "-o", "tresrunmins%20").ok().lines[0]
    assert re.match(r"cpu=(19|20),mem=\d+,energy=0,node=(9|10),billing=(19|20),", row)
    done = cluster.run("sshare", "-o", "nosuch")
    assert (done.code, done.err) == (1, 'sshare: error: Invalid field requested: "nosuch"\n')
    assert "EffectvUsage" in cluster.run("sshare", "-e").lines[0]


def test_a_job_that_uses_up_the_minutes_of_its_qos_is_ended(cluster):
    job = cluster.sbatch("--qos=short", "-c8", "-t", "10", "--wrap", "sleep 100")  # a minute in 7.5 s
    cluster.wait_state(job, "TIMEOUT")
    assert "Reason=TimeLimit" in cluster.run("scontrol", "show", "job", job).out
    cluster.wait_reason(cluster.sbatch("--qos=short", "--wrap", "true"), "QOSGrpCPUMinutesLimit")
    cluster.wait_state(cluster.sbatch("--wrap", "true"), "COMPLETED")  # other QOS are not concerned


def test_what_was_used_survives_the_controller(cluster):
    spend(cluster)
    before = wait_for(lambda: usage(cluster, USER), "usage")
    cluster.stop_controller()
    cluster.start_controller()
    assert usage(cluster, USER) >= before


def test_a_job_without_a_limit_gets_what_its_qos_has_in_all(cluster):
    job = cluster.sbatch("--qos=spent", "-H", "--wrap", "true")
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%l").out.strip() == "1:00"


def test_time_of_a_dearer_qos_counts_twice(cluster):
    def counted(*options):
        before = usage(cluster, USER) or 0
        spend(cluster, None, *options)
        return wait_for(lambda: usage(cluster, USER) - before, "usage")
    plain, dear = counted(), counted("--qos=double")
    assert dear > 1.5 * plain


def test_a_partition_says_what_resources_cost(cluster):
    def tres(*options):
        return cluster.wait_state(cluster.sbatch("-p", "dear", *options, "--wrap", "sleep 60"), "RUNNING")["TRES"]
    assert tres("-c3", "--mem=1000") == "cpu=3,mem=1000M,node=1,billing=1"
    assert tres("-c1", "--gres=gpu:1") == "cpu=1,mem=100M,node=1,billing=1,gres/gpu=1"
    assert tres("-c1") == "cpu=1,mem=100M,node=1"
