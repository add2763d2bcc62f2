"""Control groups of version 2 without controllers: processes, freezing, devices."""
from pathlib import Path

import pytest

from muster import is_alive, wait_for

ROOT = next((r for r in map(Path, ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")) if (r / "cgroup.controllers").exists()),
            None)
CLUSTER = dict(nodes=1, gpus=2, conf="ProctrackType=proctrack/cgroup\nTaskPlugin=task/cgroup\n",
               cgroup="CgroupPlugin=cgroup/v2\nConstrainDevices=yes\n",
               gres="NodeName=n1 Name=gpu Type=v100 File=/dev/full\nNodeName=n1 Name=gpu Type=v100 File=/dev/random\n")
pytestmark = [pytest.mark.as_root, pytest.mark.ours,
              pytest.mark.skipif(ROOT is None, reason="needs cgroup v2")]
DAEMON = "(setsid setsid bash -c 'echo $BASHPID > daemon; exec sleep 1000' > /dev/null 2>&1 &)"


def test_processes_live_in_the_steps_group_and_die_with_it(cluster):
    job = cluster.sbatch("--wrap", f"{DAEMON}; while [ ! -s daemon ]; do sleep 0.05; done; cat /proc/self/cgroup")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert f"/job_{job}/step_batch" in cluster.output(job)
    pid = int((cluster.work / "daemon").read_text())
    wait_for(lambda: not is_alive(pid), "the daemon's end")
    wait_for(lambda: not list(ROOT.glob(f"slurm_n1/uid_*/job_{job}")), "the groups to go")


def test_a_job_opens_its_own_devices_only(cluster):
    job = cluster.sbatch("--gres=gpu:1", "--wrap",
                         "for i in full random null; do (: < /dev/$i) 2> /dev/null && echo $i; done")
    cluster.wait_end(job)
    assert cluster.output(job) == "full\nnull\n"


def test_a_suspended_job_is_frozen(cluster):
    job = cluster.sbatch("--wrap", "touch begun; while [ ! -e go ]; do sleep 0.05; done")
    wait_for((cluster.work / "begun").exists, "the job to begin")
    events = next(ROOT.glob(f"slurm_n1/uid_*/job_{job}/step_batch/cgroup.events"))
    cluster.run("scontrol", "suspend", job).ok()
    wait_for(lambda: "frozen 1" in events.read_text(), "a frozen group")
    cluster.run("scontrol", "resume", job).ok()
    (cluster.work / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
