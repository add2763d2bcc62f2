"""Malicious users with the shipped commands: what they leave in the controller, and what it sends for them."""
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

import muster
from muster import wait_for

pytestmark = [pytest.mark.ours, pytest.mark.as_root]
CLUSTER = dict(nodes=1, cpus=32, conf="MaxJobCount=60\nMinJobAge=2\nProlog=/bin/true\nEpilog=/bin/true\n"
               "SlurmctldParameters=max_text_size=1048576,max_dependencies=1000\n")


@pytest.fixture(autouse=True)
def others_are_served(cluster, bob):
    """Whatever alice did: the daemons are the same, bob's commands work, and his job runs."""
    # What ended in the test before counts until MinJobAge has passed.
    wait_for(lambda: len(cluster.run("squeue", "-h", "-t", "all").lines) < 5, "old records to go")
    before = cluster.controller_pid, cluster.node_pid("n1")
    yield
    assert (cluster.controller_pid, cluster.node_pid("n1")) == before
    cluster.run("squeue", user=bob).ok()
    cluster.cancel_all()
    wait_for(lambda: cluster.run("sbatch", "--mem=10", "-o/dev/null", "--wrap", "true", user=bob).code == 0, "room")
    wait_for(cluster.queue_is_empty, "bob's job to run")


def text(bytes, mark):
    return (f"{mark}-" + "x" * bytes)[:bytes]


@pytest.mark.parametrize("user", ["--exec=!id>/tmp/x", "-f/etc/passwd", "a,-x", "|id", "a\nBcc: b"])
def test_mail_goes_to_plain_addresses_only(cluster, alice, user):
    refused = cluster.run("sbatch", "--mail-type=ALL", f"--mail-user={user}", "--wrap", "true", user=alice)
    assert refused.code != 0 and "mail-user" in refused.err
    job = cluster.sbatch("-H", "--mail-type=END", "--mail-user=alice@example.org,bob", "--wrap", "true", user=alice)
    assert cluster.run("scontrol", "update", f"jobid={job}", f"mailuser={user}", user=alice).code != 0
    assert "MailUser=alice@example.org,bob" in cluster.run("scontrol", "show", "job", job).out


def test_long_texts_do_not_keep_others_from_their_lists(cluster, alice, bob):
    """More than one message can hold."""
    jobs = [cluster.sbatch("-H", f"--comment={text(30000, i)}", "--wrap", "true", user=alice) for i in range(40)]
    assert len(cluster.run("squeue", "-h", user=bob).ok().lines) == 40
    shown = cluster.run("scontrol", "show", "jobs", user=bob).ok().out
    assert all(f"JobId={job} " in shown for job in jobs)
    listed = json.loads(cluster.run("squeue", "--json", user=bob).ok().out)["jobs"]
    assert set(map(int, jobs)) <= {job["job_id"] for job in listed}
    assert len({line.split("|")[0] for line in cluster.run(
        "sacct", "-a", "-n", "-P", "-X", "-o", "jobid,comment", "-j", ",".join(jobs), user=bob).ok().lines}) == 40


def test_many_large_scripts_reach_their_node(cluster, alice):
    script = cluster.work / "large"
    jobs = []
    for i in range(20):
        script.write_text(f"#!/bin/bash\necho {i} > {cluster.work}/ran.{i}\nexit 0\n" + text(3_900_000, f"#{i}") + "\n")
        jobs.append(cluster.sbatch("-H", "-o", "/dev/null", script, user=alice))
    cluster.run("scontrol", "release", ",".join(jobs), user=alice).ok()
    for i in range(len(jobs)):  # their records are soon forgotten: see MinJobAge
        assert cluster.wait_text(f"ran.{i}", rf"^{i}\n") == f"{i}\n"
    cluster.wait_nodes("idle")


def test_a_long_comment_fails_no_node(cluster, alice):
    script = cluster.work / "commented"
    script.write_text(f"#!/bin/bash\n#SBATCH --comment={text(200_000, 'c')}\ntrue\n")
    submitted = cluster.run("sbatch", "--parsable", "--mem=10", "-o", "/dev/null", script, user=alice)
    if submitted.code == 0:
        assert cluster.wait_end(submitted.out.strip())["JobState"] == "COMPLETED"
    job = cluster.sbatch(f"--comment={text(30_000, 'c')}", "-o", "/dev/null", "--wrap", "true", user=alice)
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    cluster.wait_nodes("idle")


def test_dependencies_do_not_fill_the_queue_with_what_has_ended(cluster, alice, bob):
    first = int(cluster.sbatch("-H", "--wrap", "true", user=alice))
    pinned = ":".join(str(first + i) for i in range(2, 102))
    pin = cluster.sbatch("-H", "-d", f"afterany:{pinned}", "--wrap", "true", user=alice)

    def one_more():
        done = cluster.run("sbatch", "-H", "--parsable", "--wrap", "true", user=bob)
        if done.code == 0:
            cluster.run("scancel", done.out.strip(), user=bob).ok()
        return done.code == 0

    for _ in range(90):  # MaxJobCount is 60
        wait_for(one_more, "room in the queue")
    assert "Dependency" in cluster.run("scontrol", "show", "job", pin).out
    assert len(cluster.run("squeue", "-h", "-t", "all").lines) <= 60


