"""Steps over several components of a heterogeneous job: ranks, variables, exit codes, signals."""
import signal

import pytest

from muster import wait_for

HET = ("-N1", "-n1", "--mem=100", ":", "-N2", "-n3")  # four tasks on three nodes
SHOW = "echo $SLURM_PROCID $SLURM_NTASKS $SLURM_NODEID $SLURM_LOCALID $SLURM_JOB_ID"


def in_job(cluster, commands, *options):
    """What a script prints that runs in a heterogeneous job, and the job's id."""
    job = cluster.sbatch(*options, *HET, cluster.script("s.sh", commands), memory=None)
    return job, cluster.output(job).splitlines()


def test_without_groups_a_step_runs_in_the_first_component(cluster):
    job, lines = in_job(cluster, f"srun bash -c '{SHOW}'\n")
    assert lines == [f"0 1 0 0 {job}"]


def test_one_numbering_of_ranks_and_nodes(cluster):
    job, lines = in_job(cluster, f"srun -l --het-group=0,1 bash -c '{SHOW}'\n")
    assert sorted(lines) == [f"0: 0 4 0 0 {job}", f"1: 1 4 1 0 {job}", f"2: 2 4 1 1 {job}", f"3: 3 4 2 0 {job}"]


def test_one_component_by_its_number(cluster):
    job, lines = in_job(cluster, f"srun -l --het-group=1 bash -c '{SHOW}'\n")
    assert sorted(lines) == [f"0: 0 3 0 0 {job}", f"1: 1 3 0 1 {job}", f"2: 2 3 1 0 {job}"]


@pytest.mark.parametrize("line", [
    "srun -l --het-group=0 bash -c 'echo A $SLURM_NTASKS' : --het-group=1 bash -c 'echo B $SLURM_NTASKS'",
    "srun -l bash -c 'echo A $SLURM_NTASKS' : bash -c 'echo B $SLURM_NTASKS'",
], ids=["by number", "in order"])
def test_each_component_has_its_command(cluster, line):
    _, lines = in_job(cluster, line + "\n")
    assert sorted(lines) == ["0: A 4", "1: B 4", "2: B 4", "3: B 4"]


def test_options_belong_to_their_part(cluster):
    _, lines = in_job(cluster, "srun -l -n1 bash -c 'echo A $SLURM_NTASKS' : -n2 bash -c 'echo B $SLURM_NTASKS'\n")
    assert sorted(lines) == ["0: A 3", "1: B 3", "2: B 3"]


def test_tasks_see_one_job(cluster):
    job, lines = in_job(cluster, "echo $SLURM_JOB_NODELIST_HET_GROUP_0 $SLURM_JOB_NODELIST_HET_GROUP_1 > groups\n"
                                 "srun --het-group=0,1 bash -c '[ $SLURM_PROCID = 2 ] && env | grep ^SLURM; true'\n")
    found = dict(line.split("=", 1) for line in lines if "=" in line)
    expected = {"SLURM_JOB_ID": job, "SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_NNODES": "3",
                "SLURM_JOB_NUM_NODES": "3", "SLURM_STEP_NUM_NODES": "3", "SLURM_STEP_NUM_TASKS": "4",
                "SLURM_TASKS_PER_NODE": "1,2,1", "SLURM_STEP_TASKS_PER_NODE": "1,2,1", "SLURM_GTIDS": "1,2",
                "SLURM_JOB_CPUS_PER_NODE": "1,2,1", "SLURM_CPUS_ON_NODE": "2", "SLURM_HET_SIZE": "2"}
    assert {k: found.get(k) for k in expected} == expected
    assert found["SLURM_JOB_NODELIST"] == found["SLURM_STEP_NODELIST"]
    names = cluster.run("scontrol", "show", "hostnames", found["SLURM_JOB_NODELIST"]).ok().lines
    groups = (cluster.work / "groups").read_text().split()
    assert sorted(names) == sorted(n for g in groups for n in cluster.run("scontrol", "show", "hostnames", g).lines)


def test_the_highest_exit_code_counts(cluster):
    _, lines = in_job(cluster, "srun --het-group=0,1 bash -c '[ $SLURM_PROCID = 2 ] && exit 5; exit 0'; echo code $?\n"
                               "srun bash -c 'exit 3' : bash -c 'exit 4'; echo code $?\n")
    assert [line for line in lines if line.startswith("code")] == ["code 5", "code 4"]


