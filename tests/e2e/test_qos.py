"""Qualities of service as lines of slurm.conf, their limits, and sprio."""
import pytest

CLUSTER = dict(nodes=2, conf="""
QoS=short Priority=100 MaxWall=10
QoS=one Priority=10 MaxJobsPU=1 MaxSubmitPU=3
QoS=small MaxTRESPU=cpu=2
QoS=strict MaxWall=10 Flags=DenyOnLimit
PriorityType=priority/multifactor
PriorityWeightQOS=1000
PriorityWeightAge=10
PriorityWeightTRES=cpu=100
""")

pytestmark = pytest.mark.ours  # Slurm keeps them in its database


def test_a_job_longer_than_its_qos_allows_waits(cluster):
    job = cluster.sbatch("--qos=short", "-t", "20", "--wrap", "true")
    cluster.wait_reason(job, "QOSMaxWallDurationPerJobLimit")
    cluster.run("scontrol", "update", f"jobid={job}", "timelimit=5").ok()
    cluster.wait_state(job, "COMPLETED")


def test_a_job_without_a_limit_gets_that_of_its_qos(cluster):
    job = cluster.sbatch("--qos=short", "-H", "--wrap", "true")
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%l").out.strip() == "10:00"


def test_explain_names_the_limit_and_the_jobs_that_it_counts(cluster):
    first = cluster.sbatch("--qos=one", "--wrap", "sleep 60")
    cluster.wait_state(first, "RUNNING")
    second = cluster.sbatch("--qos=one", "--wrap", "true")
    cluster.wait_reason(second, "QOSMaxJobsPerUserLimit")
    text = cluster.run("muster", "explain", second).ok().out
    assert f"QOS one allows 1 running job. It counts job {first} of " in text, text


def test_jobs_and_cpus_of_one_user(cluster):
    first = cluster.sbatch("--qos=one", "--wrap", "sleep 60")
    cluster.wait_state(first, "RUNNING")
    cluster.wait_reason(cluster.sbatch("--qos=one", "--wrap", "true"), "QOSMaxJobsPerUserLimit")
    big = cluster.sbatch("--qos=small", "-c2", "--wrap", "sleep 60")
    cluster.wait_state(big, "RUNNING")
    second = cluster.sbatch("--qos=small", "--wrap", "true")
    cluster.wait_reason(second, "QOSMaxCpuPerUserLimit")
    cluster.run("scancel", big).ok()
    cluster.wait_state(second, "COMPLETED")


def test_too_many_in_the_queue_are_refused(cluster):
    for _ in range(3):
        cluster.sbatch("--qos=one", "-H", "--wrap", "true")
    done = cluster.run("sbatch", "--qos=one", "--wrap", "true")
    assert done.code == 1
    assert done.err.splitlines() == [
        "sbatch: error: QOSMaxSubmitJobPerUserLimit",
        "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size "
        "and/or time limits)"]


def test_deny_on_limit_refuses_at_once(cluster):
    done = cluster.run("sbatch", "--qos=strict", "-t", "20", "--wrap", "true")
    assert done.code == 1 and "violates accounting/QOS policy" in done.err
    cluster.wait_state(cluster.sbatch("--qos=strict", "-t", "5", "--wrap", "true"), "COMPLETED")


def test_an_unknown_qos_is_refused(cluster):
    done = cluster.run("sbatch", "--qos=nosuch", "--wrap", "true")
    assert done.err == "sbatch: error: Batch job submission failed: Invalid qos specification\n"
    job = cluster.sbatch("-H", "--wrap", "true")
    assert cluster.run("scontrol", "update", f"jobid={job}", "qos=nosuch").code == 1


def fill(cluster):
    cluster.wait_state(cluster.sbatch("-N2", "--exclusive", "--wrap", "sleep 60"), "RUNNING")


def test_sprio_tells_what_a_priority_is_made_of(cluster):
    fill(cluster)
    job = cluster.sbatch("--qos=short", "-c4", "--nice=5", "--wrap", "true")
    header, row = cluster.run("sprio", "-j", job).lines
    assert header == (
        "          JOBID PARTITION   PRIORITY       SITE        AGE        QOS                 TRES")
    assert row.split() == [job, "batch", "1020", "0", "0", "1000", "cpu=25"]
    header, row = cluster.run("sprio", "-l", "-j", job).lines
    assert header == (
        "          JOBID PARTITION     USER   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION"
        "        QOS        NICE                 TRES")
    assert row.split()[-2:] == ["5", "cpu=25"]


def test_sprio_normalized_and_weights(cluster):
    fill(cluster)
    job = cluster.sbatch("--qos=one", "--wrap", "true")
    assert cluster.run("sprio", "-h", "-n", "-j", job, "-o", "%i %q %t").lines == [f"{job} 0.1000000 cpu=0.06"]
    assert cluster.run("sprio", "-w").lines == [
        "          JOBID PARTITION   PRIORITY       SITE        AGE        QOS                 TRES",
        "        Weights                               1         10       1000              cpu=100"]
    assert cluster.run("sprio", "-j", "99999").lines == ["Unable to find jobs matching user/id(s) specified"]
    assert cluster.run("sprio", "-j", "abc").err == "sprio: error: Invalid job id: abc\n"
