"""Heterogeneous jobs: submission, how they are shown, and what concerns one component or all."""
import json
import re

import pytest

from muster import is_reference, wait_for

SCRIPT = """\
#SBATCH -N1 -n1 --mem=100 -J first
#SBATCH hetjob
#SBATCH -N2 -n3 --mem=200 -J second
"""


def rows(cluster, job, *args):
    return sorted(cluster.run("squeue", "-h", "-j", job, *args).lines)


def states(cluster, job):
    text = cluster.run("scontrol", "-o", "show", "job", job).out
    return re.findall(r"JobState=(\w+)", text)


def wait_states(cluster, job, *expected):
    wait_for(lambda: states(cluster, job) == list(expected),
             lambda: f"{job} to be {expected}: {states(cluster, job)}")


def two_components(cluster, command, *first, second=()):
    return cluster.sbatch("-N1", *first, ":", "-N1", *second, "--wrap", command)


def test_the_components_start_together_and_are_shown_as_such(cluster):
    job = cluster.sbatch(cluster.script("s.sh", SCRIPT + "sleep 100\n"), memory=None)
    other = str(int(job) + 1)
    wait_states(cluster, job, "RUNNING", "RUNNING")
    assert rows(cluster, job, "-o", "%i %A %j %D") == [f"{job}+0 {job} first 1", f"{job}+1 {other} second 2"]
    assert rows(cluster, other, "-o", "%i") == [f"{job}+1"]
    shown = cluster.run("scontrol", "show", "job", f"{job}+1").ok().out
    assert shown.startswith(f"JobId={other} HetJobId={job} HetJobOffset=1 JobName=second\n"
                            f"   HetJobIdSet={job}-{other}\n")
    assert cluster.run("scontrol", "show", "job", job).out.count("JobId=" + job) == 3
    jobs = json.loads(cluster.run("squeue", "--json").ok().out)["jobs"]
    assert {(j["job_id"], j["het_job_id"], j["het_job_offset"], j["het_job_id_set"])
            for j in jobs if j["het_job_id"] == int(job)} == {
        (int(job), int(job), 0, f"{job}-{other}"), (int(other), int(job), 1, f"{job}-{other}")}


def test_the_script_knows_all_components(cluster):
    job = cluster.sbatch(cluster.script("s.sh", SCRIPT + "env | grep -E '^SLURM'\n"), memory=None)
    other = str(int(job) + 1)
    cluster.wait_end(job)
    found = dict(line.split("=", 1) for line in cluster.output(job).splitlines())
    nodes = [found["SLURM_JOB_NODELIST_HET_GROUP_0"], found["SLURM_JOB_NODELIST_HET_GROUP_1"]]
    expected = {"SLURM_HET_SIZE": "2", "SLURM_PACK_SIZE": "2", "SLURM_JOB_ID": job, "SLURM_NTASKS": "1",
                "SLURM_JOB_NODELIST": nodes[0]}
    for word in ("HET", "PACK"):
        expected |= {f"SLURM_JOB_ID_{word}_GROUP_0": job, f"SLURM_JOB_ID_{word}_GROUP_1": other,
                     f"SLURM_JOB_NAME_{word}_GROUP_1": "second", f"SLURM_JOB_NUM_NODES_{word}_GROUP_1": "2",
                     f"SLURM_JOB_CPUS_PER_NODE_{word}_GROUP_1": "2,1", f"SLURM_TASKS_PER_NODE_{word}_GROUP_1": "2,1",
                     f"SLURM_NTASKS_{word}_GROUP_0": "1", f"SLURM_NTASKS_{word}_GROUP_1": "3",
                     f"SLURM_NPROCS_{word}_GROUP_1": "3", f"SLURM_MEM_PER_NODE_{word}_GROUP_1": "200",
                     f"SLURM_JOB_PARTITION_{word}_GROUP_1": "batch"}
    assert {k: found.get(k) for k in expected} == expected
    owners = ("SLURM_JOB_ACCOUNT", "SLURM_JOB_QOS")  # not known to Slurm without accounting
    for name in owners:
        assert {found.get(f"{name}_{word}_GROUP_{i}") for word in ("HET", "PACK") for i in (0, 1)} == {found.get(name)}
    groups = {k for k in found if "_GROUP_" in k and not k.startswith(owners)}
    assert len(groups) == 2 * 2 * 10


def test_the_command_line_adds_to_the_script(cluster):
    script = cluster.script("s.sh", SCRIPT + "true\n")
    job = cluster.sbatch("-H", "--mem=33", ":", "-n4", ":", "-n5", "-J", "third", script)
    assert rows(cluster, job, "-o", "%i %j %m %C") == [
        f"{job}+0 first 33M 1", f"{job}+1 second 200M 4", f"{job}+2 third 200M 5"]


