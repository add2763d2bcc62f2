"""How programs call the commands: options in unusual places, empty lists, variables, empty requests."""
import os
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2, gpus=2, conf="Licenses=matlab:4,fluent:2\n"
               "PartitionName=secret Nodes=n1 Hidden=YES State=UP\n")


def ids(cluster, *args, **more):
    return sorted(cluster.run("squeue", "-h", "-o", "%i", *args, **more).ok().out.split())


def held(cluster, *args):
    return cluster.sbatch("-H", *args, "--wrap", "true")


def test_options_of_scontrol_may_stand_anywhere(cluster):
    job = held(cluster)
    plain = cluster.run("scontrol", "show", "job", job).ok().out
    detailed = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    assert cluster.run("scontrol", "show", "jobid", "-dd", job).ok().out == detailed
    assert cluster.run("scontrol", "show", "job", job, "-d").ok().out == detailed
    assert cluster.run("scontrol", "show", "-o", "job", job).ok().out.count("\n") == 1
    assert cluster.run("scontrol", "show", "--", "job", job).ok().out == plain
    refused = cluster.run("scontrol", "show", "job", job, "-x")
    assert refused.code == 1 and "invalid option -- 'x'" in refused.err


def test_a_debug_flag_is_cleared_with_a_dash(cluster):
    def flags():
        config = cluster.run("scontrol", "show", "config").ok().out
        return re.search(r"^DebugFlags +=+ (.*)$", config, re.M)[1]

    cluster.run("scontrol", "setdebugflags", "+backfill").ok()
    assert "Backfill" in flags()
    cluster.run("scontrol", "setdebugflags", "-backfill").ok()
    assert "Backfill" not in flags()


def test_scontrol_acts_on_jobs_by_key_too(cluster):
    job = cluster.sbatch("-b", "now+1hour", "-J", "named", "--wrap", "true")
    for key in ("job", "jobid", "JobId"):
        cluster.run("scontrol", "hold", f"{key}={job}").ok()
        assert cluster.job(job)["Reason"].startswith("JobHeld")
        cluster.run("scontrol", "release", f"{key}={job}").ok()
        cluster.wait_reason(job, "BeginTime")
    cluster.run("scontrol", "hold", "jobname=named").ok()
    assert cluster.job(job)["Reason"].startswith("JobHeld")


def test_what_this_cluster_has_none_of_is_shown_as_nothing(cluster):
    for entity in ("burstbuffer", "bbstat", "dwstat", "federation"):
        assert cluster.run("scontrol", "show", entity).ok().out == ""
    assert cluster.run("scontrol", "show", "frontend").ok().out == "No nodes in the system\n"
    assert cluster.run("scontrol", "show", "frontend", "x").code == 1


def test_numbers_of_system_errors_have_their_text(cluster):
    assert cluster.run("scontrol", "errnumstr", "2").ok().out == "No such file or directory\n"


def test_root_sees_hidden_partitions(cluster):
    shown = cluster.run("scontrol", "show", "partition").ok().out
    assert ("PartitionName=secret" in shown) == (os.geteuid() == 0)
    assert "PartitionName=secret" in cluster.run("scontrol", "-a", "show", "partition").ok().out


def test_squeue_finds_a_job_in_each_of_its_partitions(cluster):
    job = held(cluster, "-p", "batch,standard")
    other = held(cluster, "-p", "short")
    assert ids(cluster, "-p", "standard") == ids(cluster, "-p", "batch") == [job]
    assert ids(cluster, "-p", "short,standard") == sorted([job, other])


def test_squeue_finds_jobs_by_the_names_of_licenses(cluster):
    one = held(cluster, "-L", "matlab:2")
    both = held(cluster, "-L", "fluent:1,matlab")
    held(cluster)
    assert ids(cluster, "-L", "matlab") == sorted([one, both])
    assert ids(cluster, "-L", "fluent") == [both]
    assert ids(cluster, "-L", "matlab:2") == []


def test_an_empty_list_of_jobs_names_none(cluster):
    held(cluster)
    assert ids(cluster, "-j", "") == ids(cluster, "--jobs=") == []
    assert len(ids(cluster, "-j")) == 1
    assert cluster.run("squeue", "-s", "").ok().out.count("\n") == 1


def test_empty_filters_name_nothing(cluster):
    held(cluster)
    for option in "-u", "-p", "-n", "-A", "-q", "-t", "-w", "-L", "-R":
        assert ids(cluster, option, "") == [], option


def test_a_task_that_an_array_does_not_have_is_no_error_of_squeue(cluster):
    array = held(cluster, "-a", "1-3")
    assert ids(cluster, "-j", f"{array}_9") == []
    assert cluster.run("squeue", "-j", "99999_9").code == 1
    shown = cluster.run("scontrol", "show", "job", f"{array}_9")
    assert shown.code == 1 and shown.out == f"Job {array}_9 not found\n"


def test_variables_with_formats_yield_to_other_forms(cluster):
    held(cluster)
    squeue = {"SQUEUE_FORMAT": "<%T>"}
    assert cluster.run("squeue", "-h", env=squeue).ok().out == "<PENDING>\n"
    assert "<PENDING>" not in cluster.run("squeue", "-h", "-l", env=squeue).ok().out
    sinfo = {"SINFO_FORMAT": "<%a>"}
    assert cluster.run("sinfo", "-h", "-p", "batch", env=sinfo).ok().out == "<up>\n"
    for form in ("-N", "-s", "-R"):
        assert "<up>" not in cluster.run("sinfo", "-h", form, env=sinfo).ok().out


