"""scontrol hold, release, suspend, resume, requeue: what they do to jobs, and what is refused."""
import pytest

CLUSTER = dict(nodes=1, cpus=4)


def running(cluster, *args):
    job = cluster.sbatch(*args, "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    return job


def scontrol(cluster, *args, **options):
    done = cluster.run("scontrol", *args, **options)
    return done.code, done.err


def test_a_hold_of_a_running_job_counts_when_it_waits_again(cluster):
    job = running(cluster)
    assert scontrol(cluster, "hold", job) == (0, "")
    assert (cluster.state(job), cluster.reason(job)) == ("RUNNING", "JobHeldAdmin")
    assert scontrol(cluster, "requeue", job) == (0, "")
    cluster.wait_state(job, "PENDING")
    cluster.wait_reason(job, "JobHeldAdmin")
    assert scontrol(cluster, "release", job) == (0, "")
    assert cluster.reason(job) != "JobHeldAdmin"


def test_tasks_that_an_array_does_not_have_are_named(cluster):
    array = cluster.sbatch("--hold", "--array=1-3", "--wrap", "true")
    code, text = scontrol(cluster, "hold", f"{array}_[1,8-9]")
    assert (code, text) == (1, f"{array}_1: No error\n{array}_8-9: Invalid job id specified\n")
    rows = cluster.run("squeue", "-h", "-r", "-j", array, "-o", "%K %r").lines
    assert sorted(rows) == ["1 JobHeldAdmin", "2 JobHeldUser", "3 JobHeldUser"]


def test_a_name_that_no_job_has_holds_nothing(cluster):
    assert scontrol(cluster, "hold", "name=nobodys") == (0, "")
    assert scontrol(cluster, "hold", "jobname=nobodys") == (0, "")


@pytest.mark.parametrize("verb", ["suspend", "resume", "requeue"])
def test_other_verbs_know_no_names(cluster, verb):
    code, text = scontrol(cluster, verb, "jobname=wrap")
    assert (code, text) == (1, "Invalid job id specified for job jobname=wrap\n")


def test_a_suspended_job_may_be_suspended_again(cluster):
    job = running(cluster)
    assert scontrol(cluster, "resume", job) == (1, f"Job is not suspended for job {job}\n")
    assert scontrol(cluster, "suspend", job) == (0, "")
    assert scontrol(cluster, "suspend", job) == (0, "")
    assert cluster.state(job) == "SUSPENDED"
    assert scontrol(cluster, "resume", job) == (0, "")


def test_a_job_on_its_way_back_to_the_queue_is_not_requeued_again(cluster):
    script = cluster.script("stubborn.sh", "trap : TERM\necho yes > ready\nwhile :; do sleep 0.1; done\n")
    job = cluster.sbatch("--requeue", script)
    cluster.wait_state(job, "RUNNING")
    cluster.wait_text("ready")
    assert scontrol(cluster, "requeue", job) == (0, "")
    assert scontrol(cluster, "requeue", job) == (1, f"Job is pending execution for job {job}\n")


@pytest.mark.as_root
def test_what_others_may_not_do(cluster, alice):
    job = running(cluster)
    assert scontrol(cluster, "hold", job, user=alice) == (
        1, f"Invalid user id for job {job}\nslurm_suspend error: Invalid user id\n")
    for verb in ["requeue", "requeuehold", "suspend", "resume"]:
        assert scontrol(cluster, verb, job, user=alice) == (1, f"Access/permission denied for job {job}\n"), verb


@pytest.mark.as_root
def test_the_hold_of_an_administrator_stays_one(cluster, alice):
    job = cluster.sbatch("--hold", "--wrap", "true", user=alice)
    assert scontrol(cluster, "hold", job) == (0, "")
    assert scontrol(cluster, "hold", job, user=alice) == (0, "")
    assert cluster.reason(job) == "JobHeldAdmin"
    code, text = scontrol(cluster, "release", job, user=alice)
    assert code == 1 and "Access/permission denied" in text


def test_incomplete_spares_the_tasks_that_have_ended(cluster):
    script = cluster.script("task.sh", "[ $SLURM_ARRAY_TASK_ID = 1 ] || sleep 100\n")
    array = cluster.sbatch("--requeue", "--array=1-2", script)
    cluster.wait_state(f"{array}_1", "COMPLETED")
    cluster.wait_state(f"{array}_2", "RUNNING")
    assert scontrol(cluster, "requeuehold", "Incomplete", array) == (0, "")
    cluster.wait_state(f"{array}_2", "PENDING")
    assert cluster.job(f"{array}_1")["JobState"] == "COMPLETED"
    assert scontrol(cluster, "requeue", f"Incomplete,{array}_1")[0] == 1


def test_what_a_job_that_was_suspended_says_of_it(cluster):
    job = running(cluster)
    assert (cluster.job(job)["SuspendTime"], cluster.job(job)["SecsPreSuspend"]) == ("None", "0")
    cluster.run("scontrol", "suspend", job).ok()
    cluster.run("scontrol", "resume", job).ok()
    assert cluster.job(job)["SuspendTime"] >= cluster.job(job)["StartTime"]


@pytest.mark.as_root
def test_a_user_lowers_a_job_by_nice_alone(cluster, alice):
    job = cluster.sbatch("--begin=now+1hour", "-o", "/dev/null", "--wrap", "true", user=alice)

    def update(setting, **options):
        done = cluster.run("scontrol", "update", f"jobid={job}", setting, **options)
        return done.code, done.err

    assert update("priority=4294967000", user=alice) == (1, f"Access/permission denied for job {job}\n")
    assert update("priority=5", user=alice) == (
        1, f"Changes to job priority are not persistent, change nice instead for job {job}\n")
    assert update("nice=7", user=alice) == (0, "")
    assert update("priority=99") == (0, "")
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%Q %y").out == "99 0\n"


def test_a_released_job_queues_up_behind_the_others(cluster):
    running(cluster, "--exclusive")
    first, second, held = (cluster.sbatch("--exclusive", "-o", "/dev/null", *more, "--wrap", "true")
                           for more in ([], [], ["-H"]))
    last = cluster.sbatch("--exclusive", "-o", "/dev/null", "--wrap", "true")

    def order():
        return cluster.run("squeue", "-h", "-t", "PD", "-S", "-p,i", "-o", "%i").ok().lines

    assert scontrol(cluster, "release", held) == (0, "")
    assert order() == [first, second, last, held]
    assert scontrol(cluster, "hold", first) == (0, "") and scontrol(cluster, "release", first) == (0, "")
    assert order()[:2] == [second, last]
    assert scontrol(cluster, "update", f"jobid={second}", "nice=50") == (0, "")
    assert order()[0] == last and order()[-1] == second
    assert scontrol(cluster, "update", f"jobid={second}", "nice=0") == (0, "")
    assert order()[0] == second


@pytest.mark.parametrize("option", ["--tmp=999999", "-c9", "--mem=20000", "--gres=gpu:5", "--mincpus=10", "-B4:4", "-n65"])
def test_a_held_job_may_ask_for_what_there_is_not(cluster, option):
    job = cluster.sbatch("-H", option, "--wrap", "true")
    assert cluster.reason(job) == "JobHeldUser"


@pytest.mark.ours  # Slurm releases it and says BadConstraints later
def test_what_can_never_start_is_not_released(cluster):
    job = cluster.sbatch("-H", "-c9", "--wrap", "true")
    code, said = scontrol(cluster, "release", job)
    assert code == 1 and said.startswith(f"Requested node configuration is not available for job {job}\n")
    assert cluster.reason(job) == "JobHeldUser"


@pytest.mark.parametrize("option, said", [
    ("-Cnope", "Invalid feature specification"), ("-wn9", "Invalid node name specified"), ("-Lx", "Invalid license specification"),
    ("--gres=nope:1", "Invalid generic resource (gres) specification")])
def test_names_of_a_held_job_are_looked_at(cluster, option, said):
    refused = cluster.run("sbatch", "-H", option, "--wrap", "true")
    assert refused.code == 1 and said in refused.err