def test_options_about_resources_hold_for_one_component(cluster):
    job = cluster.sbatch("-H", "-p", "standard", "-c2", "-t", "7", "-J", "x", "--comment=c", ":", "-n2", "--wrap", "true")
    assert rows(cluster, job, "-o", "%i %P %C %l %j %k") == [
        f"{job}+0 standard 2 7:00 x c", f"{job}+1 batch 2 7:00 x c"]


def test_arrays_are_refused(cluster):
    for words in (["--array=1-2", ":", "-n1"], [":", "--array=1-2"]):
        refused = cluster.run("sbatch", *words, "--wrap", "true")
        assert refused.code == 1
        assert refused.err == "sbatch: error: Batch job submission failed: Invalid job array specification\n"


def test_all_end_as_the_script_does(cluster):
    job = two_components(cluster, "exit 3")
    wait_states(cluster, job, "FAILED", "FAILED")
    assert cluster.run("scontrol", "show", "job", job).out.count("ExitCode=3:0") == 2


def test_cancelling_a_job_ends_all_of_it(cluster):
    job = two_components(cluster, "sleep 100")
    wait_states(cluster, job, "RUNNING", "RUNNING")
    cluster.run("scancel", job).ok()
    wait_states(cluster, job, "CANCELLED", "CANCELLED")


def test_a_running_component_can_be_cancelled_alone(cluster):
    job = two_components(cluster, "while ! [ -e go ]; do sleep 0.1; done")
    wait_states(cluster, job, "RUNNING", "RUNNING")
    cluster.run("scancel", f"{job}+1").ok()
    wait_states(cluster, job, "RUNNING", "CANCELLED")
    (cluster.work / "go").touch()
    wait_states(cluster, job, "COMPLETED", "CANCELLED")


def test_a_waiting_component_cannot_be_cancelled_alone(cluster):
    job = two_components(cluster, "true", "-H")
    refused = cluster.run("scancel", f"{job}+1")
    assert refused.code == 60
    assert refused.err == (f"scancel: error: Kill job error on job id {job}+1: "
                           "Operation not permitted on individual component of heterogeneous job\n")
    assert states(cluster, job) == ["PENDING", "PENDING"]
    cluster.run("scancel", job).ok()
    wait_states(cluster, job, "CANCELLED", "CANCELLED")


def test_holds_and_updates_are_each_components_own(cluster):
    job = two_components(cluster, "true", second=["-H"])
    assert rows(cluster, job, "-o", "%i %r") == [f"{job}+0 JobHeldUser", f"{job}+1 JobHeldUser"]
    cluster.run("scontrol", "update", f"jobid={job}+1", "timelimit=7").ok()
    assert rows(cluster, job, "-o", "%i %l") == [f"{job}+0 UNLIMITED", f"{job}+1 7:00"]
    cluster.run("scontrol", "update", f"jobid={job}", "timelimit=8").ok()
    assert rows(cluster, job, "-o", "%l") == ["8:00", "8:00"]
    cluster.run("scontrol", "release", f"{job}+1").ok()
    assert rows(cluster, job, "-o", "%i %r")[0] == f"{job}+0 JobHeldUser"
    cluster.run("scontrol", "release", job).ok()
    wait_states(cluster, job, "COMPLETED", "COMPLETED")


def test_only_the_whole_job_is_requeued_or_suspended(cluster):
    job = two_components(cluster, "echo run; sleep 100", "-o", "out", "--open-mode=append")
    wait_states(cluster, job, "RUNNING", "RUNNING")
    refused = cluster.run("scontrol", "requeue", int(job) + 1)
    assert f"Job not heterogeneous job leader for job {int(job) + 1}" in refused.out + refused.err
    refused = cluster.run("scontrol", "suspend", f"{job}+1")
    assert "Operation not permitted on individual component of heterogeneous job" in refused.out + refused.err
    cluster.run("scontrol", "suspend", job).ok()
    assert states(cluster, job) == ["SUSPENDED", "SUSPENDED"]
    cluster.run("scontrol", "resume", job).ok()
    assert states(cluster, job) == ["RUNNING", "RUNNING"]
    cluster.wait_text("out", "run")
    cluster.run("scontrol", "requeue", job).ok()
    wait_for(lambda: cluster.run("scontrol", "show", "job", job).out.count("Restarts=1") == 2, "both to be back")
    if not is_reference():  # which waits two minutes
        cluster.wait_text("out", "run\n(.*\n)*run")


