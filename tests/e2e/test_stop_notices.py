"""What a job is told before it is stopped, and what it may ask for from inside."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from muster import IS_ROOT, wait_for

CLUSTER = dict(nodes=4, conf="""PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
KillWait=20
MaxGraceExtension=40
PartitionName=low Nodes=ALL PriorityTier=1 GraceTime=60 State=UP
PartitionName=abrupt Nodes=ALL PriorityTier=1 State=UP
PartitionName=lost Nodes=ALL PriorityTier=1 PreemptMode=CANCEL GraceTime=60 State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF State=UP
""")
pytestmark = pytest.mark.ours

ROOT = Path(__file__).resolve().parents[2]

# Writes what it is told at the first signal, as a trap of a site's guide would.
TRAP = """told() { cat $MUSTER_STOP_NOTICE > told.$SLURM_JOB_ID; }
trap 'told; exit 0' TERM
trap 'told' USR1
echo ready > ready.$SLURM_JOB_ID
while :; do sleep 0.05; done
"""


def start(cluster, *args, script=TRAP, name="job.sh", **options):
    job = cluster.sbatch("-n1", *args, cluster.script(name, script), **options)
    cluster.wait_text(f"ready.{job}")
    return job


def told(cluster, job):
    return json.loads(cluster.wait_text(f"told.{job}", "}"))


def in_seconds(notice):
    return notice["deadline"] - time.time()


def make_room(cluster, node="n1"):
    return cluster.sbatch("-p", "high", "--exclusive", "-N1", "-w", node, "--wrap", "sleep 300")


def node_of(cluster, job):
    return cluster.job(job)["NodeList"]


def test_a_cancelled_job_knows_it_before_the_signal_comes(cluster):
    job = start(cluster)
    cluster.run("scancel", job).ok()
    notice = told(cluster, job)
    assert notice["reason"] == "cancelled" and notice["signal"] == "SIGTERM" and not notice["requeue"]
    assert notice["job_id"] == int(job) and 0 < in_seconds(notice) <= 20


def test_a_preempted_job_knows_that_it_comes_back(cluster):
    job = start(cluster, "-p", "low", "--exclusive", "-w", "n1")
    make_room(cluster)
    notice = told(cluster, job)
    assert notice["reason"] == "preempted" and notice["requeue"]
    assert 40 < in_seconds(notice) <= 60
    assert cluster.wait_state(job, "PENDING")["Restarts"] == "1"


def test_without_a_grace_there_is_killwait(cluster):
    job = start(cluster, "-p", "abrupt", "--exclusive", "-w", "n1")
    make_room(cluster)
    notice = told(cluster, job)
    assert notice["reason"] == "preempted" and notice["requeue"] and 0 < in_seconds(notice) <= 20


def test_signal_and_its_notice_come_together(cluster):
    job = start(cluster, "-t", "1", "--signal=B:USR1@55")
    notice = told(cluster, job)
    assert notice["reason"] == "time_limit" and notice["signal"] == "SIGUSR1" and not notice["requeue"]
    assert 30 < in_seconds(notice) <= 55
    assert cluster.state(job) == "RUNNING"
    cluster.run("scancel", job).ok()


def test_notice_comes_without_a_signal_and_goes_with_a_longer_limit(cluster):
    job = start(cluster, "-t", "1", "--notice=55", script="""
echo ready > ready.$SLURM_JOB_ID
muster notice; echo "before: $?" > log
muster notice --wait > told.$SLURM_JOB_ID
while muster notice > /dev/null; do sleep 0.05; done
echo gone >> log
sleep 100
""")
    notice = told(cluster, job)
    assert notice["reason"] == "time_limit" and notice["signal"] is None and 30 < in_seconds(notice) <= 55
    assert cluster.wait_text("log") == "before: 1\n"
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=10").ok()
    cluster.wait_text("log", "gone")
    cluster.run("scancel", job).ok()


def test_a_step_on_each_node_is_told_when_another_node_is_lost(cluster):
    job = cluster.sbatch("-N2", "-w", "n1,n2", cluster.script("two.sh", """
srun bash -c 'trap "cat $MUSTER_STOP_NOTICE > told.$SLURMD_NODENAME; exit" TERM; touch ready.$SLURMD_NODENAME; while :; do sleep 0.05; done' &
wait
"""))
    for node in ("n1", "n2"):
        wait_for((cluster.work / f"ready.{node}").exists, f"the task on {node}")
    cluster.run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=test").ok()
    notice = json.loads(cluster.wait_text("told.n1", "}"))
    assert notice["reason"] == "node_failed" and notice["requeue"] and 0 < in_seconds(notice) <= 20
    cluster.run("scancel", job).ok()
    cluster.run("scontrol", "update", "NodeName=n2", "State=RESUME").ok()


def test_a_drained_node_is_told_to_those_who_asked(cluster):
    script = """echo ready > ready.$SLURM_JOB_ID
