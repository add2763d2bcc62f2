"""Steps on more nodes than TreeWidth: nodes relay between srun and the nodes below them."""
import hashlib
import os
import re
import signal
from pathlib import Path

import pytest

from muster import wait_for

NODES = 8
CLUSTER = dict(nodes=NODES, cpus=4, conf="TreeWidth=2\n")
MIB = 1 << 20


def srun(cluster, *words, **options):
    return cluster.run("srun", "--mem=100", f"-N{NODES}", *words, **options)


def sockets(pid):
    """How many sockets a process holds."""
    count = 0
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        try:
            count += os.readlink(fd).startswith("socket:")
        except OSError:
            continue
    return count


def running(cluster, *words):
    """An srun on all nodes whose tasks have all started, and its step."""
    process = cluster.start("srun", "--mem=100", f"-N{NODES}", f"-n{NODES}", "bash", "-c",
                            "touch started.$SLURM_PROCID; " + " ".join(words))
    wait_for(lambda: len(list(cluster.work.glob("started.*"))) == NODES, "all tasks")
    job = cluster.run("squeue", "-h", "-o", "%i").out.strip()
    return process, f"{job}.0"


def test_every_task_is_heard(cluster):
    done = srun(cluster, "--ntasks-per-node=2", "-l", "bash", "-c", "echo out of $SLURMD_NODENAME; echo err >&2").ok()
    assert sorted(done.lines) == sorted(f"{rank:2}: out of n{rank // 2 + 1}" for rank in range(16))
    assert sorted(done.err.splitlines()) == sorted(f"{rank:2}: err" for rank in range(16))


def test_the_highest_exit_code_counts_and_failures_are_named(cluster):
    done = srun(cluster, f"-n{NODES}", "bash", "-c", "exit $SLURM_PROCID")
    assert done.code == NODES - 1
    for rank in range(1, NODES):
        assert f"srun: error: n{rank + 1}: task {rank}: Exited with exit code {rank}\n" in done.err


def test_input_reaches_every_task(cluster):
    text = "".join(f"line {i}\n" for i in range(20_000))
    done = srun(cluster, f"-n{NODES}", "md5sum", input=text).ok()
    assert done.lines == [hashlib.md5(text.encode()).hexdigest() + "  -"] * NODES


def test_input_for_one_task_reaches_that_one_only(cluster):
    done = srun(cluster, f"-n{NODES}", "-l", "-i", "6", "cat", input="hello\n").ok()
    assert done.lines == ["6: hello"]


def test_what_tasks_print_keeps_its_order(cluster):
    count = 3000
    done = srun(cluster, f"-n{NODES}", "-l", "seq", count).ok()
    of_rank = {rank: [] for rank in range(NODES)}
    for line in done.lines:
        rank, number = line.split(": ")
        of_rank[int(rank)].append(int(number))
    assert all(numbers == list(range(1, count + 1)) for numbers in of_rank.values())


@pytest.mark.ours
def test_srun_is_connected_with_the_first_nodes_only(cluster):
    process, _ = running(cluster, "read -t 60 < <(exec sleep 60)")
    try:
        assert sockets(process.pid) == 1 + 2  # the controller and TreeWidth nodes
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def test_signals_reach_every_task(cluster):
    process, _ = running(cluster, "trap 'echo got it; exit 0' USR1; while :; do sleep 0.05; done")
    process.send_signal(signal.SIGUSR1)
    out, err = process.communicate(timeout=60)
    assert out.splitlines() == ["got it"] * NODES
    assert process.returncode == 0, err


