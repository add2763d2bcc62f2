"""Preempted jobs: cancelled or requeued, after their grace period."""
import signal
import time

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2, conf="""PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
RequeueExit=75
RequeueExitHold=76
PartitionName=low Nodes=ALL PriorityTier=1 State=UP
PartitionName=patient Nodes=ALL PriorityTier=1 GraceTime=60 State=UP
PartitionName=warned Nodes=ALL PriorityTier=1 PreemptMode=CANCEL GraceTime=60 State=UP
PartitionName=killed Nodes=ALL PriorityTier=1 PreemptMode=CANCEL State=UP
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF State=UP
""")


def start(cluster, partition, *args, script="sleep 100"):
    job = cluster.sbatch("-p", partition, "--exclusive", *args, "--wrap", script)
    cluster.wait_state(job, "RUNNING")
    return job


@pytest.mark.ours  # with Slurm it starts two minutes later
def test_a_requeued_job_runs_again_once_there_is_room(cluster):
    low = start(cluster, "low", "-N2", script="echo run ${SLURM_RESTART_COUNT:-0} >> runs; sleep 100")
    cluster.wait_text("runs", "run 0")
    high = start(cluster, "high", "-N2")
    record = cluster.wait_state(low, "PENDING")
    assert record["Restarts"] == "1"
    cluster.run("scancel", high).ok()
    cluster.wait_text("runs", "run 1")
    cluster.wait_sacct(["PREEMPTED", "RUNNING"], "-X", "-D", "-j", low, "-o", "state")


def test_a_cancelled_job_ends_as_preempted(cluster):
    low = start(cluster, "killed", "-N1", "-w", "n1")
    start(cluster, "high", "-N1", "-w", "n1")
    assert cluster.wait_end(low)["JobState"] == "PREEMPTED"


def test_only_as_many_as_needed_make_room(cluster):
    jobs = [start(cluster, "killed", "-N1", "-w", node) for node in ("n1", "n2")]
    start(cluster, "high", "-N1")
    states = sorted(cluster.state(job) for job in jobs)
    assert "RUNNING" in states and states != ["RUNNING", "RUNNING"]


@pytest.mark.ours  # with Slurm a requeued job has no grace
def test_grace_and_requeue_together(cluster):
    """The script's trap is called at once and saves its work; the job is requeued when the script exits."""
    script = cluster.script("train.sh", """
trap 'echo saved >> log; exit 0' TERM
echo started ${SLURM_RESTART_COUNT:-0} >> log
while :; do sleep 0.1; done
""")
    low = cluster.sbatch("-p", "patient", "--exclusive", "-N2", script)
    cluster.wait_text("log", "started 0")
    high = start(cluster, "high", "-N2")  # long before the 60 seconds are over
    assert "saved" in (cluster.work / "log").read_text()
    assert cluster.wait_state(low, "PENDING")["Restarts"] == "1"
    cluster.run("scancel", high).ok()
    cluster.wait_text("log", "started 1")


SAVES = """import signal, sys, time
def save(*_):
    print("told", flush=True)
    time.sleep(1)  # longer than a shell without a trap would live
    print("saved", flush=True)
    sys.exit()
signal.signal(signal.SIGTERM, save)
print("ready", flush=True)
while True:
    time.sleep(0.1)
"""


@pytest.mark.ours  # with Slurm a requeued job has no grace
@pytest.mark.parametrize("prefix", ["", "srun "])
def test_a_program_has_its_grace_though_the_shell_has_no_trap(cluster, prefix):
    (cluster.work / "saves.py").write_text(SAVES)
    script = cluster.script("plain.sh", f"{prefix}python3 saves.py\necho copied >> out\n")
    low = cluster.sbatch("-p", "patient", "--exclusive", "-N2", "-n1", "--open-mode=append", "-o", "out", script)
    cluster.wait_text("out", "ready")
    start(cluster, "high", "-N2")
    lines = (cluster.work / "out").read_text().splitlines()
    # The shell is spared: it continues after its program has saved the work.
    assert [line for line in lines if line in ("told", "saved", "copied")] == ["told", "saved", "copied"]
    assert cluster.wait_state(low, "PENDING")["Restarts"] == "1"


