"""LaunchParameters: salloc's shell as a step on the first node, and programs that srun looks for first."""
import pytest

CLUSTER = dict(nodes=2, conf="LaunchParameters=test_exec,use_interactive_step,slurmstepd_memlock\n",
               variables={"SHELL": "/bin/bash"})


def salloc(cluster, text, *options):
    """What salloc's shell prints when it reads this."""
    return cluster.run("salloc", "--mem=100", *options, input=text)


@pytest.mark.parametrize("program", ["nosuchprog", "/nonexist/prog", "./here"])
def test_a_program_that_is_not_here_is_not_launched(cluster, program):
    done = cluster.run("srun", program)
    assert (done.code, done.err) == (1, f"srun: fatal: Can not execute {program}\n")


def test_a_program_that_is_here_is(cluster):
    assert cluster.run("srun", "--mem=100", "echo", "ran").ok().out == "ran\n"


def test_the_shell_of_salloc_is_a_step_on_the_first_node(cluster):
    done = salloc(cluster, "echo at $SLURMD_NODENAME of $SLURM_JOB_NODELIST; squeue -h -s -o '%i %j %N'; exit 3\n", "-N2")
    job = done.err.split("Granted job allocation ")[1].split()[0]
    assert done.lines == ["at n1 of n[1-2]", f"{job}.interactive interactive n1"]
    assert done.code == 3 and "Exited with exit code 3" in done.err


def test_steps_run_beside_the_shell(cluster):
    script = ("srun -n2 -N2 bash -c 'echo $SLURM_STEP_ID' < /dev/null\n"
              "while squeue -h -s -o %i | grep -q '[.]0$'; do :; done\n"  # its nodes may report later than srun
              "squeue -h -s -o %i\n")
    done = salloc(cluster, script, "-N2", "-n2")
    job = done.err.split("Granted job allocation ")[1].split()[0]
    assert done.ok().lines == ["0", "0", f"{job}.interactive"]


def test_the_record_of_that_step(cluster):
    done = salloc(cluster, "scontrol show step\n", "-n1")
    assert "Nodes=1 CPUs=0 Tasks=1 Name=interactive" in done.ok().out and "TRES=(null)" in done.out


def test_there_is_one_of_them_in_a_job(cluster):
    done = cluster.run("salloc", "--mem=100", "-n1", "srun", "--interactive", "sh", "-c", "srun --interactive true")
    assert done.code == 1 and "Unable to create step for job" in done.err and "Duplicate job step id" in done.err


def test_a_command_of_salloc_runs_here(cluster):
    done = cluster.run("salloc", "--mem=100", "-n1", "sh", "-c", "echo at ${SLURMD_NODENAME:-here}; squeue -h -s").ok()
    assert done.out == "at here\n"


@pytest.mark.accounting
def test_accounting_names_that_step(cluster):
    done = salloc(cluster, "exit\n", "-n1")
    job = done.err.split("Granted job allocation ")[1].split()[0]
    assert f"{job}.interactive|interactive|COMPLETED" in cluster.run("sacct", "-nP", "-j", job, "-o", "JobID,JobName,State").lines


@pytest.mark.ours  # with Slurm a signal to a job does not reach the shell
def test_scancel_ends_that_step(cluster):
    done = salloc(cluster, "scancel $SLURM_JOB_ID.interactive; sleep 100\n", "-n1")
    assert done.code != 0
