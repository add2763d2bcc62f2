"""slurmdbd: accounts and accounting in a database, on each of the databases in MUSTER_DATABASES."""
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

import databases
import muster
from databases import DbdCluster
from muster import Cluster, wait_for

pytestmark = [pytest.mark.ours, pytest.mark.as_root]
CONF = "AccountingStorageEnforce=associations,limits,qos\n"


@pytest.fixture(scope="module", params=os.environ.get("MUSTER_DATABASES", "mariadb").split())
def module_cluster(request):
    if missing := databases.missing(request.param):
        pytest.skip(f"needs {', '.join(missing)}")
    cluster = DbdCluster(database=request.param, nodes=2, cpus=8, conf=CONF).up()
    yield cluster
    cluster.down()


def change(cluster, *words, **options):
    return cluster.run("sacctmgr", "-i", *words, **options)


@pytest.fixture(autouse=True)
def everything_runs(cluster):
    """Each test finds the database, slurmdbd and the controller running and connected."""
    wait_for(cluster.is_connected, "the controller at slurmdbd")
    yield
    if getattr(cluster.database, "process", True) is None:
        cluster.database.start()
    if not cluster.dbd.pid or not muster.is_alive(cluster.dbd.pid):
        cluster.dbd.start()
    if not cluster.controller_is_up():
        cluster.start_controller()


@pytest.fixture
def lab(cluster, everything_runs, alice):
    """Account lab, of which alice and root are users."""
    change(cluster, "delete", "account", "lab")
    change(cluster, "add", "account", "lab", "Description=the lab").ok()
    change(cluster, "add", "user", f"{alice},root", "account=lab").ok()
    yield "lab"
    cluster.cancel_all()
    change(cluster, "delete", "account", "lab")


def rows(cluster, *args):
    return cluster.run("sacct", "-n", "-P", "-X", "-a", *args).ok().lines


def test_a_job_and_its_steps_are_in_the_database_with_their_ends(cluster, lab, alice):
    good = cluster.sbatch("-J", "good", "--wrap", "srun true", user=alice)
    bad = cluster.sbatch("-J", "bad", "--wrap", "exit 3", user=alice)
    for job in (good, bad):
        cluster.wait_end(job)
    cluster.wait_sacct([rf"{good}\|lab\|COMPLETED\|0:0", rf"{good}.batch\|lab\|COMPLETED\|0:0", rf"{good}.0\|lab\|COMPLETED\|0:0"],
                       "-a", "-j", good, "-o", "jobid,account,state,exitcode")
    cluster.wait_sacct([r"FAILED\|3:0\|alice\|e2e"], "-a", "-X", "-j", bad, "-o", "state,exitcode,user,cluster")


def test_a_job_is_there_as_soon_as_sbatch_has_answered(cluster, lab, alice):
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    assert cluster.run("sacct", "-n", "-P", "-j", job, "-o", "jobid,state", user=alice).ok().lines == [f"{job}|PENDING"]


def test_limits_and_qos_count_at_once(cluster, lab, alice):
    change(cluster, "modify", "user", alice, "set", "MaxJobs=1").ok()
    first = cluster.sbatch("--wrap", "sleep 60", user=alice)
    cluster.wait_state(first, "RUNNING")
    second = cluster.sbatch("--wrap", "sleep 60", user=alice)
    cluster.wait_reason(second, "AssocMaxJobsLimit")
    change(cluster, "modify", "user", alice, "set", "MaxJobs=-1").ok()
    cluster.wait_state(second, "RUNNING")
    refused = cluster.run("sbatch", "--qos=fast", "--wrap", "true", user=alice)
    assert refused.code == 1 and "Invalid qos specification" in refused.err
    change(cluster, "add", "qos", "fast", "MaxJobsPerUser=1").ok()
    change(cluster, "modify", "user", alice, "set", "qos+=fast").ok()
    third = cluster.sbatch("--qos=fast", "--wrap", "sleep 60", user=alice)
    cluster.wait_state(third, "RUNNING")
    fourth = cluster.sbatch("--qos=fast", "--wrap", "sleep 60", user=alice)
    cluster.wait_reason(fourth, "QOSMaxJobsPerUserLimit")
    cluster.cancel_all()
    change(cluster, "delete", "qos", "fast").ok()


