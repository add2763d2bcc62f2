"""Calls of srun and other commands whose messages and exit codes were compared with Slurm's."""
import re

import pytest

CLUSTER = dict(nodes=2)


def masked(text):
    return re.sub(r"\bjob \d+|StepId=\d+", "J", text)


def in_job(cluster, *options, body):
    return cluster.run("salloc", "-Q", *options, "bash", "-c", body)


# --- what tasks get ---

def test_limits_of_the_caller_hold_for_a_job_of_sruns_own(cluster):
    assert cluster.run("bash", "-c", "ulimit -n 500; srun bash -c 'ulimit -n'").ok().out == "500\n"


@pytest.mark.parametrize("options, name", [
    (["--mem=50"], "SLURM_MEM_PER_NODE"),
    (["--mem-per-cpu=50"], "SLURM_MEM_PER_CPU"),
    (["--gpus=1"], "SLURM_GPUS"),
    (["--gpus-per-node=1"], "SLURM_GPUS_PER_NODE"),
    (["--gres=gpu:1"], "SLURM_JOB_GPUS"),
    (["--hint=nomultithread"], "SLURM_HINT"),
    (["--open-mode=append"], "SLURM_OPEN_MODE"),
    ([], "SLURM_NODE_ALIASES"),
    ([], "SLURM_DISTRIBUTION"),
])
def test_tasks_are_not_told_what_only_their_step_was_given(cluster, options, name):
    """An srun in a task would take it for the job's value."""
    assert f"{name}=" not in cluster.run("srun", *options, "env").ok().out


def test_a_steps_memory_is_not_told_in_place_of_the_jobs(cluster):
    job = cluster.sbatch("--mem=200", "--wrap", "srun -n1 --mem=50 bash -c 'echo $SLURM_MEM_PER_NODE'")
    cluster.wait_end(job)
    assert cluster.output(job) == "200\n"


def test_labels_are_asked_for_by_a_variable_too(cluster):
    assert cluster.run("srun", "-l", "bash", "-c", "echo $SLURM_LABELIO").ok().out == "0: 1\n"


def test_exclusive_gives_a_job_of_sruns_own_all_of_its_node(cluster):
    done = cluster.run("srun", "--exclusive", "bash", "-c", "echo $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE").ok()
    assert done.out == "8 8\n"


# --- programs ---

def test_a_task_knows_where_its_program_was_found(cluster):
    cluster.script("prog", "echo $0\n")
    path = f"/usr/bin:/bin:{cluster.work}"
    assert cluster.run("srun", "prog", env={"PATH": f"{cluster.environment['PATH']}:{path}"}).ok().out == f"{cluster.work}/prog\n"
    assert cluster.run("srun", "./prog").ok().out == f"{cluster.work}/./prog\n"
    assert cluster.run("srun", "prog").ok().out == "prog\n"  # in no directory of PATH, but here


@pytest.mark.parametrize("program, text, code", [
    ("./plain", "execve(): {work}/./plain: Permission denied", 13),
    ("./bad", "execve(): bad interpreter(/nonexistent/sh -e): No such file or directory", 2),
    ("./nosuch", "execve(): {work}/./nosuch: No such file or directory", 2),
    ("", "execve(): : No such file or directory", 2),
])
def test_a_program_that_cannot_be_run_is_named(cluster, program, text, code):
    (cluster.work / "plain").write_text("#!/bin/sh\n")
    cluster.script("bad", "true\n", interpreter="#!/nonexistent/sh -e")
    done = cluster.run("srun", program)
    assert done.code == code
    assert f"error: {text.format(work=cluster.work)}\n" in done.err


def test_a_missing_directory_is_told(cluster):
    done = cluster.run("srun", "-D", "/nonexistent", "pwd").ok()
    assert done.out == "/tmp\n"
    assert "couldn't chdir to `/nonexistent': No such file or directory: going to /tmp instead\n" in done.err


def test_programs_around_a_step(cluster):
    done = cluster.run("srun", "--epilog=/bin/false", "echo", "hi")
    assert (done.code, done.out, done.err) == (0, "hi\n", "srun: error: srun epilog failed status=1\n")
    done = cluster.run("srun", "--prolog=/nonexistent", "echo", "hi")
    assert (done.code, done.out, done.err) == (
        0, "hi\n", "srun: Access denied for /nonexistent: No such file or directory\n")


# --- ends ---

@pytest.mark.parametrize("options, signal, forced", [([], 9, True), ([], 15, True), ([], 11, False), ([], 12, False),
                                                     (["-Q"], 9, False)])
