"""Daemons that stop, start and die while jobs run and wait."""
import signal

import pytest

from muster import wait_for


def test_a_stopped_controller_comes_back_with_all_jobs(cluster):
    running = cluster.sbatch("--wrap", "while [ ! -e go ]; do sleep 0.1; done; echo end > ended")
    held = cluster.sbatch("-H", "--comment=c1", "--wrap", "true")
    array = cluster.sbatch("-H", "--array=0-5", "--wrap", "true")
    cluster.wait_state(running, "RUNNING")
    cluster.stop_controller()
    done = cluster.run("scontrol", "ping")
    assert "is DOWN" in done.out + done.err
    cluster.start_controller()
    assert cluster.state(running) == "RUNNING"
    record = cluster.job(held)
    assert (record["JobState"], record["Comment"]) == ("PENDING", "c1")
    assert cluster.run("squeue", "-h", "-j", array, "-o", "%i").out == f"{array}_[0-5]\n"
    assert int(cluster.sbatch("--wrap", "true")) == int(array) + 1
    (cluster.work / "go").touch()
    assert cluster.wait_end(running)["JobState"] == "COMPLETED"
    assert (cluster.work / "ended").read_text() == "end\n"
    cluster.run("scontrol", "release", held).ok()
    assert cluster.wait_end(held)["JobState"] == "COMPLETED"


def test_a_job_that_ends_while_the_controller_is_away_is_recorded(cluster):
    job = cluster.sbatch("--wrap", "while [ ! -e go ]; do sleep 0.1; done; echo end > ended; exit 3")
    cluster.wait_state(job, "RUNNING")
    cluster.stop_controller()
    (cluster.work / "go").touch()
    cluster.wait_text("ended")
    cluster.start_controller()
    record = cluster.wait_end(job, limit=120)
    assert (record["JobState"], record["ExitCode"]) == ("FAILED", "3:0")


def test_a_job_outlives_its_slurmd(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap",
                         "echo begin; while [ ! -e go ]; do sleep 0.1; done; echo end > ended; echo end")
    cluster.wait_text(f"slurm-{job}.out", "begin")
    cluster.stop_node("n1")
    assert cluster.state(job) == "RUNNING"
    cluster.start_node("n1")
    (cluster.work / "go").touch()
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"]) == ("COMPLETED", "0:0")
    assert cluster.output(job) == "begin\nend\n"
    assert cluster.wait_end(cluster.sbatch("-w", "n1", "--wrap", "true"))["JobState"] == "COMPLETED"


@pytest.mark.ours
def test_a_job_ends_while_its_slurmd_is_dead(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "while [ ! -e go ]; do sleep 0.1; done; echo end > ended; exit 7")
    cluster.wait_state(job, "RUNNING")
    cluster.stop_node("n1", signal.SIGKILL)
    (cluster.work / "go").touch()
    cluster.wait_text("ended")
    cluster.start_node("n1")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["ExitCode"]) == ("FAILED", "7:0")


@pytest.mark.ours
def test_both_daemons_killed_at_once(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "echo run >> runs; while [ ! -e go ]; do sleep 0.1; done")
    cluster.wait_text("runs")
    cluster.stop_controller(signal.SIGKILL)
    cluster.stop_node("n1", signal.SIGKILL)
    (cluster.work / "go").touch()
    cluster.start_node("n1")
    cluster.start_controller()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert (cluster.work / "runs").read_text() == "run\n"


@pytest.mark.ours
def test_accepted_jobs_survive_a_killed_controller(cluster):
    jobs = [cluster.sbatch("-H", "--wrap", "true") for _ in range(3)]
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    assert [cluster.state(job) for job in jobs] == ["PENDING"] * 3
    assert int(cluster.sbatch("-H", "--wrap", "true")) == int(jobs[-1]) + 1


def test_a_slurmd_may_start_before_the_controller(cluster):
    cluster.stop_controller()
    cluster.stop_node("n2")
    cluster.start_node("n2")
    cluster.start_controller()
    wait_for(lambda: "idle\n" in cluster.run("sinfo", "-h", "-N", "-n", "n2", "-p", "batch", "-o", "%T").out,
             "n2 to be idle")
    assert cluster.wait_end(cluster.sbatch("-w", "n2", "--wrap", "true"))["JobState"] == "COMPLETED"


@pytest.mark.ours
def test_reconfigure_with_a_bad_file_keeps_the_old_one_and_says_why(cluster):
    good = cluster.config_file.read_text()
    try:
        cluster.config_file.write_text(good + "NoSuchKey=1\n")
        done = cluster.run("scontrol", "reconfigure")
        assert done.code != 0
        assert "NoSuchKey" in done.out + done.err
    finally:
        cluster.config_file.write_text(good)
    assert cluster.controller_is_up()
    assert cluster.wait_end(cluster.sbatch("--wrap", "true"))["JobState"] == "COMPLETED"


def test_reconfigure_takes_new_partitions(cluster):
    cluster.config_file.write_text(cluster.config_file.read_text() + "PartitionName=added Nodes=n1 State=UP\n")
    cluster.run("scontrol", "reconfigure").ok()
    wait_for(lambda: "added" in cluster.run("sinfo", "-h", "-o", "%R").out.split(), "the new partition")
    assert cluster.wait_end(cluster.sbatch("-p", "added", "--wrap", "true"))["JobState"] == "COMPLETED"


@pytest.mark.ours
def test_a_controller_that_is_asked_for_much_ends_in_order(cluster):
    """Long answers, to squeue and to sacct, are under way while it is told to end."""
    cluster.run("bash", "-c", "seq 600 | xargs -P8 -I{} sbatch -H -o /dev/null --wrap true").ok()
    for _ in range(5):
        asking = [cluster.start("bash", "-c", f"while {command} >/dev/null 2>&1; do :; done")
                  for command in ("squeue", "sacct -a", "squeue", "scontrol show job")]
        wait_for(lambda: cluster.run("squeue", "-h").ok().lines, "an answer")
        pid = cluster.controller_pid
        cluster.stop_controller()
        for process in asking:
            process.kill()
            process.communicate()
        log = (cluster.directory / "log/slurmctld.log").read_text().splitlines()
        assert "slurmctld has ended" in log[-1], pid
        cluster.start_controller()
    cluster.run("scancel", "--state=PENDING", "--me").ok()


def test_a_warning_that_fell_due_while_slurmd_was_away_is_given_when_it_is_back(cluster):
    script = cluster.script("warned.sh", "trap 'echo warned; exit 4' USR1\ntouch ready\nwhile :; do sleep 0.2; done\n")
    job = cluster.sbatch("-w", "n1", "-t", "2", "--signal=B:USR1@115", "-o", "out", script)
    wait_for((cluster.work / "ready").exists, "the job")
    cluster.stop_node("n1")
    wait_for(lambda: cluster.job(job)["RunTime"] >= "00:00:08", "the warning to be due")
    cluster.start_node("n1")
    assert cluster.wait_end(job)["ExitCode"] == "4:0"
    assert (cluster.work / "out").read_text() == "warned\n"