def test_users_without_rights_change_nothing_and_see_what_they_may(cluster, lab, alice, bob):
    assert change(cluster, "add", "account", "mine", user=bob).code == 1
    assert change(cluster, "modify", "user", alice, "set", "MaxJobs=99", user=alice).code == 1
    assert "Invalid account" in cluster.run("sbatch", "--wrap", "true", user=bob).err
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    assert cluster.run("sacct", "-n", "-P", "-j", job, user=bob).ok().lines == []
    assert cluster.run("sacctmgr", "shutdown", user=bob).code == 1
    assert muster.is_alive(cluster.dbd.pid)


def test_an_account_stays_while_jobs_use_it(cluster, lab, alice):
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    refused = change(cluster, "delete", "account", "lab")
    assert refused.code == 1 and job in refused.out + refused.err
    cluster.run("scancel", job).ok()
    change(cluster, "delete", "account", "lab").ok()


def test_the_cluster_has_registered(cluster):
    host, port = cluster.run("sacctmgr", "-nP", "show", "cluster", "format=cluster,controlhost,controlport").ok().out.strip().split("|")[1:]
    assert (host, int(port)) == ("127.0.0.1", cluster.ports.base)
    cluster.stop_controller()
    absent = lambda: cluster.run("sacctmgr", "-nP", "show", "cluster", "format=cluster,controlhost,controlport").out.strip()
    wait_for(lambda: absent() == "e2e||0", absent)
    refused = cluster.run("sacct", "-n", "-X")
    assert refused.code == 0 and "slurmctld of cluster e2e does not answer slurmdbd" in refused.err
    cluster.start_controller()


def test_changes_reach_a_controller_that_was_away(cluster, lab, alice, bob):
    cluster.stop_controller()
    change(cluster, "add", "user", bob, "account=lab").ok()
    change(cluster, "modify", "user", alice, "set", "MaxSubmitJobs=0").ok()
    cluster.start_controller()
    wait_for(lambda: cluster.run("sbatch", "-H", "--wrap", "true", user=bob).code == 0, "bob to be known")
    wait_for(lambda: cluster.run("sbatch", "-H", "--wrap", "true", user=alice).code == 1, "alice's limit")


def test_while_slurmdbd_is_away_jobs_go_on_and_the_commands_say_so(cluster, lab, alice, bob):
    cluster.dbd.stop()
    cluster.stop_controller()
    cluster.start_controller()  # it knows the accounts all the same
    job = cluster.sbatch("--wrap", "exit 4", user=alice)
    cluster.wait_state(job, "FAILED")
    assert "Invalid account" in cluster.run("sbatch", "--wrap", "true", user=bob).err
    for command in (("sacct", "-j", job), ("sacctmgr", "show", "account"), ("seff", job)):
        done = cluster.run(*command)
        assert done.code == 1 and f"slurmdbd at 127.0.0.1:{cluster.dbd.port}" in done.err, (command, done)
    assert cluster.run("sacctmgr", "ping").code == 1
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    cluster.dbd.start()
    wait_for(cluster.is_connected, "the controller at slurmdbd")
    cluster.wait_sacct([rf"{job}\|FAILED\|4:0"], "-X", "-a", "-j", job, "-o", "jobid,state,exitcode")


def test_a_controller_that_forgets_its_jobs_keeps_the_accounts(cluster, alice, bob):
    other = DbdCluster(dbd=cluster.dbd, nodes=1, conf=CONF + "ClusterName=forgets\n")
    try:
        other.up()
        change(other, "add", "account", "kept", "cluster=forgets").ok()
        change(other, "add", "user", alice, "account=kept", "cluster=forgets").ok()
        cluster.dbd.stop()
        other.stop_controller()
        other.start_controller("-c")
        assert "Invalid account" in other.run("sbatch", "--wrap", "true", user=bob).err
        other.sbatch("-H", "--wrap", "true", user=alice)
    finally:
        cluster.dbd.stop()
        cluster.dbd.start()
        other.down()
    wait_for(lambda: change(cluster, "delete", "cluster", "forgets").code == 0, "the cluster to be removed")
    change(cluster, "delete", "account", "kept")


