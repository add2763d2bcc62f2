"""scontrol: records of jobs, nodes and partitions, updates, hold and release."""
import os
import pwd
import re

import pytest

from muster import wait_for

USER = pwd.getpwuid(os.geteuid()).pw_name

JOB_KEYS = """JobId JobName UserId GroupId MCS_label Priority Nice Account QOS JobState Reason Dependency Requeue
Restarts BatchFlag Reboot ExitCode RunTime TimeLimit TimeMin SubmitTime EligibleTime AccrueTime StartTime EndTime
Deadline SuspendTime SecsPreSuspend LastSchedEval Scheduler Partition AllocNode:Sid ReqNodeList ExcNodeList NodeList
BatchHost NumNodes NumCPUs NumTasks CPUs/Task ReqB:S:C:T TRES Socks/Node NtasksPerN:B:S:C CoreSpec MinCPUsNode
MinMemoryNode MinTmpDiskNode Features DelayBoot OverSubscribe Contiguous Licenses Network Command WorkDir Comment
StdErr StdIn StdOut Power TresPerNode""".split()
NODE_KEYS = """NodeName Arch CoresPerSocket CPUAlloc CPUEfctv CPUTot CPULoad AvailableFeatures ActiveFeatures Gres
NodeAddr NodeHostName Port Version OS RealMemory AllocMem FreeMem Sockets Boards State ThreadsPerCore TmpDisk Weight
Owner MCS_label Partitions BootTime SlurmdStartTime LastBusyTime CfgTRES AllocTRES CapWatts CurrentWatts AveWatts
ExtSensorsJoules ExtSensorsWatts ExtSensorsTemp""".split()


def show(cluster, *args):
    return cluster.run("scontrol", *args).ok().out


def keys(text):
    return re.findall(r"(?:^|\s)([A-Za-z/:_]+)=", text)