muster notice --wait > told.$SLURM_JOB_ID
while muster notice > /dev/null; do sleep 0.05; done
echo over > over.$SLURM_JOB_ID
"""
    asked = start(cluster, "-w", "n3", "--notice=10", script=script)
    other = start(cluster, "-w", "n3", script=script)
    cluster.run("scontrol", "update", "NodeName=n3", "State=DRAIN", "Reason=test").ok()
    notice = told(cluster, asked)
    assert notice["reason"] == "node_drain" and notice["deadline"] is None
    cluster.run("scontrol", "update", "NodeName=n3", "State=RESUME").ok()
    cluster.wait_text(f"over.{asked}")
    assert not (cluster.work / f"told.{other}").read_text()
    cluster.run("scancel", other).ok()


def test_more_time_within_the_administrators_limit(cluster):
    job = start(cluster, "-p", "low", "--exclusive", "-w", "n1", script="""trap '' TERM
muster extend-grace 5 2> early; echo "code $?" >> early
echo ready > ready.$SLURM_JOB_ID
muster notice --wait > told.$SLURM_JOB_ID
muster extend-grace 30 > granted; muster extend-grace 30 >> granted; muster extend-grace 30 2>> granted
muster notice > later; echo done >> granted
sleep 300
""")
    assert "nobody is about to stop this job" in cluster.wait_text("early", "code 1")
    make_room(cluster)
    first = told(cluster, job)
    lines = cluster.wait_text("granted", "done").splitlines()
    assert lines[:2] == ["30 more seconds", "10 more seconds"] and "40 s that this site gives" in lines[2]
    later = json.loads((cluster.work / "later").read_text())
    assert first["may_extend"] == 40 and later["may_extend"] == 0
    assert 38 < later["deadline"] - first["deadline"] < 42
    cluster.run("scancel", job).ok()


def test_killwait_can_be_extended_too(cluster):
    job = start(cluster, script="""trap 'muster extend-grace 40 > granted; date +%s > begun' TERM
echo ready > ready.$SLURM_JOB_ID
while :; do sleep 0.1; date +%s > last; done
""")
    cluster.run("scancel", job).ok()
    assert cluster.wait_text("granted") == "40 more seconds\n"
    begun = int(cluster.wait_text("begun"))
    cluster.wait_end(job)
    wait_for(lambda: int((cluster.work / "last").read_text() or 0) - begun > 30, "it to run beyond KillWait", limit=70)
    cluster.run("scancel", "-s", "KILL", job)


def test_a_job_puts_itself_back_into_the_queue(cluster):
    job = start(cluster, script="""echo ready > ready.$SLURM_JOB_ID
echo run ${SLURM_RESTART_COUNT:-0} >> runs
[ ${SLURM_RESTART_COUNT:-0} = 1 ] && exit 0
muster requeue-me; echo "code $?" >> runs
sleep 300
""")
    cluster.wait_state(job, "COMPLETED")
    runs = (cluster.work / "runs").read_text().splitlines()
    assert runs[0] == "run 0" and runs[-1] == "run 1" and "code 0" in runs
    assert cluster.job(job)["Restarts"] == "1"


def test_a_job_that_would_be_cancelled_for_another_is_requeued_instead(cluster):
    job = start(cluster, "-p", "lost", "--exclusive", "-w", "n1", script="""
trap 'muster requeue-me; muster notice > told.$SLURM_JOB_ID; exit 0' TERM
echo ready > ready.$SLURM_JOB_ID
while :; do sleep 0.05; done
""")
    make_room(cluster)
    assert told(cluster, job)["requeue"]
    assert cluster.wait_state(job, "PENDING")["Restarts"] == "1"


@pytest.mark.parametrize("args, why", [(["--no-requeue"], "may not be requeued")])
def test_a_refusal_says_why(cluster, args, why):
    job = start(cluster, *args, script="""echo ready > ready.$SLURM_JOB_ID
