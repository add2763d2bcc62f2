"""Prolog, Epilog, TaskProlog and TaskEpilog around jobs and tasks."""
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from muster import wait_for

PROGRAMS = Path(tempfile.mkdtemp(prefix="muster.programs.", dir="/tmp"))
PROGRAMS.chmod(0o777)
NAMES = ("Prolog", "Epilog", "TaskProlog", "TaskEpilog", "PrologSlurmctld", "EpilogSlurmctld",
         "SrunProlog", "SrunEpilog")
CLUSTER = dict(nodes=2, conf="".join(f"{name}={PROGRAMS}/{name}\n" for name in NAMES) + "PrologEpilogTimeout=3\n")
pytestmark = pytest.mark.as_root


def write(name, body=""):
    path = PROGRAMS / name
    path.write_text(f"#!/bin/bash\nprintf '%s\\n' \"$SLURM_JOB_ID {name} $SLURM_JOB_USER "
                    f"$SLURM_SCRIPT_CONTEXT\" >> {PROGRAMS}/log\n{body}\n")
    path.chmod(0o755)


@pytest.fixture(autouse=True)
def programs():
    (PROGRAMS / "log").write_text("")
    (PROGRAMS / "log").chmod(0o666)
    for name in NAMES:
        write(name)


@pytest.fixture(scope="module", autouse=True)
def no_programs_left():
    for name in NAMES:
        write(name)
    yield
    shutil.rmtree(PROGRAMS)


def ran(job):
    return [line.split(" ", 1)[1] for line in (PROGRAMS / "log").read_text().splitlines()
            if line.startswith(f"{job} ")]


def test_they_run_in_order(cluster):
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_end(job)
    wait_for(lambda: len(ran(job)) == 6, "all six programs")
    order = [line.split()[0] for line in ran(job)]
    assert order[:4] == ["PrologSlurmctld", "Prolog", "TaskProlog", "TaskEpilog"]
    assert set(order[4:]) == {"Epilog", "EpilogSlurmctld"}
    assert "Prolog root prolog_slurmd" in ran(job)


def test_salloc_waits_for_prologslurmctld(cluster):
    write("PrologSlurmctld", f"sleep 1; echo ready > {cluster.work}/ready")
    done = cluster.run("salloc", "-n1", "-w", "n1", "--mem=10", "cat", "ready").ok()
    assert done.out == "ready\n"
    assert done.err.splitlines()[1:3] == ["salloc: Waiting for resource configuration",
                                          "salloc: Nodes n1 are ready for job"]


def test_task_prolog_acts_on_the_task(cluster):
    write("TaskProlog", "echo 'export FROM=prolog value'; echo 'unset GONE'; echo 'print hello there'")
    job = cluster.sbatch("--wrap", "echo \"$FROM ${GONE-none}\"", env={"GONE": "1"})
    cluster.wait_end(job)
    assert cluster.output(job) == "hello there\nprolog value none\n"


def test_a_failing_task_prolog_fails_the_task(cluster):
    write("TaskProlog", "exit 4")
    job = cluster.sbatch("--wrap", "echo never")
    assert cluster.wait_end(job)["ExitCode"] == "4:0"
    assert "TaskProlog failed status=4" in cluster.output(job)


def test_task_epilog_writes_to_the_jobs_errors(cluster):
    write("TaskEpilog", "echo out; echo problem >&2")
    job = cluster.sbatch("--wrap", "echo job")
    cluster.wait_end(job)
    assert cluster.output(job) == "job\nproblem\n"


@pytest.mark.parametrize("body", ["exit 1", "sleep 100"])
def test_a_failing_prolog_drains_the_node_and_holds_the_job(cluster, body):
    write("Prolog", body)
    job = cluster.sbatch("-w", "n1", "--wrap", "true")
    cluster.wait_reason(job, "launch failed requeued held")
    assert cluster.run("sinfo", "-h", "-n", "n1", "-o", "%E").ok().out == "Prolog error\n"
    assert (cluster.job(job)["Restarts"], cluster.job(job)["Priority"]) == ("1", "0")


def test_a_failing_epilog_drains_the_node(cluster):
    write("Epilog", "exit 1")
    job = cluster.sbatch("-w", "n2", "--wrap", "true")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    wait_for(lambda: cluster.run("sinfo", "-h", "-n", "n2", "-o", "%E").out == "Epilog error\n", "a drained node")


def test_a_failing_prolog_slurmctld_requeues(cluster):
    write("PrologSlurmctld", "exit 1")
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_reason(job, "BeginTime")
    assert cluster.job(job)["Restarts"] == "1"
    assert not any(line.startswith("Prolog ") for line in ran(job))


def test_srun_has_its_own(cluster):
    write("SrunProlog", "echo before $@")
    write("SrunEpilog", "echo after $SLURM_STEP_ID")
    assert cluster.run("srun", "--mem=100", "echo", "step").ok().out == "before echo step\nstep\nafter 0\n"


def test_srun_names_programs_of_its_own(cluster):
    own = PROGRAMS / "own"
    own.write_text("#!/bin/bash\necho print own $SLURM_SCRIPT_CONTEXT\necho err $SLURM_SCRIPT_CONTEXT >&2\n")
    own.chmod(0o755)
    done = cluster.run("srun", "--mem=100", f"--task-prolog={own}", f"--task-epilog={own}", "--prolog=none",
                       "echo", "step").ok()
    assert done.out == "own prolog_task\nstep\n"
    assert "err epilog_task" in done.err


@pytest.mark.ours
def test_a_step_without_an_allocation_has_a_prolog_alone(cluster):
    cluster.run("srun", "-Z", "-w", "n1", "true").ok()
    names = [line.split()[1] for line in (PROGRAMS / "log").read_text().splitlines()]
    assert "Prolog" in names and "Epilog" not in names


def test_srun_hears_of_a_failing_prolog(cluster):
    write("Prolog", "exit 1")
    done = cluster.run("srun", "--mem=100", "true")
    assert done.code != 0
    # The node may be gone for srun before the reason has reached it.
    assert re.search("prolog failed|Lost the connection to the step", done.err)


@pytest.mark.ours
def test_a_restarted_slurmd_does_not_run_the_prolog_again(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap",
                         "touch begun; while [ ! -e go ]; do sleep 0.1; done; srun true")
    wait_for((cluster.work / "begun").exists, "the job to begin")
    cluster.stop_node("n1")
    cluster.start_node("n1")
    (cluster.work / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert len([line for line in ran(job) if line.startswith("Prolog ")]) == 1
