"""sreport: every command line of the replay file gives the output and exit code of the reference.

What was used lies in the past, so it is put into the database by hand: on the reference into MariaDB, here
into accounting.db. Then it is rolled up by the daemon.
"""
import re
import sqlite3
import time
from pathlib import Path

import pytest

import muster
import replay
from muster import is_reference, wait_for
from raw_client import field, message, zigzag
from accounted import accounted_cluster

REPLAY = Path(__file__).parent / "replay"
RECORDS = (Path(__file__).resolve().parents[2] / "src/model/accounts/accounting_record.h").read_text()


def numbers_of(struct):
    body = re.search(rf"struct {struct} \{{.*?\n\}};\n", RECORDS, re.S).group()
    return {name: int(number) for number, name in re.findall(r"v\((\d+), (\w+)\);", body)}


def at(text):
    return int(time.mktime(time.strptime(text, "%Y-%m-%d %H:%M")))


DAY = "2026-01-06 "
# id, user, uid, account, partition, cpus asked for, CPUs, memory, nodes, GPUs, start, end
JOBS = [
    (1, "nobody", 65534, "chem", "batch", 4, 4, 1000, "n1", 2, "00:10", "02:40"),
    (2, "daemon", 1, "phys", "batch", 2, 2, 500, "n1", 0, "02:00", "03:00"),
    (3, "nobody", 65534, "phys", "short", 64, 16, 500, "n[1-2]", 0, "10:00", "10:30"),
]
NODES = {"n1": 1, "n[1-2]": 2}


def tres(cpus, memory, nodes, gpus):
    return f"billing={cpus},cpu={cpus}" + (f",gres/gpu={gpus}" if gpus else "") + f",mem={memory}M,node={nodes}"


def plant_here(cluster):
    """Rows of accounting.db, as slurmctld writes them (src/io/store/sqlite_accounting.h)."""
    job, event = numbers_of("JobRecord"), numbers_of("EventRecord")

    def amounts(text):
        return [(event["tres"], message((1, name), (2, int(amount))))
                for name, amount in (part.split("=") for part in sorted(text.split(",")))]

    cluster.stop_controller()
    with sqlite3.connect(cluster.directory / "state/accounting.db") as db:
        db.execute("delete from events")
        for row in JOBS:
            number, user, uid, account, partition, asked, cpus, memory, nodes, gpus, start, end = row
            times = {"submitted": at(DAY + "00:00"), "eligible": at(DAY + "00:00"), "started": at(DAY + start),
                     "ended": at(DAY + end)}
            values = {"job": number, "attempt": 1, "name": "j", "partition": partition, "account": account,
                      "user_name": user, "cluster": "e2e", "uid": uid, "gid": uid, "state": COMPLETED,
                      "state_text": "COMPLETED", "requested_cpus": asked, "requested_nodes": NODES[nodes],
                      "allocated_cpus": cpus, "allocated_nodes": NODES[nodes], "nodes": nodes,
                      "allocated_tres": tres(cpus, memory, NODES[nodes], gpus)}
            values |= {name: zigzag(seconds * 1000) for name, seconds in times.items()}
            record = message(*sorted((job[name], value) for name, value in values.items()))
            db.execute("insert into jobs(job, attempt, array_id, uid, user_name, submitted_ms, ended_ms, record, "
                       "started_ms) values (?, 1, 0, ?, ?, ?, ?, ?, ?)",
                       (number, uid, user, times["submitted"] * 1000, times["ended"] * 1000, record,
                        times["started"] * 1000))
        for node, start, end, resources in [
                ("", at("2026-01-05 00:00"), 0, "billing=16,cpu=16,gres/gpu=8,mem=32000,node=2"),
                ("n2", at(DAY + "00:30"), at(DAY + "01:30"), "billing=8,cpu=8,gres/gpu=4,mem=16000")]:
            record = message((event["cluster"], "e2e"), (event["node"], node),
                             (event["start"], zigzag(start * 1000)), (event["state"], "DOWN" if node else ""),
                             *amounts(resources))
            db.execute("insert into events values ('e2e', ?, ?, ?, ?)", (node, start * 1000, end * 1000, record))
        db.execute("update meta set usage_known_ms = 0")
    db.close()
    cluster.start_controller()


COMPLETED = 3


