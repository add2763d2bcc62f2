"""Reservations: who may use them, how they are shown, and what happens to jobs when they end."""
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=4, conf="Licenses=matlab:10\nPartitionName=half Nodes=n[1-2] State=UP\n")


@pytest.fixture(autouse=True)
def none_left(cluster):
    yield
    cluster.cancel_all()
    for name in re.findall(r"^ReservationName=(\S+)", cluster.run("scontrol", "show", "reservation").out, re.M):
        cluster.run("scontrol", "delete", f"reservation={name}").ok()


def create(cluster, *words):
    return cluster.run("scontrol", "create", "reservation", *words)


def created(cluster, name, *words, start="now", duration="60", users="root"):
    out = create(cluster, f"reservationname={name}", f"starttime={start}", f"duration={duration}",
                 *([f"users={users}"] if users else []), *words).ok().out
    assert out == f"Reservation created: {name}\n"


def shown(cluster, name):
    return cluster.run("scontrol", "show", "reservation", name).ok().out


def fields(cluster, name):
    return dict(word.split("=", 1) for word in shown(cluster, name).split() if "=" in word)


def update(cluster, name, *words):
    return cluster.run("scontrol", "update", f"reservation={name}", *words)


def sleep(cluster, *args):
    return cluster.sbatch("--mem=10", *args, "--wrap", "sleep 100")


def running(cluster, *args):
    return cluster.wait_state(sleep(cluster, *args), "RUNNING")


def test_one_keeps_others_out_and_serves_its_own(cluster):
    created(cluster, "tests", "nodes=n1")
    assert "State=ACTIVE" in shown(cluster, "tests")
    assert re.search(r"^tests +ACTIVE .* n1$", cluster.run("sinfo", "-T").ok().out, re.M)
    assert running(cluster, "-t", "5")["NodeList"] == "n2"
    mine = running(cluster, "-t", "5", "--reservation=tests")
    assert mine["NodeList"] == "n1" and mine["Reservation"] == "tests"
    assert cluster.run("squeue", "-h", "-R", "tests", "-o", "%i").out.split() == [mine["JobId"]]
    outside = sleep(cluster, "-t", "5", "-w", "n1")
    cluster.wait_reason(outside, "ReqNodeNotAvail,.*|Priority|Resources")
    in_use = cluster.run("scontrol", "delete", "reservation=tests")
    assert in_use.code == 1 and "Requested reservation is in use" in in_use.err


def test_the_layout_is_the_references(cluster):
    created(cluster, "r", "nodes=n1", "flags=maint,daily", "maxstartdelay=5", start="now+1hour")
    text = shown(cluster, "r")
    when = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"
    assert re.fullmatch(
        rf"ReservationName=r StartTime={when} EndTime={when} Duration=01:00:00\n"
        r"   Nodes=n1 NodeCnt=1 CoreCnt=\d+ Features=\(null\) PartitionName=\(null\) Flags=MAINT,DAILY,SPEC_NODES\n"
        r"   TRES=cpu=\d+\n"
        r"   Users=root Groups=\(null\) Accounts=\(null\) Licenses=\(null\) State=INACTIVE BurstBuffer=\(null\) Watts=n/a\n"
        r"   MaxStartDelay=00:05:00\n\n", text), text


