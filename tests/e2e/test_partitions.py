"""scontrol create, update and delete partition: every key, what is refused and how, who sees what."""
import re

import pytest

CLUSTER = dict(conf="""
PartitionName=secret Nodes=ALL Hidden=YES
PartitionName=others Nodes=ALL AllowGroups=root
""")


@pytest.fixture
def partition(cluster):
    cluster.run("scontrol", "create", "partitionname=p", "nodes=n1").ok()
    yield lambda *words: cluster.run("scontrol", "update", "partitionname=p", *words)
    cluster.run("scontrol", "delete", "partitionname=p").ok()


def shown(cluster, name="p"):
    text = cluster.run("scontrol", "-o", "show", "partition", name).ok().out
    return dict(word.split("=", 1) for word in text.split())


CHANGES = {
    "AllocNodes": "n1,n2", "AllowAccounts": "a,b", "AllowGroups": "root", "AllowQos": "q", "Alternate": "batch",
    "DefaultTime": "00:05:00", "DefMemPerCPU": "100", "DisableRootJobs": "YES", "ExclusiveUser": "YES", "GraceTime": "10",
    "Hidden": "YES", "JobDefaults": "DefCpuPerGPU=2", "LLN": "YES", "MaxCPUsPerNode": "4", "MaxMemPerCPU": "200",
    "MaxNodes": "2", "MinNodes": "2", "MaxTime": "01:00:00", "Nodes": "n[1-2]", "OverSubscribe": "FORCE:2",
    "OverTimeLimit": "5", "PreemptMode": "REQUEUE", "PriorityJobFactor": "3", "PriorityTier": "4", "ReqResv": "YES",
    "RootOnly": "YES", "State": "DRAIN", "TRESBillingWeights": "CPU=2,Mem=0.5G",
}


def test_every_key_can_be_changed_and_is_shown(cluster, partition):
    for key, value in CHANGES.items():
        partition(f"{key}={value}").ok()
    assert {key: value for key, value in shown(cluster).items() if key in CHANGES} == CHANGES


def test_what_was_restricted_is_open_again(cluster, partition):
    partition("AllowAccounts=a", "AllocNodes=n1", "Alternate=batch", "OverTimeLimit=5", "MaxNodes=1",
              "TRESBillingWeights=CPU=2", "DefMemPerCPU=5").ok()
    partition("AllowAccounts=ALL", "AllocNodes=ALL", "Alternate=NONE", "OverTimeLimit=UNLIMITED", "MaxNodes=UNLIMITED",
              "TRESBillingWeights=", "DefMemPerNode=7", "Priority=9").ok()
    now = shown(cluster)
    assert "Alternate" not in now and "TRESBillingWeights" not in now and "DefMemPerCPU" not in now
    assert [now[key] for key in ("AllowAccounts", "AllocNodes", "OverTimeLimit", "MaxNodes", "DefMemPerNode", "PriorityTier",
                                 "PriorityJobFactor")] == ["ALL", "ALL", "UNLIMITED", "UNLIMITED", "7", "9", "9"]


@pytest.mark.parametrize("word, lines", [
    ("hidden=x", ["scontrol: error: Invalid input: hidden=x", "scontrol: error: Acceptable Hidden values are YES and NO"]),
    ("State=x", ["scontrol: error: Invalid input: State=x",
                 "scontrol: error: Acceptable State values are UP, DOWN, DRAIN and INACTIVE"]),
    ("Shared=x", ["scontrol: error: Invalid input: Shared=x",
                  "scontrol: error: Acceptable OverSubscribe values are NO, EXCLUSIVE, YES:#, and FORCE:#"]),
    ("PreemptMode=x", ["scontrol: error: Invalid input: PreemptMode=x"]),
    ("MaxTime=x", ["scontrol: error: Invalid input MaxTime=x"]),
    ("GraceTime=x", ["scontrol: error: Invalid GraceTime value: x"]),
    ("Bogus=x", ["scontrol: error: Update of this parameter is not supported: Bogus=x", "", "scontrol: error: Request aborted"]),
])
def test_bad_values_are_named(cluster, partition, word, lines):
    refused = partition(word)
    assert (refused.code, refused.err.splitlines()) == (1, [*lines, "slurm_update error: No error"])
    created = cluster.run("scontrol", "create", "partitionname=q", word)
    assert (created.code, created.err.splitlines()) == (1, lines)


@pytest.mark.parametrize("word, text", [
    ("JobDefaults=x=1", "Invalid JobDefaults specification"),
    ("TRESBillingWeights=x", "Invalid TRESBillingWeights specification"),
    ("Nodes=n99", "Invalid node name specified"),
])
def test_the_controller_names_what_it_cannot_use(partition, word, text):
    refused = partition(word)
    assert (refused.code, refused.err) == (1, f"slurm_update error: {text}\n")


def test_names_that_cannot_be(cluster, partition):
    twice = cluster.run("scontrol", "create", "partitionname=p", "nodes=n1")
    assert (twice.code, twice.err) == (1, "Error creating the partition: Invalid partition name specified\n")
    default = cluster.run("scontrol", "create", "partitionname=DEFAULT", "nodes=n1")
    assert (default.code, default.err) == (1, 'scontrol: error: PartitionName cannot be "DEFAULT".\n')
    nothing = cluster.run("scontrol", "update", "partitionname=p")
    assert (nothing.code, nothing.err) == (1, "scontrol: error: No changes specified\n")


def test_a_partition_without_nodes(cluster, partition):
    partition("Nodes=").ok()
    now = shown(cluster)
    assert (now["Nodes"], now["TRES"], now["TotalNodes"]) == ("(null)", "(null)", "0")


def test_weights_count_for_jobs_that_start_later(cluster, partition):
    partition("TRESBillingWeights=CPU=3", "Nodes=ALL").ok()
    job = cluster.sbatch("-p", "p", "-n2", "-o", "/dev/null", "--wrap", "sleep 60")
    cluster.wait_state(job, "RUNNING")
    assert re.search(r"TRES=\S*billing=6", cluster.run("scontrol", "show", "job", job).ok().out)
    cluster.run("scancel", job).ok()
    cluster.wait_end(job)


@pytest.mark.as_root
def test_partitions_of_other_groups_are_not_listed(cluster, alice):
    def names(*words, user=alice):
        return {line for line in cluster.run(*words, user=user).lines}

    def unseen(*words, **options):
        return {"secret", "others"} - names(*words, **options)

    assert unseen("sinfo", "-h", "-s", "-o", "%P") == {"secret", "others"}
    assert unseen("sinfo", "-h", "-s", "-o", "%P", user=None) == set()
    assert unseen("sinfo", "-h", "-a", "-s", "-o", "%P") == set()
    assert names("sinfo", "-h", "-p", "others", "-s", "-o", "%P") == {"others"}
    for name in ("secret", "others"):
        assert names("scontrol", "show", "partition", name) == {f"Partition {name} not found"}
        assert cluster.run("scontrol", "-a", "show", "partition", name, user=alice).code == 0
    job = cluster.sbatch("-H", "-p", "others", "--wrap", "true")
    assert names("squeue", "-h", "-o", "%i") == set()
    assert names("squeue", "-h", "-p", "others", "-o", "%i") == {job}
