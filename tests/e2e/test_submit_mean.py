"""Submit scripts that are slow, die, or ask for too much: only the request in question suffers."""
import os
import signal

import muster
import pytest
import submit_lua
from submit_lua import hold, said

pytestmark = pytest.mark.ours

MEAN = r'''
local modes = {}
function modes.endless(job)
  slurm.log_user("thinking")
  io.open(job.work_dir .. "/marker", "w"):close()
  while true do end
end
function modes.sleepy() os.execute("sleep 1000") end
function modes.exit() os.exit(3) end
function modes.deep() local function f() return f() + 1 end return f() end
function modes.error() error("boom") end
function modes.nothing() return {} end
function modes.memory() return #("x"):rep(2.14e9) end
function modes.comment(job) job.comment = ("x"):rep(1e6) end
function modes.variables(job) for i = 1, 40 do job.environment["BIG" .. i] = ("x"):rep(1e6) end end
function modes.lines() for i = 1, 1e5 do slurm.log_user("line " .. i) end end
function modes.negative(job) job.num_tasks = -1 end
function modes.text(job) job.num_tasks = "many" end
function modes.read_only(job) job.user_name = "root" end
function modes.gres(job) job.tres_per_job = "lots" end
function modes.zero(job) job.comment = "a\0b" end

function slurm_job_submit(job) return modes[job.comment] and modes[job.comment](job) or slurm.SUCCESS end
function slurm_job_modify(job) return modes[job.comment] and modes[job.comment](job) or slurm.SUCCESS end
'''


@pytest.fixture(scope="module")
def module_cluster():
    cluster = submit_lua.Cluster(nodes=1, conf="JobSubmitPlugins=lua\nJobSubmitTimeout=4\nMessageTimeout=60\n")
    cluster.write_lua(MEAN)
    cluster.up()
    yield cluster
    cluster.down()


def refused(done, why):
    assert done.code == 1 and done.out == "", done
    assert why in done.err, done.err
    return said(done)


@pytest.mark.as_root
def test_an_endless_script_holds_up_its_own_user_only(cluster, alice, bob):
    def stuck():
        return cluster.start("runuser", "-u", alice, "--", muster.BIN / "sbatch", "-H", "--comment=endless", "--wrap", "true")

    commands = [stuck() for _ in range(3)]
    muster.wait_for(lambda: (cluster.work / "marker").exists(), "a script at work")
    done = hold(cluster, user=bob)
    assert done.code == 0, done.err
    assert any(command.poll() is None for command in commands)
    for command in commands:
        out, err = command.communicate(timeout=60)
        assert command.returncode == 1 and out == ""
        assert "no answer within 4 seconds (JobSubmitTimeout)" in err
        assert "sbatch: error: thinking" in err  # said before the end
    assert hold(cluster, user=alice).code == 0


def test_what_a_script_started_goes_with_it(cluster):
    refused(hold(cluster, "--comment=sleepy"), "no answer within 4 seconds")
    muster.wait_for(lambda: not [line for _, _, line in muster._processes() if line.startswith("sleep\x001000")],
                    "the script's sleep to end")


def test_a_script_that_ends_the_helper_does_not_end_slurmctld(cluster):
    before = cluster.controller_pid
    refused(hold(cluster, "--comment=exit"), "slurmctld-hooks ended with exit status 3")
    assert hold(cluster).code == 0 and cluster.controller_pid == before


def test_a_helper_that_was_killed_is_started_again(cluster):
    assert hold(cluster).code == 0
    old = cluster.hooks()
    assert old
    for pid in old:
        os.kill(pid, signal.SIGKILL)
    assert hold(cluster).code == 0
    assert not set(cluster.hooks()) & set(old)


def test_the_last_good_script_outlives_its_helper(cluster):
    try:
        cluster.write_lua("this is no Lua\n")
        assert hold(cluster).code == 0
        for pid in cluster.hooks():
            os.kill(pid, signal.SIGKILL)
        assert hold(cluster).code == 0
        refused(hold(cluster, "--comment=error"), "boom")
    finally:
        cluster.write_lua(MEAN)


@pytest.mark.parametrize("mode, why", [
    ("error", "job_submit.lua:11: boom"), ("deep", "stack overflow"), ("memory", "not enough memory"),
    ("negative", "job_desc.num_tasks: a number below 0"), ("text", "job_desc.num_tasks: a number is expected"),
    ("read_only", "job_desc.user_name: user_name cannot be set"), ("gres", "names no GPUs"), ("zero", "zero byte"),
    ("comment", "max_text_size"), ("variables", "max_environment_size")])
def test_a_script_at_fault_has_its_request_refused(cluster, mode, why):
    refused(hold(cluster, f"--comment={mode}"), why)
    assert hold(cluster).code == 0


def test_a_script_that_returns_no_number_accepts(cluster):
    assert hold(cluster, "--comment=nothing").code == 0


def test_lines_for_a_user_are_bounded(cluster):
    done = hold(cluster, "--comment=lines")
    assert done.code == 0 and len(said(done)) == 200


def test_an_update_by_a_script_at_fault_changes_nothing(cluster):
    job = hold(cluster, "--comment=fine").out.split()[-1]
    done = cluster.run("scontrol", "update", f"jobid={job}", "comment=error")
    assert done.code == 1 and "boom" in done.err
    assert "Comment=fine" in cluster.run("scontrol", "show", "job", job).out


@pytest.mark.as_root
def test_a_user_gets_no_more_through_a_script_than_the_script_gives(cluster, alice):
    done = cluster.run("sbatch", "--begin=now+1hour", "--priority=99", "--mem=10", "--wrap", "true", user=alice).ok()
    assert cluster.job(done.out.split()[-1])["Priority"] != "99"
    refused(cluster.run("sbatch", "--nice=-5", "--wrap", "true", user=alice), "Invalid --nice value")


def test_no_helper_is_left_when_slurmctld_ends(cluster):
    assert hold(cluster).code == 0
    helpers = cluster.hooks()
    cluster.stop_controller(signal.SIGKILL)
    for pid in helpers:
        muster.wait_for(lambda: not muster.is_alive(pid), "the helper to end")
