"""-m arbitrary: each task where a list says, for jobs and their steps."""
import pytest

CLUSTER = dict(nodes=3, conf="SelectTypeParameters=CR_Core_Memory,CR_Pack_Nodes\n"
               "PartitionName=sockets Nodes=n3 SelectTypeParameters=CR_Socket_Memory\n")
WHERE = "srun --mem=0 -l sh -c 'echo $SLURMD_NODENAME'"
LISTED = ["0: n2", "1: n1", "2: n2", "3: n3"]


@pytest.fixture
def hosts(cluster):
    file = cluster.work / "hosts"
    file.write_text("n2\nn1\nn2\nn3\n")
    return {"SLURM_HOSTFILE": str(file)}


def test_a_batch_job_and_its_steps_follow_the_host_file(cluster, hosts):
    job = cluster.sbatch("-n4", "-m", "arbitrary", "--wrap", WHERE, env=hosts)
    assert sorted(cluster.output(job).splitlines()) == LISTED
    assert cluster.job(job)["NumNodes"] == "3"


def test_srun_alone_follows_the_host_file(cluster, hosts):
    for count in ([], ["-n4"]):
        done = cluster.run("srun", "--mem=100", *count, "-m", "arbitrary", "-l", "sh", "-c",
                           "echo $SLURMD_NODENAME", env=hosts)
        assert sorted(done.ok().lines) == LISTED


def test_a_list_is_needed(cluster):
    text = "With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option\n"
    done = cluster.run("sbatch", "-n4", "-m", "arbitrary", "--wrap", "true")
    assert done.code != 0 and done.err == f"sbatch: error: {text}"
    done = cluster.run("sbatch", "-n4", "-m", "arbitrary", "--wrap", "true", env={"SLURM_HOSTFILE": "/nosuch"})
    assert done.err == ("sbatch: error: slurm_allocate_resources error opening file /nosuch, No such file or directory\n"
                        "sbatch: error: Failure getting NodeNames from hostfile\n")


@pytest.mark.ours  # Slurm gives most CPUs to the first node
def test_the_job_has_its_cpus_where_its_tasks_are(cluster, hosts):
    job = cluster.sbatch("-m", "arbitrary", "--wrap", "echo $SLURM_JOB_CPUS_PER_NODE $SLURM_NTASKS", env=hosts)
    assert cluster.output(job) == "1,2,1 4\n"
    listed = cluster.sbatch("-n3", "-m", "arbitrary", "-w", "n3,n3,n1", "--wrap", "echo $SLURM_JOB_CPUS_PER_NODE")
    assert cluster.output(listed) == "1,2\n"


def test_steps_fill_node_after_node_with_cr_pack_nodes(cluster):
    def spread(*how):
        script = f"srun --mem=0 {' '.join(how)} -n10 sh -c 'echo $SLURMD_NODENAME' | sort | uniq -c | tr -s ' ' '\\n'"
        job = cluster.sbatch("-N2", "--exclusive", "--wrap", script)
        return cluster.output(job).split()[::2]
    assert spread() == ["8", "2"]
    assert spread("-m", "block,NoPack") == ["5", "5"]


def test_a_partition_hands_out_sockets(cluster):
    job = cluster.sbatch("-p", "sockets", "-n1", "--wrap", "sleep 60")
    cluster.wait_state(job, "RUNNING")
    assert cluster.job(job)["NumCPUs"] == "8"  # the node has one socket
