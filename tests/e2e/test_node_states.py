"""scontrol update state=: the states that an administrator may set, and what is refused."""
import re

import pytest

from muster import SBIN, wait_for

CLUSTER = dict(nodes=2, conf="ReturnToService=0\nRebootProgram=/bin/true\n")

REFUSED = "slurm_update error: Invalid node state specified\n"


def update(cluster, state, *more, node="n1"):
    return cluster.run("scontrol", "update", f"nodename={node}", f"state={state}", *more)


def wait_node(cluster, *states, node="n1"):
    """After a change, Slurm checks whether the node answers, and marks it until then."""
    def now():
        rows = cluster.run("sinfo", "-h", "-N", "-n", node, "-o", "%t").lines
        return rows[0].rstrip("*") if rows else "none"
    wait_for(lambda: now() in states, lambda: f"{node} to be {states}: {now()}")


def reason(cluster, node="n1"):
    found = re.search(r"Reason=(.*) \[", cluster.run("scontrol", "show", "node", node).out)
    return found and found[1]


@pytest.mark.parametrize("out, states", [
    (("drain",), "drain"), (("down",), "down"), (("fail",), "fail"), (("drain", "down"), "drain"), (("down", "drain"), "drain"),
])
@pytest.mark.parametrize("back", ["resume", "idle"])
def test_out_of_service_and_back(cluster, out, states, back):
    for state in out:
        update(cluster, state, f"reason=for {state}").ok()
    wait_node(cluster, states)
    assert reason(cluster) == f"for {out[-1]}"
    update(cluster, back).ok()
    wait_node(cluster, "idle")
    assert reason(cluster) is None


def test_undrain_takes_back_the_drain_alone(cluster):
    update(cluster, "drain", "reason=x").ok()
    update(cluster, "undrain").ok()
    wait_node(cluster, "idle")
    assert reason(cluster) is None
    update(cluster, "down", "reason=y").ok()
    update(cluster, "undrain").ok()
    wait_node(cluster, "down")
    assert reason(cluster) == "y"


def test_nothing_is_resumed_that_is_in_service(cluster):
    done = update(cluster, "resume")
    assert (done.code, done.err) == (1, REFUSED)


@pytest.mark.parametrize("state", ["drain", "down", "fail"])
def test_out_of_service_needs_a_reason(cluster, state):
    done = update(cluster, state)
    assert done.code == 1 and "You must specify a reason" in done.err + done.out


