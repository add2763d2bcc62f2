"""How many tasks a step has, and where they run, when srun leaves it to the job."""
import pytest

from muster import wait_for

CLUSTER = dict(nodes=3)
NODE = ["printenv", "SLURMD_NODENAME"]
CPUS = ["sh", "-c", "echo $SLURMD_NODENAME $SLURM_CPUS_ON_NODE"]


def in_job(cluster, options, line):
    """The sorted output of this line in an allocation."""
    return sorted(cluster.run("salloc", "-Q", "--mem=100", *options.split(), "sh", "-c", line).ok().lines)


# --- CPUs that GPUs bring ---


def test_gpus_may_bring_other_numbers_of_cpus_to_each_node(cluster):
    assert sorted(cluster.run("srun", "--mem=100", "--gpus=6", "--cpus-per-gpu=2", *CPUS).ok().lines) == ["n1 8", "n2 4"]
    assert in_job(cluster, "--gpus=6 --cpus-per-gpu=2", "srun -l printenv SLURMD_NODENAME; echo $SLURM_JOB_CPUS_PER_NODE") == [
        "0: n1", "1: n2", "8,4"]


@pytest.mark.parametrize("options, nodes, per_node", [
    ("--gpus=7 --cpus-per-gpu=1 -n7", "n1 n1 n1 n1 n2 n2 n2", "4,3 4,3"),
    ("--gpus=6 --cpus-per-gpu=2 -n6", "n1 n1 n1 n2 n2 n2", "8,4 3(x2)")])
def test_tasks_are_where_the_cpus_of_the_gpus_are(cluster, options, nodes, per_node):
    assert " ".join(in_job(cluster, options, "srun printenv SLURMD_NODENAME")) == nodes
    assert in_job(cluster, options, "echo $SLURM_JOB_CPUS_PER_NODE $SLURM_TASKS_PER_NODE") == [per_node]


def test_a_step_is_shown_with_what_was_asked_for_each_gpu(cluster):
    shown = cluster.run("srun", "--gpus=2", "--cpus-per-gpu=1", "--mem-per-gpu=10", "sh", "-c",
                        "scontrol show step $SLURM_JOB_ID.0").ok().out
    assert "CpusPerTres=gres:gpu:1" in shown and "MemPerTres=gres:gpu:10" in shown
    assert "TresPerStep=cpu:" in shown and "Dist=Block" in shown
    shown = cluster.run("srun", "--mem=100", "-n1", "--gpus-per-socket=1", "--sockets-per-node=1", "sh", "-c",
                        "scontrol show step $SLURM_JOB_ID.0").ok().out
    assert "TresPerStep=cpu:1" in shown and "TresPerSocket=gres:gpu:1" in shown


# --- -c without -n ---


@pytest.mark.parametrize("options, srun, tasks", [
    ("-N1 -c4", "-c2", 2), ("-N2 -c4", "-c2", 4), ("-n1 -c4", "-c2", 1), ("-N1 --exclusive", "-c3", 2),
    ("-c8", "-c2", 4), ("-N1 --exclusive --ntasks-per-node=1", "-c2", 1), ("-N2 --exclusive", "-c2 -O", 8)])
def test_cpus_of_a_task_say_how_many_there_are(cluster, options, srun, tasks):
    assert in_job(cluster, options, f"srun {srun} echo x") == ["x"] * tasks


def test_cpus_of_a_task_say_how_many_there_are_in_a_job_of_ones_own(cluster):
    def tasks(*args):
        return len(cluster.run("srun", "--mem=100", *args, "echo").ok().lines)
    assert tasks("-N1", "-c2", "--exclusive") == 4
    assert tasks("-N2", "-c2") == 2
    assert tasks("-c2") == 1


# --- nodes ---


def test_named_nodes_are_the_least(cluster):
    assert in_job(cluster, "-N3", "srun -l -w n3 printenv SLURMD_NODENAME") == ["0: n1", "1: n2", "2: n3"]
    assert in_job(cluster, "-N3", "srun -l -N1 -w n3 printenv SLURMD_NODENAME") == ["0: n3"]
    assert in_job(cluster, "-N3", "srun -l -n1 -w n3 printenv SLURMD_NODENAME 2>&1")[0] == "0: n3"


def test_several_commands_have_a_node_each(cluster):
    both = "srun -l printenv SLURMD_NODENAME : printenv SLURMD_NODENAME"
    assert in_job(cluster, "-N2", both) == ["0: n1", "1: n2"]
    assert in_job(cluster, "-N3", both) == ["0: n1", "1: n2"]
    job = cluster.sbatch("-N2", "--wrap", both)
    assert sorted(cluster.output(job).splitlines()) == ["0: n1", "1: n2"]


def test_a_host_file_lays_out_the_tasks(cluster):
    (cluster.work / "hosts").write_text("n3\nn2\nn1\n")
    hosts = {"SLURM_HOSTFILE": "hosts"}
    assert in_job(cluster, "-N3", "SLURM_HOSTFILE=hosts srun -l printenv SLURMD_NODENAME") == ["0: n3", "1: n2", "2: n1"]

    def alone(*options):
        return sorted(cluster.run("srun", "--mem=100", "-l", *options, *NODE, env=hosts).ok().lines)
    assert alone() == ["0: n3", "1: n2", "2: n1"]
    assert alone("-n3", "-m", "block") == ["0: n3", "1: n2", "2: n1"]
    assert alone("-n2") == ["0: n3", "1: n2"]
    assert alone("-N1") == ["0: n3"]
    job = cluster.sbatch("--wrap", "echo $SLURM_DISTRIBUTION $SLURM_NTASKS; srun -l printenv SLURMD_NODENAME", env=hosts)
    assert sorted(cluster.output(job).splitlines()) == ["0: n3", "1: n2", "2: n1", "arbitrary 3"]


# --- heterogeneous jobs ---


def test_components_without_a_number_of_tasks_say_none(cluster):
    salloc = ["salloc", "-Q", "--mem=100", "-N1", ":", "--mem=100", "-N1", "sh", "-c"]
    done = cluster.run(*salloc, "echo ${SLURM_NTASKS-none}; srun --het-group=1 printenv SLURMD_NODENAME; srun printenv SLURMD_NODENAME").ok()
    assert done.lines == ["none", "n2", "n1"]
    done = cluster.run("salloc", "-Q", "--mem=100", "-n1", ":", "--mem=100", "-n2", "printenv", "SLURM_NTASKS").ok()
    assert done.lines == ["3"]


def test_a_component_of_a_job_that_is_named(cluster):
    cluster.run("salloc", "-Q", "--no-shell", "-J", "het", "--mem=100", "-N1", ":", "-J", "het", "--mem=100", "-N1").ok()
    wait_for(lambda: cluster.run("squeue", "-h", "-n", "het", "-t", "R").lines, "the job to run")
    job = cluster.run("squeue", "-h", "-n", "het", "-o", "%i").lines[0].partition("+")[0]

    def nodes(group):
        return sorted(cluster.run("srun", "-n1", f"--jobid={job}", f"--het-group={group}", *NODE).ok().lines)
    assert nodes("0") == ["n1"]
    assert nodes("1") == ["n2"]
    assert nodes("0,1") == ["n1", "n2"]
    refused = cluster.run("srun", "-n1", f"--jobid={job}", "--het-group=2", *NODE)
    assert refused.code == 1 and "Requested het-group offset exceeds highest hetjob index (2 > 1)" in refused.err
