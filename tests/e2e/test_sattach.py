"""sattach: connecting to a running step, its layout, and disconnecting."""
import os
import signal
import subprocess

import pytest

from muster import wait_for

SPEAK = "until [ -e stop ]; do echo rank $SLURM_PROCID; sleep 0.1; done; exit $((SLURM_PROCID * 3))"


@pytest.fixture
def step(cluster):
    """A step of two tasks that print until a file exists; its id."""
    process = cluster.start("srun", "--mem=100", "-n2", "bash", "-c", SPEAK)
    wait_for(lambda: cluster.run("squeue", "-h", "-s", "-o", "%i").lines, "the step")
    yield next(s for s in cluster.run("squeue", "-h", "-s", "-o", "%i").lines if s.endswith(".0"))
    (cluster.work / "stop").touch()
    process.communicate(timeout=20)


def test_the_layout_is_shown(cluster, step):
    done = cluster.run("sattach", "--layout", step).ok()
    assert done.out == "Job step layout:\n\t2 tasks, 1 nodes (n1)\n\n\tNode 0 (n1), 2 task(s): 0 1 \n"


def test_output_comes_here_too_and_the_code_is_the_tasks(cluster, step):
    process = cluster.start("sattach", "-l", "--output-filter=1", step)
    try:
        assert process.stdout.readline() == "1: rank 1\n"
        (cluster.work / "stop").touch()
        out, _ = process.communicate(timeout=20)
    finally:
        process.kill()
    assert set(out.splitlines()) <= {"1: rank 1"}
    assert process.returncode == 3


def test_what_was_printed_before_is_shown_first(cluster):
    process = cluster.start("srun", "--mem=100", "-n1", "bash", "-c",
                            "echo early; echo wrong >&2; touch printed; until [ -e stop ]; do sleep 0.1; done; echo late")
    wait_for((cluster.work / "printed").exists, "the task")
    step = next(s for s in cluster.run("squeue", "-h", "-s", "-o", "%i").lines if s.endswith(".0"))
    onlooker = cluster.start("sattach", step)
    try:
        assert onlooker.stdout.readline() == "early\n"
        (cluster.work / "stop").touch()
        out, err = onlooker.communicate(timeout=20)
        assert (out, "wrong\n" in err) == ("late\n", True)
    finally:
        (cluster.work / "stop").touch()
        onlooker.kill()
        process.communicate(timeout=20)


def test_typed_text_goes_to_the_task_that_was_named(cluster):
    """The step's own srun keeps its input open, and prints nothing until the end."""
    os.mkfifo(cluster.work / "input")
    keyboard = os.open(cluster.work / "input", os.O_RDWR)
    process = cluster.start("bash", "-c", "exec srun --mem=100 -n2 bash -c "
                            "'touch up.$SLURM_PROCID; read x; echo $x > got.$SLURM_PROCID' < input")
    try:
        wait_for(lambda: all((cluster.work / f"up.{rank}").exists() for rank in (0, 1)), "the tasks")
        step = next(s for s in cluster.run("squeue", "-h", "-s", "-o", "%i").lines if s.endswith(".0"))
        onlooker = subprocess.Popen(["sattach", "--input-filter=1", step], stdin=subprocess.PIPE, text=True,
                                    stdout=subprocess.DEVNULL, env=cluster.environment)
        onlooker.stdin.write("hello\n")
        onlooker.stdin.flush()
        assert cluster.wait_text("got.1") == "hello\n"
        assert not (cluster.work / "got.0").exists()
        os.write(keyboard, b"other\n")
        assert cluster.wait_text("got.0") == "other\n"
        onlooker.communicate(timeout=20)
    finally:
        os.close(keyboard)
        process.communicate(timeout=20)


def test_a_filter_is_a_rank(cluster, step):
    done = cluster.run("sattach", "--output-filter=x", step)
    assert (done.code, done.err) == (1, 'sattach: error: Invalid numeric value "x" for output-filter.\n')


def test_a_step_of_an_array_task(cluster):
    job = cluster.sbatch("--array=7", "-n2", "--mem=100", "-o", "/dev/null", "--wrap", "srun -n2 bash -c '" + SPEAK + "'")
    wait_for(lambda: cluster.run("sattach", "--layout", f"{job}_7.0").code == 0, "the step")
    layout = cluster.run("sattach", "--layout", f"{job}_7.0").ok().out
    assert "2 tasks, 1 nodes" in layout
    (cluster.work / "stop").touch()


def test_an_interrupt_only_leaves(cluster, step):
    process = cluster.start("sattach", step)
    wait_for(lambda: process.poll() is not None or process.send_signal(signal.SIGINT), "sattach to leave", every=0.3)
    process.communicate()
    assert step in cluster.run("squeue", "-h", "-s", "-o", "%i").lines


@pytest.mark.parametrize("words, text", [
    (["99999.0"], "Could not get job step info: Invalid job id specified"),
    (["abc.0"], "Could not get job step info: Invalid job id specified"),
    (["99999_1.0"], "Could not get job step info: Invalid job id specified"),
    (["abc"], "Failed to parse stepid from command line options"),
    ([], "too many parameters"),
    (["1.0", "2.0"], "too many parameters")])
def test_what_is_no_step(cluster, words, text):
    done = cluster.run("sattach", *words)
    assert done.code == 1
    assert f"sattach: error: {text}\n" in done.err
