"""What srun does with signals, with tasks that fail, and with tasks that end early."""
import re
import signal
import time

import pytest

CLUSTER = dict(nodes=1)
LOOP = "for ((i = 0; i < 600; i++)); do sleep 0.1; done"


class Step:
    """An srun whose tasks have reported that they are ready."""

    def __init__(self, cluster, *options, script):
        self.process = cluster.start("srun", "--mem=100", *options, "bash", "-c", f"{script}; echo ready; {LOOP}")
        assert self.process.stdout.readline() == "ready\n"

    def send(self, *signals):
        for number in signals:
            self.process.send_signal(number)
            time.sleep(0.1)  # one by one: pending signals of the same kind count once
        return self

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


def test_one_interrupt_shows_how_things_stand(cluster):
    with Step(cluster, script="trap 'exit 3' USR1") as step:
        step.send(signal.SIGINT, signal.SIGUSR1)
        code, _, err = step.end()
    assert code == 3
    assert "srun: interrupt (one more within 1 sec to abort)" in err
    assert re.search(r"srun: StepId=\d+\.0 task 0: running", err)


def test_two_interrupts_end_the_step(cluster):
    with Step(cluster, script="trap 'echo interrupted' INT") as step:
        code, out, err = step.send(signal.SIGINT, signal.SIGINT).end()
    assert code == 137
    assert re.search(r"srun: sending Ctrl-C to StepId=\d+\.0\nsrun: forcing job termination\n", err)
    assert "srun: Job step aborted: Waiting up to 5 seconds for job step to finish." in err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_to_end_kills_the_tasks(cluster, number):
    with Step(cluster, script="trap : TERM HUP QUIT") as step:
        code, _, err = step.send(number).end()
    assert code == 137
    assert "srun: forcing job termination" in err
    assert "CANCELLED AT" in err


def test_an_interrupt_goes_to_the_tasks_where_no_status_is_wanted(cluster):
    with Step(cluster, "-X", script="trap 'echo interrupted; exit 4' INT") as step:
        code, out, err = step.send(signal.SIGINT).end()
    assert (code, out) == (4, "interrupted\n")
    assert "sending Ctrl-C to StepId=" in err and "forcing" not in err


def test_quit_on_interrupt(cluster):
    with Step(cluster, "--quit-on-interrupt", script="trap : INT") as step:
        code, _, err = step.send(signal.SIGINT).end()
    assert code == 137 and "forcing job termination" in err, err


def test_other_signals_reach_the_tasks(cluster):
    with Step(cluster, script="trap 'echo told; exit 0' USR1") as step:
        code, out, _ = step.send(signal.SIGUSR1).end()
    assert (code, out) == (0, "told\n")


def test_a_step_is_killed_some_time_after_its_first_task_ended(cluster):
    done = cluster.run("srun", "--mem=100", "-n2", "-W1", "bash", "-c", f"[ $SLURM_PROCID = 0 ] || {{ {LOOP}; }}")
    assert done.code == 137
    assert "srun: First task exited 1s ago" in done.err
    assert re.search(r"srun: error: n1: task 1: Killed", done.err)


def test_a_task_that_fails_ends_the_others(cluster):
    done = cluster.run("srun", "--mem=100", "-n2", "-K", "bash", "-c", f"[ $SLURM_PROCID = 0 ] && exit 3; exec sleep 60")
    assert done.code == 143
    assert "srun: error: n1: task 0: Exited with exit code 3" in done.err
    assert "srun: error: n1: task 1: Terminated" in done.err
    assert re.search(r"srun: Force Terminated StepId=\d+\.0", done.err)


def test_a_prolog_that_fails_is_told(cluster):
    bad = cluster.script("bad.sh", "exit 3\n")
    bad.chmod(0o755)
    done = cluster.run("srun", "--mem=100", f"--prolog={bad}", "echo", "ran")
    assert "srun: error: srun prolog failed rc = 3. Aborting step." in done.err
    done = cluster.run("srun", "--mem=100", f"--task-prolog={bad}", "echo", "ran")
    assert done.code == 3 and "error: --task-prolog failed status=3" in done.err


def test_programs_around_a_task_that_are_missing_are_told(cluster):
    done = cluster.run("srun", "--mem=100", "--task-prolog=/no/such", "echo", "ran")
    assert done.code == 1 and done.out == ""
    assert ("error: run_command: user task_prolog can not be executed (/no/such) No such file or directory\n"
            in done.err)
    assert "error: --task-prolog failed status=1\n" in done.err
    done = cluster.run("srun", "--mem=100", "--task-epilog=/no/such", "echo", "ran").ok()
    assert "error: Could not run user task_epilog [/no/such]: access denied\n" in done.err
    assert "error: TaskEpilog failed status=-1\n" in done.err


def test_a_number_beyond_the_ranks_is_a_file(cluster):
    done = cluster.run("srun", "--mem=100", "-i", "5", "cat")
    assert done.code == 1 and "srun: error: Could not open stdin file: No such file or directory" in done.err
    cluster.run("srun", "--mem=100", "-o", "7", "echo", "seven").ok()
    assert (cluster.work / "7").read_text() == "seven\n"


@pytest.mark.parametrize("trap, code", [("true", "0:15"), ("trap 'exit 5' TERM", "5:0")])
def test_a_cancelled_job_of_its_own_ends_with_the_code_of_its_tasks(cluster, trap, code):
    with Step(cluster, script=trap) as step:
        job = cluster.run("squeue", "-h", "-o", "%i").ok().out.strip()
        cluster.run("scancel", job).ok()
        step.end()
    assert cluster.wait_state(job, "CANCELLED")["ExitCode"] == code