muster requeue-me 2> said; echo "code $?" >> said
""")
    text = cluster.wait_text("said", "code 1")
    assert why in text and len(text.splitlines()) == 2
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


@pytest.mark.parametrize("words, why", [
    (["notice", "--when"], "unknown argument"),
    (["extend-grace"], "say by how many seconds"),
    (["extend-grace", "-5"], "say by how many seconds"),
    (["extend-grace", "5", "6"], "say by how many seconds"),
    (["requeue-me", "now"], "takes no arguments"),
    (["notice"], "MUSTER_STOP_NOTICE is not set"),
    (["requeue-me"], "MUSTER_STOP_NOTICE is not set"),
])
def test_bad_words_and_places(cluster, words, why):
    done = cluster.run("muster", *words)
    assert done.code == 1 and why in done.err and len(done.err.splitlines()) == 1 and not done.out


@pytest.mark.parametrize("option, why", [
    ("--notice=0", "--notice"), ("--notice=soon", "--notice"), ("--notice=9999999", "--notice"),
])
def test_bad_options(cluster, option, why):
    done = cluster.run("sbatch", option, "--wrap", "true")
    assert done.code == 255 and why in done.err and len(done.err.splitlines()) == 1


def place_of(cluster, job, node):
    directory = cluster.directory / "spool" / node / "notices"
    return directory / f"{job}.1.json"


def test_nobody_else_reaches_the_job(cluster):
    job = start(cluster)
    place = place_of(cluster, job, node_of(cluster, job))
    done = cluster.run("muster", "requeue-me", env={"MUSTER_STOP_NOTICE": str(place)})
    assert done.code == 1 and "belongs to no job" in done.err
    # A process of another job on the same node reaches its own job only.
    other = start(cluster, "-w", node_of(cluster, job), name="other.sh", script=f"""
echo ready > ready.$SLURM_JOB_ID
[ ${{SLURM_RESTART_COUNT:-0}} = 1 ] && exit 0
MUSTER_STOP_NOTICE={place} muster requeue-me
sleep 300
""")
    cluster.wait_state(other, "COMPLETED")
    assert cluster.job(job)["JobState"] == "RUNNING" and cluster.job(job)["Restarts"] == "0"
    cluster.run("scancel", job).ok()


@pytest.mark.as_root
def test_a_notice_is_not_its_users_file(cluster, alice):
    """Otherwise the user could fill slurmd's disk with it, or make slurmd read too much at its next start."""
    script = "trap '' TERM; echo ready > ready.$SLURM_JOB_ID; while :; do sleep 0.1; done\n"
    job = start(cluster, script=script, user=alice)
    place = place_of(cluster, job, node_of(cluster, job))
    cluster.run("scancel", job).ok()
    wait_for(place.exists, "the notice")
    assert cluster.run("cat", place, user=alice).code == 0
    assert cluster.run("chmod", "u+w", place, user=alice).code != 0
    assert cluster.run("ls", place.parent, user=alice).code != 0
    done = cluster.run("muster", "notice", "--wait", user="nobody", env={"MUSTER_STOP_NOTICE": str(place)})
    assert done.code == 1 and "belongs to no job" in done.err
    cluster.run("scancel", "-s", "KILL", job)
    wait_for(lambda: not place.exists(), "the file to go with the job")


def test_nobody_keeps_slurmd_busy_by_connecting(cluster):
    """A user without a job connects as fast as possible: the node stays in service and another user's job runs."""
    flood = """
import socket, sys, time
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.connect(sys.argv[1])
        except OSError:
            pass
"""
    socket = place_of(cluster, 1, "n1").parent / "socket"
    program = cluster.work / "flood.py"
    program.write_text(flood)
    users = [subprocess.Popen(["runuser", "-u", "nobody", "--", "/usr/bin/python3", program, socket, "8"]) for _ in range(4)]
    try:
        done = cluster.run("srun", "-w", "n1", "-t", "1", "--mem=10", "true")
        assert done.code == 0, done
        assert cluster.run("sinfo", "-h", "-n", "n1", "-o", "%T").out.strip() in ("idle", "mixed", "allocated", "completing")
    finally:
        for user in users:
            user.kill()
            user.wait()


def test_it_works_in_a_container(cluster):
    """Other user and process ids, and another root, into which only the directory is mounted."""
    shutil.copy(shutil.which("muster", path=cluster.environment["PATH"]), cluster.work / "muster.static")
    job = start(cluster, "-p", "low", "--exclusive", "-w", "n1", script="""
echo ready > ready.$SLURM_JOB_ID
unshare --user --map-root-user --mount --pid --fork bash -ec '
  root=$PWD/root; notices=$(dirname $MUSTER_STOP_NOTICE)
  mkdir -p $root/proc $root$notices
  mount --bind $notices $root$notices; mount -t proc proc $root/proc
  cp muster.static $root/muster
  chroot $root /muster notice --wait > inside
  chroot $root /muster extend-grace 7 >> inside'
cp inside told.$SLURM_JOB_ID
""")
    make_room(cluster)
    lines = cluster.wait_text(f"told.{job}", "more seconds").splitlines()
    assert json.loads(lines[0])["reason"] == "preempted" and lines[1] == "7 more seconds"


