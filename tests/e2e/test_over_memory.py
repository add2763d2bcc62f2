"""Memory limits without control groups: found by sampling."""
import pytest

CLUSTER = dict(nodes=1, conf="JobAcctGatherParams=OverMemoryKill\nJobAcctGatherFrequency=1\n")


@pytest.mark.ours
def test_a_job_above_its_memory_is_killed(cluster):
    job = cluster.sbatch("--wrap", "python3 -c 'import time; x = bytearray(200 << 20); time.sleep(1000)'", memory="50")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"]) == ("OUT_OF_MEMORY", "0:125")
    assert f"StepId={job}.batch exceeded memory limit" in cluster.output(job)


def test_a_job_below_it_is_left_alone(cluster):
    job = cluster.sbatch("--wrap", "sleep 3", memory="50")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
