"""sacctmgr: every command line of the replay file gives the output and exit code of the reference.

On the reference it needs slurmdbd and MariaDB, which are started below the cluster's directory. With
MUSTER_REPLAY_RECORD=FILE what was printed is written there: that is how the file was made.
"""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import databases
import muster
import replay
from muster import BIN, SBIN, USER, Cluster, is_reference, wait_for

REPLAY = Path(__file__).parent / "replay"


class Database:
    """MariaDB and slurmdbd of the reference, both in the cluster's directory."""

    def __init__(self, cluster):
        self.cluster, self.port = cluster, cluster.ports.base + 38
        self.server = None

    def start(self):
        place = self.cluster.directory / "db"
        place.mkdir()
        shutil.chown(place, "mysql")
        subprocess.run(["mariadb-install-db", "--no-defaults", "--user=mysql", f"--datadir={place}",
                        "--auth-root-authentication-method=normal"], check=True, capture_output=True)
        with open(self.cluster.directory / "log/mariadb.log", "w") as log:
            self.server = subprocess.Popen(
                ["mariadbd", "--no-defaults", "--user=mysql", f"--datadir={place}", f"--socket={place}/socket",
                 f"--port={self.port}", "--bind-address=127.0.0.1"], stdout=log, stderr=log)
        wait_for(lambda: self.sql("select 1").returncode == 0, "MariaDB to answer")
        self.sql("create user slurm@'127.0.0.1' identified by 'slurm'; grant all on *.* to slurm@'127.0.0.1'")
        conf = self.cluster.directory / "etc/slurmdbd.conf"
        conf.write_text(f"""\
AuthType=auth/munge
{self.cluster.munge.conf}
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={self.port + 1}
SlurmUser={USER}
LogFile={self.cluster.directory}/log/slurmdbd.log
PidFile={self.cluster.directory}/run/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={self.port}
StorageUser=slurm
StoragePass=slurm
StorageLoc=accounting
""")
        conf.chmod(0o600)
        self.cluster.run(SBIN / "slurmdbd").ok()
        wait_for(lambda: self.cluster.run("sacctmgr", "-n", "show", "cluster").code == 0, "slurmdbd to answer")

    def sql(self, text):
        return subprocess.run(["mariadb", "--no-defaults", "-S", self.cluster.directory / "db/socket", "-e", text],
                              capture_output=True)

    def stop(self):
        self.cluster._stop(self.cluster.directory / "run/slurmdbd.pid", muster.signal.SIGTERM)
        if self.server:
            self.server.terminate()
            self.server.wait()


class ReferenceCluster(Cluster):
    """slurmctld of the reference with its accounting."""

    def __post_init__(self):
        super().__post_init__()
        self.has_accounting = True
        port = self.ports.base + 39
        self.conf += (f"AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageHost=127.0.0.1\n"
                      f"AccountingStoragePort={port}\n")
        self.database = Database(self)

    def start_controller(self):
        self.database.start()
        self.run("sacctmgr", "-i", "add", "cluster", "e2e").ok()
        super().start_controller()

    def down(self):
        super().down()
        self.database.stop()


def make_cluster():
    options = dict(nodes=1, conf="AccountingStorageTRES=gres/gpu\n")
    if not is_reference():
        return databases.usual_cluster(**options)
    needed = [program for program in ("mariadbd", "mariadb-install-db", "slurmdbd") if not shutil.which(program)]
    if needed or not muster.IS_ROOT:
        pytest.skip(f"the reference needs root and {', '.join(needed)}")
    return ReferenceCluster(**options)


@pytest.fixture(scope="module")
def site():
    cluster = make_cluster()
    try:
        cluster.munge.start()
        cluster.write_config()
        cluster.prepare()
        cluster.start_controller()
        yield cluster
    finally:
        cluster.down()