def test_words_that_cannot_be_are_refused(cluster):
    base = ("starttime=now", "duration=60", "nodes=n1", "users=root")
    for words, message in (
            (("duration=60", "nodes=n1", "users=root"), "A start time must be given"),
            (("starttime=now", "nodes=n1", "users=root"), "An end time or duration must be given"),
            (("starttime=now", "duration=60", "users=root"), "CoreCnt, Nodes, NodeCnt"),
            (("starttime=now", "duration=60", "nodes=n1"), "Either Users/Groups and/or Accounts must be specified"),
            ((*base, "bogus=1"), "Unknown parameter bogus=1"),
            ((*base, "flags=nope"), "Error parsing flags nope"),
            ((*base, "groups=root"), "Users and Groups are mutually exclusive"),
            ((*base, "flags=replace"), "Invalid node name specified"),
            (("starttime=now", "duration=60", "nodes=n99", "users=root"), "Invalid node name specified"),
            (("starttime=now", "duration=60", "nodes=n1", "users=nosuchuser"), "Invalid user id"),
            (("starttime=now", "duration=60", "nodes=n1", "groups=nosuchgroup"), "Invalid group id"),
            (("starttime=now", "duration=60", "nodecnt=x", "users=root"), "Invalid node count x"),
            (("starttime=now", "duration=60", "nodecnt=1", "users=root", "features=nope"), "Invalid feature"),
            (("starttime=now", "duration=60", "corecnt=4000", "users=root"), "Requested nodes are busy"),
            (("starttime=now", "duration=60", "licenses=nope:1", "flags=any_nodes", "users=root"), "Invalid license"),
            (("starttime=now", "endtime=now-1hour", "nodes=n1", "users=root"), "Start time cannot be after end time")):
        refused = create(cluster, *words)
        assert refused.code == 1 and message in refused.err, (words, refused.err)
    created(cluster, "one", "nodes=n1")
    assert "Duplicate reservation name" in create(cluster, "reservation=one", *base[:2], "nodes=n2", "users=root").err
    assert "overlaps with another reservation" in create(cluster, *base).err
    assert "Requested reservation is invalid" in cluster.run("sbatch", "--reservation=nope", "--wrap", "true").err


def test_one_that_comes_again_keeps_its_nodes(cluster):
    created(cluster, "daily", "nodes=n1", "flags=daily", start="now+1hour")
    assert "overlaps with another reservation" in create(
        cluster, "starttime=now+49hours", "duration=5", "nodes=n1", "users=root").err
    created(cluster, "other", "nodecnt=1", start="now+49hours")
    assert fields(cluster, "other")["Nodes"] == "n2"


def test_one_that_has_begun_does_not_begin_later(cluster):
    created(cluster, "soon", "nodes=n1", start="now+1hour")
    created(cluster, "now", "nodes=n2")
    for name, start, error in (("soon", "2020-01-01", "Invalid time specified"),
                               ("now", "now+1hour", "Reservation already started")):
        refused = cluster.run("scontrol", "update", f"reservationname={name}", f"starttime={start}")
        assert (refused.code, refused.err.splitlines()) == (
            1, [f"Error updating the reservation: {error}", f"slurm_update error: {error}"])


def test_all_nodes_of_a_partition_are_those_of_that_partition(cluster):
    created(cluster, "half", "nodes=all", "partition=half", start="now+3hours")
    assert fields(cluster, "half")["Flags"] == "SPEC_NODES,PART_NODES" and fields(cluster, "half")["Nodes"] == "n[1-2]"


def test_nodes_are_found_by_number_partition_and_share(cluster):
    created(cluster, "two", "nodecnt=1,1", start="now+1hour")
    assert fields(cluster, "two")["Nodes"] == "n[1-2]" and fields(cluster, "two")["PartitionName"]
    created(cluster, "later", "tres=node=1", start="now+1hour")
    assert fields(cluster, "later")["Nodes"] == "n3"
    created(cluster, "half", "nodes=all", "partition=half", "flags=part_nodes", start="now+3hours")
    assert fields(cluster, "half")["Flags"] == "SPEC_NODES,PART_NODES" and fields(cluster, "half")["NodeCnt"] == "2"


def test_some_cores_of_a_node_are_kept(cluster):
    created(cluster, "part", "corecnt=2", "nodes=n1")
    assert fields(cluster, "part")["CoreCnt"] == "2"
    cpus = int(cluster.run("sinfo", "-h", "-n", "n1", "-o", "%c").out.split()[0])
    kept = int(fields(cluster, "part")["TRES"].split("=")[1])
    running(cluster, "-t", "5", "-N1", "-w", "n1", f"-n{cpus - kept}")
    running(cluster, "-t", "5", "-N1", "--reservation=part", f"-n{kept}")
    sleep(cluster, "-t", "5", "-N1", "--reservation=part")


