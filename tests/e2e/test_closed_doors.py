"""What users may not change after submission, and what their variables and options mean."""
import pytest
from muster import wait_for

CLUSTER = dict(nodes=2, conf="""\
PartitionName=admins Nodes=ALL RootOnly=YES State=UP
PartitionName=closed Nodes=ALL State=DRAIN
""")


def held(cluster, *options, **kwargs):
    return cluster.sbatch("-H", *options, "--wrap", "true", **kwargs)


def update(cluster, job, *words, **kwargs):
    return cluster.run("scontrol", "update", f"job={job}", *words, **kwargs)


@pytest.mark.as_root
def test_a_user_gets_into_no_closed_partition(cluster, alice):
    job = held(cluster, user=alice)
    for name, why in (("admins", "Requested partition configuration not available now"),
                      ("closed", "Required partition not available (inactive or drain)")):
        refused = update(cluster, job, f"partition={name}", user=alice)
        assert (refused.code, refused.err) == (1, f"{why} for job {job}\n")
    update(cluster, job, "partition=admins").ok()


@pytest.mark.ours
@pytest.mark.as_root
def test_what_was_refused_is_not_done(cluster, alice):
    job = held(cluster, user=alice)
    assert update(cluster, job, "partition=admins", user=alice).code == 1
    assert cluster.job(job)["Partition"] == "batch"


@pytest.mark.as_root
@pytest.mark.parametrize("word", ["admincomment=x", "oversubscribe=yes", "shared=no", "contiguous=1",
                                  "deadline=now+2hours"])
def test_a_user_changes_nothing_that_is_an_administrators(cluster, alice, word):
    job = held(cluster, user=alice)
    refused = update(cluster, job, word, user=alice)
    assert (refused.code, refused.err) == (1, f"Access/permission denied for job {job}\n")
    update(cluster, job, word).ok()


@pytest.mark.parametrize("value, cpus", [("0", "4"), ("no", "4"), ("x", "4"), ("1", "1"), ("yes", "1"), ("", "1")])
def test_a_variable_may_say_no(cluster, value, cpus):
    job = held(cluster, "-n4", env={"SBATCH_OVERCOMMIT": value})
    assert cluster.job(job)["NumCPUs"] == cpus


def test_a_failed_task_is_judged_when_all_have_ended(cluster):
    array = cluster.sbatch("--array=0-2", "-o", "/dev/null", "--wrap",
                           "[ $SLURM_ARRAY_TASK_ID = 1 ] && exit 1; until [ -e go ]; do sleep 0.1; done")
    after = {kind: cluster.sbatch("-o", "/dev/null", "-d", f"{kind}:{array}", "--wrap", "true")
             for kind in ("afterok", "afternotok")}
    wait_for(lambda: "FAILED" in cluster.run("squeue", "-h", "-r", "-t", "all", "-j", array, "-o", "%T").out)
    cluster.wait_reason(after["afterok"], "Dependency")
    (cluster.work / "go").touch()
    cluster.wait_reason(after["afterok"], "DependencyNeverSatisfied")
    cluster.wait_state(after["afternotok"], "COMPLETED")


def test_the_last_waiting_task_stands_by_itself(cluster):
    array = cluster.sbatch("--array=0-2%2", "-o", "/dev/null", "--wrap", "sleep 100")
    wait_for(lambda: cluster.run("squeue", "-h", "-t", "PD", "-j", array, "-o", "%i %K").out == f"{array}_2 2\n")
