"""scancel: which jobs, which signals, in which order."""
import time

from muster import wait_for

STUBBORN = """\
trap 'echo "TERM $(date +%s%3N)" >> log' TERM
trap 'echo "CONT $(date +%s%3N)" >> log' CONT
echo ready >> log
while :; do sleep 0.1; echo "$(date +%s%3N)" > tick.new; mv tick.new tick; done
"""
# The step writes to the log as well; the shell waits again when a trap has interrupted it.
WITH_STEP = """\
trap 'echo batch-USR1 >> log' USR1
trap 'echo batch-USR2 >> log' USR2
srun bash -c 'trap "echo step-USR1 >> log" USR1; trap "echo step-USR2 >> log" USR2; echo ready >> log
while :; do sleep 0.1; done' &
while :; do wait; sleep 0.1; done
"""


def test_a_cancelled_job_gets_term_and_after_killwait_kill(cluster):
    job = cluster.sbatch(cluster.script("job.sh", STUBBORN))
    cluster.wait_text("log", "ready")
    asked = time.time() * 1000
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    wait_for(cluster.queue_is_empty, "the processes to be gone")
    log = cluster.wait_text("log", "TERM")
    assert "CONT" in log
    lived = int(cluster.wait_text("tick")) - asked
    assert 1500 < lived < 15000, f"killed {lived:.0f} ms after scancel, with KillWait=3"


def test_the_time_that_a_job_takes_to_end_is_not_its_own(cluster):
    job = cluster.sbatch(cluster.script("job.sh", STUBBORN))
    cluster.wait_text("log", "ready")
    cluster.run("scancel", job).ok()
    completing = cluster.wait_state(job, "COMPLETING")
    assert completing["EndTime"] != "Unknown"
    ended = cluster.wait_state(job, "CANCELLED")
    for key in ("EndTime", "RunTime"):
        assert ended[key] == completing[key]