@pytest.mark.ours
def test_a_stopped_reader_stops_all_tasks_and_loses_nothing(cluster):
    size = 16 * MIB
    writer = ("import os, sys, hashlib\n"
              "rank = os.environ['SLURM_PROCID']\n"
              "line = (rank * 64 + '\\n').encode()\n"
              f"for _ in range({size} // len(line)): sys.stdout.buffer.write(line)\n")
    process = cluster.start("srun", "--mem=200", f"-N{NODES}", f"-n{NODES}", "python3", "-c", writer)
    job = wait_for(lambda: cluster.run("squeue", "-h", "-o", "%i").out.strip(), "the job")
    wait_for(lambda: len(cluster.supervisors(f"{job}.0")) == NODES, "the supervisors")
    written = []

    def halted():
        total = 0
        for pid in cluster.supervisors(f"{job}.0"):
            io = Path(f"/proc/{pid}/io").read_text()
            total += int(re.search(r"rchar: (\d+)", io)[1])
        written.append(total)
        return len(written) > 10 and written[-1] == written[-10] > 0
    wait_for(halted, "everything to halt", every=0.1)
    assert written[-1] < NODES * size
    peaks = [int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1])
             for pid in cluster.supervisors(f"{job}.0")]
    counts = dict.fromkeys(map(str, range(NODES)), 0)
    for line in process.stdout:
        assert line == line[0] * 64 + "\n"
        counts[line[0]] += 1
    assert process.wait(timeout=60) == 0, process.stderr.read()
    assert set(counts.values()) == {size // 65}
    assert max(peaks) < 32 * 1024  # KiB


@pytest.mark.ours
def test_the_step_ends_when_a_node_that_relays_is_lost(cluster):
    process, step = running(cluster, "exec sleep 300")
    relay = next(pid for pid in cluster.supervisors(step) if sockets(pid) > 2)  # one that has others below it
    os.kill(relay, signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "Lost the connection to the step on n" in err
    wait_for(lambda: not cluster.supervisors(step), "every node's part of the step to end")


@pytest.mark.ours
def test_a_relay_goes_on_after_its_own_tasks_have_ended(cluster):
    """The first nodes end at once, those below them only when a file is there."""
    process, _ = running(cluster, "[ $SLURM_PROCID = 0 ] || [ $SLURM_PROCID = 4 ] && exit; "
                         "until [ -e go ]; do sleep 0.05; done; echo $SLURM_PROCID")
    wait_for(lambda: cluster.run("squeue", "-h", "-s", "-o", "%i").out, "the step")
    (cluster.work / "go").touch()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert sorted(out.split()) == [str(rank) for rank in range(NODES) if rank not in (0, 4)]


@pytest.mark.ours
def test_the_restart_of_a_slurmd_does_not_disturb_the_tree(cluster):
    process, _ = running(cluster, "until [ -e go ]; do sleep 0.05; done; echo $SLURM_PROCID")
    cluster.stop_node("n1", signal.SIGKILL)
    cluster.start_node("n1")
    (cluster.work / "go").touch()
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert sorted(out.split()) == [str(rank) for rank in range(NODES)]


# --- sbcast ---

@pytest.fixture
def source(cluster):
    path = cluster.work / "source"
    path.write_bytes(os.urandom(5 * MIB))
    return path


# All nodes are this machine: each writes the same file, and the last one to finish is as good as the first.
@pytest.mark.parametrize("words", [[], ["-C"], ["-F", "1"], ["-s", "100k"], ["-F", "3", "--compress=lz4"]])
def test_a_file_is_passed_on_from_node_to_node(cluster, source, words):
    target = cluster.work / "target"
    cluster.run("salloc", "-Q", "--mem=100", f"-N{NODES}", "sbcast", "-f", *words, source, target).ok()
    assert target.read_bytes() == source.read_bytes()
    assert not list(cluster.work.glob(".sbcast*"))


@pytest.mark.ours
def test_a_file_that_cannot_be_stored_is_told_for_every_node(cluster, source):
    done = cluster.run("salloc", "-Q", "--mem=100", f"-N{NODES}", "sbcast", source, "/nowhere/at/all")
    assert done.code != 0
    told = re.findall(r"REQUEST_FILE_BCAST\((n\d)\): No such file or directory", done.err)
    assert sorted(told) == [f"n{i}" for i in range(1, NODES + 1)]


@pytest.mark.ours
def test_a_node_that_cannot_be_reached_is_told_with_those_below_it(cluster, source):
    job = cluster.sbatch(f"-N{NODES}", "--wrap", "sleep 300")
    cluster.wait_state(job, "RUNNING")
    cluster.stop_node("n1")
    try:
        done = cluster.run("sbcast", "-f", "-j", job, source, cluster.work / "target", limit=100)
    finally:
        cluster.start_node("n1")
    assert done.code != 0
    told = re.findall(r"REQUEST_FILE_BCAST\((n\d)\)", done.err)
    assert sorted(told) == ["n1", "n2", "n3", "n4"]  # n1 is the first of its half
    assert (cluster.work / "target").read_bytes() == source.read_bytes()