def test_a_job_waits_for_a_thousand_others_at_most(cluster, alice):
    many = "afterany:" + ":".join(map(str, range(1, 1002)))
    refused = cluster.run("sbatch", "-H", "-d", many, "--wrap", "true", user=alice)
    assert refused.code != 0 and "1000" in refused.err
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    assert cluster.run("scontrol", "update", f"jobid={job}", f"dependency={many}", user=alice).code != 0


def test_tasks_apart_count_towards_maxjobcount(cluster, alice, bob):
    array = cluster.sbatch("-H", "-a", "0-99", "--wrap", "true", user=alice)
    refused = cluster.run("scontrol", "hold", f"{array}_[0-99]", user=alice)
    assert refused.code != 0 and "full" in refused.err
    # What ended before stays for MinJobAge.
    wait_for(lambda: cluster.run("scontrol", "hold", f"{array}_[0-19]", user=alice).code == 0, "room for 20 tasks")
    cluster.sbatch("-H", "--wrap", "true", user=bob)


def test_names_do_not_act_on_terminals(cluster, alice):
    name = "a\x1b]0;owned\x07b"
    job = cluster.sbatch("-H", "-J", name, "--wrap", "true", user=alice)
    for command in (["squeue", "-h", "-o", "%j"], ["scontrol", "show", "job", job],
                    ["sacct", "-n", "-a", "-P", "-o", "jobname", "-j", job]):
        ours, theirs = pty.openpty()
        shown = subprocess.run(command, env=cluster.environment, stdin=subprocess.DEVNULL, stdout=theirs, timeout=60)
        os.close(theirs)
        printed = b""
        try:
            while part := os.read(ours, 65536):
                printed += part
        except OSError:
            pass  # that is how a terminal ends
        os.close(ours)
        assert shown.returncode == 0
        assert b"a?]0;owned?b" in printed and b"\x1b" not in printed
    assert name in cluster.run("squeue", "-h", "-o", "%j").out  # as it is, for programs


def journal(cluster):
    state = cluster.directory / "state"
    return [*state.glob("journal.db*"), *state.glob("snapshot-*")]


def start(cluster, *options):
    return cluster.run(muster.SBIN / "slurmctld", *options, "-f", cluster.config_file)


@pytest.fixture
def own_cluster():
    """A cluster whose state may be lost."""
    cluster = muster.Cluster(nodes=1).up()
    yield cluster
    cluster.down()


def test_a_lost_journal_is_not_taken_for_an_empty_queue(own_cluster):
    cluster = own_cluster
    cluster.sbatch("-H", "--wrap", "true")
    cluster.stop_controller()
    kept = {file: file.read_bytes() for file in journal(cluster)}
    for file in kept:
        file.unlink()
    refused = start(cluster)
    assert refused.code != 0 and "had jobs" in refused.err and "slurmctld -c" in refused.err
    (cluster.directory / "state/journal.db").write_bytes(b"")
    assert start(cluster).code != 0
    for file in journal(cluster):
        file.unlink()
    for file, content in kept.items():
        file.write_bytes(content)
    cluster.start_controller()
    assert len(cluster.run("squeue", "-h").lines) == 1


def test_a_clean_start_makes_a_new_secret(own_cluster):
    cluster = own_cluster
    secret = cluster.directory / "state/secret"
    old = secret.read_bytes()
    assert len(old) == 32 and secret.stat().st_mode & 0o777 == 0o600
    cluster.stop_controller()
    start(cluster, "-c").ok()
    wait_for(cluster.controller_is_up, "slurmctld")
    assert secret.read_bytes() != old
    cluster.stop_controller()
    for damage in (lambda: secret.write_bytes(b""), lambda: secret.chmod(0o644)):
        secret.write_bytes(old)
        secret.chmod(0o600)
        damage()
        refused = start(cluster)
        assert refused.code != 0 and "secret" in refused.err
    secret.unlink()
    cluster.start_controller()
    assert len(secret.read_bytes()) == 32


def test_logs_are_not_written_through_links(own_cluster):
    cluster = own_cluster
    log = next((cluster.directory / "log").glob("slurmctld*"))
    target = cluster.directory / "target"
    target.write_text("mine\n")
    cluster.stop_controller()
    log.unlink()
    log.symlink_to(target)
    start(cluster).ok()
    wait_for(cluster.controller_is_up, "slurmctld")
    assert target.read_text() == "mine\n"
    log.unlink()
    Path(log).touch()
