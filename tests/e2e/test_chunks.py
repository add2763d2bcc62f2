"""Jobs that run in pieces, and jobs that are tried again."""
import json
import re
import shutil
from pathlib import Path

import pytest

CLUSTER = dict(nodes=3, memory=4000, conf="""KillWait=2
JobAcctGatherParams=OverMemoryKill
JobAcctGatherFrequency=1
PartitionName=one Nodes=n1 State=UP
""")
pytestmark = pytest.mark.ours

ROOT = Path(__file__).resolve().parents[2]


def test_pieces_are_one_job(cluster):
    """Each piece leaves early, at its notice; the third one is done."""
    script = cluster.script("pieces.sh", """
echo piece ${SLURM_RESTART_COUNT:-0}
[ ${SLURM_RESTART_COUNT:-0} = 2 ] && exit 0
muster notice --wait | tee notice
exit 7
""")
    job = cluster.sbatch("-n1", "--chunk=1,max=5", "--notice=58", "-o", "out", script)
    assert cluster.wait_state(job, "COMPLETED", limit=120)["Restarts"] == "2"
    lines = (cluster.work / "out").read_text().splitlines()
    assert [line for line in lines if line.startswith("piece")] == ["piece 0", "piece 1", "piece 2"]
    notice = json.loads((cluster.work / "notice").read_text())
    assert notice["reason"] == "piece_end" and notice["requeue"] is True
    row = cluster.wait_sacct(["COMPLETED"], "-X", "-n", "-j", job, "-o", "state")
    seconds = int(cluster.run("sacct", "-X", "-n", "-j", job, "-o", "elapsedraw").out)
    parts = cluster.run("sacct", "-X", "-n", "-D", "-j", job, "-P", "-o", "state,elapsedraw").lines
    assert [part.split("|")[0] for part in parts] == ["TIMEOUT", "TIMEOUT", "COMPLETED"], row
    assert abs(seconds - sum(int(part.split("|")[1]) for part in parts)) <= 3
    assert "Pieces: 3" in cluster.run("seff", job).out


def test_a_piece_ends_at_its_limit_and_the_last_one_for_good(cluster):
    job = cluster.sbatch("-n1", "--chunk=1,max=2", "-o", "limits", "--wrap", "echo piece; sleep 300")
    record = cluster.wait_state(job, "TIMEOUT", limit=240)
    assert record["Restarts"] == "1" and record["TimeLimit"] == "00:01:00"
    text = (cluster.work / "limits").read_text()
    assert text.count("piece") == 2 and "DUE TO END OF PIECE" in text and "DUE TO TIME LIMIT" in text


def test_a_job_asks_for_its_next_piece(cluster):
    shutil.copy(ROOT / "python/muster.py", cluster.work)
    script = cluster.script("loop.py", """import muster, time, os
print("run", os.environ.get("SLURM_RESTART_COUNT", "0"), flush=True)
def save():
    print("saved", flush=True)
for step in range(10 if os.environ.get("SLURM_RESTART_COUNT") else 10**6):
    with muster.stopping(save):
        time.sleep(0.01)
""", interpreter="#!/usr/bin/env python3")
    job = cluster.sbatch("-n1", "--chunk=1", "--notice=58", "-o", "loop", "--wrap", f"exec python3 {script}")
    cluster.wait_state(job, "COMPLETED", limit=120)
    assert (cluster.work / "loop").read_text().splitlines()[:3] == ["run 0", "saved", "run 1"]


def test_a_failure_is_tried_again_elsewhere(cluster):
    job = cluster.sbatch("-n1", "--retry=2", "-o", "tries", "--wrap", "echo $SLURMD_NODENAME; exit 3")
    record = cluster.wait_state(job, "FAILED", limit=120)
    nodes = (cluster.work / "tries").read_text().split()
    assert len(nodes) == 3 and len(set(nodes)) == 3, nodes
    assert record["ExitCode"] == "3:0" and record["Restarts"] == "2"
    assert len(cluster.run("scontrol", "show", "hostnames", record["ExcNodeList"]).lines) == 2


def test_where_there_is_no_other_node_it_is_tried_there(cluster):
    job = cluster.sbatch("-p", "one", "-n1", "--retry=1", "-o", "same", "--wrap", "echo $SLURMD_NODENAME; exit 3")
    cluster.wait_state(job, "FAILED", limit=120)
    assert (cluster.work / "same").read_text().split() == ["n1", "n1"]


def test_success_cancel_and_time_limit_are_no_failures(cluster):
    done = cluster.sbatch("-n1", "--retry=3", "--wrap", "true")
    assert cluster.wait_end(done)["Restarts"] == "0"
    gone = cluster.sbatch("-n1", "--retry=3", "--wrap", "sleep 300")
    cluster.wait_state(gone, "RUNNING")
    cluster.run("scancel", gone).ok()
    record = cluster.wait_end(gone)
    assert record["JobState"] == "CANCELLED" and record["Restarts"] == "0"


HUNGRY = "python3 -c 'import time; data = bytearray(300 << 20); data[::4096] = b\"x\" * len(data[::4096]); time.sleep(6)'"


def test_more_memory_after_too_little(cluster):
    job = cluster.sbatch("-n1", "--mem=100", "--retry-oom=2x", "--wrap", f"echo $SLURM_MEM_PER_NODE >> given; {HUNGRY}")
    record = cluster.wait_end(job, limit=120)
    given = (cluster.work / "given").read_text().split()
    assert given[:2] == ["100", "200"] and record["JobState"] == "COMPLETED", (given, record)


@pytest.mark.parametrize("options, why", [
    (["--chunk=0"], "the length of a piece"), (["--chunk=6x"], "the length of a piece"),
    (["--chunk=6h,20"], "only max=COUNT"), (["--chunk=6h,max=0"], "max is a count"),
    (["--chunk=6h,max=99999"], "max is a count"),
    (["--chunk=6h", "--time=10"], "leave out --time"), (["--chunk=6h", "--no-requeue"], "leave out --no-requeue"),
    (["--retry=-1"], "a count from 0"), (["--retry=1000"], "a count from 0"), (["--retry=2", "--no-requeue"], "leave out"),
    (["--retry-oom=1"], "a factor such as 1.5x"), (["--retry-oom=0.5x"], "a factor"), (["--retry-oom=1.555x"], "a factor"),
    (["--retry-oom=11x"], "a factor"), (["--retry-oom=more"], "a factor"),
])
def test_bad_values_are_refused_before_anything_is_done(cluster, options, why):
    done = cluster.run("sbatch", *options, "--wrap", "true")
    assert done.code == 255 and not done.out
    lines = done.err.splitlines()
    assert re.search(re.escape(why), lines[0]) and lines[0].startswith("sbatch: error: ") and len(lines) == 1, lines