def test_a_pending_job_is_cancelled_at_once(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    cluster.run("scancel", job).ok()
    record = cluster.job(job)
    assert (record["JobState"], record["ExitCode"]) == ("CANCELLED", "0:0")


def test_signals_go_to_steps_to_the_shell_or_to_both(cluster):
    job = cluster.sbatch(cluster.script("job.sh", WITH_STEP))
    cluster.wait_text("log", "ready")
    cluster.run("scancel", "--signal=USR1", job).ok()
    cluster.wait_text("log", "step-USR1")
    cluster.run("scancel", "--batch", "-s", "USR2", job).ok()
    log = cluster.wait_text("log", "batch-USR2")
    assert "batch-USR1" not in log and "step-USR2" not in log
    (cluster.work / "log").write_text("")
    cluster.run("scancel", "--full", "--signal=SIGUSR1", job).ok()
    cluster.wait_text("log", "batch-USR1")
    cluster.wait_text("log", "step-USR1")
    assert cluster.state(job) == "RUNNING"


def test_a_cancelled_step_leaves_its_job(cluster):
    job = cluster.sbatch("-o", "out", "--wrap", "srun sleep 100; echo went on; sleep 100")
    wait_for(lambda: f"{job}.0" in cluster.run("squeue", "-h", "-s", "-o", "%i").out.split(), "the step")
    cluster.run("scancel", f"{job}.0").ok()
    cluster.wait_text("out", "went on")
    assert cluster.state(job) == "RUNNING"


def test_jobs_are_chosen_by_name_state_partition_and_user(cluster):
    def left():
        return set(cluster.run("squeue", "-h", "-o", "%i").out.split())

    named = cluster.sbatch("-H", "-J", "mine", "--wrap", "true")
    placed = cluster.sbatch("-H", "-p", "standard", "--wrap", "true")
    running = cluster.sbatch("--wrap", "sleep 100")
    kept = cluster.sbatch("-H", "-p", "short", "--wrap", "true")
    cluster.wait_state(running, "RUNNING")
    cluster.run("scancel", "-n", "mine").ok()
    wait_for(lambda: left() == {placed, running, kept}, "the named one to go")
    cluster.run("scancel", "-p", "standard").ok()
    wait_for(lambda: left() == {running, kept}, "the partition's to go")
    cluster.run("scancel", "-t", "RUNNING").ok()
    wait_for(lambda: left() == {kept}, "the running one to go")
    assert cluster.job(named)["JobState"] == "CANCELLED"


def test_several_ids_at_once(cluster):
    jobs = [cluster.sbatch("-H", "--wrap", "true") for _ in range(3)]
    cluster.run("scancel", *jobs).ok()
    assert cluster.queue_is_empty()


def test_a_step_is_killed_at_once_and_its_job_goes_on(cluster):
    job = cluster.sbatch("--mem=100", cluster.script(
        "step.sh", "srun bash -c 'trap : TERM; touch there; while :; do sleep 0.1; done'; echo code $?\n"))
    wait_for(lambda: (cluster.work / "there").exists(), "the step")
    cluster.run("scancel", f"{job}.0").ok()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    text = cluster.output(job)
    assert "code 137" in text and f"*** STEP {job}.0 ON " in text


def test_a_job_whose_shell_is_killed_has_failed(cluster):
    job = cluster.sbatch("--mem=100", "--wrap", "trap : TERM; touch shell; while :; do sleep 0.1; done")
    wait_for(lambda: (cluster.work / "shell").exists(), "the shell")
    cluster.run("scancel", "-b", job).ok()
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"]) == ("FAILED", "0:9")


def test_without_a_federation_no_job_has_siblings(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    for words in ([job], ["--me"], ["-s", "USR1", job]):
        done = cluster.run("scancel", "--sibling=other", *words)
        assert (done.code, done.err) == (191, f"scancel: error: Kill job error on job id {job}: Not a valid federated job\n")
    assert cluster.state(job) == "PENDING"
    assert cluster.run("scancel", "--sibling=other", "999999").ok().err == ""
    assert cluster.run("scancel", "--sibling=other").code == 1


def test_a_job_that_never_ran_keeps_what_it_waited_for(cluster):
    running = cluster.sbatch("--exclusive", "-N4", "--wrap", "sleep 100")
    cluster.wait_state(running, "RUNNING")
    waiting = {"Resources": cluster.sbatch("--exclusive", "-N4", "--wrap", "true"),
               "JobHeldUser": cluster.sbatch("-H", "--wrap", "true"),
               "Dependency": cluster.sbatch("-d", f"afterok:{running}", "--wrap", "true"),
               "BeginTime": cluster.sbatch("-b", "now+1hour", "--wrap", "true")}
    for reason, job in waiting.items():
        cluster.wait_reason(job, reason)
    cluster.run("scancel", *waiting.values()).ok()
    for reason, job in waiting.items():
        record = cluster.wait_state(job, "CANCELLED")
        assert (record["Reason"], record["ExitCode"]) == (reason, "0:0")


def test_a_job_that_does_not_match_is_left_alone(cluster):
    job = cluster.sbatch("-H", "-o", "/dev/null", "--wrap", "true")
    for filters in (["-t", "RUNNING"], ["-n", "other"], ["-p", "standard"], ["-A", "nobody"], ["-w", "n1"]):
        done = cluster.run("scancel", *filters, job).ok()
        assert done.out + done.err == ""
    unknown = cluster.run("scancel", "-t", "RUNNING", job, "99999")
    assert (unknown.code, unknown.err) == (1, "scancel: error: Kill job error on job id 99999: Invalid job id specified\n")
    assert cluster.job(job)["JobState"] == "PENDING"
    cluster.run("scancel", "-t", "PENDING", job).ok()
    cluster.wait_state(job, "CANCELLED")


def test_of_an_array_only_the_tasks_that_match_end(cluster):
    def left(array):
        return sorted(cluster.run("squeue", "-h", "-r", "-j", array, "-o", "%K %t").out.splitlines())

    waiting = [f"{task} PD" for task in range(2, 6)]
    array = cluster.sbatch("--mem=100", "-o", "/dev/null", "--array=0-5%2", "--wrap", "sleep 300")
    wait_for(lambda: left(array) == ["0 R", "1 R", *waiting], "two tasks to run")
    cluster.run("scancel", "-t", "RUNNING", f"{array}_5").ok()
    cluster.run("scancel", "-t", "PENDING", f"{array}_0").ok()
    assert left(array) == ["0 R", "1 R", *waiting]
    cluster.run("scancel", "-t", "PENDING", array).ok()
    wait_for(lambda: left(array) == ["0 R", "1 R"], lambda: f"the running ones to stay: {left(array)}")
    asked = cluster.run("scancel", "-i", array, input="n\ny\n").ok()
    assert asked.out.count("[y/n]? ") == 2 and f"job_id={array}_1 name=wrap" in asked.out
    wait_for(lambda: left(array) == ["0 R"], "the second one to end")
    cluster.run("scancel", "-t", "RUNNING", array).ok()
    wait_for(lambda: left(array) == [], "the first one to end")


def test_more_jobs_than_one_request_names(cluster):
    first, last = (cluster.sbatch("-H", "--wrap", "true") for _ in range(2))
    done = cluster.run("scancel", "-Q", first, *[str(n) for n in range(900000, 912000)], last)
    assert "at most" not in done.err
    for job in (first, last):
        cluster.wait_state(job, "CANCELLED")