def test_a_jobs_record(cluster):
    job = cluster.sbatch("-J", "keyjob", "-N1", "-n2", "-c2", "--mem=500", "--gres=gpu:1", "-t", "1:30:00",
                         "--comment=hello", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    text = show(cluster, "show", "job", job)
    assert keys(text) == JOB_KEYS
    record = cluster.job(job)
    node = record["NodeList"]
    out = f"{cluster.work}/slurm-{job}.out"
    expected = {"JobId": job, "JobState": "RUNNING", "Reason": "None", "Dependency": "(null)", "Requeue": "1",
                "Restarts": "0", "BatchFlag": "1", "ExitCode": "0:0", "TimeLimit": "01:30:00", "BatchHost": node,
                "UserId": f"{USER}({os.geteuid()})", "NumNodes": "1", "NumCPUs": "4", "NumTasks": "2",
                "CPUs/Task": "2", "MinCPUsNode": "2", "MinMemoryNode": "500M", "OverSubscribe": "OK",
                "Command": "(null)", "WorkDir": str(cluster.work), "StdErr": out, "StdIn": "/dev/null", "StdOut": out,
                "Comment": "hello", "TresPerNode": "gres:gpu:1"}
    assert {k: record.get(k) for k in expected} == expected
    assert record["TRES"].startswith("cpu=4,mem=500M,node=1,billing=4")
    assert re.search(r"StartTime=20[\d-]{8}T[\d:]{8} EndTime=20", text)
    detail = show(cluster, "-d", "show", "job", job)
    assert re.search(rf"Nodes={node} CPU_IDs=0-3 Mem=500 GRES=gpu:v100:1\(IDX:0\)", detail)
    assert "JOB_GRES=gpu:v100:1" in detail
    assert show(cluster, "-o", "show", "job", job).count("\n") == 1
    assert show(cluster, "show", "job", "-o", job, "-d").count("\n") == 1


def test_a_nodes_record_idle_and_in_use(cluster):
    text = show(cluster, "show", "node", "n1")
    assert keys(text) == NODE_KEYS
    assert "State=IDLE ThreadsPerCore=1" in text
    assert "Partitions=batch,standard,short" in text
    assert re.search(r"CfgTRES=cpu=8,mem=16000M,billing=8", text)
    job = cluster.sbatch("-w", "n1", "-c2", "--gres=gpu:1", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    wait_for(lambda: "State=MIXED " in show(cluster, "show", "node", "n1"), "n1 to be mixed")
    text = show(cluster, "show", "node", "n1")
    assert "CPUAlloc=2 " in text
    assert "AllocMem=100 " in text
    assert "AllocTRES=cpu=2,mem=100M" in text
    assert show(cluster, "show", "nodes").count("NodeName=") == 4


def test_a_drained_node_says_who_and_why(cluster):
    show(cluster, "update", "nodename=n4", "state=drain", "reason=maint x")
    text = show(cluster, "show", "node", "n4")
    assert "State=IDLE+DRAIN " in text
    assert re.search(rf"Reason=maint x \[{USER}@20[\d-]{{8}}T[\d:]{{8}}\]", text)
    waiting = cluster.sbatch("-w", "n4", "--wrap", "true")
    cluster.wait_reason(waiting, "ReqNodeNotAvail.*|Resources|Nodes required.*")
    show(cluster, "update", "nodename=n4", "state=resume")
    cluster.wait_state(waiting, "COMPLETED")


def test_hostlists_are_opened_and_closed(cluster):
    assert show(cluster, "show", "hostnames", "n[1-3,7],x[01-02]").split() == "n1 n2 n3 n7 x01 x02".split()
    assert show(cluster, "show", "hostlist", "n1,n2,n3,n7") == "n[1-3,7]\n"
    assert show(cluster, "show", "hostlistsorted", "n3,n1,n2") == "n[1-3]\n"


def test_partitions_and_configuration_are_shown(cluster):
    text = show(cluster, "show", "partition", "short")
    assert text.startswith("PartitionName=short\n")
    assert "MaxTime=00:10:00" in text
    assert re.search(r"State=UP TotalCPUs=32 TotalNodes=4", text)
    config = show(cluster, "show", "config")
    assert re.search(r"^ClusterName +=+ e2e$", config, re.M)
    assert re.search(r"^KillWait +=+ 3 sec$", config, re.M)


def test_names_of_plugins_are_shown_as_they_are_written(cluster):
    config = show(cluster, "show", "config")
    assert re.search(r"^SchedulerType +=+ sched/backfill$", config, re.M)
    assert re.search(r"^PriorityType +=+ priority/(basic|multifactor)$", config, re.M)


def test_partitionname_is_an_entity(cluster):
    assert show(cluster, "show", "partitionname=short").startswith("PartitionName=short\n")


def test_steps_of_unknown_jobs(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    for step in "4000000.0", "4000000":
        unknown = cluster.run("scontrol", "show", "step", step)
        assert (unknown.code, unknown.err) == (1, "slurm_get_job_steps error: Invalid job id specified\n")
    unknown = cluster.run("scontrol", "show", "step", f"{job}.5")
    assert (unknown.code, unknown.out) == (1, f"Job step {job}.5 not found\n")


@pytest.mark.ours  # Slurm knows no --json
@pytest.mark.parametrize("entity", ["partition", "config", "step", "res"])
def test_what_has_no_json_says_so(cluster, entity):
    refused = cluster.run("scontrol", "show", entity, "--json")
    assert (refused.code, refused.out) == (1, "") and "--json: not supported yet" in refused.err


def test_a_key_and_its_value_may_be_two_words(cluster):
    job = cluster.sbatch("-H", "--array=0-5", "--wrap", "true")
    show(cluster, "update", f"jobid={job}", "arraytaskthrottle", "2")
    show(cluster, "update", "job", job, "timelimit", "9", "comment=x")
    assert (cluster.job(job)["ArrayTaskThrottle"], cluster.job(job)["TimeLimit"]) == ("2", "00:09:00")
    for words, said in ((["nice", "5"], "Invalid input: 5\nRequest aborted\n"), (["timelimit"], "Invalid input: timelimit\nRequest aborted\n")):
        refused = cluster.run("scontrol", "update", f"jobid={job}", *words)
        assert (refused.code, refused.err) == (1, said)


def test_a_name_that_no_job_has(cluster):
    def said(*words):
        done = cluster.run("scontrol", "update", "jobname=nosuchname", *words)
        assert done.code == 1
        return done.err
    assert said("userid=1", "priority=1") == "scontrol: error: No jobs with user ID 1 and name 'nosuchname'\n"
    assert said("priority=1") == "scontrol: error: No jobs with name 'nosuchname'\n"


def test_billing_weights(cluster):
    def set_weights(weights):
        return cluster.run("scontrol", "update", "partitionname=short", f"tresbillingweights={weights}")
    set_weights("cpu=1,mem=-0.5G").ok()
    assert "TRESBillingWeights=cpu=1,mem=-0.5G" in show(cluster, "show", "partition", "short")
    refused = set_weights("bogus=1")
    assert (refused.code, refused.err) == (1, "slurm_update error: Invalid TRESBillingWeights specification\n")
    set_weights("").ok()


def test_eligible_is_when_the_dependency_was_met(cluster):
    first = cluster.sbatch("--wrap", "while [ ! -e go ]; do sleep .1; done")
    second = cluster.sbatch("-d", f"afterok:{first}", "--wrap", "sleep 100")
    cluster.wait_reason(second, "Dependency")
    assert cluster.job(second)["EligibleTime"] == "Unknown"
    submitted = cluster.job(second)["SubmitTime"]
    wait_for(lambda: cluster.run("date", "+%Y-%m-%dT%H:%M:%S").out.strip() > submitted, "the next second")
    (cluster.work / "go").touch()
    cluster.wait_state(second, "RUNNING")
    assert submitted < cluster.job(second)["EligibleTime"] <= cluster.job(second)["StartTime"]


def test_a_task_is_in_a_group_but_in_no_session_of_its_own(cluster):
    """Else nobody could continue it, and SIGTSTP would not stop it."""
    job = cluster.sbatch("-o", "ids", "--wrap", "echo $$; ps -o pgid= -o sid= -p $$")
    pid, group, session = cluster.output(job, "ids").split()
    assert group == pid != session


def test_ping_names_the_controller(cluster):
    assert re.match(r"Slurmctld\(primary\) at \S+ is UP\n", show(cluster, "ping"))


def test_held_jobs_wait_until_released(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    cluster.wait_reason(job, "JobHeldUser")
    assert cluster.job(job)["Priority"] == "0"
    show(cluster, "release", job)
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


def test_hold_uhold_and_release_by_name(cluster):
    job = cluster.sbatch("--begin=now+1000", "-J", "hn", "--wrap", "true")
    show(cluster, "hold", job)
    cluster.wait_reason(job, "JobHeldAdmin" if os.geteuid() == 0 else "JobHeld.*")
    assert cluster.job(job)["Priority"] == "0"
    show(cluster, "release", job)
    cluster.wait_reason(job, "BeginTime")
    assert cluster.job(job)["Priority"] != "0"
    show(cluster, "uhold", job)
    cluster.wait_reason(job, "JobHeldUser")
    show(cluster, "release", "jobname=hn")
    cluster.wait_reason(job, "BeginTime")


def test_hold_of_a_running_job_lets_it_run(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    show(cluster, "hold", job)
    record = cluster.job(job)
    assert (record["JobState"], record["Priority"]) == ("RUNNING", "0")


def test_updates_of_a_pending_job(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    show(cluster, "update", f"jobid={job}", "TimeLimit=20", "Partition=standard", "JobName=renamed", "Comment=new")
    record = cluster.job(job)
    assert [record[k] for k in ("TimeLimit", "Partition", "JobName", "Comment")] == [
        "00:20:00", "standard", "renamed", "new"]


def test_mail_and_nice_of_a_pending_job_are_changed(cluster):
    job = cluster.sbatch("-H", "--wrap", "true", "--kill-on-invalid-dep=yes")
    show(cluster, "update", f"jobid={job}", "MailType=END,FAIL", "MailUser=x@y", "Nice=7")
    record = cluster.job(job)
    assert [record[k] for k in ("MailType", "MailUser", "Nice")] == ["END,FAIL", "x@y", "7"]
    assert record["KillOInInvalidDependent"] == "Yes"
    show(cluster, "update", f"jobid={job}", "nice")
    assert cluster.job(job)["Nice"] == "100"


def test_priority_zero_holds_a_job(cluster):
    job = cluster.sbatch("--begin=now+1000", "--wrap", "true")
    show(cluster, "update", f"jobid={job}", "Priority=0")
    cluster.wait_reason(job, "JobHeld.*")
    assert cluster.job(job)["Priority"] == "0"
    done = cluster.run("scontrol", "update", f"jobid={job}", "Priority=9")
    assert (done.code, done.err.strip()) == (1, f"Job is in held state, pending scheduler release for job {job}")


def test_a_job_that_waits_for_its_time_does_not_age(cluster):
    job = cluster.sbatch("-H", "--begin=now+1000", "--wrap", "true")
    record = cluster.job(job)
    assert record["EligibleTime"] == record["StartTime"] != "Unknown"
    assert record["AccrueTime"] == "Unknown"


def test_a_waiting_job_that_says_no_memory_asks_for_that_of_whole_nodes(cluster):
    memory = int(cluster.run("sinfo", "-h", "-N", "-o", "%m").lines[0])
    for asked, expected in ((None, memory), ("0", memory), ("70", 70)):
        job = cluster.sbatch("-H", "-N2", "--wrap", "true", memory=asked)
        tres = f"cpu=2,mem={2 * expected}M,node=2,billing=2"
        assert cluster.job(job)["TRES"] == tres
        assert cluster.run("squeue", "-h", "-j", job, "-O", "tres-alloc:80").out.strip() == tres


def test_only_a_suspended_job_is_resumed(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    done = cluster.run("scontrol", "resume", job)
    assert (done.code, done.err.strip()) == (1, f"Job is not suspended for job {job}")


def test_a_suspended_job_stands_still(cluster):
    job = cluster.sbatch("-o", "ticks", "--wrap", "while :; do echo x; sleep 0.05; done")
    cluster.wait_text("ticks")
    show(cluster, "suspend", job)
    cluster.wait_state(job, "SUSPENDED")
    size = wait_for(lambda: cluster.work.joinpath("ticks").stat().st_size, "output")
    show(cluster, "resume", job)
    cluster.wait_state(job, "RUNNING")
    wait_for(lambda: cluster.work.joinpath("ticks").stat().st_size > size, "more output")


def first_node(cluster):
    name, cpus = cluster.run("sinfo", "-h", "-N", "-o", "%N %c").lines[0].split()
    return name, cpus, ["-N1", "-w", name, "-n", cpus]


def lend(cluster):
    """A job that holds all CPUs of the first node, was suspended, and another one on these."""
    name, cpus, whole = first_node(cluster)
    job = cluster.sbatch(*whole, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(job, "RUNNING")
    show(cluster, "suspend", job)
    cluster.wait_state(job, "SUSPENDED")
    shown = show(cluster, "-o", "show", "node", name)
    assert "CPUAlloc=0 " in shown and "State=IDLE" in shown and "AllocTRES=mem=10M" in shown
    other = cluster.sbatch(*whole, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(other, "RUNNING")
    return job, other


def test_a_suspended_job_leaves_its_cpus_to_others_until_it_is_resumed(cluster):
    job, _ = lend(cluster)
    show(cluster, "resume", job)
    cluster.wait_state(job, "RUNNING")
    name, cpus, _ = first_node(cluster)
    shown = show(cluster, "-o", "show", "node", name)
    assert f"CPUAlloc={cpus} " in shown and "State=ALLOCATED" in shown


@pytest.mark.ours  # Slurm forgets that the resumed job has its CPUs again
def test_a_resumed_job_has_its_cpus_when_the_other_has_gone(cluster):
    job, other = lend(cluster)
    show(cluster, "resume", job)
    third = cluster.sbatch(*first_node(cluster)[2], "--wrap", "true", memory="10")
    cluster.run("scancel", other).ok()
    cluster.wait_state(other, "CANCELLED")
    cluster.wait_reason(third, "Resources")
    cluster.run("scancel", job).ok()
    assert cluster.wait_end(third)["JobState"] == "COMPLETED"


def test_a_requeued_job_keeps_its_id_and_runs_again(cluster):
    refused = cluster.sbatch("--no-requeue", "--wrap", "sleep 100")
    cluster.wait_state(refused, "RUNNING")
    done = cluster.run("scontrol", "requeue", refused)
    assert done.code == 1
    assert f"Requested operation is presently disabled for job {refused}" in done.err
    job = cluster.sbatch("--requeue", "--wrap", 'echo "run ${SLURM_RESTART_COUNT:-first}" >> runs; '
                         '[ -n "$SLURM_RESTART_COUNT" ] || sleep 100')
    cluster.wait_text("runs", "run first")
    show(cluster, "requeue", job)
    wait_for(lambda: cluster.job(job)["Restarts"] == "1", "the restart to be counted")


@pytest.mark.ours
def test_a_requeued_job_starts_again_at_once(cluster):
    job = cluster.sbatch("--wrap", 'echo "run ${SLURM_RESTART_COUNT:-first}" >> runs; '
                         '[ -n "$SLURM_RESTART_COUNT" ] || sleep 100')
    cluster.wait_text("runs", "run first")
    show(cluster, "requeue", job)
    assert cluster.wait_text("runs", "run 1") == "run first\nrun 1\n"
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"


@pytest.mark.ours
def test_a_job_that_requeues_itself_at_once_is_not_started_again_at_once(cluster):
    cluster.sbatch("--wrap", "date +%s >> runs; scontrol requeue $SLURM_JOB_ID; sleep 100")
    second, third = cluster.wait_text("runs", r"\d+\n\d+\n\d+\n").split()[1:3]
    assert int(third) - int(second) >= 9


def test_interactive_mode_reads_commands(cluster):
    done = cluster.run("scontrol", input="show hostnames n[1-2]\nquit\n").ok()
    assert re.findall(r"n\d$", done.out, re.M) == ["n1", "n2"]


@pytest.mark.ours
def test_debug_flags_change_what_is_logged(cluster):
    log = lambda: (cluster.directory / "log/slurmctld.log").read_text()
    show(cluster, "ping")
    assert "PROTOCOL: " not in log()
    show(cluster, "setdebugflags", "+protocol")
    show(cluster, "show", "nodes")
    wait_for(lambda: "PROTOCOL: NodesRequest of uid" in log(), "the request in the log")
    assert re.search(r"^DebugFlags +=.*Protocol", show(cluster, "show", "config"), re.M)
    show(cluster, "setdebugflags", "-Protocol")
    lines = log().count("PROTOCOL: ")
    show(cluster, "show", "nodes")
    assert log().count("PROTOCOL: ") == lines
    unknown = cluster.run("scontrol", "setdebugflags", "+nosuch")
    assert (unknown.code, unknown.err) == (
        1, "scontrol: error: Invalid DebugFlag: nosuch\ninvalid debug flag: +nosuch\n")


def test_what_a_waiting_job_asks_for_can_be_changed(cluster):
    job = cluster.sbatch("-H", "-t30", "--wrap", "true")

    def changed(setting, field):
        show(cluster, "update", f"jobid={job}", setting)
        return cluster.job(job).get(field)

    assert changed("TimeMin=5", "TimeMin") == "00:05:00"
    assert changed("TimeMin=0", "TimeMin") == "N/A"
    assert changed("Switches=2@5", "Switches") == "2@00:05:00"
    assert changed("OverSubscribe=yes", "OverSubscribe") == "YES"
    assert changed("Shared=0", "OverSubscribe") == "NO"
    assert changed("ArrayTaskThrottle=2", "JobId") == job
    for setting, text in [("TimeMin=40", "Invalid time-min specification (exceeds job's time or other limits)"),
                          ("EndTime=now+1hour", "Job is not running"),
                          ("Licenses=nosuch", "Invalid license specification")]:
        refused = cluster.run("scontrol", "update", f"jobid={job}", setting)
        assert (refused.code, refused.err) == (1, f"{text} for job {job}\n")


def test_the_end_of_a_running_job_can_be_changed(cluster):
    job = cluster.sbatch("-t30", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    show(cluster, "update", f"jobid={job}", "EndTime=now+10minutes")
    assert cluster.job(job)["TimeLimit"] in ("00:10:00", "00:11:00")
    refused = cluster.run("scontrol", "update", f"jobid={job}", "EndTime=now-1hour")
    assert (refused.code, refused.err) == (1, f"Invalid time specified for job {job}\n")


def test_rules_of_a_partition_can_be_changed(cluster):
    for setting in ("ReqResv=YES", "OverTimeLimit=3", "PreemptMode=CANCEL"):
        show(cluster, "update", "partitionname=short", setting)
        assert setting in show(cluster, "show", "partition", "short")
    assert cluster.run("scontrol", "update", "partitionname=short", "PreemptMode=foo").code == 1
    assert "PreemptMode=CANCEL" in show(cluster, "show", "partition", "short")
    assert cluster.run("sbatch", "-p", "short", "--wrap", "true").code == 1
