"""muster explain: why a job waits, what would help it, and what became of it. muster sim: traces."""
import json

import pytest

from muster import wait_for

pytestmark = pytest.mark.ours

CLUSTER = dict(nodes=2, cpus=4, conf="MinJobAge=5\n")


def explain(cluster, job):
    return json.loads(cluster.run("muster", "explain", str(job), "--json").ok().out)["jobs"]


def fill(cluster, minutes=60):
    """A job that holds one of the two nodes for long."""
    job = cluster.sbatch("--exclusive", "-N1", f"-t{minutes}", "--wrap", "sleep 300")
    cluster.wait_state(job, "RUNNING")
    return job


def test_a_waiting_job_is_told_why_and_what_would_help(cluster):
    fill(cluster)
    whole = cluster.sbatch("--exclusive", "-N2", "-t30", "--wrap", "true")
    cluster.wait_reason(whole, "Resources")
    behind = cluster.sbatch("--exclusive", "-N1", "-t120", "--wrap", "true")
    cluster.wait_reason(behind, "Priority")
    (told,) = explain(cluster, behind)
    assert told["because"] == "Jobs with a higher priority wait for the same nodes."
    assert told["position"] == 2
    assert [entry["jobs"] for entry in told["ahead"]] == [1]
    assert told["expected_start"] > told["submit_time"]
    changes = [s["change"] for s in told["sooner"]]
    assert any(change.startswith("with --time=00:5") for change in changes), changes
    text = cluster.run("muster", "explain", str(behind)).ok().out
    assert f"Job {behind} (wrap)" in text and "1 job is before it" in text and "it could start now" in text
    (first,) = explain(cluster, whole)
    assert first["position"] == 1 and "with --nodes=1" in [s["change"] for s in first["sooner"]]


def test_a_held_job_is_told_who_holds_it(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    (told,) = explain(cluster, job)
    assert told["state_reason"] == "JobHeldUser" and "scontrol release" in told["because"]
    assert told["position"] == 0 and told["sooner"] == []


def test_a_job_that_ran_is_told_what_it_waited_for(cluster):
    holder = cluster.sbatch("--exclusive", "-N2", "-t60", "--wrap", "sleep 300")
    cluster.wait_state(holder, "RUNNING")
    job = cluster.sbatch("-t10", "--wrap", "true")
    cluster.wait_reason(job, "Resources")
    cluster.run("scancel", str(holder)).ok()
    cluster.wait_end(job)
    (told,) = explain(cluster, job)
    assert told["waited_for"] == "Resources" and told["job_state"] == "COMPLETED"
    assert "[Resources]" in cluster.run("muster", "explain", str(job)).ok().out


def test_arrays_and_components_are_explained_one_by_one(cluster):
    array = cluster.sbatch("-H", "--array=1-3", "--wrap", "true")
    assert [job["array_job_id"] for job in explain(cluster, array)] == [int(array)]
    assert explain(cluster, f"{array}_2")[0]["state_reason"] == "JobHeldUser"
    cluster.script("het.sh", "#SBATCH -H\n#SBATCH hetjob\n#SBATCH -n1\ntrue\n")
    het = cluster.sbatch("-H", "het.sh")
    assert [job["het_job_offset"] for job in explain(cluster, het)] == [0, 1]


def test_a_job_that_the_controller_has_forgotten(cluster):
    job = cluster.sbatch("--wrap", "exit 3")
    cluster.wait_end(job)
    wait_for(lambda: "Invalid job id" in cluster.run("scontrol", "show", "job", job).err, "the controller to forget it")
    text = cluster.run("muster", "explain", job).ok().out
    assert text.startswith(f"Job {job} (wrap) of ") and "FAILED, exit code 3:0" in text
    (told,) = explain(cluster, job)
    assert (told["job_state"], told["exit_code"], told["nodes"]) == ("FAILED", "3:0", "n1")


def test_what_is_no_job_is_refused(cluster):
    assert "Invalid job id" in cluster.run("muster", "explain", "4000000").err
    assert cluster.run("muster", "explain", "x").code == 1
    assert cluster.run("muster", "explain").code == 1
    job = cluster.sbatch("-H", "--wrap", "true")
    for part in "_3", "+1":
        assert "Invalid job id" in cluster.run("muster", "explain", job + part).err


def test_a_trace_is_made_up_and_replayed(cluster):
    made = cluster.run("muster", "sim", "--generate=200", "--seed=3", "--nodes=4", "--cpus=8").ok().out
    assert made == cluster.run("muster", "sim", "--generate", "200", "--seed", "3", "--nodes", "4", "--cpus", "8").ok().out
    (cluster.work / "trace.swf").write_text(made)
    report = cluster.run("muster", "sim", "trace.swf", "--nodes=4", "--cpus=8", "--policy=muster,backfill,easy,fifo").ok()
    assert report.lines[0] == "200 jobs on 4 nodes of 8 CPUs"
    assert [line.split()[0] for line in report.lines[2:6]] == ["muster", "backfill", "easy", "fifo"]


def test_a_damaged_trace_is_refused_with_its_line(cluster):
    (cluster.work / "bad.swf").write_text("; fine\n1 2 3\n")
    done = cluster.run("muster", "sim", "bad.swf")
    assert done.code == 1 and "line 2: 3 numbers instead of 18" in done.err


def test_an_unknown_policy_is_refused_before_anything_is_printed(cluster):
    (cluster.work / "trace.swf").write_text(cluster.run("muster", "sim", "--generate=5").ok().out)
    done = cluster.run("muster", "sim", "trace.swf", "--policy=fifo,nice")
    assert (done.code, done.out) == (1, "") and "unknown policy nice" in done.err


def test_a_job_that_asks_for_too_much_is_told_what_its_partition_allows(cluster):
    job = cluster.sbatch("-p", "short", "-t", "60", "--wrap", "true")
    cluster.wait_reason(job, "PartitionTimeLimit")
    (told,) = explain(cluster, job)
    assert told["position"] == 0
    assert "with --time=00:10:00" in [s["change"] for s in told["sooner"]]


def test_a_job_whose_node_is_to_go_is_told_how_long_it_has(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "trap '' TERM; while :; do sleep 1; done")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "update", "nodename=n1", "state=power_down_force").ok()
    text = cluster.run("muster", "explain", str(job)).ok().out
    assert "its node is about to go down; it has until" in text and "then it goes back to the queue" in text
    cluster.run("scontrol", "update", "nodename=n1", "state=resume").ok()
