"""An acknowledged job is never lost: slurmctld is killed as soon as sbatch has printed the id.

20 rounds by default; MUSTER_DURABILITY_ROUNDS sets another number (make check-all does 1000).
"""
import os
import signal

import pytest

from muster import wait_for

ROUNDS = int(os.environ.get("MUSTER_DURABILITY_ROUNDS", "20"))
CLUSTER = dict(nodes=2, cpus=64)

pytestmark = pytest.mark.ours


def test_every_acknowledged_job_is_there_runs_once_and_ends(cluster):
    script = cluster.script("job.sh", 'echo ran >> "runs.$SLURM_JOB_ID"\n')
    jobs = []
    for _ in range(ROUNDS):
        job = cluster.sbatch("-o", "/dev/null", script)
        os.kill(cluster.controller_pid, signal.SIGKILL)
        cluster.stop_controller(signal.SIGKILL)  # waits for its end
        jobs.append(int(job))
        cluster.start_controller()
        assert cluster.job(job).get("JobState"), f"job {job} was acknowledged and is gone"
    assert jobs == list(range(jobs[0], jobs[0] + ROUNDS)), "ids go on without a gap or a repetition"
    wait_for(cluster.queue_is_empty, "all jobs to end", limit=120 + ROUNDS / 5)
    for job in jobs:
        assert cluster.wait_text(f"runs.{job}") == "ran\n", f"job {job} did not run exactly once"
        if cluster.job(job):  # not yet purged
            assert cluster.state(job) == "COMPLETED"


def ended(cluster):
    job = cluster.sbatch("-o", "/dev/null", "--wrap", "true")
    cluster.wait_end(job)
    return job


def listed(cluster, job):
    return cluster.run("sacct", "-n", "-P", "-X", "-o", "state", "-j", job)


def test_a_damaged_accounting_file_stops_nobody(cluster):
    """Records that cannot be written wait in the journal, and are written to the next file."""
    file = cluster.directory / "state/accounting.db"
    log = cluster.directory / "log/slurmctld.log"
    assert listed(cluster, ended(cluster)).out == "COMPLETED\n"
    before = cluster.controller_pid
    # The file is replaced: data written to the open file would be lost.
    file.rename(file.with_suffix(".aside"))
    job = ended(cluster)
    assert listed(cluster, job).ok().out == ""
    wait_for(lambda: "accounting records wait: " in log.read_text(), "the log to tell")
    file.with_suffix(".aside").rename(file)
    wait_for(lambda: listed(cluster, job).out == "COMPLETED\n", "the row")
    assert "accounting records are written again" in log.read_text()
    # The file is damaged, and later a new one is begun.
    with open(file, "r+b") as damaged:
        size = damaged.seek(0, os.SEEK_END)
        damaged.seek(4096)
        damaged.write(b"\xa5" * (size - 4096))
    job = ended(cluster)
    cluster.run("squeue").ok()
    assert cluster.controller_pid == before
    cluster.stop_controller()
    for left in file.parent.glob("accounting.db*"):
        left.unlink()
    cluster.start_controller()
    assert listed(cluster, job).out == "COMPLETED\n"
