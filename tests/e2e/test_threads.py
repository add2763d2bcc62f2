"""Steps on nodes whose cores have two threads: whole cores, with as many threads as requested."""
import pytest

CLUSTER = dict(nodes=2, threads=2)


def counts(cluster, *args, job=("-N1", "-n8")):
    """Tasks on each node, and CPUs of the step on the first."""
    body = f"srun {' '.join(args)} bash -c 'echo $SLURM_STEP_TASKS_PER_NODE $SLURM_CPUS_ON_NODE $SLURM_NODEID'\n"
    number = cluster.sbatch("--mem=400", *job, cluster.script("job.sh", body))
    cluster.wait_end(number)
    lines = [line.split() for line in cluster.output(number).splitlines() if not line.startswith("srun:")]
    return next((tasks, int(cpus)) for tasks, cpus, node in lines if node == "0")


@pytest.mark.parametrize("options, cpus", [
    ("-n1 --exact", 2), ("-n2 --exact", 2), ("-n3 --exact", 4),
    ("-n2 --exact --threads-per-core=1", 4), ("-n3 --exact --hint=nomultithread", 6),
    ("-n3 --exact --hint=multithread", 4), ("-n2 --exact -B *:*:1", 4),
])
def test_a_step_has_whole_cores(cluster, options, cpus):
    assert counts(cluster, *options.split())[1] == cpus


def test_one_thread_of_each_core_takes_fewer_tasks(cluster):
    job = ("-N2", "-n8", "--ntasks-per-node=4")
    assert counts(cluster, "-n4", "-N2", job=job)[0] == "2(x2)"
    assert counts(cluster, "-n4", "-N1", job=job)[0] == "4"
    assert counts(cluster, "-n4", "-N1-2", "--threads-per-core=1", job=job)[0] == "2(x2)"


def test_a_hint_of_the_job_is_its_steps(cluster):
    script = cluster.script("job.sh", "env | grep -E '^SLURM_(HINT|THREADS_PER_CORE)=' | sort\n"
                            "srun -n2 --exact bash -c 'echo $SLURM_CPUS_ON_NODE' | head -1\n")
    job = cluster.sbatch("--mem=100", "-n4", "--hint=nomultithread", script)
    cluster.wait_end(job)
    lines = [line for line in cluster.output(job).splitlines() if not line.startswith("srun:")]
    assert lines == ["SLURM_HINT=nomultithread", "SLURM_THREADS_PER_CORE=1", "4"]