@pytest.mark.ours  # with Slurm a requeued job has no grace
def test_the_trap_of_a_script_runs_while_its_program_is_in_the_foreground(cluster):
    """As recommended by sites: the program is signalled too, so that the shell can run its trap."""
    script = cluster.script("guide.sh", """
exit_script() {
    echo "Preemption signal, saving myself" >> guide.log
    trap - SIGTERM
    kill -- -$$
}
trap exit_script SIGTERM
echo started >> guide.log
python3 -c 'import time; time.sleep(1000)'
""")
    low = cluster.sbatch("-p", "patient", "--exclusive", "-N2", "-n1", script)
    cluster.wait_text("guide.log", "started")
    start(cluster, "high", "-N2")
    assert "saving myself" in (cluster.work / "guide.log").read_text()
    assert cluster.wait_state(low, "PENDING")["Restarts"] == "1"


@pytest.mark.ours  # with Slurm it starts two minutes later
@pytest.mark.parametrize("mode, lines", [([], ["run 1"]), (["--open-mode=append"], ["run 0", "run 1"])])
def test_the_output_of_a_requeued_job(cluster, mode, lines):
    job = cluster.sbatch("-p", "low", "-n1", *mode, "-o", "out.%j", "--wrap",
                         "echo run ${SLURM_RESTART_COUNT:-0}; sleep 100")
    cluster.wait_text(f"out.{job}", "run 0")
    cluster.run("scontrol", "requeue", job).ok()
    cluster.wait_text(f"out.{job}", "run 1")
    written = (cluster.work / f"out.{job}").read_text().splitlines()
    assert [line for line in written if line.startswith("run")] == lines


@pytest.mark.ours  # with Slurm it starts two minutes later
def test_an_exit_code_of_requeueexit_brings_the_job_back(cluster):
    job = cluster.sbatch("-p", "low", "--no-requeue", "--wrap", "[ -n \"$SLURM_RESTART_COUNT\" ] || exit 75")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["Restarts"]) == ("COMPLETED", "1")
    cluster.wait_sacct([r"REQUEUED\|75:0", r"COMPLETED\|0:0"], "-X", "-D", "-j", job, "-o", "state,exitcode")


def test_an_exit_code_of_requeueexithold_waits_for_somebody_to_look(cluster):
    job = cluster.sbatch("-p", "low", "--wrap", "[ -n \"$SLURM_RESTART_COUNT\" ] || exit 76")
    record = cluster.wait_state(job, "SPECIAL_EXIT")
    assert (record["Reason"], record["Restarts"], record["ExitCode"]) == ("JobHeldUser", "1", "76:0")
    squeue = lambda *args: cluster.run("squeue", "-h", "-j", job, "-o", "%T %t", *args).ok().out
    assert squeue() == squeue("-t", "SE") == squeue("-t", "special_exit") == "SPECIAL_EXIT SE\n"
    assert squeue("-t", "PD") == ""
    cluster.run("scontrol", "release", job).ok()
    assert cluster.job(job)["ExitCode"] == "0:0"


@pytest.mark.ours  # with Slurm it starts two minutes later
def test_a_released_special_exit_runs_again(cluster):
    job = cluster.sbatch("-p", "low", "--wrap", "[ -n \"$SLURM_RESTART_COUNT\" ] || exit 76")
    cluster.wait_state(job, "SPECIAL_EXIT")
    cluster.run("scontrol", "release", job).ok()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


def test_requeuehold_puts_an_ended_job_aside_as_special_exit(cluster):
    job = cluster.sbatch("-p", "low", "--wrap", "true")
    cluster.wait_end(job)
    cluster.run("scontrol", "requeuehold", "State=SpecialExit", job).ok()
    cluster.wait_state(job, "SPECIAL_EXIT")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(job)["JobState"] == "CANCELLED"


def test_a_job_that_an_administrator_stopped_makes_room_and_comes_back_held(cluster):
    low = start(cluster, "low", "-N2")
    cluster.run("scontrol", "suspend", low).ok()
    cluster.wait_state(low, "SUSPENDED")
    start(cluster, "high", "-N2")
    assert cluster.wait_state(low, "PENDING")["Reason"] == "JobHeldAdmin"


