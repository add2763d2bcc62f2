"""srun --no-allocate: tasks on named nodes, in no job, for administrators only."""
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2)
pytestmark = pytest.mark.as_root
SAYS = "srun: do not allocate resources\n"


def masked(text):
    return re.sub(r"StepId=\d+\.\d+", "StepId=S", text)


def test_tasks_run_on_the_named_nodes_and_no_job_is_made(cluster):
    before = cluster.run("squeue", "-a", "-h", "-t", "all").ok().out
    done = cluster.run("srun", "-Z", "-w", "n[1-2]", "-n3", "-l", "bash", "-c",
                       "echo $SLURMD_NODENAME $SLURM_NODEID ${SLURM_JOB_ID:-none} $SLURM_JOB_USER").ok()
    assert sorted(done.lines) == ["0: n1 0 none root", "1: n1 0 none root", "2: n2 1 none root"]
    assert done.err == SAYS
    assert cluster.run("squeue", "-a", "-h", "-t", "all").ok().out == before
    assert cluster.run("srun", "-Z", "-Q", "-w", "n2", "true").ok().err == ""


def test_the_nodes_are_free_for_others_meanwhile(cluster):
    running = cluster.start("srun", "-Z", "-w", "n1", "bash", "-c", "touch here; while [ ! -e stop ]; do sleep 0.1; done")
    wait_for(lambda: (cluster.work / "here").exists(), "the task")
    assert cluster.run("squeue", "-h", "-s").out == ""
    assert cluster.run("srun", "-w", "n1", "--exclusive", "echo", "hi").ok().out == "hi\n"
    (cluster.work / "stop").touch()
    assert running.wait(20) == 0


def test_ends_are_told_as_of_any_step(cluster):
    done = cluster.run("srun", "-Z", "-w", "n1", "bash", "-c", "exit 3")
    assert (done.code, done.err) == (3, SAYS + "srun: error: n1: task 0: Exited with exit code 3\n")


@pytest.mark.parametrize("options, text", [
    ([], "must specify a node list with -Z, --no-allocate."),
    (["-w", "n1", "-x", "n2"], "can not specify --exclude list with -Z, --no-allocate."),
    (["-w", "n1", "-r1"], "do not specify -r,--relative with -Z,--no-allocate."),
])
def test_what_needs_an_allocation_is_refused(cluster, options, text):
    done = cluster.run("srun", "-Z", *options, "true")
    assert done.code == 1 and f"srun: error: {text}\n" in done.err


def test_more_nodes_than_are_named_are_not_there(cluster):
    done = cluster.run("srun", "-Z", "-N3", "-w", "n[1-2]", "true")
    assert done.code == 1
    assert done.err == SAYS + "srun: error: Only allocated 2 nodes asked for 3\nsrun: error: Job creation failure.\n"


def test_an_unknown_node_has_no_address(cluster):
    done = cluster.run("srun", "-Z", "-w", "n9", "true")
    assert done.code == 244
    assert ("srun: error: Task launch for StepId=S failed on node n9: Can't find an address, check slurm.conf\n"
            "srun: error: Application launch failed: Can't find an address, check slurm.conf\n"
            "srun: Job step aborted\n") in masked(done.err)


def test_others_may_not(cluster, alice):
    done = cluster.run("srun", "-Z", "-w", "n[1-2]", "touch", cluster.work / "made", user=alice)
    assert done.code == 210
    refused = [f"srun: error: Task launch for StepId=S failed on node {node}: Access/permission denied"
               for node in ("n1", "n2")]
    last = ["srun: error: Application launch failed: Access/permission denied", "srun: Job step aborted"]
    said = masked(done.err).splitlines()
    assert (said[0] + "\n", sorted(said[1:3]), said[3:]) == (SAYS, refused, last)
    assert not (cluster.work / "made").exists()


def test_names_beyond_the_number_of_nodes_are_dropped(cluster):
    """Also of a step in a job, and of a job of srun's own."""
    for options in (["-Z"], []):
        done = cluster.run("srun", *options, "-N1", "-w", "n[1-2]", "bash", "-c", "echo $SLURMD_NODENAME").ok()
        assert done.out == "n1\n"
        assert ("srun: error: Required nodelist includes more nodes than permitted by max-node count (2 > 1). "
                "Eliminating nodes from the nodelist.\n") in done.err


@pytest.mark.ours
def test_one_that_runs_outlives_the_daemons(cluster):
    """A node that registers with a step without a job keeps it."""
    running = cluster.start("srun", "-Z", "-w", "n1", "bash", "-c", "touch here; while [ ! -e stop ]; do sleep 0.1; done; echo over")
    wait_for(lambda: (cluster.work / "here").exists(), "the task")
    cluster.stop_controller()
    cluster.stop_node("n1")
    cluster.start_controller()
    cluster.start_node("n1")
    cluster.wait_nodes("idle")
    (cluster.work / "stop").touch()
    assert running.wait(20) == 0 and running.stdout.read() == "over\n"