def test_a_lost_node_of_one_component_concerns_all(cluster):
    job = two_components(cluster, "sleep 100", "--no-requeue", "-w", "n1", second=["-w", "n4"])
    wait_states(cluster, job, "RUNNING", "RUNNING")
    cluster.run("scontrol", "update", "nodename=n4", "state=down", "reason=test").ok()
    wait_states(cluster, job, "NODE_FAIL", "NODE_FAIL")


def test_no_component_holds_nodes_while_another_waits(cluster):
    blocker = cluster.sbatch("-N3", "--exclusive", "--wrap", "sleep 100")
    cluster.wait_state(blocker, "RUNNING")
    job = cluster.sbatch("-N1", "--exclusive", ":", "-N1", "--exclusive", "--wrap", "sleep 100")
    for component in (f"{job}+0", f"{job}+1"):
        wait_for(lambda: "Resources" in cluster.run("scontrol", "show", "job", component).out, "a reason")
    free = cluster.run("sinfo", "-h", "-N", "-p", "batch", "-t", "idle", "-o", "%N").lines
    assert len(free) == 1
    cluster.run("scancel", blocker).ok()
    wait_states(cluster, job, "RUNNING", "RUNNING")


def test_components_have_nodes_of_their_own(cluster):
    job = cluster.sbatch("-n1", ":", "-n1", ":", "-n1", "--wrap", "sleep 100")
    wait_states(cluster, job, *["RUNNING"] * 3)
    assert len(set(rows(cluster, job, "-o", "%N"))) == 3


def test_another_job_can_depend_on_it(cluster):
    job = two_components(cluster, "while ! [ -e go ]; do sleep 0.1; done")
    after = cluster.sbatch("-d", f"afterok:{job}", "--wrap", "true")
    also = cluster.sbatch("-d", f"afterok:{job}", "-n1", ":", "-n1", "--wrap", "true")
    cluster.wait_reason(after, "Dependency")
    assert rows(cluster, also, "-o", "%r") == ["Dependency", "Dependency"]
    (cluster.work / "go").touch()
    cluster.wait_state(after, "COMPLETED")
    wait_states(cluster, also, "COMPLETED", "COMPLETED")


def test_salloc_gives_the_variables_of_all_components(cluster):
    done = cluster.run("salloc", "--mem=100", "-n1", ":", "-n2", "env").ok()
    found = dict(line.split("=", 1) for line in done.lines if line.startswith("SLURM_"))
    job = found["SLURM_JOB_ID"]
    assert f"salloc: Granted job allocation {job}\n" in done.err
    assert found["SLURM_HET_SIZE"] == "2" and found["SLURM_NTASKS"] == "3"
    assert found["SLURM_JOB_ID_HET_GROUP_1"] == str(int(job) + 1)
    assert found["SLURM_NTASKS_HET_GROUP_1"] == found["SLURM_TASKS_PER_NODE_HET_GROUP_1"] == "2"
    assert found["SLURM_NODELIST_HET_GROUP_0"] != found["SLURM_NODELIST_HET_GROUP_1"]
    assert "SLURM_JOB_NODELIST" not in found
    wait_states(cluster, job, "COMPLETED", "COMPLETED")


@pytest.mark.ours
def test_the_job_survives_the_controller(cluster):
    job = two_components(cluster, "while ! [ -e go ]; do sleep 0.1; done")
    held = two_components(cluster, "true", "-H")
    wait_states(cluster, job, "RUNNING", "RUNNING")
    cluster.stop_controller(sig=9)
    cluster.start_controller()
    wait_states(cluster, job, "RUNNING", "RUNNING")
    assert rows(cluster, held, "-o", "%i") == [f"{held}+0", f"{held}+1"]
    (cluster.work / "go").touch()
    cluster.run("scontrol", "release", held).ok()
    wait_states(cluster, job, "COMPLETED", "COMPLETED")
    wait_states(cluster, held, "COMPLETED", "COMPLETED")


@pytest.mark.accounting
def test_accounting_names_the_components(cluster):
    job = two_components(cluster, "exit 2")
    wait_states(cluster, job, "FAILED", "FAILED")
    expected = [rf"{job}\+0\|FAILED\|2:0", rf"{job}\+0.batch\|FAILED\|2:0", rf"{job}\+1\|FAILED\|2:0"]
    cluster.wait_sacct(expected, "-j", job, "-o", "jobid,state,exitcode")
    cluster.wait_sacct(expected[2:], "-j", f"{job}+1", "-o", "jobid,state,exitcode")