def test_components_go_together_or_stay(cluster):
    """One of them may not be preempted; of two that may, both are preempted in the milder mode."""
    words = ["sbatch", "--parsable", "-p", "low", "-N1", "--exclusive", ":", "-N1", "--exclusive", "-p"]
    kept = cluster.run(*words, "high", "--wrap", "sleep 100").ok().out.strip()
    cluster.wait_state(kept, "RUNNING")
    waits = cluster.sbatch("-p", "high", "-N2", "--exclusive", "--wrap", "sleep 100")
    cluster.wait_reason(waits, "Resources")
    assert cluster.state(kept) == "RUNNING"
    cluster.cancel_all()
    goes = cluster.run(*words, "killed", "--wrap", "sleep 100").ok().out.strip()
    cluster.wait_state(goes, "RUNNING")
    start(cluster, "high", "-N2")
    assert cluster.wait_state(goes, "PENDING")["Restarts"] == "1"


TICKS = """trap 'echo told >> log' TERM
echo ready >> log
while :; do sleep 0.1; touch tick; done
"""


@pytest.mark.ours  # with Slurm a batch script hears nothing before the end of the grace
def test_the_notice_reaches_a_job_whose_slurmd_was_away_and_is_given_once(cluster):
    low = cluster.sbatch("-p", "warned", "--exclusive", "-N2", cluster.script("ticks.sh", TICKS))
    cluster.wait_text("log", "ready")
    node = cluster.job(low)["BatchHost"]
    cluster.stop_node(node, signal.SIGKILL)
    high = cluster.sbatch("-p", "high", "--exclusive", "-N2", "--wrap", "true")
    wait_for(lambda: cluster.job(low)["PreemptTime"] != "None", "the notice")
    cluster.start_node(node)
    log = cluster.wait_text("log", "told")
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    cluster.stop_node(node, signal.SIGKILL)
    cluster.start_node(node)
    wait_for(lambda: cluster.run("srun", "--jobid", low, "--overlap", "-N1", "-n1", "-w", node, "true").code == 0,
             "the node to be back")
    assert (cluster.work / "log").read_text().count("told") == 1, log
    cluster.run("scancel", low, high).ok()


@pytest.mark.ours  # with Slurm the job runs on, though it is listed as suspended
def test_a_suspension_reaches_a_job_whose_slurmd_was_away(cluster):
    job = cluster.sbatch("-p", "low", "--exclusive", cluster.script("ticks.sh", TICKS))
    cluster.wait_text("log", "ready")
    node = cluster.job(job)["BatchHost"]
    tick = cluster.work / "tick"
    wait_for(tick.exists, "its first tick")
    lasts = lambda: time.time() - tick.stat().st_mtime > 2
    for verb, holds in (("suspend", lasts), ("resume", lambda: not lasts())):
        cluster.stop_node(node, signal.SIGKILL)
        cluster.run("scontrol", verb, job).ok()
        cluster.start_node(node)
        wait_for(holds, verb)


def test_a_preemptable_job_shows_since_when(cluster):
    job = start(cluster, "warned", "-w", "n1", script="trap '' TERM; sleep 100")
    shown = cluster.job(job)
    assert (shown["PreemptEligibleTime"], shown["PreemptTime"]) == (shown["StartTime"], "None")
    by = cluster.sbatch("-p", "high", "-w", "n1", "--wrap", "sleep 100")
    wait_for(lambda: cluster.job(job)["PreemptTime"] != "None", "the job to be told")
    told = cluster.run("squeue", "-h", "-j", f"{job},{by}", "-S", "i", "-O", "PreemptTime").ok().out.split()
    assert told == [cluster.job(job)["PreemptTime"], "N/A"]
    assert "PreemptEligibleTime" not in cluster.job(by)


def test_a_partition_without_a_mode_has_that_of_the_cluster(cluster):
    shown = cluster.run("sinfo", "-h", "-p", "low,killed,high", "-o", "%R %M").ok().lines
    assert shown == ["low REQUEUE", "killed CANCEL", "high OFF"]
    assert "PreemptMode=REQUEUE" in cluster.run("scontrol", "show", "partition", "low").out