def test_only_kill_and_term_are_called_force(cluster, options, signal, forced):
    done = cluster.run("srun", *options, "bash", "-c", f"ulimit -c 0; kill -{signal} $$; sleep 5")
    assert done.code == 128 + signal
    assert ("srun: Force Terminated J" in masked(done.err)) == forced


def test_one_node_speaks_for_a_cancelled_step(cluster):
    done = in_job(cluster, "-N2", body="timeout 1 srun -N2 sleep 60")
    assert re.findall(r"STEP \S+ ON (\w+) CANCELLED", done.err) == ["n1"]


def test_process_ids_are_listed_node_by_node(cluster):
    done = in_job(cluster, "-N2", body="""srun -N2 sleep 60 & step=$SLURM_JOB_ID.0
until sstat -n -j $step 2> /dev/null | grep -q .; do sleep 0.1; done
sstat -i -n -P -o jobid -j $step
kill %1; wait""")
    rows = [line.split("|") for line in done.lines]
    assert [row[1] for row in rows] == ["n1", "n2"]
    assert all(row[2].isdigit() and row[3] == row[0] for row in rows)


# --- refusals ---

@pytest.mark.parametrize("options, text", [
    (["-w", "nosuch"], "Unable to create step for J: Requested node configuration is not available"),
    (["--gres=foo:1"], "Invalid generic resource (gres) specification"),
    (["--gres=gpu:1"], "Step requested GRES but job doesn't have GRES\n"
                       "srun: error: Unable to create step for J: Invalid generic resource (gres) specification"),
])
def test_steps_that_the_job_cannot_hold(cluster, options, text):
    done = in_job(cluster, "-N1", body=f"srun {' '.join(options)} true")
    assert (done.code, masked(done.err)) == (1, f"srun: error: {text}\n")


def test_a_job_that_has_ended_has_expired(cluster):
    job = cluster.sbatch("--wrap", "true")
    cluster.wait_end(job)
    done = cluster.run("srun", f"--jobid={job}", "true")
    assert (done.code, done.err) == (
        1, f"srun: error: Slurm job {job} has expired\n"
           f"srun: Check SLURM_JOB_ID environment variable. Expired or invalid job {job}\n")


@pytest.mark.parametrize("options, text", [
    (["-H"], "Job dependency problem"),
    (["--begin=now+1hour"], "Job dependency problem"),
    (["-N99"], "Requested partition configuration not available now"),
])
def test_who_must_have_nodes_at_once_cannot_wait_for_anything(cluster, options, text):
    done = cluster.run("srun", "-I", *options, "true")
    assert (done.code, done.err) == (1, f"srun: error: Unable to allocate resources: {text}\n")
    done = cluster.run("salloc", "-I", *options, "true")
    assert done.code == 1 and f"salloc: error: Job submit/allocate failed: {text}\n" in done.err


def test_salloc_needs_the_directory_that_it_is_to_work_in(cluster):
    done = cluster.run("salloc", "-D", "/nonexistent", "true")
    assert (done.code, done.err) == (1, "salloc: error: chdir(/nonexistent): No such file or directory\n")


def test_without_a_terminal_there_is_none(cluster):
    done = cluster.run("srun", "--pty", "echo", "hi").ok()
    assert done.out == "hi\n"
    assert done.err == ("srun: error: ioctl(TIOCGWINSZ): Inappropriate ioctl for device\n"
                        "srun: error: Not using a pseudo-terminal, disregarding --pty option\n")


@pytest.mark.parametrize("name", ["input", "output", "error"])
def test_a_filter_of_sattach_is_a_number(cluster, name):
    done = cluster.run("sattach", f"--{name}-filter=x", "999999.0")
    assert (done.code, done.err) == (1, f'sattach: error: Invalid numeric value "x" for {name}-filter.\n')


@pytest.mark.parametrize("call", [["srun", "true"], ["salloc", "true"], ["sbatch", "--wrap", "true"], ["sattach", "999999.0"]],
                         ids=lambda call: call[0])
def test_nobody_is_loud_and_quiet(cluster, call):
    done = cluster.run(call[0], "-v", "-Q", *call[1:])
    assert done.code != 0
    assert f"{call[0]}: error: don't specify both --verbose (-v) and --quiet (-Q)\n" in done.err


@pytest.mark.parametrize("variable", ["SLURM_NNODES=2", "SLURM_JOBID=999999"])
def test_variables_that_only_tell_and_do_not_ask(cluster, variable):
    name, value = variable.split("=")
    assert cluster.run("srun", "echo", "hi", env={name: value}).ok().out == "hi\n"
