"""Job arrays: ids, variables, throttling, how they are shown and cancelled."""
import re

from muster import wait_for


def rows(cluster, *args):
    return cluster.run("squeue", "-h", *args).ok().lines


def test_each_task_knows_its_place(cluster):
    job = int(cluster.sbatch("--array=1-7:2", "-o", "o_%A_%a", "--wrap",
                             "echo $SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT "
                             "$SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP $SLURM_JOB_ID"))
    shown = {i: cluster.wait_text(f"o_{job}_{i}", "\n").split() for i in (1, 3, 5, 7)}
    for i, words in shown.items():
        assert words[:6] == [str(job), str(i), "4", "1", "7", "2"]
    assert shown[7][6] == str(job), "the last task keeps the array's id"
    assert shown[1][6] == str(job + 1), "the first to start gets the next one"


def test_lists_of_tasks_are_understood(cluster):
    job = cluster.sbatch("--array=1,4-5", "-o", "o_%a", "--wrap", "echo $SLURM_ARRAY_TASK_COUNT")
    for i in (1, 4, 5):
        assert cluster.wait_text(f"o_{i}", "\n") == "3\n"
    record = cluster.run("scontrol", "show", "job", f"{job}_4").ok().out
    assert re.match(rf"JobId=\d+ ArrayJobId={job} ArrayTaskId=4 JobName=wrap", record)


def test_a_throttled_array_runs_so_many_at_once(cluster):
    job = cluster.sbatch("--array=0-5%2", "--wrap", "sleep 100")

    def running():
        return len(rows(cluster, "-r", "-j", job, "-t", "R", "-o", "%i"))

    wait_for(lambda: running() == 2, "two running tasks")
    wait_for(lambda: rows(cluster, "-j", job, "-t", "PD", "-o", "%i %r") == [f"{job}_[2-5%2] JobArrayTaskLimit"],
             lambda: f"the rest to wait: {rows(cluster, '-j', job)}")
    assert running() == 2
    assert rows(cluster, "-r", "-j", job, "-t", "PD", "-S", "i", "-o", "%i") == [f"{job}_{i}" for i in range(2, 6)]
    cluster.run("scontrol", "update", f"jobid={job}", "ArrayTaskThrottle=4").ok()
    wait_for(lambda: running() == 4, "four running tasks")


def test_a_released_task_counts_with_the_others(cluster):
    job = cluster.sbatch("--mem=100", "--array=0-5%2", "-o", "/dev/null", "--wrap", "sleep 100")

    def tasks(state):
        return sorted(rows(cluster, "-r", "-j", job, "-t", state, "-o", "%K"))

    wait_for(lambda: tasks("R") == ["0", "1"], "two running tasks")
    cluster.run("scontrol", "hold", f"{job}_4").ok()
    cluster.run("scontrol", "release", f"{job}_4").ok()
    cluster.run("scontrol", "update", f"jobid={job}_5", "TimeLimit=30").ok()
    last = cluster.sbatch("--mem=100", "-o", "/dev/null", "--wrap", "true")
    cluster.wait_end(last)
    assert tasks("R") == ["0", "1"] and tasks("PD") == ["2", "3", "4", "5"]
    cluster.run("scancel", job).ok()


def test_a_held_array_is_one_row_and_loses_its_cancelled_tasks(cluster):
    job = cluster.sbatch("-H", "--array=0-9", "--wrap", "true")
    assert rows(cluster, "-j", job, "-o", "%i %K %F") == [f"{job}_[0-9] 0-9 {job}"]
    cluster.run("scancel", f"{job}_3").ok()
    cluster.run("scancel", f"{job}_[5-6]").ok()
    assert sorted(rows(cluster, "-r", "-j", job, "-o", "%K")) == list("0124789")
    cluster.run("scancel", job).ok()
    wait_for(lambda: not rows(cluster, "-j", job), "the array to be gone")


def test_even_steps_are_shown_as_such_where_that_is_shorter(cluster):
    for asked, shown in (("1-19:3", "1-19:3"), ("0-100:10%2", "0-100:10%2"), ("1-9:2", "1,3,5,7,9"), ("1%5", "1%5")):
        job = cluster.sbatch("-H", f"--array={asked}", "--wrap", "true")
        assert rows(cluster, "-j", job, "-o", "%K") == [shown]
        assert f" ArrayTaskId={shown} " in cluster.run("scontrol", "show", "job", job).ok().out


