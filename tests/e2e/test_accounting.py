"""sacct from the embedded accounting: columns, states, filters, and what submitit asks of it."""
import grp
import os
import re
import signal

import pytest

from muster import USER, wait_for

pytestmark = pytest.mark.accounting
UID = os.geteuid()
GROUP = grp.getgrgid(os.getegid()).gr_name


def test_states_and_exit_codes_of_jobs_and_steps(cluster):
    good = cluster.sbatch("-J", "good", "--wrap", "srun true")
    bad = cluster.sbatch("-J", "bad", "--wrap", "exit 3")
    killed = cluster.sbatch("-J", "killed", "--wrap", "sleep 100")
    signalled = cluster.sbatch("-J", "sig", "--wrap", "kill -9 $$")
    cluster.wait_state(killed, "RUNNING")
    cluster.run("scancel", killed).ok()
    expected = {
        good: ["{}|COMPLETED|0:0", "{}.batch|COMPLETED|0:0", "{}.0|COMPLETED|0:0"],
        bad: ["{}|FAILED|3:0", "{}.batch|FAILED|3:0"],
        killed: [f"{{}}|CANCELLED by {UID}|0:0", "{}.batch|CANCELLED|0:15"],
        signalled: ["{}|FAILED|0:9", "{}.batch|CANCELLED|0:9"],
    }
    for job, rows in expected.items():
        cluster.wait_end(job)
        cluster.wait_sacct([re.escape(r.format(job)) for r in rows], "-j", job, "-o", "jobid,state,exitcode")


def test_the_default_layout(cluster):
    job = cluster.sbatch("-J", "good", "--wrap", "srun true")
    cluster.wait_end(job)
    cluster.wait_sacct([r".*COMPLETED"] * 3, "-j", job, "-o", "state")
    header, rule, row, batch, step = cluster.run("sacct", "-j", job).ok().lines
    assert header == "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode "
    assert rule == "------------ ---------- ---------- ---------- ---------- ---------- -------- "
    assert re.fullmatch(rf"{job:<12} +good      batch +\w+          1  COMPLETED      0:0 ", row)
    assert re.fullmatch(rf"{job + '.batch':<12} +batch +\w+          1  COMPLETED      0:0 ", batch)
    assert re.fullmatch(rf"{job + '.0':<12} +true +\w+          1  COMPLETED      0:0 ", step)


def test_widths_delimiters_and_brief_form(cluster):
    job = cluster.sbatch("-J", "good", "--wrap", "true")
    cluster.wait_end(job)
    cluster.wait_sacct(["COMPLETED"], "-X", "-j", job, "-o", "state")
    sacct = lambda *args: cluster.run("sacct", "-X", "-j", job, *args).ok().out
    assert sacct("-n", "-o", "jobname%-8,state%5") == "good     COMP+ \n"
    assert sacct("-n", "-p", "-o", "jobid,state") == f"{job}|COMPLETED|\n"
    assert re.fullmatch(rf"{job} +COMPLETED      0:0 \n", sacct("-n", "-b"))
    assert sacct("-P", "--delimiter=^", "-o", "JobID,JobName") == f"JobID^JobName\n{job}^good\n"


def test_resources_and_times(cluster):
    job = cluster.sbatch("-J", "res", "-c2", "--mem=200", "--gres=gpu:1", "-w", "n1", "--wrap", "true")
    cluster.wait_end(job)
    cluster.wait_sacct([r"res\|2\|200M\|n1\|1\|00:00:0\d\|billing=2,cpu=2,gres/gpu=1,mem=200M,node=1"],
                       "-X", "-j", job, "-o", "JobName,AllocCPUS,ReqMem,NodeList,NNodes,Elapsed,AllocTRES")
    submit, start, end = cluster.sacct("-X", "-j", job, "-o", "Submit,Start,End")[0].split("|")
    assert submit <= start <= end