def test_a_busy_node(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    for state in ("resume", "idle"):
        done = update(cluster, state)
        assert (done.code, done.err) == (1, REFUSED), state
    update(cluster, "drain", "reason=x").ok()
    wait_node(cluster, "drng")
    assert update(cluster, "idle").err == REFUSED
    update(cluster, "resume").ok()
    wait_node(cluster, "mix", "alloc")  # Slurm counts again with the next job
    assert cluster.state(job) == "RUNNING"


def test_a_future_node_is_not_shown_until_it_is_resumed(cluster):
    update(cluster, "future").ok()
    assert cluster.run("sinfo", "-h", "-N", "-n", "n1").out == ""
    shown = cluster.run("scontrol", "show", "node", "n1")
    assert (shown.code, shown.out) == (1, "Node n1 not found\n")
    assert "State=FUTURE" in cluster.run("scontrol", "-F", "show", "node", "n1").ok().out
    assert update(cluster, "idle").err == REFUSED
    update(cluster, "resume").ok()
    wait_node(cluster, "idle")


def test_a_future_node_comes_with_its_slurmd(cluster):
    update(cluster, "future").ok()
    cluster.stop_node("n1")
    cluster.start_node("n1")
    wait_node(cluster, "idle")


def test_return_to_service_0_leaves_a_node_down(cluster):
    update(cluster, "down", "reason=x").ok()
    cluster.stop_node("n1")
    cluster.start_node("n1")
    cluster.wait_text(cluster.directory / "log/slurmd.n1.log", "started")
    update(cluster, "down", "reason=x", node="n2").ok()
    wait_node(cluster, "down")
    update(cluster, "resume").ok()
    wait_node(cluster, "idle")


def test_sinfo_lists_reasons(cluster):
    update(cluster, "drain", "reason=a longer reason here", node="n[1-2]").ok()
    assert re.match(r"a longer reason here \S+ +\d{4}-\d\d-\d\dT[\d:]+ n\[1-2\]\n", cluster.run("sinfo", "-h", "-R").out)


def test_a_reason_stands_without_its_quotes(cluster):
    update(cluster, "drain", 'reason="bad disk"').ok()
    assert cluster.run("sinfo", "-h", "-R", "-o", "%E").out == "bad disk\n"


def test_a_reboot_that_is_taken_back(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    assert cluster.run("scontrol", "cancel_reboot", "n1").err == REFUSED
    cluster.run("scontrol", "reboot", "ASAP", "nextstate=DOWN", "reason=maint", "n1").ok()
    wait_node(cluster, "drng@")
    shown = cluster.run("scontrol", "show", "node", "n1").out
    assert "State=MIXED+DRAIN+REBOOT_REQUESTED" in shown and "NextState=DOWN" in shown
    cluster.run("scontrol", "cancel_reboot", "n1").ok()
    wait_node(cluster, "mix")
    cluster.run("scontrol", "reboot", "n1").ok()
    wait_node(cluster, "mix@")
    assert reason(cluster) == "reboot requested"
    cluster.run("scontrol", "cancel_reboot", "n1").ok()
    wait_node(cluster, "mix")


def test_an_idle_node_is_rebooted_at_once(cluster):
    cluster.run("scontrol", "reboot", "nextstate=RESUME", "reason=maint", "n1").ok()
    wait_node(cluster, "boot^")
    assert reason(cluster) == "maint : reboot issued"
    cluster.stop_node("n1")
    cluster.run(SBIN / "slurmd", "-b", "-N", "n1", "-f", cluster.config_file).ok()
    wait_node(cluster, "idle")


@pytest.mark.parametrize("words, error", [
    ((), "Missing node list. Specify ALL|<NodeList>"),
    (("nosuch",), "scontrol_reboot_nodes error: Invalid node name specified"),
    (("nextstate=xx", "n1"), "Invalid state: xx\nValid states: DOWN, RESUME"),
])
def test_bad_reboots(cluster, words, error):
    done = cluster.run("scontrol", "reboot", *words)
    assert (done.code, done.err) == (1, error + "\n")


def test_a_job_may_have_its_nodes_rebooted_first(cluster):
    job = cluster.sbatch("-w", "n1", "--reboot", "-o", "out", "--wrap", "echo ran")
    cluster.wait_state(job, "CONFIGURING")
    wait_node(cluster, "boot^", "boot", "alloc^", "mix^", "alloc#", "mix#")
    cluster.stop_node("n1")
    assert not (cluster.work / "out").exists()
    cluster.run(SBIN / "slurmd", "-b", "-N", "n1", "-f", cluster.config_file).ok()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert (cluster.work / "out").read_text() == "ran\n"
    wait_node(cluster, "idle")


def test_a_job_may_go_on_without_a_node(cluster):
    job = cluster.sbatch("-N2", "-k", "--wrap", "touch began; while [ ! -e go ]; do sleep .1; done")
    wait_for((cluster.work / "began").exists, "the job to begin")
    update(cluster, "down", "reason=x", node="n2").ok()
    wait_node(cluster, "down", node="n2")
    assert cluster.state(job) == "RUNNING"
    (cluster.work / "go").touch()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


@pytest.mark.ours  # with Slurm it is called FAILED
def test_a_job_ends_with_the_node_of_its_script(cluster):
    job = cluster.sbatch("-N2", "-k", "--no-requeue", "--wrap", "touch began; sleep 1000")
    wait_for((cluster.work / "began").exists, "the job to begin")
    update(cluster, "down", "reason=x", node="n1").ok()
    assert cluster.wait_end(job)["JobState"] == "NODE_FAIL"


def test_a_node_drains_or_fails_as_was_said_last(cluster):
    update(cluster, "drain", "reason=one").ok()
    update(cluster, "fail", "reason=two").ok()
    assert shown_state(cluster).startswith("IDLE+FAIL") and reason(cluster) == "two"
    update(cluster, "drain", "reason=three").ok()
    assert shown_state(cluster).startswith("IDLE+DRAIN") and "FAIL" not in shown_state(cluster)
    update(cluster, "fail", "reason=four").ok()
    update(cluster, "undrain").ok()
    wait_node(cluster, "idle")
    assert reason(cluster) is None


def shown_state(cluster, node="n1"):
    return re.search(r"State=(\S+)", cluster.run("scontrol", "show", "node", node).ok().out)[1]


def test_a_node_fails_while_it_works(cluster):
    job = cluster.sbatch("-w", "n1", "--exclusive", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    update(cluster, "fail", "reason=x").ok()
    wait_node(cluster, "failg")
    cluster.cancel_all()
    wait_node(cluster, "fail")


def test_jobs_of_a_node_that_is_set_down_are_told_to_end(cluster):
    script = cluster.script("told.sh", "trap 'echo told >> log; exit' TERM\necho ready >> log\nwhile :; do sleep 0.1; done")
    job = cluster.sbatch("-w", "n1", script)
    cluster.wait_text("log", "ready")
    update(cluster, "down", "reason=x").ok()
    cluster.wait_text("log", "told")
    assert cluster.wait_state(job, "PENDING")["Restarts"] == "1"


def test_only_a_node_out_of_service_has_a_reason(cluster):
    cluster.run("scontrol", "update", "nodename=n1", "reason=note").ok()
    assert reason(cluster) is None
    update(cluster, "drain", "reason=one").ok()
    cluster.run("scontrol", "update", "nodename=n1", "reason=two").ok()
    assert reason(cluster) == "two"
    cluster.run("scontrol", "update", "nodename=n1", "reason=").ok()
    assert reason(cluster) == "two"


@pytest.mark.parametrize("state", ["alloc", "mixed", "unknown"])
def test_states_that_a_node_is_not_put_into(cluster, state):
    done = update(cluster, state)
    assert (done.code, done.err) == (1, REFUSED)


def test_a_job_for_more_nodes_than_are_in_service_says_so(cluster):
    update(cluster, "drain", "reason=x").ok()
    job = cluster.sbatch("-N2", "--wrap", "true")
    cluster.wait_reason(job, "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions")


def test_a_job_that_was_put_back_held_says_so(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "requeuehold", job).ok()
    cluster.wait_reason(job, "job requeued in held state")
    assert cluster.job(job)["Reason"] == "job_requeued_in_held_state"


def test_nodes_that_cannot_follow_do_not_keep_the_others(cluster):
    update(cluster, "drain", "reason=x").ok()
    done = update(cluster, "resume", node="n[1-2]")
    assert (done.code, done.err) == (1, REFUSED)
    wait_node(cluster, "idle")


def features(cluster):
    shown = cluster.run("scontrol", "show", "node", "n1").ok().out
    return tuple(re.search(rf"{kind}Features=(\S*)", shown)[1] for kind in ("Available", "Active"))


def test_active_features_are_some_of_those_available(cluster):
    def change(*words):
        return cluster.run("scontrol", "update", "nodename=n1", *words)

    for words in (("activefeatures=slow",), ("availablefeatures=slow",), ("availablefeatures=a", "activefeatures=b")):
        done = change(*words)
        assert (done.code, done.err) == (1, "slurm_update error: Active features not subset of available features\n")
    assert features(cluster) == ("fast", "fast")
    change("availablefeatures=fast,slow", "activefeatures=slow").ok()
    assert features(cluster) == ("fast,slow", "slow")
    cluster.run("scontrol", "reconfigure").ok()
    wait_for(lambda: features(cluster) == ("fast", "fast"), lambda: f"features of the file: {features(cluster)}")


def test_a_job_that_leaves_out_nodes_hears_which_of_the_others_are_missing(cluster):
    update(cluster, "drain", "reason=x").ok()
    job = cluster.sbatch("-x", "n2", "--wrap", "true")
    cluster.wait_reason(job, "ReqNodeNotAvail, UnavailableNodes:n1")


def test_a_node_is_not_wanted_and_left_out(cluster):
    refused = cluster.run("sbatch", "-w", "n1", "-x", "n1", "--wrap", "true")
    assert refused.code == 1 and "Invalid node name specified" in refused.err


def test_a_node_cannot_be_given_a_part_of_its_devices(cluster):
    refused = cluster.run("scontrol", "update", "nodename=n1", "gres=gpu:1")
    assert refused.code == 1 and "Invalid generic resource (gres) specification" in refused.err
    assert "Gres=gpu:v100:4" in cluster.run("scontrol", "show", "node", "n1").out


def test_notes_about_a_node(cluster):
    cluster.run("scontrol", "update", "nodename=n1", "extra=two words", "comment=mine").ok()
    shown = cluster.run("scontrol", "show", "node", "n1").out
    assert shown.endswith("   Comment=mine\n   Extra=two words\n\n")
    assert cluster.run("sinfo", "-h", "-N", "-n", "n1", "-O", "Comment,Extra").lines[0].split() == ["mine", "two", "words"]
    cluster.run("scontrol", "update", "nodename=n1", "extra=", "comment=").ok()
    assert "Extra" not in cluster.run("scontrol", "show", "node", "n1").out


def test_where_the_machine_of_a_node_is(cluster):
    def shown(key):
        return re.findall(rf"{key}=(\S+)", cluster.run("scontrol", "show", "node", "n1,n2").out)
    before = [shown("NodeAddr"), shown("NodeHostName")]
    for settings in [("nodeaddr=10.0.0.[1-3]",), ("nodehostname=a",)]:
        refused = cluster.run("scontrol", "update", "nodename=n[1-2]", *settings)
        assert (refused.code, refused.err) == (1, "slurm_update error: Invalid node name specified\n"), settings
    assert [shown("NodeAddr"), shown("NodeHostName")] == before
    cluster.run("scontrol", "update", "nodename=n[1-2]", "nodeaddr=127.0.0.[2-3]", "nodehostname=a,b").ok()
    assert [shown("NodeAddr"), shown("NodeHostName")] == [["127.0.0.2", "127.0.0.3"], ["a", "b"]]
    for node, address, host in zip(("n1", "n2"), *before):
        cluster.run("scontrol", "update", f"nodename={node}", f"nodeaddr={address}", f"nodehostname={host}").ok()
    assert [shown("NodeAddr"), shown("NodeHostName")] == before


@pytest.mark.parametrize("setting, error", [
    ("state=draining", "Invalid input: state=draining\nRequest aborted\n"
     "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
     "Not all states are valid given a node's prior state\n"),
    ("weight=heavy", "scontrol: error: Weight value (heavy) is not a valid number\nNo changes specified\n"),
    ("weight=-1", "scontrol: error: Weight value (-1) is less than zero\nNo changes specified\n"),
])
def test_values_that_a_node_cannot_have(cluster, setting, error):
    refused = cluster.run("scontrol", "update", "nodename=n1", setting, "reason=x")
    assert (refused.code, refused.err) == (1, error)


@pytest.mark.parametrize("word, entity", [("nod", "n1"), ("node", "n1"), ("par", "batch"), ("part", "batch")])
def test_entities_by_a_part_of_their_name(cluster, word, entity):
    refused = cluster.run("scontrol", "update", f"{word}={entity}", "nonsense=1")
    assert refused.code == 1 and "Update of this parameter is not supported: nonsense=1" in refused.err


def test_nobody_is_no_node(cluster):
    refused = cluster.run("scontrol", "update", "nodename=", "state=idle")
    assert (refused.code, refused.err) == (1, "slurm_update error: Invalid node name specified\n")


def test_a_key_that_nodes_do_not_have(cluster):
    refused = cluster.run("scontrol", "update", "nodename=n1", "resumeafter=3")
    assert (refused.code, refused.err) == (1, "Update of this parameter is not supported: resumeafter=3\nRequest aborted\n")
