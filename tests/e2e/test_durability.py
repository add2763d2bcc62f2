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