def test_every_command_line_says_what_the_reference_says(site):
    steps = replay.parse((REPLAY / "sacctmgr.txt").read_text())
    mine = "reference" if is_reference() else "ours"
    recorded, wrong = [], []
    for step in steps:
        if step.where not in ("", mine):
            recorded.append(step)
            continue
        now = replay.run(step, site.run)
        recorded.append(now)
        if not replay.same(now, step):
            wrong.append(f"--- expected\n{replay.write(step)}--- got\n{replay.write(now)}")
    if file := os.environ.get("MUSTER_REPLAY_RECORD"):
        Path(file).write_text("".join(map(replay.write, recorded)))
    assert not wrong, f"{len(wrong)} of {len(steps)} differ:\n" + "\n".join(wrong)


def shown(site, *words):
    return site.run("sacctmgr", "-nP", "show", *words).ok().lines


def change(site, *words, user=None):
    return site.run("sacctmgr", "-i", *words, user=user)


def test_a_dump_can_be_loaded_and_gives_the_same_tree(site, tmp_path):
    change(site, "add", "account", "dumped", "Description=a dump", "Fairshare=7", "GrpTRES=cpu=3,mem=10G").ok()
    change(site, "add", "account", "inner", "parent=dumped", "MaxWall=1-02:00:00").ok()
    change(site, "add", "user", "dora", "account=inner", "MaxJobs=2").ok()
    file = tmp_path / "site.cfg"
    site.run("sacctmgr", "dump", "e2e", f"file={file}").ok()
    fields = "format=account,user,parentname,fairshare,grptres,maxjobs,maxwall"
    before = shown(site, "assoc", fields)
    change(site, "delete", "user", "dora").ok()
    change(site, "delete", "account", "dumped").ok()
    assert shown(site, "assoc", fields) != before
    change(site, "load", f"file={file}").ok()
    assert shown(site, "assoc", fields) == before
    assert shown(site, "account", "dumped", "format=description") == ["a dump"]


def test_commands_are_read_line_by_line_without_arguments(site):
    done = site.run("sacctmgr", "-i", "-n", "-P", input="add account typed\nshow account typed format=account\nquit\n")
    assert done.code == 0
    assert "Adding Account(s)" in done.out and "\ntyped\n" in done.out


def test_a_read_only_session_changes_nothing(site):
    done = site.run("sacctmgr", "-r", "-i", "add", "account", "never")
    assert done.code == 1 and done.err == "Can't run this command in readonly mode.\n"
    assert shown(site, "account", "never") == []


@pytest.mark.as_root
def test_a_user_without_rights_changes_nothing(site, alice):
    change(site, "add", "account", "guarded").ok()
    for words in (["modify", "account", "guarded", "set", "maxjobs=1"], ["add", "account", "hers"],
                  ["delete", "account", "guarded"], ["add", "user", "alice", "account=guarded"]):
        done = change(site, *words, user=alice)
        assert done.code != 0, words
    assert shown(site, "account", "guarded", "format=account") == ["guarded"]
    assert shown(site, "account", "hers") == []


def test_a_job_that_has_ended_gets_a_comment(site):
    job = site.sbatch("--hold", "--wrap", "true")
    site.run("scancel", job).ok()
    wait_for(lambda: site.sacct("-X", "-j", job, "-o", "state") != [], "the job's record")
    done = change(site, "update", "job", "where", f"jobid={job}", "set", "AdminComment=JS1:eyJhIjoxfQ").ok()
    assert done.lines[0] == " Modified jobs..."
    assert re.fullmatch(rf"  {job} submitted at \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d", done.lines[1])
    kept = "js1:eyjhijoxfq" if is_reference() else "JS1:eyJhIjoxfQ"  # later releases keep it as it is, too
    wait_for(lambda: site.sacct("-X", "-j", job, "-o", "admincomment") == [kept], "the comment in accounting")
    none = change(site, "update", "job", "where", "jobid=999999", "set", "AdminComment=x")
    assert none.code == 1 and " Nothing modified" in none.out
