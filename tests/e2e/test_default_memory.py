"""DefMemPerCPU and DefMemPerNode: the memory of jobs that request none."""
import pytest

CLUSTER = dict(nodes=2, conf="PartitionName=percpu Nodes=ALL DefMemPerCPU=100 State=UP\n"
               "PartitionName=pernode Nodes=ALL DefMemPerNode=300 State=UP\n")
TELL = "env | grep ^SLURM_MEM; squeue -h -j $SLURM_JOB_ID -o %m"


def memory_lines(cluster, job):
    return [word for line in cluster.run("scontrol", "show", "job", job).ok().out.splitlines()
            for word in line.split() if word.startswith(("TRES=", "MinMemory"))]


@pytest.mark.parametrize("partition, options, tres, least, told", [
    ("percpu", ("-n2",), "mem=200M", "MinMemoryCPU=100M", "SLURM_MEM_PER_CPU=100\n100M\n"),
    ("pernode", ("-N2",), "mem=600M", "MinMemoryNode=300M", "SLURM_MEM_PER_NODE=300\n300M\n"),
])
def test_the_default_is_the_jobs_request(cluster, partition, options, tres, least, told):
    job = cluster.sbatch("-H", "-p", partition, *options, "--wrap", TELL, memory=None)
    shown = memory_lines(cluster, job)
    assert tres in shown[0] and shown[1] == least
    cluster.run("scontrol", "release", job).ok()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.output(job) == told
    assert tres in memory_lines(cluster, job)[0]


def test_the_first_of_several_partitions_gives_it(cluster):
    job = cluster.sbatch("-H", "-p", "percpu,batch", "-n2", "--wrap", "true", memory=None)
    assert memory_lines(cluster, job)[1] == "MinMemoryCPU=100M"


def test_what_was_asked_for_counts(cluster):
    job = cluster.sbatch("-H", "-p", "percpu", "-n2", "--mem=50", "--wrap", "true", memory=None)
    assert memory_lines(cluster, job)[1] == "MinMemoryNode=50M"
