"""What accounting shows about a step's use of memory, time and disk."""
import re

import pytest

CLUSTER = dict(nodes=2)
pytestmark = pytest.mark.accounting

# Rank 0 holds 60 MiB for a while, rank 1 computes and writes 8 MiB.
TASKS = """\
import os, time
if os.environ["SLURM_PROCID"] == "0":
    block = bytearray(60 << 20)
    time.sleep(1.5)
else:
    until = time.process_time() + 1.2
    while time.process_time() < until:
        pass
    with open("big", "wb") as file:
        for _ in range(8):
            file.write(bytes(1 << 20))
"""
MIB = re.compile(r"([\d.]+)M")


def fields(cluster, job, *names):
    row, = cluster.sacct("-j", f"{job}.0", "-o", ",".join(names))
    return dict(zip(names, row.split("|")))


def test_it_tells_which_task_used_most(cluster):
    cluster.script("tasks.py", TASKS, "#!/usr/bin/env python3")
    job = cluster.sbatch("-N2", "-n2", "--wrap", "srun ./tasks.py")
    cluster.wait_end(job)
    cluster.wait_sacct(["COMPLETED"], "-j", f"{job}.0", "-o", "state")
    used = fields(cluster, job, "MaxRSS", "MaxRSSTask", "MaxRSSNode", "AveRSS", "MaxDiskWrite", "MaxDiskWriteTask",
                  "MaxDiskWriteNode", "MinCPU", "MinCPUTask", "AveCPU", "TRESUsageInMaxTask", "TRESUsageOutTot")
    assert (used["MaxRSSTask"], used["MaxRSSNode"]) == ("0", "n1")
    assert int(used["MaxRSS"].rstrip("K")) > 60 << 10
    assert int(used["AveRSS"].rstrip("K")) < int(used["MaxRSS"].rstrip("K"))
    assert (used["MaxDiskWriteTask"], used["MaxDiskWriteNode"]) == ("1", "n2")
    assert 8 <= float(MIB.fullmatch(used["MaxDiskWrite"])[1]) < 9
    assert (used["MinCPU"], used["MinCPUTask"]) == ("00:00:00", "0")
    assert "mem=0" in used["TRESUsageInMaxTask"] and "cpu=1" in used["TRESUsageInMaxTask"]
    written = int(re.search(r"fs/disk=(\d+)", used["TRESUsageOutTot"])[1])
    assert 8 << 20 <= written < 9 << 20


def test_the_job_is_the_sum_of_its_steps(cluster):
    job = cluster.sbatch("--wrap", "srun bash -c 'for i in {1..200000}; do :; done'")
    cluster.wait_end(job)
    cluster.wait_sacct(["COMPLETED"] * 3, "-j", job, "-o", "state")

    def seconds(text):
        minutes, seconds = text.split(":")[-2:]
        return int(minutes) * 60 + float(seconds)

    whole, *steps = map(seconds, cluster.sacct("-j", job, "-o", "totalcpu"))
    assert whole == pytest.approx(sum(steps), abs=0.003)
    assert whole > 0.01