def test_filters_by_state_time_and_user(cluster):
    job = cluster.sbatch("--wrap", "exit 3")
    cluster.wait_end(job)
    recent = ("-X", "-S", "now-5minutes", "-E", "now", "-o", "jobid")
    wait_for(lambda: job in cluster.sacct("-s", "F", *recent), "the failed job")
    assert job not in cluster.sacct("-s", "CD", *recent)
    assert cluster.sacct("-X", "-j", "99999", "-o", "jobid") == []
    assert cluster.run("sacct", "-j", "abc").code == 1
    assert cluster.run("sacct", "-o", "nosuchfield").code == 1


def test_the_fields_are_listed(cluster):
    assert re.match(r"Account +AdminComment +AllocCPUS +AllocNodes", cluster.run("sacct", "-e").ok().out)


def test_pending_jobs_are_there_as_soon_as_sbatch_has_answered(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    assert cluster.sacct("-j", job, "-o", "JobID,State,NodeList") == [f"{job}|PENDING|None assigned"]
    array = cluster.sbatch("-H", "--array=0-5%2", "--wrap", "true")
    assert cluster.sacct("-j", array, "-o", "JobID,State,NodeList") == [f"{array}_[0-5%2]|PENDING|None assigned"]


SUBMITIT = """\
#SBATCH --array=0-2%3
#SBATCH --cpus-per-task=1
#SBATCH --error={work}/%A_%a_0_log.err
#SBATCH --gres=gpu:1
#SBATCH --job-name=submitit
#SBATCH --mem=1GB
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=1
#SBATCH --open-mode=append
#SBATCH --output={work}/%A_%a_0_log.out
#SBATCH --signal=USR2@90
#SBATCH --time=5
#SBATCH --wckey=submitit
#SBATCH --comment='a comment'

export SUBMITIT_EXECUTOR=slurm
srun --unbuffered --output {work}/%A_%a_%t_log.out --error {work}/%A_%a_%t_log.err bash -c \
'echo $SUBMITIT_EXECUTOR $SLURM_NTASKS $SLURM_JOB_NUM_NODES $SLURM_NODEID $SLURM_PROCID $SLURM_LOCALID \
$SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID'
"""


def test_an_array_is_polled_as_submitit_does_it(cluster):
    script = cluster.script("submission.sh", SUBMITIT.format(work=cluster.work))
    reply = cluster.run("sbatch", script).ok().out
    job = re.search(r"job (?P<id>[0-9]+)", reply)["id"]
    held = cluster.sbatch("-H", "--array=0-5%2", "--wrap", "true")

    def states():
        done = cluster.run("sacct", "-o", "JobID,State,NodeList", "--parsable2", "-j", job, "-j", held).ok()
        assert done.lines[0] == "JobID|State|NodeList"
        rows = [line.split("|") for line in done.lines[1:]]
        return {row[0]: row[1] for row in rows if "." not in row[0]}

    wait_for(lambda: [states().get(f"{job}_{i}") for i in range(3)] == ["COMPLETED"] * 3, states)
    assert states()[f"{held}_[0-5%2]"] == "PENDING"
    for i in range(3):
        assert cluster.wait_text(f"{job}_{i}_0_log.out") == f"slurm 1 1 0 0 0 {job} {i}\n"


def test_accounting_survives_a_restart(cluster):
    job = cluster.sbatch("--wrap", "exit 2")
    cluster.wait_end(job)
    cluster.stop_controller()
    cluster.start_controller()
    cluster.wait_sacct([rf"{job}\|FAILED\|2:0"], "-X", "-j", job, "-o", "jobid,state,exitcode")


def test_steps_are_not_charged(cluster):
    job = cluster.sbatch("--wrap", "srun true")
    cluster.wait_end(job)
    cluster.wait_sacct([r"billing=1,cpu=1.*", "cpu=1,.*", "cpu=1,.*"], "-j", job, "-o", "alloctres")


@pytest.mark.ours
def test_seff_compares_what_was_given_with_what_was_used(cluster):
    job = cluster.sbatch("--mem=100", "-c2", "--wrap", "exit 3")
    cluster.wait_end(job)
    cluster.wait_sacct(["FAILED"], "-X", "-j", job, "-o", "state")
    lines = cluster.run("seff", job).ok().lines
    assert lines[0] == f"Job ID: {job}"
    assert lines[2] == f"User/Group: {USER}/{GROUP}"
    assert "State: FAILED (exit code 3)" in lines
    assert lines[4:6] == ["Nodes: 1", "Cores per node: 2"]
    assert re.fullmatch(r"CPU Efficiency: \d+\.\d\d% of \S+ core-walltime", lines[7])
    assert lines[-1].endswith("of 100.00 MB")
    unknown = cluster.run("seff", "99999999")
    assert (unknown.code, unknown.err) == (1, "Job not found.\n")


@pytest.mark.ours
def test_a_killed_controller_has_told_accounting_all_after_its_restart(cluster):
    jobs = [cluster.sbatch("-o", "/dev/null", "--wrap", "exit 3") for _ in range(5)]
    for job in jobs:
        cluster.wait_state(job, "FAILED")
    cluster.stop_controller(signal.SIGKILL)  # before it had a reason to write rows
    cluster.start_controller()
    out = cluster.run("sacct", "-n", "-P", "-X", "-o", "JobID,State,ExitCode", "-j", ",".join(jobs)).ok()
    assert out.lines == [f"{job}|FAILED|3:0" for job in jobs]


def test_a_job_that_depends_on_others_is_listed_when_it_need_not_wait_any_more(cluster):
    first = cluster.sbatch("--wrap", "while [ ! -e go ]; do sleep .1; done")
    second = cluster.sbatch("-d", f"afterok:{first}", "--wrap", "sleep 100")
    assert cluster.sacct("-X", "-j", second, "-o", "state,eligible") == ["PENDING|Unknown"]
    assert second not in cluster.sacct("-X", "-o", "jobid") and second not in cluster.sacct("-X", "-s", "PD", "-o", "jobid")
    (cluster.work / "go").touch()
    cluster.wait_state(second, "RUNNING")
    wait_for(lambda: second in cluster.sacct("-X", "-o", "jobid"), "the job in the list")
    eligible, start = cluster.sacct("-X", "-j", second, "-o", "eligible,start")[0].split("|")
    assert eligible <= start and eligible != "Unknown"


def test_a_start_alone_is_a_moment(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    start = cluster.job(job)["StartTime"]
    assert cluster.sacct("-X", "-j", job, "-s", "R", "-S", start, "-o", "jobid") == [job]


@pytest.mark.ours
def test_memory_without_conversion_is_in_bytes(cluster):
    cluster.script("task.sh", "x=$(head -c 20000000 /dev/zero | tr '\\0' x)\n")
    job = cluster.sbatch("--wrap", "srun ./task.sh")
    cluster.wait_end(job)
    plain = lambda: cluster.sacct("--noconvert", "-j", f"{job}.0", "-o", "maxrss,tresusageinmax")[0].split("|")
    wait_for(lambda: plain()[0], "what it used")
    rss, tres = plain()
    assert int(rss) % 1024 == 0 and f"mem={rss}" in tres
    assert cluster.sacct("-j", f"{job}.0", "-o", "maxrss")[0] == f"{int(rss) // 1024}K"


def test_a_window_that_begins_after_its_end_is_refused(cluster):
    for window in (("-S", "now+1hour"), ("-S", "now", "-E", "now-1hour"), ("-s", "R", "-E", "now-1hour")):
        refused = cluster.run("sacct", *window)
        assert refused.code == 1 and "requested is after end time" in refused.err
    cluster.run("sacct", "-S", "now-1hour").ok()
