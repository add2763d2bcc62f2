"""MaxMemPerCPU: a job with more memory gets more CPUs. MaxMemPerNode: a job with more memory waits."""

CLUSTER = dict(nodes=2, conf="MaxMemPerCPU=1000\n", partitions="""\
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=tight Nodes=ALL MaxTime=INFINITE State=UP MaxMemPerNode=4000
PartitionName=half Nodes=ALL MaxTime=INFINITE State=UP MaxMemPerCPU=500
PartitionName=few Nodes=ALL MaxTime=INFINITE State=UP DefMemPerCPU=70
PartitionName=some Nodes=ALL MaxTime=INFINITE State=UP DefMemPerNode=300
""")


def held(cluster, *options):
    """The CPUs and the memory of a job with these options."""
    job = cluster.wait_state(cluster.sbatch(*options, "--wrap", "sleep 60"), "RUNNING")
    tres = dict(part.split("=") for part in job["TRES"].split(","))
    return int(tres["cpu"]), tres["mem"]


def test_more_memory_for_a_cpu_brings_more_cpus(cluster):
    assert held(cluster, "-n1", "--mem-per-cpu=800") == (1, "800M")
    assert held(cluster, "-n1", "--mem-per-cpu=2500") == (3, "2502M")
    assert held(cluster, "-n2", "--mem-per-cpu=1500") == (4, "3000M")


def test_the_job_shows_what_it_was_turned_into(cluster):
    job = cluster.job(cluster.sbatch("-H", "-n1", "-c3", "--mem-per-cpu=1500", "--wrap", "true"))
    assert (job["CPUs/Task"], job["MinMemoryCPU"]) == ("6", "750M")


def test_more_memory_for_a_node_brings_more_cpus(cluster):
    assert held(cluster, "-n1", "--mem=3000") == (3, "3000M")
    assert held(cluster, "-n1", "-c2", "--mem=3500") == (4, "3500M")


def test_a_partition_has_limits_of_its_own(cluster):
    assert held(cluster, "-p", "half", "-n1", "--mem-per-cpu=900") == (2, "900M")
    assert held(cluster, "-p", "tight", "-n1", "--mem=4000") == (1, "4000M")
    cluster.wait_reason(cluster.sbatch("-p", "tight", "-n1", "--mem=5000", "--wrap", "true"), "MaxMemPerLimit")


def test_what_no_node_can_give_is_refused(cluster):
    done = cluster.run("sbatch", "-n1", "--mem-per-cpu=9000", "--wrap", "true")
    assert done.code == 1
    assert "Requested node configuration is not available" in done.err


def test_a_script_is_told_the_memory_that_it_has_by_default(cluster):
    told = "echo ${SLURM_MEM_PER_CPU-none} ${SLURM_MEM_PER_NODE-none}"
    for partition, expected in [("few", "70 none\n"), ("some", "none 300\n")]:
        job = cluster.sbatch("-p", partition, "--wrap", told, memory=None)
        cluster.wait_end(job)
        assert cluster.output(job) == expected