@pytest.mark.ours
def test_kept_cores_are_named(cluster):
    created(cluster, "part", "corecnt=2,3", "nodes=n[1-2]")
    assert "\n     NodeName=n1 CoreIDs=0-1\n     NodeName=n2 CoreIDs=0-2\n" in shown(cluster, "part")


def test_who_may_use_one(cluster):
    created(cluster, "other", "nodes=n1", users="nobody")
    denied = cluster.run("sbatch", "--reservation=other", "--wrap", "true")
    assert denied.code == 1 and "Access denied to requested reservation" in denied.err
    update(cluster, "other", "users+=root").ok()
    assert fields(cluster, "other")["Users"] == "nobody,root"
    running(cluster, "-t", "5", "--reservation=other")
    update(cluster, "other", "users-=nobody").ok()
    assert fields(cluster, "other")["Users"] == "root"
    lacking = update(cluster, "other", "users-=root")
    assert lacking.code == 1 and "lacks users, groups or accounts" in lacking.err
    created(cluster, "crew", "nodes=n2", "groups=daemon", users=None)
    assert "Access denied" in cluster.run("sbatch", "--reservation=crew", "--wrap", "true").err
    created(cluster, "accounts", "nodes=n3", "accounts=-physics", users=None)
    assert "Access denied" in cluster.run("sbatch", "--reservation=accounts", "-A", "physics", "--wrap", "true").err
    running(cluster, "-t", "5", "--reservation=accounts", "-A", "chemistry")


def test_updates_change_flags_nodes_and_times(cluster):
    created(cluster, "u", "nodes=n1", start="now+1hour")
    update(cluster, "u", "flags=maint").ok()
    update(cluster, "u", "flags+=flex").ok()
    assert fields(cluster, "u")["Flags"] == "MAINT,FLEX,SPEC_NODES"
    update(cluster, "u", "flags-=maint").ok()
    update(cluster, "u", "nodes=n[2-3]", "duration=30").ok()
    assert fields(cluster, "u")["Nodes"] == "n[2-3]" and fields(cluster, "u")["Duration"] == "00:30:00"
    update(cluster, "u", "duration+=30").ok()
    assert fields(cluster, "u")["Duration"] == "01:00:00"
    assert "not skipable" in update(cluster, "u", "skip").err
    before = fields(cluster, "u")["StartTime"]
    update(cluster, "u", "flags+=daily").ok()
    update(cluster, "u", "skip").ok()
    assert fields(cluster, "u")["StartTime"] > before
    assert "Core-based reservation can not be updated" in update(cluster, "u", "corecnt=2").err
    assert "Requested reservation is invalid" in update(cluster, "nope", "duration=5").err


def test_several_names_and_magnetic_ones(cluster):
    created(cluster, "a", "nodes=n1")
    created(cluster, "b", "nodes=n2")
    assert running(cluster, "-t", "5", "--exclusive", "--reservation=a,b")["NodeList"] == "n1"
    assert running(cluster, "-t", "5", "--exclusive", "--reservation=a,b")["NodeList"] == "n2"
    created(cluster, "m", "nodes=n4", "flags=magnetic")
    drawn = running(cluster, "-t", "5")
    assert drawn["NodeList"] == "n4" and drawn["Reservation"] == "m"


def test_a_waiting_job_moves_to_another_one(cluster):
    created(cluster, "a", "nodes=n1", start="now+1hour")
    created(cluster, "b", "nodes=n2")
    job = sleep(cluster, "-t", "5", "--reservation=a")
    cluster.wait_reason(job, "Reservation")
    cluster.run("scontrol", "update", f"job={job}", "reservation=b").ok()
    assert cluster.wait_state(job, "RUNNING")["NodeList"] == "n2"


