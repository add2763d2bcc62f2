"""Time limits of steps, set by srun and scontrol update; what scontrol shows about processes and slurmd."""
import re

import pytest

from muster import wait_for


@pytest.fixture
def job(cluster):
    job = cluster.sbatch("-n2", "-t10", "-o", "pid", "--wrap",
                         "echo $$; srun --mem=10 -n1 sleep 100 & sleep 1; srun --overlap --mem=10 -n1 -t5 sleep 100")
    wait_for(lambda: len(limits(cluster)) == 3, lambda: f"two steps: {limits(cluster)}")
    return job


def limits(cluster):
    rows = cluster.run("squeue", "-s", "-h", "-o", "%i %l").ok().lines
    return dict(row.strip().split() for row in rows)


def test_a_step_has_its_own_limit(cluster, job):
    assert limits(cluster) == {f"{job}.0": "UNLIMITED", f"{job}.1": "5:00", f"{job}.batch": "UNLIMITED"}
    assert "TimeLimit=00:05:00" in cluster.run("scontrol", "show", "step", f"{job}.1").ok().out


def test_the_limit_of_a_step_or_of_all_can_be_changed(cluster, job):
    cluster.run("scontrol", "update", f"stepid={job}.0", "timelimit=7").ok()
    assert limits(cluster)[f"{job}.0"] == "7:00"
    cluster.run("scontrol", "update", f"stepid={job}", "timelimit=8").ok()
    assert set(limits(cluster).values()) == {"8:00"}
    cluster.run("scontrol", "update", f"stepid={job}.1", "timelimit=UNLIMITED").ok()
    assert limits(cluster)[f"{job}.1"] == "UNLIMITED"


def test_what_cannot_be_changed_is_said(cluster, job):
    for words, text in (
        ([f"stepid={job}.9", "timelimit=7"], "slurm_update error: Invalid job id specified\n"),
        ([f"stepid={job}.0", "timelimit=x"], "scontrol: error: Invalid TimeLimit value\n"),
        (["stepid=abc", "timelimit=7"], "Invalid StepID parameter: stepid=abc\nRequest aborted\n"),
        ([f"stepid={job}.0"], "No changes specified\n"),
    ):
        refused = cluster.run("scontrol", "update", *words)
        assert (refused.code, refused.err) == (1, text)


@pytest.mark.as_root
def test_another_user_may_not(cluster, job, alice):
    refused = cluster.run("scontrol", "update", f"stepid={job}.0", "timelimit=7", user=alice)
    assert refused.code == 1
    assert limits(cluster)[f"{job}.0"] == "UNLIMITED"


@pytest.mark.ours  # Slurm asks the slurmd on SlurmdPort, which several on one host do not have
def test_a_process_tells_its_job_and_the_time_that_is_left(cluster, job):
    pid = cluster.wait_text("pid", "\n").strip()
    node = cluster.run("squeue", "-h", "-j", job, "-o", "%N").ok().out.strip()
    told = cluster.run("scontrol", "pidinfo", pid, env={"SLURMD_NODENAME": node}).ok().lines
    assert re.fullmatch(rf"Slurm JobId={job} ends at \w\w\w \w\w\w .\d \d\d:\d\d:\d\d \d\d\d\d", told[0])
    left = re.fullmatch(r"Job remaining time is (\d+) seconds", told[1])
    assert 540 <= int(left[1]) <= 600
    other = cluster.run("scontrol", "pidinfo", "1")
    assert (other.code, other.err) == (1, "Failed to locate job for requested pid\n")


@pytest.mark.ours  # for the same reason
def test_slurmd_is_shown(cluster, job):
    node = cluster.run("squeue", "-h", "-j", job, "-o", "%N").ok().out.strip()
    rows = dict(re.split(r" += ", line, maxsplit=1)
                for line in cluster.run("scontrol", "show", "slurmd", env={"SLURMD_NODENAME": node}).ok().lines)
    assert (rows["Hostname"], rows["Actual CPUs"], rows["Slurmd PID"]) == (node, "8", str(cluster.node_pid(node)))
    assert set(rows["Active Steps"].split(",")) == {job, f"{job}.0", f"{job}.1"}