def test_records_after_a_restored_state_are_not_taken_for_older_ones(cluster):
    other = DbdCluster(dbd=cluster.dbd, nodes=1, conf="ClusterName=restored\n")
    state, copy = other.directory / "state", other.directory / "copy"

    def run(name):
        job = other.sbatch("-J", name, "--wrap", "true")
        other.wait_sacct([rf"{name}\|COMPLETED"], "-X", "-a", "-j", job, f"--name={name}", "-o", "jobname,state")

    try:
        other.up()
        other.stop_controller()
        shutil.copytree(state, copy)
        other.start_controller()
        for name in ("first", "second", "third"):
            run(name)
        other.stop_controller()
        shutil.rmtree(state)
        shutil.copytree(copy, state)
        other.start_controller()
        run("after")
    finally:
        other.down()
    wait_for(lambda: change(cluster, "delete", "cluster", "restored").code == 0, "the cluster to be removed")


def test_a_second_controller_of_a_cluster_is_turned_away(cluster, lab, alice):
    double = Cluster(nodes=1, conf="AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                                   f"AccountingStoragePort={cluster.dbd.port}\n")
    log = cluster.dbd.directory / "log/slurmdbd.log"
    try:
        double.up()
        wait_for(lambda: "another slurmctld of cluster e2e is connected" in log.read_text(), "slurmdbd to say so")
        assert cluster.is_connected()
        job = cluster.sbatch("--wrap", "true", user=alice)
        cluster.wait_sacct([rf"{job}\|COMPLETED"], "-X", "-a", "-j", job, "-o", "jobid,state")
    finally:
        double.down()


def test_what_is_not_kept_here_is_not_reported_as_nothing(cluster):
    for command in (("sreport", "cluster", "utilization"), ("sacctmgr", "show", "event"), ("sacctmgr", "-i", "show", "runawayjobs")):
        done = cluster.run(*command)
        assert done.code == 1 and "slurmdbd keeps no events, reservations and usage" in done.err + done.out, (command, done)


def test_a_controller_that_was_never_told_waits_for_slurmdbd(cluster):
    cluster.dbd.stop()
    other = DbdCluster(dbd=cluster.dbd, nodes=1, conf=CONF + "ClusterName=early\nMessageTimeout=2\n")
    try:
        other.write_config()
        done = other.run(muster.SBIN / "slurmctld", "-D", "-f", other.config_file)
        assert done.code == 1 and "has never told this controller its accounts" in done.err
    finally:
        other.down()
        cluster.dbd.start()


def test_while_the_database_is_away_nothing_is_lost(cluster, lab, alice):
    if cluster.kind == "sqlite":
        pytest.skip("a file is not away")
    cluster.database.kill()
    job = cluster.sbatch("--wrap", "exit 5", user=alice)
    cluster.wait_state(job, "FAILED")
    done = change(cluster, "add", "account", "never")
    assert done.code == 1 and re.search("MariaDB|PostgreSQL", done.out + done.err)
    assert cluster.run("sacctmgr", "-nP", "show", "account", "lab", "format=account").ok().lines == ["lab"]
    cluster.database.start()
    cluster.wait_sacct([rf"{job}\|FAILED\|5:0"], "-X", "-a", "-j", job, "-o", "jobid,state,exitcode")
    change(cluster, "add", "account", "now").ok()
    change(cluster, "delete", "account", "now").ok()


def test_each_job_is_there_once_whatever_is_killed_meanwhile(cluster, lab, alice):
    dice = random.Random(20261119)
    count = int(os.environ.get("MUSTER_DBD_JOBS", "60"))
    began = time.time()
    submitted = {}  # job: exit code
    def breakage():
        what = dice.choice(["dbd", "database", "controller"] if cluster.kind != "sqlite" else ["dbd", "controller"])
        if what == "dbd":
            cluster.dbd.kill()
            yield
            cluster.dbd.start()
        elif what == "database":
            cluster.database.kill()
            yield
            cluster.database.start()
        else:
            cluster.stop_controller(signal.SIGKILL)
            cluster.start_controller()
            yield

    under_way = None
    for n in range(count):
        code = dice.randrange(0, 8)
        submitted[cluster.sbatch("-o", "/dev/null", "--wrap", f"exit {code}", user=alice)] = code
        if n % 10 == 5:
            under_way = breakage()
            next(under_way)
        elif n % 10 == 9:
            next(under_way, None)
            under_way = None
    next(under_way, None) if under_way else None
    for job in submitted:
        wait_for(lambda: cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").out.strip() in ("", *muster.ENDED), "an end")
    expected = sorted(f"{job}|{'FAILED' if code else 'COMPLETED'}|{code}:0" for job, code in submitted.items())

    def seen():
        return sorted(rows(cluster, "-D", "-j", ",".join(submitted), "-o", "jobid,state,exitcode"))

    wait_for(lambda: seen() == expected, lambda: f"each job once: {set(seen()) ^ set(expected)}")
    for line in rows(cluster, "-j", ",".join(submitted), "-o", "submit,start,end"):
        submit, start, end = (time.mktime(time.strptime(text, "%Y-%m-%dT%H:%M:%S")) for text in line.split("|"))
        assert began - 1 <= submit <= start <= end <= time.time() + 1
    steps = cluster.run("sacct", "-n", "-P", "-a", "-j", ",".join(submitted), "-o", "jobid").ok().lines
    assert len([s for s in steps if s.endswith(".batch")]) == count


def test_two_clusters_share_accounts_and_not_their_jobs(cluster, lab, alice):
    other = DbdCluster(dbd=cluster.dbd, nodes=1, conf=CONF + "ClusterName=second\n")
    try:
        other.up()
        names = cluster.run("sacctmgr", "-nP", "show", "cluster", "format=cluster").ok().lines
        assert names == ["e2e", "second"]
        change(other, "add", "account", "lab", "cluster=second").ok()
        change(other, "add", "user", alice, "account=lab", "cluster=second").ok()
        mine, theirs = cluster.sbatch("-J", "mine", "--wrap", "true", user=alice), other.sbatch("-J", "theirs", "--wrap", "true", user=alice)
        cluster.wait_end(mine)
        other.wait_end(theirs)
        both = {f"{mine}|e2e|mine", f"{theirs}|second|theirs"}
        show = lambda *words: set(rows(cluster, *words, "-o", "jobid,cluster,jobname"))
        assert f"{mine}|e2e|mine" in show() and f"{theirs}|second|theirs" not in show()
        assert show("-M", "second") == {f"{theirs}|second|theirs"}
        assert both <= show("-L") and both <= show("-M", "e2e,second")
        change(cluster, "modify", "user", alice, "where", "cluster=second", "set", "MaxSubmitJobs=0").ok()
        assert other.run("sbatch", "--wrap", "true", user=alice).code == 1
        cluster.sbatch("-H", "--wrap", "true", user=alice)
        held = change(cluster, "delete", "cluster", "second")
        assert held.code == 1 and "connected" in held.out + held.err
    finally:
        other.down()
    wait_for(lambda: change(cluster, "delete", "cluster", "second").code == 0, "the second cluster to be removed")


def test_administrators_can_tell_slurmdbd_to_read_its_file_and_to_end(cluster):
    cluster.run("sacctmgr", "reconfigure").ok()
    cluster.run("sacctmgr", "shutdown").ok()
    wait_for(lambda: not cluster.dbd.pid, "slurmdbd to end")
    cluster.dbd.start()
    assert "is UP" in cluster.run("sacctmgr", "ping").ok().out


def test_tables_of_a_newer_version_are_refused_untouched(cluster):
    if cluster.kind == "sqlite":
        pytest.skip("the same code, and no client to write with")
    cluster.dbd.stop()
    cluster.database.sql("update muster_meta set value = 99 where name = 'format'")
    before = cluster.database.sql("select count(*) from muster_jobs")
    done = cluster.dbd.run("-D")
    assert done.returncode == 1 and "format 99" in done.stderr
    assert cluster.database.sql("select count(*) from muster_jobs") == before
    cluster.database.sql("update muster_meta set value = 2 where name = 'format'")
    cluster.dbd.start()


def test_a_configuration_that_others_can_read_or_that_is_wrong_is_refused(cluster):
    cluster.dbd.stop()
    file = cluster.dbd.config_file
    text = file.read_text()
    file.chmod(0o640)
    done = cluster.dbd.run("-D")
    assert done.returncode == 1 and "chmod 600" in done.stderr
    file.chmod(0o600)
    for line, why in (("Nonsense=1", "slurmdbd.conf:1: Nonsense: not a key of slurmdbd.conf"),
                      ("PurgeJobAfter=soon", "slurmdbd.conf:1: PurgeJobAfter=soon: expected"),
                      ("StorageType=accounting_storage/oracle", "slurmdbd.conf:1: ")):
        file.write_text(line + "\n" + text)
        done = cluster.dbd.run("-D")
        assert done.returncode == 1 and why in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    file.write_text(text.replace("a\\#b c", "wrong"))
    if cluster.kind != "sqlite":
        done = cluster.dbd.run("-D")
        assert done.returncode == 1 and "wrong" not in done.stderr, done.stderr
    file.write_text(text)
    cluster.dbd.start()
