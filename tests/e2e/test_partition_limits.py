"""Limits of partitions: what is refused at submission (EnforcePartLimits), what waits, and what holds where a job
names several partitions."""
import pytest

CLUSTER = dict(nodes=4, conf="""
EnforcePartLimits=ANY
PartitionName=brief Nodes=n[1-4] MaxTime=60 DefaultTime=10
PartitionName=long Nodes=n[1-4] MaxTime=120 MinNodes=2
PartitionName=lean Nodes=n[1-4] MaxMemPerNode=2000
PartitionName=closed Nodes=n[1-4] State=DRAIN
PartitionName=down Nodes=n[1-4] State=DOWN
""")


def submit(cluster, *options):
    return cluster.run("sbatch", "-H", "-o", "/dev/null", "--mem=10", *options, "--wrap", "true")


@pytest.mark.parametrize("options, error", [
    (["-p", "brief", "-t61"], "Requested time limit is invalid (missing or exceeds some limit)"),
    (["-p", "brief,long", "-t121", "-N2"], "Requested time limit is invalid (missing or exceeds some limit)"),
    (["-p", "long", "-N1"], "Node count specification invalid"),
    (["-p", "brief", "-N5"], "Node count specification invalid"),
    (["-p", "brief", "-n33"], "More processors requested than permitted"),
    (["-p", "brief", "-N650000"], "More processors requested than permitted"),
    (["-p", "lean", "--mem=2001"], "Memory required by task is not available"),
    (["-p", "lean", "--mem=0"], "Memory required by task is not available"),
    (["-p", "closed"], "Required partition not available (inactive or drain)"),
])
def test_more_than_a_partition_allows_is_refused(cluster, options, error):
    refused = submit(cluster, *options)
    assert (refused.code, refused.err) == (1, f"sbatch: error: Batch job submission failed: {error}\n")


@pytest.mark.parametrize("options", [
    ["-p", "brief,long", "-t61", "-N2"], ["-p", "brief,long", "-N1"], ["-p", "lean,brief", "--mem=2001"],
    ["-p", "closed,brief"], ["-p", "brief,,long"], ["-p", "down"],
])
def test_one_partition_that_will_do_is_enough(cluster, options):
    submit(cluster, *options).ok()


def test_no_name_is_not_the_default_partition(cluster):
    lines = ["sbatch: error: invalid partition specified: (null)",
             "sbatch: error: Batch job submission failed: Invalid partition name specified"]
    for refused in (submit(cluster, "-p", ""),
                    cluster.run("sbatch", "--wrap", "true", env={"SBATCH_PARTITION": ""})):
        assert (refused.code, refused.err.splitlines()) == (1, lines)


def test_a_job_has_the_limit_of_the_partition_that_takes_it(cluster):
    job = cluster.sbatch("-p", "down,brief", "--mem=10", "-o", "/dev/null", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%P %l").ok().out == "brief 10:00\n"