def test_a_large_array_is_accepted_at_once(cluster):
    job = cluster.sbatch("-H", "--array=0-99999", "--wrap", "true")
    assert rows(cluster, "-j", job, "-o", "%i") == [f"{job}_[0-99999]"]
    assert int(cluster.sbatch("-H", "--wrap", "true")) == int(job) + 1


def test_all_tasks_of_an_array_end(cluster):
    job = cluster.sbatch("--array=0-19", "-o", "task_%a", "--wrap", "echo $SLURM_ARRAY_TASK_ID")
    wait_for(lambda: not rows(cluster, "-j", job), "the array to end")
    for i in range(20):
        assert cluster.wait_text(f"task_{i}", "\n") == f"{i}\n"


def test_what_is_done_to_an_array_that_has_ended_in_part_is_told_for_each_task(cluster):
    array = cluster.sbatch("--array=0-3", "-o", "/dev/null", "--wrap", "[ $SLURM_ARRAY_TASK_ID -lt 2 ] || sleep 300")
    wait_for(lambda: sorted(rows(cluster, "-r", "-t", "R", "-j", array, "-o", "%K")) == ["2", "3"],
             "the first two tasks to end")
    ended = f"{array}_0-1: Job has already finished"
    held = cluster.run("scontrol", "hold", array)
    assert (held.code, held.err.splitlines()) == (1, [ended, f"{array}_2-3: No error"])
    renamed = cluster.run("scontrol", "update", f"jobid={array}_[0-1]", "name=other")
    assert (renamed.code, renamed.err.splitlines()) == (1, [ended])
    assert cluster.run("scontrol", "update", f"jobid={array}_[2-3]", "name=other").code == 0
    cluster.run("scancel", array).ok()


def test_tasks_that_wait_apart_are_shown_with_their_array(cluster):
    job = cluster.sbatch("-H", "--array=1-6", "-o", "/dev/null", "--wrap", "true")
    cluster.run("scontrol", "update", f"jobid={job}_2", "TimeLimit=3").ok()
    cluster.run("scontrol", "hold", f"{job}_3").ok()
    cluster.run("scontrol", "update", f"jobid={job}_5", "name=other").ok()
    assert sorted(rows(cluster, "-j", job, "-o", "%i %j %l")) == [
        f"{job}_5 other UNLIMITED", f"{job}_[1-4,6] wrap UNLIMITED"]
    assert sorted(rows(cluster, "-r", "-j", job, "-o", "%K %l")) == [
        "1 UNLIMITED", "2 3:00", "3 UNLIMITED", "4 UNLIMITED", "5 UNLIMITED", "6 UNLIMITED"]
    assert rows(cluster, "-j", f"{job}_1,{job}_4", "-o", "%i") == [f"{job}_[1,4]"]
    assert rows(cluster, "-j", f"{job}_2", "-o", "%i %l") == [f"{job}_2 3:00"]


def test_tasks_that_wait_are_listed_after_the_others(cluster):
    job = cluster.sbatch("-H", "--array=1-4", "-o", "/dev/null", "--wrap", "true")
    cluster.run("scontrol", "update", f"jobid={job}_3", "name=other").ok()
    assert rows(cluster, "-j", job, "-S", "i", "-o", "%i") == [f"{job}_3", f"{job}_[1-2,4]"]


def test_a_held_task_does_not_go_to_the_top(cluster):
    job = cluster.sbatch("-H", "--array=1-4", "-o", "/dev/null", "--wrap", "true")
    refused = cluster.run("scontrol", "top", f"{job}_2")
    assert refused.err == f"Job is in held state, pending scheduler release for job {job}_2\n"


def test_array_lists_are_read_leniently(cluster):
    forms = {"1,,3,": "1,3", " 1-3": "1-3", "[1-3]%2": "1-3%2", "1-3%": "1-3", "1-3:2,7%4x": "1,3,7%4", "4-4": "4"}
    for text, tasks in forms.items():
        job = cluster.sbatch("-H", f"--array={text}", "--wrap", "true")
        assert rows(cluster, "-j", job, "-o", "%K") == [tasks]
    for text in ("1-3 ", "1:3", "1-", "3-1", "1-3:0", "1-3:", "a", "0x1", "-1"):
        refused = cluster.run("sbatch", f"--array={text}", "-H", "-o", "/dev/null", "--wrap", "true")
        assert "Invalid job array specification" in refused.err, text