def test_licenses_are_kept(cluster):
    created(cluster, "lic", "licenses=matlab:6", "flags=any_nodes")
    assert fields(cluster, "lic")["Licenses"] == "matlab:6"
    cluster.wait_reason(sleep(cluster, "-t", "5", "-L", "matlab:5"), "Licenses")
    running(cluster, "-t", "5", "-L", "matlab:5", "--reservation=lic")


def test_licenses_are_shown(cluster):
    show = lambda *more: cluster.run("scontrol", "show", "licenses", *more).ok().out
    assert show() == "LicenseName=matlab\n    Total=10 Used=0 Free=10 Reserved=0 Remote=no\n"
    created(cluster, "lic", "licenses=matlab:6", "flags=any_nodes")
    job = sleep(cluster, "-t", "5", "-L", "matlab:3")
    cluster.wait_state(job, "RUNNING")
    assert show("matlab") == "LicenseName=matlab\n    Total=10 Used=3 Free=7 Reserved=6 Remote=no\n"
    assert cluster.run("scontrol", "-o", "show", "lic").ok().out == (
        "LicenseName=matlab Total=10 Used=3 Free=7 Reserved=6 Remote=no\n")
    assert show("nope") == ""



def test_a_job_that_would_run_into_one_waits(cluster):
    created(cluster, "soon", "nodes=ALL", start="now+30minutes")
    assert fields(cluster, "soon")["Flags"] == "SPEC_NODES,ALL_NODES"
    long = sleep(cluster, "-t", "40")
    cluster.wait_reason(long, "ReqNodeNotAvail, Reserved for maintenance")
    running(cluster, "-t", "20")
    cluster.wait_reason(sleep(cluster, "--reservation=soon"), "Reservation")


@pytest.mark.ours
def test_explain_names_the_one_that_a_job_would_run_into(cluster):
    created(cluster, "soon", "nodes=ALL", start="now+30minutes")
    long = sleep(cluster, "-t", "40")
    cluster.wait_reason(long, "ReqNodeNotAvail, Reserved for maintenance")
    text = cluster.run("muster", "explain", long).ok().out
    assert "The reservation soon begins at " in text, text


def test_nodes_in_use_are_not_reserved_unless_jobs_are_ignored(cluster):
    running(cluster, "-t", "15", "-w", "n3")
    assert "Requested nodes are busy" in create(cluster, "starttime=now", "duration=5", "nodes=n3", "users=root").err
    created(cluster, "later", "nodes=n3", start="now+20minutes")
    created(cluster, "anyway", "nodes=n3", "flags=ignore_jobs", duration="10")


@pytest.mark.ours  # Slurm looks at its nodes' states now and then
def test_nodes_show_that_they_are_kept(cluster):
    created(cluster, "kept", "nodes=n1")
    created(cluster, "mended", "nodes=n2", "flags=maint")
    states = dict(line.split() for line in cluster.run("sinfo", "-hN", "-o", "%N %t").out.splitlines())
    assert states == {"n1": "resv", "n2": "maint", "n3": "idle", "n4": "idle"}
    for state, names in (("maint", ["n2"]), ("resv", ["n1", "n2"]), ("drng", []), ("plnd", []), ("reboot^", [])):
        assert cluster.run("sinfo", "-hN", "-p", "batch", "-t", state, "-o", "%N").ok().lines == names
    assert "State=IDLE+MAINTENANCE+RESERVED " in cluster.run("scontrol", "show", "node", "n2").out
    running(cluster, "-t", "5", "--reservation=mended")
    wait_for(lambda: "mix$" in cluster.run("sinfo", "-hN", "-n", "n2", "-o", "%t").out, "a mark")


