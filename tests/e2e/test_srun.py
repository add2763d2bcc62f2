"""srun, alone and inside a job: output, exit codes, the variables of tasks."""
import fcntl
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from muster import wait_for


def srun(cluster, *args, **options):
    return cluster.run("srun", "--mem=100", *args, **options)


def test_the_exit_code_is_the_highest_of_the_tasks(cluster):
    done = srun(cluster, "-n2", "bash", "-c", "exit $((SLURM_PROCID*3))")
    assert done.code == 3
    assert re.search(r"^srun: error: n\d: task 1: Exited with exit code 3$", done.err, re.M)


@pytest.mark.parametrize("name, code, text", [
    ("KILL", 137, "Killed"), ("TERM", 143, "Terminated"), ("SEGV", 139, "Segmentation fault")])
def test_a_signal_adds_128(cluster, name, code, text):
    done = srun(cluster, "bash", "-c", f"kill -{name} $$")
    assert done.code == code
    assert re.search(rf"srun: error: n\d: task 0: {text}", done.err)


def test_a_program_that_cannot_be_started(cluster):
    done = srun(cluster, "/no/such/cmd")
    assert done.code == 2
    assert "error: execve(): /no/such/cmd: No such file or directory" in done.err
    assert "task 0: Exited with exit code 2" in done.err
    (cluster.work / "plain").touch()
    assert srun(cluster, "./plain").code == 13


def test_output_and_error_come_apart(cluster):
    done = srun(cluster, "bash", "-c", "echo out; echo err >&2").ok()
    assert (done.out, done.err) == ("out\n", "err\n")


def test_labels_name_the_task(cluster):
    done = srun(cluster, "-n3", "-l", "bash", "-c", "echo rank $SLURM_PROCID").ok()
    assert sorted(done.lines) == [f"{i}: rank {i}" for i in range(3)]
    done = srun(cluster, "-n12", "-l", "echo", "x").ok()
    assert sorted(done.lines) == sorted(f"{i:>2}: x" for i in range(12))


def test_input_reaches_the_first_task(cluster):
    done = srun(cluster, "-n1", "cat", input="some text\n").ok()
    assert done.out == "some text\n"


def test_tasks_write_to_files_of_their_own(cluster):
    srun(cluster, "-n2", "-o", "task.%t", "-e", "error.%t", "bash", "-c", "echo $SLURM_PROCID; echo e >&2").ok()
    assert [(cluster.work / f"task.{i}").read_text() for i in (0, 1)] == ["0\n", "1\n"]
    assert (cluster.work / "error.1").read_text() == "e\n"


def test_variables_of_tasks_on_two_nodes(cluster):
    job = cluster.sbatch("-N2", "-n4", "--ntasks-per-node=2", cluster.script(
        "job.sh", "srun -n4 bash -c 'env | grep ^SLURM > task.$SLURM_PROCID'\n"))
    cluster.wait_end(job)
    for rank in range(4):
        lines = (cluster.work / f"task.{rank}").read_text().splitlines()
        env = dict(line.split("=", 1) for line in lines if "=" in line)
        node = rank // 2
        expected = {"SLURM_PROCID": str(rank), "SLURM_LOCALID": str(rank % 2), "SLURM_NODEID": str(node),
                    "SLURM_STEP_ID": "0", "SLURM_STEPID": "0", "SLURM_STEP_NUM_TASKS": "4",
                    "SLURM_STEP_NUM_NODES": "2", "SLURM_STEP_NODELIST": "n[1-2]",
                    "SLURM_STEP_TASKS_PER_NODE": "2(x2)", "SLURM_NTASKS": "4",
                    "SLURM_GTIDS": f"{node * 2},{node * 2 + 1}", "SLURMD_NODENAME": f"n{node + 1}",
                    "SLURM_DISTRIBUTION": "block", "SLURM_JOB_ID": job}
        assert {k: env.get(k) for k in expected} == expected
        for name in ("SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_HOST", "SLURM_SRUN_COMM_PORT",
                     "SLURM_STEP_LAUNCHER_PORT", "SLURM_TASK_PID", "SLURM_UMASK"):
            assert name in env


def test_steps_of_a_job_are_numbered_and_pass_their_code_on(cluster):
    job = cluster.sbatch("--wrap", "srun bash -c 'echo $SLURM_STEP_ID'; srun bash -c 'echo $SLURM_STEP_ID; exit 5'")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"]) == ("FAILED", "5:0")
    assert cluster.output(job).splitlines()[:2] == ["0", "1"]


def test_a_step_can_join_a_running_job(cluster):
    job = cluster.sbatch("-w", "n2", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    done = cluster.run("srun", f"--jobid={job}", "--overlap", "bash", "-c", "echo $SLURM_JOB_ID $SLURMD_NODENAME").ok()
    assert done.out == f"{job} n2\n"


def test_interrupting_twice_ends_the_step(cluster):
    process = cluster.start("srun", "--mem=100", "bash", "-c", "echo ready; sleep 100")
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        wait_for(lambda: process.poll() is not None or process.send_signal(signal.SIGINT), "srun to end", every=0.3)
        assert process.returncode != 0
    finally:
        process.kill()
        process.communicate()
    wait_for(cluster.queue_is_empty, "the job to be gone")


def test_programs_run_around_tasks_and_step(cluster):
    cluster.script("before.sh", "echo export COLOUR=blue; echo print from the prolog\n").chmod(0o755)
    cluster.script("after.sh", "echo $SLURM_PROCID >> after\n").chmod(0o755)
    cluster.script("around.sh", "echo $SLURM_SCRIPT_CONTEXT >> around\n").chmod(0o755)
    done = srun(cluster, "--task-prolog=./before.sh", "--task-epilog=./after.sh", "--prolog=./around.sh",
                "--epilog=./around.sh", "bash", "-c", "echo $COLOUR").ok()
    assert done.lines == ["from the prolog", "blue"]
    assert (cluster.work / "after").read_text() == "0\n"
    assert (cluster.work / "around").read_text() == "prolog_srun\nepilog_srun\n"


@pytest.mark.ours
def test_tasks_are_bound_to_cpus(cluster):
    show = ["grep", "Cpus_allowed_list", "/proc/self/status"]
    assert srun(cluster, "--cpu-bind=map_cpu:0", *show).ok().out.split() == ["Cpus_allowed_list:", "0"]
    done = srun(cluster, "--cpu-bind=verbose,mask_cpu:0x1", "bash", "-c", "echo $SLURM_CPU_BIND").ok()
    assert done.out == "verbose,mask_cpu:0x1\n"
    assert re.search(r"cpu-bind=MASK - n1, task  0  0 \[\d+\]: mask 0x1 set", done.err)
    assert srun(cluster, "--cpu-bind=foo", "true").code == 1


def test_a_terminal_has_the_size_of_the_callers(cluster):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
    process = subprocess.Popen([shutil.which("srun", path=cluster.environment["PATH"]), "--mem=100", "--pty", "bash", "-c",
                                "until [ \"$(stty size)\" = '33 101' ]; do sleep 0.05; done; tty > /dev/null && echo sized"],
                               env=cluster.environment, cwd=cluster.work, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    try:
        text = b""
        while b"sized" not in text:
            text += os.read(ours, 4096)
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