def test_a_restarted_slurmd_and_slurmctld_know_it(cluster):
    job = start(cluster, "-p", "low", "--exclusive", "-w", "n1", script="""trap '' TERM
echo ready > ready.$SLURM_JOB_ID
muster notice --wait > told.$SLURM_JOB_ID
until [ -e go ]; do sleep 0.05; done
muster notice > again; muster extend-grace 5 > granted
sleep 300
""")
    make_room(cluster)
    first = told(cluster, job)
    cluster.stop_node("n1")
    cluster.stop_controller()
    cluster.start_controller()
    cluster.start_node("n1")
    wait_for(lambda: "idle*" not in cluster.run("sinfo", "-h", "-n", "n1", "-o", "%T").out
             and "connected to slurmctld" in (cluster.directory / "log/slurmd.n1.log").read_text(), "n1")
    (cluster.work / "go").touch()
    again = json.loads(cluster.wait_text("again", "}"))
    assert again["reason"] == "preempted" and abs(again["deadline"] - first["deadline"]) < 2
    cluster.wait_text("granted", "5 more seconds")
    cluster.run("scancel", job).ok()


def train_script(cluster, steps):
    for file in (ROOT / "examples/train_loop.py", ROOT / "python/muster.py"):
        shutil.copy(file, cluster.work)
    return cluster.script("train.sh", f"exec python3 train_loop.py checkpoint.$SLURM_JOB_ID {steps}\n")


def test_the_program_runs_outside_of_a_cluster(tmp_path):
    for file in (ROOT / "examples/train_loop.py", ROOT / "python/muster.py"):
        shutil.copy(file, tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "MUSTER_STOP_NOTICE"}
    done = subprocess.run([sys.executable, "train_loop.py", "c", "1000"], cwd=tmp_path, env=environment,
                          capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("done ")


def test_a_training_that_is_preempted_ten_times_ends_as_if_undisturbed(cluster, tmp_path):
    """At random moments, on four nodes; each time it saves, leaves at once and goes on elsewhere."""
    dice = random.Random(7)
    steps = 3_000_000
    script = train_script(cluster, steps)
    job = cluster.sbatch("-p", "low", "--exclusive", "--open-mode=append", "-o", "train.out", script)
    for run in range(10):
        cluster.wait_text("train.out", rf"(from step \d+\n(.*\n)*){{{run + 1}}}")
        time.sleep(dice.uniform(0, 0.3))
        node = node_of(cluster, job)
        if not node or cluster.state(job) != "RUNNING":
            break
        rival = make_room(cluster, node)
        wait_for(lambda: int(cluster.job(job)["Restarts"]) > run or cluster.state(job) == "COMPLETED", "the preemption")
        cluster.run("scancel", rival).ok()
    restarts = int(cluster.wait_state(job, "COMPLETED")["Restarts"])
    lines = (cluster.work / "train.out").read_text().splitlines()
    assert restarts == 10, lines
    saved = [int(line.split()[3]) for line in lines if line.startswith("saved")]
    begun = [int(line.split()[2]) for line in lines if line.startswith("from")]
    assert len(saved) == 10 and begun == [0, *saved], "no step is lost, none is done twice"
    state = {"step": 0, "weight": 1}
    for step in range(1, steps + 1):
        state["weight"] = (state["weight"] * 48271 + step) % 2147483647
    assert lines[-1] == f"done {state['weight']}"


def test_on_stop_calls_a_function(cluster):
    shutil.copy(ROOT / "python/muster.py", cluster.work)
    (cluster.work / "waits.py").write_text("""
import muster, time
muster.on_stop(lambda notice: print("told", notice.reason, round(muster.seconds_left() / 60), flush=True))
open("ready." + __import__("os").environ["SLURM_JOB_ID"], "w").write("x")
while not muster.should_stop():
    time.sleep(0.01)
print("got", muster.extend_grace(11), flush=True)
time.sleep(300)
""")
    job = start(cluster, "-p", "low", "--exclusive", "-w", "n1", "-o", "out", script="trap '' TERM; python3 - < waits.py & wait; wait\n")
    make_room(cluster)
    cluster.wait_text("out", "told preempted 1")
    cluster.wait_text("out", "got 11")
    cluster.run("scancel", job).ok()
