"""JobSubmitPlugins=script: a program reads a request as JSON and prints what it changes."""
import json

import muster
import pytest
import submit_lua
from submit_lua import hold, said

pytestmark = pytest.mark.ours

PROGRAM = """\
import json, sys, time
request = json.load(sys.stdin)
job = request["job"]
mode = job.get("comment", "")
answer = {}
if request["action"] == "modify":
    answer = {"changes": {"time_limit": request["record"]["time_limit"] - 1}} if mode == "shorter" else {}
elif mode == "change":
    answer = {"changes": {"time_limit": 11, "partition": "standard", "comment": None}, "messages": ["changed", "for you"]}
elif mode == "refuse":
    answer = {"refuse": "no such jobs here", "messages": ["read the rules"]}
elif mode == "code":
    answer = {"code": 2051}
elif mode == "variables":
    answer = {"environment": {"ADDED": job["environment"]["FROM_USER"] + "!", "FROM_USER": None}}
elif mode == "show":
    answer = {"messages": [json.dumps([sorted(request), job.get("num_tasks"), job.get("time_limit"),
                                       request["partitions"]["short"]["max_time"], "script" in job])]}
elif mode == "fail":
    print("it went wrong", file=sys.stderr); sys.exit(4)
elif mode == "text":
    print("not JSON"); sys.exit()
elif mode == "typo":
    answer = {"chnages": {}}
elif mode == "slow":
    time.sleep(1000)
elif mode == "lua":
    answer = {"messages": [job["name"]]}
if answer or mode != "silent":
    print(json.dumps(answer))
"""
LUA = """\
function slurm_job_submit(job) if job.comment == "lua" then job.name = "set by lua" end return 0 end
function slurm_job_modify() return 0 end
"""


@pytest.fixture(scope="module")
def module_cluster():
    cluster = submit_lua.Cluster(nodes=1, partitions=submit_lua.PARTITIONS)
    program = cluster.directory / "etc/submit"
    program.write_text("#!/usr/bin/python3\n" + PROGRAM)
    program.chmod(0o755)
    cluster.conf = f"JobSubmitPlugins=lua,script\nJobSubmitScript={program}\nJobSubmitTimeout=5\n"
    cluster.write_lua(LUA)
    cluster.up()
    yield cluster
    cluster.down()


def test_a_program_changes_a_request(cluster):
    done = hold(cluster, "--comment=change")
    assert said(done.ok()) == ["changed", "for you"]
    job = cluster.job(done.out.split()[-1])
    assert (job["TimeLimit"], job["Partition"]) == ("00:11:00", "standard") and "Comment" not in job


def test_a_program_refuses_a_request(cluster):
    assert said(hold(cluster, "--comment=refuse")) == [
        "error: read the rules", "error: Batch job submission failed: no such jobs here"]
    assert "Requested time limit is invalid" in hold(cluster, "--comment=code").err


def test_a_program_sets_and_removes_variables(cluster):
    job = cluster.sbatch("--comment=variables", "--wrap", "echo $ADDED,$FROM_USER", env={"FROM_USER": "abc"})
    assert cluster.output(job) == "abc!,\n"


def test_a_program_sees_what_is_given(cluster):
    done = hold(cluster, "--comment=show", "-n3").ok()
    assert json.loads(said(done)[0]) == [["action", "job", "partitions", "uid"], 3, None, 10, True]


def test_a_program_changes_an_update(cluster):
    job = hold(cluster, "-t30").ok().out.split()[-1]
    cluster.run("scontrol", "update", f"jobid={job}", "comment=shorter").ok()
    assert cluster.job(job)["TimeLimit"] == "00:29:00"


def test_the_second_plug_in_sees_what_the_first_has_set(cluster):
    assert said(hold(cluster, "--comment=lua").ok()) == ["set by lua"]


@pytest.mark.parametrize("mode, why", [("fail", "ended with exit status 4"), ("text", "no JSON object"),
                                       ("typo", 'unknown key "chnages"'), ("slow", "no answer within 5 seconds")])
def test_a_program_at_fault_has_its_request_refused(cluster, mode, why):
    done = hold(cluster, f"--comment={mode}")
    assert done.code == 1 and why in done.err
    if mode == "fail":
        muster.wait_for(lambda: "it went wrong" in cluster.log(), "its complaint in the log")


def test_a_silent_program_accepts(cluster):
    hold(cluster, "--comment=silent").ok()


def test_with_accept_a_fault_changes_nothing(cluster):
    text = cluster.config_file.read_text()
    cluster.stop_controller()
    try:
        cluster.config_file.write_text(text + "JobSubmitOnFailure=accept\n")
        cluster.start_controller()
        hold(cluster, "--comment=fail").ok()
        muster.wait_for(lambda: "is accepted (JobSubmitOnFailure)" in cluster.log(), "the line of the log")
    finally:
        cluster.stop_controller()
        cluster.config_file.write_text(text)
        cluster.start_controller()