def plant_on_reference(cluster):
    def sql(text):
        done = cluster.database.sql(f"use accounting; {text}")
        assert done.returncode == 0, done.stderr

    ids = {"nobody chem": 0, "nobody phys": 0, "daemon phys": 0}
    for line in cluster.run("sacctmgr", "-nP", "show", "assoc", "format=user,account,id").lines:
        user, account, number = line.split("|")
        ids[f"{user} {account}"] = number
    events = [("", at("2026-01-05 00:00"), 0, "1=16,2=32000,3=0,4=2,5=16,6=0,7=0,8=0,1001=8"),
              ("n2", at(DAY + "00:30"), at(DAY + "01:30"), "1=8,2=16000,5=8,1001=4")]
    sql("delete from e2e_event_table")
    for node, start, end, resources in events:
        sql("insert into e2e_event_table(time_start,time_end,node_name,cluster_nodes,reason,state,tres) values "
            f"({start},{end},'{node}','{'' if node else 'n[1-2]'}','x',{1 if node else 0},'{resources}')")
    for number, user, uid, account, partition, asked, cpus, memory, nodes, gpus, start, end in JOBS:
        resources = f"1={cpus},2={memory},4={NODES[nodes]},5={cpus}" + (f",1001={gpus}" if gpus else "")
        day = at(DAY + "00:00")
        sql("insert into e2e_job_table(account,cpus_req,job_name,id_assoc,id_job,id_resv,id_wckey,id_user,id_group,"
            "het_job_id,het_job_offset,state_reason_prev,nodelist,nodes_alloc,node_inx,`partition`,priority,state,"
            "time_submit,time_eligible,time_start,time_end,tres_alloc,tres_req) values "
            f"('{account}',{asked},'j',{ids[f'{user} {account}']},{number},0,0,{uid},{uid},0,4294967294,0,'{nodes}',"
            f"{NODES[nodes]},'{'0-1' if NODES[nodes] == 2 else '0'}','{partition}',1,3,{day},{day},{at(DAY + start)},"
            f"{at(DAY + end)},'{resources}','{resources}')")
    first = at("2026-01-05 00:00")
    sql(f"update e2e_last_ran_table set hourly_rollup={first},daily_rollup={first},"
        f"monthly_rollup={at('2026-01-01 00:00')}")
    cluster._stop(cluster.directory / "run/slurmdbd.pid", muster.signal.SIGTERM)
    cluster.run(muster.SBIN / "slurmdbd").ok()  # it rolls up when it starts
    wait_for(lambda: "e2e" in cluster.run("sreport", "-n", "cluster", "utilization", "start=2026-01-06",
                                          "end=2026-01-07").out, "usage to be rolled up")


@pytest.fixture(scope="module")
def site():
    cluster = accounted_cluster(nodes=2, conf="AccountingStorageTRES=gres/gpu\n")
    try:
        cluster.munge.start()
        cluster.write_config()
        cluster.start_controller()
        for words in ("account phys", "account chem parent=phys", "user nobody account=chem,phys",
                      "user daemon account=phys"):
            cluster.run("sacctmgr", "-i", "add", *words.split()).ok()
        plant_on_reference(cluster) if is_reference() else plant_here(cluster)
        yield cluster
    finally:
        cluster.down()


def test_every_command_line_says_what_the_reference_says(site):
    steps = replay.parse((REPLAY / "sreport.txt").read_text())
    mine = "reference" if is_reference() else "ours"
    wrong = []
    for step in steps:
        if step.where not in ("", mine):
            continue
        now = replay.run(step, site.run)
        if not replay.same(step, now):
            wrong.append(f"expected:\n{replay.write(step)}got:\n{replay.write(now)}")
    assert not wrong, f"{len(wrong)} of {len(steps)} differ\n" + "\n".join(wrong[:8])


def test_a_dialogue_makes_one_report_after_the_other(site):
    told = site.run("sreport", input="parsable2\ntime hours\ncluster util start=2026-01-06 end=2026-01-07\n!!\nquit\n")
    assert told.out.count("e2e|20|8|0|216|140|384\n") == 2


@pytest.mark.ours
def test_gpu_stands_for_gres_gpu(site):
    told = site.run("sreport", "-nPT", "gpu", "-t", "hours", "user", "top", "start=2026-01-06", "end=2026-01-07").ok()
    assert told.lines[0] == "e2e|nobody|nobody|chem|gres/gpu|5"


@pytest.mark.ours
def test_a_job_whose_end_nobody_recorded_gets_one(site):
    assert "No runaway jobs found" in site.run("sacctmgr", "show", "runawayjobs").out
    site.stop_controller()
    with sqlite3.connect(site.directory / "state/accounting.db") as db:
        job = numbers_of("JobRecord")
        started = zigzag(at("2026-01-08 10:00") * 1000)
        values = {"job": 4, "attempt": 1, "name": "lost", "partition": "batch", "user_name": "daemon", "cluster": "e2e",
                  "account": "phys", "state": 1, "submitted": started, "started": started, "allocated_nodes": 1,
                  "allocated_tres": "billing=1,cpu=1,node=1"}
        record = message(*sorted((job[name], value) for name, value in values.items()))
        ms = at("2026-01-08 10:00") * 1000
        db.execute("insert into jobs(job, attempt, array_id, uid, user_name, submitted_ms, ended_ms, record, "
                   "started_ms) values (4, 1, 0, 1, 'daemon', ?, 0, ?, ?)", (ms, record, ms))
    db.close()
    site.start_controller()
    asked = site.run("sacctmgr", "show", "runaway", "-nP", input="N\n")
    assert "4|lost|batch|e2e|RUNNING|2026-01-08T10:00:00|2026-01-08T10:00:00|Unknown" in asked.out
    assert "Changes Discarded" in asked.out
    site.run("sacctmgr", "-i", "show", "runaway").ok()
    assert "No runaway jobs found" in site.run("sacctmgr", "show", "runaway").out
    ended = site.run("sacct", "-nPXj", "4", "-o", "state,end").ok()
    assert ended.lines == ["COMPLETED|2026-01-08T10:00:00"]