@pytest.mark.ours  # a minute with Slurm, which checks every half minute
def test_jobs_when_it_ends(cluster):
    created(cluster, "short", "nodes=n1")
    created(cluster, "kind", "nodes=n2", "flags=no_hold_jobs_after")
    inside = running(cluster, "-t", "10", "--exclusive", "--reservation=short")["JobId"]
    waiting = sleep(cluster, "-t", "10", "--exclusive", "--reservation=short")
    running(cluster, "-t", "10", "--exclusive", "--reservation=kind")
    freed = sleep(cluster, "-t", "10", "--exclusive", "--reservation=kind")
    for name in ("short", "kind"):
        update(cluster, name, "endtime=now+2seconds").ok()
    ended = cluster.wait_end(inside)
    assert ended["JobState"] == "TIMEOUT"
    wait_for(lambda: cluster.job(waiting)["JobState"] == "RESV_DEL_HOLD", "a held job")
    job = cluster.job(waiting)
    assert job["Reason"] == "Reservation_short_was_deleted" and "Reservation" not in job
    assert cluster.run("squeue", "-h", "-j", waiting, "-o", "%t %r").out.strip() == "RD Reservation short was deleted"
    cluster.wait_state(freed, "RUNNING")
    cluster.run("scontrol", "release", waiting).ok()
    cluster.wait_state(waiting, "RUNNING")


@pytest.mark.ours
def test_a_node_that_goes_down_is_replaced(cluster):
    created(cluster, "moves", "nodecnt=1")
    created(cluster, "stays", "nodecnt=1", "flags=static")
    before = fields(cluster, "moves")["Nodes"], fields(cluster, "stays")["Nodes"]
    cluster.run("scontrol", "update", "nodename=n[1-2]", "state=drain", "reason=test").ok()
    wait_for(lambda: fields(cluster, "moves")["Nodes"] == "n3", "another node")
    assert before == ("n1", "n2") and fields(cluster, "stays")["Nodes"] == "n2"
    cluster.run("scontrol", "update", "nodename=n[1-2]", "state=resume").ok()


def test_nodes_that_a_job_uses_are_replaced_at_once(cluster):
    created(cluster, "rr", "nodecnt=2", "flags=replace")
    before = fields(cluster, "rr")["Nodes"]
    cluster.run("srun", "--mem=100", "--reservation=rr", "true").ok()
    assert fields(cluster, "rr")["Nodes"] != before


@pytest.mark.ours
def test_one_survives_a_restart_of_the_controller(cluster):
    created(cluster, "kept", "nodecnt=1", "corecnt=1", "flags=maint", start="now+3600")
    before = cluster.run("scontrol", "-o", "show", "reservation").out
    cluster.stop_controller()
    cluster.start_controller()
    assert cluster.run("scontrol", "-o", "show", "reservation").out == before


def test_two_words_name_the_one_to_delete(cluster):
    cluster.run("scontrol", "create", "reservationname=two", "starttime=now+1hour", "duration=10", "users=root", "nodes=n1").ok()
    cluster.run("scontrol", "delete", "reservation", "two").ok()
    assert "two not found" in cluster.run("scontrol", "show", "reservation", "two").out


@pytest.mark.as_root
def test_users_make_none(cluster, alice):
    refused = cluster.run("scontrol", "create", "reservationname=own", "starttime=now+1hour", "duration=10", "users=alice",
                          "nodes=n1", user=alice)
    assert (refused.code, refused.err) == (1, "Error creating the reservation: Invalid user id\n")


def test_one_without_nodes_says_so_in_the_table(cluster):
    cluster.run("scontrol", "create", "reservationname=bare", "starttime=now+1hour", "duration=10", "users=root",
                "licenses=matlab:1", "flags=any_nodes").ok()
    row = next(line for line in cluster.run("sinfo", "-h", "-T").ok().lines if line.startswith("bare"))
    assert row.split()[-1] == "(null)"
    cluster.run("scontrol", "delete", "reservationname=bare").ok()