def test_no_gpus_may_be_asked_for(cluster):
    for option in ("--gpus=0", "--gpus-per-node=0", "--gpus-per-task=0", "--gres=gpu:0"):
        job = cluster.sbatch("-n1", option, "--wrap", "echo ${CUDA_VISIBLE_DEVICES-none}")
        assert cluster.wait_end(job)["JobState"] == "COMPLETED"
        assert cluster.output(job).strip() in ("none", "")


def record(cluster, job):
    return cluster.run("scontrol", "show", "job", job).ok().out


def test_what_a_waiting_job_asks_for_is_changed(cluster):
    job = held(cluster, "-n1", "-t", "10")
    changes = (("numnodes=2", "NumNodes=2 NumCPUs=2 NumTasks=2 "), ("licenses=matlab:2", "Licenses=matlab:2 "),
               ("timemin=5", "TimeMin=00:05:00\n"), ("mintmpdisknode=0", "MinTmpDiskNode=0\n"),
               ("oversubscribe=yes", "OverSubscribe=YES "), ("shared=no", "OverSubscribe=NO "),
               ("switches=1@2", "Switches=1@00:02:00\n"), ("wait-for-switch=60", "Switches=1@00:01:00\n"))
    for change, shown in changes:
        cluster.run("scontrol", "update", f"jobid={job}", change).ok()
        assert shown in record(cluster, job)
    for change, said in (("licenses=nosuch", "Invalid license specification"),
                         ("timemin=50", "Invalid time-min specification"),
                         ("endtime=now+5minutes", "Job is not running")):
        refused = cluster.run("scontrol", "update", f"jobid={job}", change)
        assert refused.code == 1 and said in refused.err
    assert "Licenses=matlab:2 " in record(cluster, job)


def test_licenses_that_were_added_are_waited_for(cluster):
    cluster.wait_state(cluster.sbatch("-n1", "-L", "fluent:2", "--wrap", "sleep 100"), "RUNNING")
    job = held(cluster, "-n1")
    cluster.run("scontrol", "update", f"jobid={job}", "licenses=fluent:1").ok()
    cluster.run("scontrol", "release", job).ok()
    cluster.wait_reason(job, "Licenses")


def test_a_running_job_is_given_an_end(cluster):
    job = cluster.sbatch("-n1", "-t", "30", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "update", f"jobid={job}", "endtime=now+5minutes").ok()
    assert re.search(r"TimeLimit=00:0[56]:00 ", record(cluster, job))
    refused = cluster.run("scontrol", "update", f"jobid={job}", "endtime=now-5minutes")
    assert refused.code == 1 and "Invalid time specified" in refused.err


def test_states_of_partitions_may_be_abbreviated(cluster):
    for word, shown in (("inact", "inact"), ("DRA", "drain"), ("dow", "down"), ("up", "up")):
        cluster.run("scontrol", "update", "partitionname=short", f"state={word}").ok()
        assert cluster.run("sinfo", "-h", "-p", "short", "-o", "%.5a").ok().out.strip() == shown
    assert cluster.run("scontrol", "update", "partitionname=short", "state=nosuch").code == 1


def test_a_script_that_a_signal_ended(cluster):
    job = cluster.sbatch("-n1", "--wrap", "kill -9 $$")
    ended = cluster.wait_end(job)
    assert (ended["JobState"], ended["Reason"], ended["ExitCode"]) == ("FAILED", "JobLaunchFailure", "0:9")


def test_the_batch_script_is_shown_before_the_other_steps(cluster):
    job = cluster.sbatch("-n1", "--wrap", "srun sleep 100")
    wait_for(lambda: re.findall(r"StepId=(\S+)", cluster.run("scontrol", "show", "step", job).out)
             == [f"{job}.batch", f"{job}.0"], "both steps")


def test_scancel_refuses_users_that_there_are_not(cluster):
    for name in ("nosuchuser", "77777"):
        refused = cluster.run("scancel", "-u", name)
        assert refused.code == 1 and f"Invalid user name: {name}" in refused.err


def test_sshare_takes_both_letters_for_no_header(cluster):
    shown = [cluster.run("sshare", option, "-P", "-o", "account").ok().out for option in ("-n", "-h", "--noh")]
    assert shown[0] == shown[1] == shown[2] and "Account" not in shown[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="acts as another user")
def test_other_peoples_jobs_are_refused_one_by_one(cluster, alice):
    jobs = [held(cluster), held(cluster)]
    refused = cluster.run("scancel", "-u", "root", user="alice")
    assert refused.code == 210
    for job in jobs:
        assert f"scancel: error: Kill job error on job id {job}: Access/permission denied\n" in refused.err
    assert ids(cluster) == sorted(jobs)


def test_a_partitions_way_to_preempt_is_shown_in_capitals(cluster):
    cluster.run("scontrol", "update", "partitionname=short", "preemptmode=requeue").ok()
    assert " PreemptMode=REQUEUE\n" in cluster.run("scontrol", "show", "partition", "short").ok().out
