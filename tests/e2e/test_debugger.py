"""srun --debugger-test: tasks that stop where their program begins, and a list of them."""
import os
import re
import signal
from pathlib import Path

from muster import wait_for

CLUSTER = dict(nodes=2)


def processes(text):
    return re.findall(r"^srun: task:(\d+), host:(\w+), pid:(\d+), executable:(\S+)$", text, re.M)


def is_stopped(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_tasks_wait_to_be_continued(cluster):
    err = cluster.work / "err"
    step = cluster.start("bash", "-c", f"srun --debugger-test -N2 -n2 sh -c 'echo $SLURM_PROCID; exit 3' 2> {err}")
    found = wait_for(lambda: err.exists() and len(processes(err.read_text())) == 2 and processes(err.read_text()),
                     "both processes")
    assert [(task, node, program) for task, node, _, program in found] == [("0", "n1", "sh"), ("1", "n2", "sh")]
    pids = [int(pid) for _, _, pid, _ in found]
    for pid in pids:
        wait_for(lambda: is_stopped(pid), "the stop")
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        assert words[0].endswith(b"sh") and words[1] == b"-c"  # the program itself, not the process that starts it
        os.kill(pid, signal.SIGCONT)
    assert step.wait(20) == 3
    assert sorted(step.stdout.read().split()) == ["0", "1"]


def test_quiet_lists_nothing(cluster):
    step = cluster.start("srun", "-Q", "--debugger-test", "echo", "hi")

    def stopped():
        return [pid for pid in filter(str.isdigit, os.listdir("/proc")) if runs_here(pid) and is_stopped(pid)]

    def runs_here(pid):
        try:
            where = os.readlink(f"/proc/{pid}/cwd")
            return where == str(cluster.work) and b"echo\0hi" in Path(f"/proc/{pid}/cmdline").read_bytes()
        except OSError:
            return False

    os.kill(int(wait_for(stopped, "the task")[0]), signal.SIGCONT)
    assert step.wait(20) == 0 and step.stdout.read() == "hi\n"