def test_groups_that_are_not_there_are_refused(cluster):
    _, lines = in_job(cluster, "srun --het-group=2 true; echo $?\nsrun --het-group=x true; echo $?\n")
    assert lines[:2] == ["srun: error: Requested het-group offset exceeds highest hetjob index (2 > 1)", "1"]
    assert lines[-2:] == ["srun: error: Invalid --het-group value: x", "1"]
    plain = cluster.run("salloc", "--mem=100", "-n1", "srun", "--het-group=0", "true")
    assert "srun: error: No directives to start application on any available hetjob components\n" in plain.err


def test_steps_are_numbered_through_the_job_and_listed_by_component(cluster):
    job = cluster.sbatch(*HET, cluster.script("s.sh", "srun --het-group=1 true\n"
                                              "srun --het-group=0,1 bash -c 'touch up.$SLURM_PROCID; sleep 100'\n"),
                         memory=None)
    wait_for(lambda: len(list(cluster.work.glob("up.*"))) == 4, "four tasks")
    steps = cluster.run("squeue", "-h", "-s", "-o", "%i %j").ok().lines
    assert sorted(s for s in steps if "bash" in s) == [f"{job}.1 bash", f"{int(job) + 1}.1 bash"]


def test_cancelling_the_step_ends_all_of_it(cluster):
    job = cluster.sbatch(*HET, cluster.script(
        "s.sh", "srun --het-group=0,1 bash -c 'touch up.$SLURM_PROCID; sleep 100'\ntouch over\nsleep 100\n"), memory=None)
    wait_for(lambda: len(list(cluster.work.glob("up.*"))) == 4, "four tasks")
    cluster.run("scancel", f"{job}.0").ok()
    wait_for(lambda: (cluster.work / "over").exists(), "srun to end")
    assert cluster.state(job) == "RUNNING"


def test_srun_alone_makes_a_heterogeneous_job(cluster):
    done = cluster.run("srun", "-l", "--mem=100", "-n1", "bash", "-c", "echo A $SLURM_NTASKS $SLURM_HET_SIZE",
                       ":", "-n2", "bash", "-c", "echo B $SLURM_NTASKS $SLURM_HET_SIZE").ok()
    assert sorted(done.lines) == ["0: A 3 2", "1: B 3 2", "2: B 3 2"]


def test_a_part_without_a_command_runs_the_next_one(cluster):
    assert cluster.run("srun", "--mem=100", "-n1", ":", "-n2", "echo", "hi").ok().lines == ["hi"] * 3
    refused = cluster.run("srun", "--mem=100", "-n1", "echo", "hi", ":", "-n2")
    assert (refused.code, refused.err) == (1, "srun: fatal: No command given to execute.\n")


def test_in_salloc(cluster):
    done = cluster.run("salloc", "--mem=100", "-n1", ":", "-n2", "srun", "-l", "--het-group=0,1",
                       "bash", "-c", "echo $SLURM_PROCID $SLURM_NTASKS").ok()
    assert sorted(done.lines) == ["0: 0 3", "1: 1 3", "2: 2 3"]


def test_an_interrupted_srun_ends_tasks_in_all_components(cluster):
    srun = cluster.start("srun", "--mem=100", "-n1", "bash", "-c", "touch up.0; sleep 100", ":", "-n1",
                         "bash", "-c", "touch up.1; sleep 100")
    wait_for(lambda: len(list(cluster.work.glob("up.*"))) == 2, "two tasks")
    srun.send_signal(signal.SIGTERM)
    srun.communicate(timeout=60)
    assert srun.returncode != 0
    wait_for(cluster.queue_is_empty, "no job left")


@pytest.mark.accounting
def test_accounting_has_a_row_for_each_part(cluster):
    job, _ = in_job(cluster, "srun --het-group=0,1 bash -c 'exit 0'\n")
    cluster.wait_sacct([rf"{job}\+0\|COMPLETED", rf"{job}\+0.batch\|COMPLETED", rf"{job}\+0.0\|COMPLETED",
                        rf"{job}\+1\|COMPLETED", rf"{job}\+1.0\|COMPLETED"], "-j", job, "-o", "jobid,state")
