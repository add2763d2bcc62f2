"""Since when a job's age counts: AccrueTime, EligibleTime, and the priority that follows from it."""
import pytest

from muster import is_reference, wait_for

LIMITS = "" if is_reference() else "QoS=few MaxJobsAccruePerUser=1\n"
CLUSTER = dict(nodes=1, conf=LIMITS + """
PriorityType=priority/multifactor
PriorityWeightAge=86400
PriorityMaxAge=1-0
PriorityCalcPeriod=1
""")


@pytest.fixture
def full(cluster):
    """New jobs wait."""
    job = cluster.sbatch("--exclusive", "-t", "60", "--wrap", "sleep 600")
    cluster.wait_state(job, "RUNNING")
    return job


def times(cluster, job):
    shown = cluster.job(job)
    return {key: shown[f"{key}Time"] for key in ("Submit", "Eligible", "Accrue")}


def wait_accruing(cluster, job):
    wait_for(lambda: times(cluster, job)["Accrue"] != "Unknown", f"job {job} to grow older")


def test_age_counts_from_submission(cluster, full):
    job = cluster.sbatch("--wrap", "true")
    wait_accruing(cluster, job)
    shown = times(cluster, job)
    assert shown["Accrue"] == shown["Eligible"] == shown["Submit"]
    column = cluster.run("squeue", "-h", "-j", job, "-O", "AccrueTime").out.strip()
    assert column == shown["Accrue"]


def test_a_held_job_does_not_grow_older_until_its_release(cluster, full):
    job = cluster.sbatch("-H", "--wrap", "true")
    assert times(cluster, job)["Accrue"] == times(cluster, job)["Eligible"] == "Unknown"
    assert cluster.run("squeue", "-h", "-j", job, "-O", "AccrueTime").out.strip() == "N/A"
    submitted = times(cluster, job)["Submit"]
    wait_for(lambda: cluster.run("date", "+%FT%T").out.strip() > submitted, "the next second")
    cluster.run("scontrol", "release", job).ok()
    wait_accruing(cluster, job)
    assert times(cluster, job)["Accrue"] > submitted
    assert times(cluster, job)["Eligible"] > submitted


def test_a_later_hold_does_not_take_the_age_away(cluster, full):
    job = cluster.sbatch("--wrap", "true")
    wait_accruing(cluster, job)
    before = times(cluster, job)["Accrue"]
    cluster.run("scontrol", "hold", job).ok()
    assert times(cluster, job)["Accrue"] == before
    cluster.run("scontrol", "release", job).ok()
    assert times(cluster, job)["Accrue"] == before


def test_a_job_that_depends_on_another_grows_older_after_that(cluster, full):
    first = cluster.sbatch("-H", "--wrap", "true")
    job = cluster.sbatch("-d", f"afterany:{first}", "--wrap", "true")
    cluster.wait_reason(job, "Dependency")
    assert times(cluster, job)["Accrue"] == times(cluster, job)["Eligible"] == "Unknown"
    cluster.run("scancel", first).ok()
    wait_accruing(cluster, job)
    assert times(cluster, job)["Eligible"] >= times(cluster, job)["Submit"]


def test_a_begin_time_is_when_age_begins(cluster, full):
    job = cluster.sbatch("--begin=now+1hour", "--wrap", "true")
    wait_accruing(cluster, job)
    shown = times(cluster, job)
    assert shown["Accrue"] == shown["Eligible"] > shown["Submit"]


@pytest.mark.ours  # Slurm does not count without its database
def test_a_priority_grows_with_age_until_the_job_starts(cluster, full):
    job = cluster.sbatch("--wrap", "sleep 600")
    wait_for(lambda: int(cluster.job(job)["Priority"]) >= 2, "its priority to grow")
    cluster.run("scancel", full).ok()
    cluster.wait_state(job, "RUNNING")
    at_start = cluster.job(job)["Priority"]
    started = cluster.job(job)["StartTime"]
    wait_for(lambda: cluster.run("date", "+%FT%T").out.strip() > started, "the next second")
    assert cluster.job(job)["Priority"] == at_start


@pytest.mark.ours  # Slurm keeps such limits in its database
def test_a_qos_says_how_many_grow_older_at_a_time(cluster, full):
    first = cluster.sbatch("--qos=few", "--wrap", "true")
    second = cluster.sbatch("--qos=few", "--wrap", "true")
    wait_accruing(cluster, first)
    assert times(cluster, second)["Accrue"] == "Unknown"
    assert times(cluster, second)["Eligible"] == times(cluster, second)["Submit"]
    cluster.run("scancel", first).ok()
    wait_accruing(cluster, second)
