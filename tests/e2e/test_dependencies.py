"""Dependencies: which are accepted, how the remaining ones are shown, changes with scontrol update."""
import pytest

from muster import wait_for


def held(cluster, *args):
    return cluster.sbatch("-H", "-o", "/dev/null", *args, "--wrap", "true")


def depending(cluster, text, *args):
    return cluster.sbatch("-o", "/dev/null", "-d", text, *args, "--wrap", "true")


def shown(cluster, job):
    return cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%E").ok().out.strip()


def test_every_form_is_read_and_shown(cluster):
    other, array = held(cluster), held(cluster, "--array=1-4")
    forms = {
        f"{other}": f"afterany:{other}(unfulfilled)",
        f"afterok:{other}:{other},afterok:{other}": f"afterok:{other}(unfulfilled)",
        f"afterok:{other}+5": f"afterok:{other}+5(unfulfilled)",
        f"AFTEROK:{array}_*": f"afterok:{array}_*(unfulfilled)",
        f"afterok:{array}_[1-2,2]": f"afterok:{array}_1(unfulfilled),afterok:{array}_2(unfulfilled)",
        f"afterok:{other},afterany:{array}?afternotok:{other}":
            f"afterok:{other}(unfulfilled)?afterany:{array}_*(unfulfilled)?afternotok:{other}(unfulfilled)",
        f"afterburstbuffer:{other}": f"afterburstbuffer:{other}(unfulfilled)",
    }
    for text, expected in forms.items():
        assert shown(cluster, depending(cluster, text)) == expected


@pytest.mark.parametrize("text", ["afterok", "afterok:", "afterok:1+0", "after:1+", "1:2", "singleton:1", "afterok:1,"])
def test_what_makes_no_sense_is_refused(cluster, text):
    refused = cluster.run("sbatch", "-d", text, "--wrap", "true")
    assert (refused.code, refused.err) == (1, "sbatch: error: Batch job submission failed: Job dependency problem\n")


def test_jobs_cannot_grow_by_others(cluster):
    refused = cluster.run("sbatch", "-d", "expand:1", "--wrap", "true")
    assert "Requested operation not supported on this system" in refused.err


def test_a_cancelled_job_keeps_what_it_waited_for(cluster):
    other = held(cluster)
    job = depending(cluster, f"afterok:{other}")
    cluster.wait_reason(job, "Dependency")
    cluster.run("scancel", job).ok()
    cluster.run("scancel", other).ok()
    assert shown(cluster, job) == f"afterok:{other}(unfulfilled)"
    assert f"Dependency=afterok:{other}(unfulfilled)" in cluster.run("scontrol", "show", "job", job).ok().out


def test_a_circle_is_refused(cluster):
    first = held(cluster)
    second = depending(cluster, f"afterok:{first}")
    third = depending(cluster, f"afterany:{second}")
    own = cluster.run("scontrol", "update", f"jobid={second}", f"dependency=afterok:{second}")
    assert (own.code, own.err) == (1, f"Job dependency problem for job {second}\n")
    circle = cluster.run("scontrol", "update", f"jobid={first}", f"dependency=after:{third}")
    assert (circle.code, circle.err) == (1, f"Circular job dependency for job {first}\n")
    cluster.run("scontrol", "update", f"jobid={third}", f"dependency={first}").ok()
    assert shown(cluster, third) == f"afterany:{first}(unfulfilled)"


def test_time_after_a_job_that_never_began_counts_from_its_end(cluster):
    other = held(cluster)
    job = depending(cluster, f"after:{other}+5")
    cluster.run("scancel", other).ok()
    sooner = depending(cluster, f"after:{other}")
    cluster.wait_end(sooner)
    assert cluster.reason(job) == "Dependency"


def test_tasks_without_a_counterpart_wait_for_the_whole_array(cluster):
    array = held(cluster, "--array=1-2")
    job = depending(cluster, f"aftercorr:{array}", "--array=1-3")
    cluster.wait_end(depending(cluster, "singleton", "-J", "another"))
    assert {row for row in cluster.run("squeue", "-h", "-r", "-j", job, "-o", "%K %t").ok().lines} == {
        "1 PD", "2 PD", "3 PD"}
    cluster.run("scontrol", "release", array).ok()
    wait_for(lambda: not cluster.run("squeue", "-h", "-j", job).lines, "all tasks to end")


def test_tasks_whose_counterparts_failed_never_run(cluster):
    other = held(cluster)
    job = depending(cluster, f"aftercorr:{other}", "--array=1-2")
    cluster.run("scancel", other).ok()
    wait_for(lambda: set(cluster.run("squeue", "-h", "-r", "-j", job, "-o", "%r").lines) == {"DependencyNeverSatisfied"},
             "the tasks to be hopeless")
