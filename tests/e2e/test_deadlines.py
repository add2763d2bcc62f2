"""Deadlines, and changes of time limits: by whom, how far, and how jobs use the time."""
import pytest

CLUSTER = dict(nodes=2, conf="PartitionName=quick Nodes=ALL MaxTime=30 State=UP\n")


def limit(cluster, job, value, **options):
    done = cluster.run("scontrol", "update", f"jobid={job}", f"timelimit={value}", **options)
    return done.code, done.err


def test_a_job_that_cannot_be_over_in_time_is_not_started(cluster):
    job = cluster.sbatch("-t", "10", "--deadline=now+5minutes", "--wrap", "true")
    shown = cluster.wait_end(job)
    assert (shown["JobState"], shown["Reason"], shown["StartTime"]) == ("DEADLINE", "DeadLine", shown["EndTime"])


@pytest.mark.parametrize("options", [(), ("-t", "10", "--time-min=1")])
def test_a_job_that_may_be_shorter_is_over_by_its_deadline(cluster, options):
    job = cluster.sbatch(*options, "--deadline=now+5minutes", "--wrap", "sleep 100")
    assert cluster.wait_state(job, "RUNNING")["TimeLimit"] in ("00:04:00", "00:05:00")


def test_a_deadline_that_has_passed_is_refused(cluster):
    job = cluster.sbatch("--hold", "--wrap", "true")
    refused = cluster.run("scontrol", "update", f"jobid={job}", "deadline=now-1hour")
    assert (refused.code, refused.err) == (1, f"Invalid time specified for job {job}\n")


def test_a_limit_is_not_made_less_than_nothing(cluster):
    job = cluster.sbatch("--hold", "-t", "10", "--wrap", "true")
    code, text = limit(cluster, job, "-20")
    assert code == 1 and "TimeLimit decrement larger than current time limit (20 > 10)" in text
    assert cluster.job(job)["TimeLimit"] == "00:10:00"


def test_a_limit_is_not_made_less_than_time_min(cluster):
    job = cluster.sbatch("--hold", "-t", "10", "--time-min=5", "--wrap", "true")
    assert limit(cluster, job, "4") == (
        1, f"Invalid time-min specification (exceeds job's time or other limits) for job {job}\n")


def test_no_time_at_all_ends_a_job(cluster):
    job = cluster.sbatch("-t", "10", "--mem=10", "-o", "/dev/null", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    assert limit(cluster, job, "0") == (0, "")
    assert cluster.job(job)["TimeLimit"] == "00:00:00"
    cluster.wait_state(job, "TIMEOUT")


def test_a_deadline_before_the_begin_is_refused(cluster):
    refused = cluster.run("sbatch", "--begin=now+2hours", "--deadline=now+1hour", "--wrap", "true")
    assert (refused.code, refused.err) == (1, "sbatch: error: Incompatible begin and deadline time specification\n")


def test_a_begin_that_has_passed_is_none(cluster):
    job = cluster.sbatch("--hold", "--begin=2020-01-01", "--wrap", "true")
    assert cluster.job(job)["EligibleTime"] == "Unknown"


@pytest.mark.as_root
def test_only_an_administrator_lifts_a_job_over_the_limit_of_its_partition(cluster, alice):
    job = cluster.sbatch("--hold", "-p", "quick", "-t", "10", "--wrap", "sleep 100", user=alice)
    assert limit(cluster, job, "20", user=alice) == (0, "")
    assert limit(cluster, job, "40", user=alice) == (1, f"Access/permission denied for job {job}\n")
    assert limit(cluster, job, "60") == (0, "")
    cluster.run("scontrol", "release", job).ok()
    assert cluster.wait_state(job, "RUNNING")["TimeLimit"] == "01:00:00"
