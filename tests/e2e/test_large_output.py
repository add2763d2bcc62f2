"""A task prints much more than anybody reads for a while: memory stays bounded, and nothing is lost."""
import hashlib
import os
import re
from pathlib import Path

import pytest

from muster import wait_for

CLUSTER = dict(nodes=1)
MIB = 1 << 20
SIZE = int(os.environ.get("MUSTER_LARGE_OUTPUT_MIB", "300")) * MIB
BOUND = 64 * MIB  # far above what is needed, far below what was printed
LINE = b"0123456789abcdef" * 64 + b"\n"


def peak_bytes(pid):
    return int(re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())[1]) * 1024


def written_bytes(pid):
    return int(re.search(r"wchar: (\d+)", Path(f"/proc/{pid}/io").read_text())[1])


@pytest.mark.ours
def test_a_stopped_reader_stops_the_task_and_loses_nothing(cluster):
    count = SIZE // len(LINE)
    writer = (f"import os, sys; line = {LINE!r}; open('pid', 'w').write(str(os.getpid()))\n"
              f"for _ in range({count}): sys.stdout.buffer.write(line)")
    process = cluster.start("srun", "--mem=500", "-n1", "python3", "-c", writer)
    try:
        task = int(wait_for(lambda: (cluster.work / "pid").exists() and (cluster.work / "pid").read_text(), "the task"))
        # Nobody reads: the task blocks with most of its text unwritten.
        amounts = []

        def halted():
            amounts.append(written_bytes(task))
            return len(amounts) > 10 and amounts[-1] == amounts[-10] > 0
        wait_for(halted, "the task to halt", every=0.1)
        assert amounts[-1] < BOUND
        job = cluster.run("squeue", "-h", "-o", "%i").lines[0]
        supervisors = cluster.supervisors(f"{job}.0")
        digest, total = hashlib.sha256(), 0
        while chunk := process.stdout.buffer.read(MIB):
            digest.update(chunk)
            total += len(chunk)
            if total == 100 * MIB:
                assert len(supervisors) == 1
                assert peak_bytes(supervisors[0]) < BOUND
                assert peak_bytes(process.pid) < BOUND
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.communicate()
    assert total == count * len(LINE)
    expected = hashlib.sha256()
    for _ in range(count):
        expected.update(LINE)
    assert digest.digest() == expected.digest()
