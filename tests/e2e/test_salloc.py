"""salloc: an allocation, a command or shell in it, and its end."""
import re
import signal

from muster import wait_for


def salloc(cluster, *args, **options):
    return cluster.run("salloc", "--mem=100", *args, **options)


def test_a_command_runs_in_the_allocation(cluster):
    done = salloc(cluster, "-N2", "bash", "-c", "echo $SLURM_JOB_ID $SLURM_NNODES $SLURM_JOB_NODELIST; exit 3")
    job = re.search(r"salloc: Granted job allocation (\d+)\n", done.err).group(1)
    assert done.out == f"{job} 2 n[1-2]\n"
    assert done.code == 3
    assert done.err.endswith(f"salloc: Relinquishing job allocation {job}\n")
    record = cluster.wait_end(job)
    assert (record["JobName"], record["BatchFlag"]) == ("interactive", "0")


def test_srun_starts_steps_in_it(cluster):
    done = salloc(cluster, "-N2", "bash", "-c",
                  "srun -l bash -c 'echo $SLURM_STEP_ID'; srun -n1 bash -c 'echo $SLURM_STEP_ID'").ok()
    assert sorted(done.lines) == ["0: 0", "1", "1: 0"]


def test_without_a_command_it_is_a_shell(cluster):
    done = salloc(cluster, input="echo job $SLURM_JOB_ID\n").ok()
    assert re.fullmatch(r"job \d+\n", done.out)


def test_no_shell_leaves_the_job(cluster):
    done = salloc(cluster, "--no-shell").ok()
    job = re.fullmatch(r"salloc: Granted job allocation (\d+)\n", done.err).group(1)
    assert cluster.run("srun", f"--jobid={job}", "echo", "in").ok().out == "in\n"
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"


def test_what_is_refused(cluster):
    done = salloc(cluster, "-p", "nope", "true")
    assert done.code == 1
    assert done.err == ("salloc: error: invalid partition specified: nope\n"
                        "salloc: error: Job submit/allocate failed: Invalid partition name specified\n")
    done = salloc(cluster, "/no/such")
    assert done.code == 1
    assert 'salloc: error: _fork_command: Unable to find command "/no/such"' in done.err


def test_a_revoked_allocation_is_told(cluster):
    process = cluster.start("salloc", "--mem=100", "bash", "-c", 
                            "echo $SLURM_JOB_ID; until [ -e go ]; do sleep 0.05; done; exit 4")
    try:
        job = process.stdout.readline().strip()
        cluster.run("scancel", job).ok()
        assert "Granted" in process.stderr.readline()
        assert process.stderr.readline() == f"salloc: Job allocation {job} has been revoked.\n"
        (cluster.work / "go").touch()
        assert process.wait(20) == 4
    finally:
        process.kill()
        process.communicate()


def test_kill_command_ends_it_with_the_allocation(cluster):
    process = cluster.start("salloc", "-K", "--mem=100", "bash", "-c", "echo $SLURM_JOB_ID; exec sleep 100")
    try:
        job = process.stdout.readline().strip()
        cluster.run("scancel", job).ok()
        wait_for(lambda: process.poll() is not None, "salloc to end")
        assert process.returncode != 0
    finally:
        process.kill()
        process.communicate()


def test_a_signal_while_waiting_takes_the_job_back(cluster):
    first = salloc(cluster, "--exclusive", "-N2", "--no-shell").ok()
    process = cluster.start("salloc", "--mem=100", "-w", "n1", "true")
    try:
        assert "Pending job allocation" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
        assert "salloc: Job aborted due to signal" in err
        assert process.returncode == 1
    finally:
        process.kill()
        process.communicate()
    cluster.run("scancel", re.search(r"\d+", first.err).group()).ok()
    wait_for(cluster.queue_is_empty, "the jobs to be gone")
