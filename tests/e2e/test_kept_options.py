"""Options that are kept with a job and shown, those of administrators, and those that cannot be served here."""
import os

import pytest

CLUSTER = dict(nodes=2)


def tail_of(cluster, job):
    return cluster.run("scontrol", "show", "job", job).out


def test_a_burst_buffer_is_shown(cluster):
    job = cluster.sbatch("-H", "--bb=capacity=1G", "--wrap", "true")
    assert "   BurstBuffer=capacity=1G\n   Power=\n" in tail_of(cluster, job)
    assert cluster.run("squeue", "-h", "-j", job, "-O", "burstbuffer").out.strip() == "capacity=1G"


@pytest.mark.parametrize("options, text", [
    (["--bbf=nosuch"], "Invalid --bbf specification"),
    (["--bb=x", "--bbf=file"], "Cannot specify both --burst-buffer and --bbf"),
])
@pytest.mark.parametrize("command", ["sbatch", "srun"])
def test_bad_burst_buffers(cluster, command, options, text):
    (cluster.work / "file").write_text("capacity=1G\n")
    done = cluster.run(command, *options, *(["--wrap", "true"] if command == "sbatch" else ["true"]))
    assert (done.code, done.err) == (1, f"{command}: error: {text}\n")


def test_a_container_is_shown_and_the_job_runs_without(cluster):
    job = cluster.sbatch("--container=/nosuch", "-o", "out", "--wrap", "echo ran")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert "   Container=/nosuch\n" in tail_of(cluster, job)
    assert (cluster.work / "out").read_text() == "ran\n"
    assert cluster.run("srun", "--mem=100", "--container=/nosuch", "echo", "ran").ok().out == "ran\n"


def test_salloc_needs_an_interactive_step_for_a_container(cluster):
    done = cluster.run("salloc", "--container=/tmp", "true")
    assert (done.code, done.err) == (1, "salloc: error: --container requires LaunchParameters=use_interactive_step\n")


def test_a_security_context_is_accepted(cluster):
    assert cluster.run("srun", "--mem=100", "--context=foo", "echo", "ran").ok().out == "ran\n"


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_x11_needs_a_display(cluster, command):
    done = cluster.run("env", "-u", "DISPLAY", command, "--x11", "true")
    assert (done.code, done.err) == (255, f"{command}: error: No DISPLAY variable set, cannot setup x11 forwarding.\n")


@pytest.mark.ours
def test_x11_is_not_available(cluster):
    done = cluster.run("srun", "--x11", "true", env={"DISPLAY": "localhost:10.0"})
    assert (done.code, done.err) == (1, "srun: error: X11 forwarding not available\n")


@pytest.mark.as_root
@pytest.mark.parametrize("command, text", [
    (["sbatch", "--wrap", "true"], "Batch job submission failed"), (["salloc", "true"], "Job submit/allocate failed")])
def test_only_administrators_reboot_nodes(cluster, alice, command, text):
    done = cluster.run(command[0], "--reboot", *command[1:], user=alice)
    assert (done.code, done.err) == (
        1, f"{command[0]}: error: rebooting of nodes is only allowed for admins\n"
           f"{command[0]}: error: {text}: Access/permission denied\n")


def test_without_a_reboot_program_reboot_does_nothing(cluster):
    job = cluster.sbatch("--reboot", "-o", "/dev/null", "--wrap", "true")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert cluster.job(job)["Reboot"] == "1"


@pytest.mark.as_root
@pytest.mark.parametrize("command", ["sbatch", "srun", "salloc"])
@pytest.mark.parametrize("option", ["uid", "gid"])
def test_only_root_runs_jobs_of_others(cluster, alice, command, option):
    words = ["--wrap", "true"] if command == "sbatch" else ["true"]
    done = cluster.run(command, f"--{option}={alice}", *words, user=alice)
    assert (done.code, done.err) == (255, f"{command}: error: --{option} only permitted by root user\n")
    done = cluster.run(command, f"--{option}=nosuch", *words)
    assert (done.code, done.err) == (255, f"{command}: error: Invalid --{option} specification\n")


@pytest.mark.as_root
@pytest.mark.parametrize("who", ["alice", "id"])
def test_root_submits_for_another_user(cluster, alice, who):
    name = alice if who == "alice" else str(int(os.stat(f"/home/{alice}").st_uid))
    job = cluster.sbatch(f"--uid={name}", "-o", "out", "--wrap", "id -un; echo $SLURM_JOB_USER")
    assert cluster.wait_end(job)["UserId"].startswith("alice(")
    assert (cluster.work / "out").read_text().split() == ["alice", "alice"]


@pytest.mark.as_root
def test_salloc_becomes_that_user(cluster, alice):
    assert cluster.run("salloc", "-n1", "--mem=100", f"--uid={alice}", "id", "-un").ok().out == "alice\n"
    assert cluster.run("salloc", "-n1", "--mem=100", f"--gid={alice}", "id", "-gn").ok().out == "alice\n"


@pytest.mark.as_root
@pytest.mark.ours  # with Slurm root's group stays, and srun cannot talk to the daemons any more
def test_the_job_has_the_users_own_group(cluster, alice):
    show = "id -un; id -gn; id -Gn"
    assert cluster.run("srun", "--mem=100", f"--uid={alice}", "sh", "-c", show).ok().out.split()[:2] == ["alice", "alice"]
    seen = cluster.run("srun", "--mem=100", f"--uid={alice}", "--gid=daemon", "sh", "-c", show).ok().out.split()
    assert seen[:2] == ["alice", "daemon"]


@pytest.mark.as_root
def test_salloc_takes_the_environment_of_a_login(cluster, alice):
    done = cluster.run("salloc", "-n1", "--mem=100", "--get-user-env", f"--uid={alice}", "env", env={"OWN": "1"}).ok()
    seen = dict(line.split("=", 1) for line in done.lines if "=" in line)
    assert seen["HOME"] == "/home/alice" and seen["USER"] == "alice" and seen["SLURM_JOB_ID"]
    done = cluster.run("salloc", "--get-user-env=xy", "true")
    assert (done.code, done.err) == (255, "salloc: error: Invalid --get-user-env specification\n")
