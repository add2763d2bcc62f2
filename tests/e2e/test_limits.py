"""Limits of users, accounts, QOS and partitions: why a job waits or is refused, and that a changed limit counts at once.

All of this passes on the reference, too (it starts slurmdbd and MariaDB).
"""
import re
import subprocess

import pytest

from accounted import accounted_cluster
from conftest import user_named
from muster import BIN, wait_for

OPTIONS = dict(nodes=4, conf="""
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityWeightQOS=1000
PriorityWeightAge=1000
PriorityDecayHalfLife=7-0
PriorityCalcPeriod=1
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=1,sched_interval=2
""", partitions="""\
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=n[1-2] MaxTime=10 MaxNodes=1 State=UP
PartitionName=wide Nodes=ALL MinNodes=2 State=UP
PartitionName=ruled Nodes=ALL State=UP
PartitionName=listed Nodes=ALL State=UP
""")

pytestmark = pytest.mark.as_root


@pytest.fixture(scope="module")
def module_cluster():
    cluster = accounted_cluster(**OPTIONS)
    try:
        for name in ("alice", "bob"):
            user_named(name)
        cluster.up()
        for words in (["qos", "q"], ["qos", "other"], ["qos", "rule"], ["account", "lab"], ["account", "sub", "parent=lab"],
                      ["user", "alice", "account=lab"], ["user", "bob", "account=lab"], ["user", "alice", "account=sub"]):
            change(cluster, "add", *words)
        change(cluster, "modify", "user", "alice", "bob", "set", "qos+=q,other,rule")
        cluster.run("scontrol", "update", "partition=ruled", "qos=rule").ok()
        yield cluster
    finally:
        cluster.down()


def change(cluster, *words):
    return cluster.run("sacctmgr", "-i", *words).ok()


WHOSE = {"user": ("user", "alice", "where", "account=lab", "set"), "account": ("account", "lab", "set"),
         "qos": ("qos", "q", "set"), "rule": ("qos", "rule", "set")}


class Limit:
    """A limit that is set as long as it is needed."""

    def __init__(self, cluster, whose, *settings):
        self.cluster, self.words, self.settings = cluster, ("modify", *WHOSE[whose]), settings

    def __enter__(self):
        change(self.cluster, *self.words, *self.settings)
        return self

    def lift(self):
        for setting in self.settings:
            key, _, value = setting.partition("=")
            if key == "flags":
                change(self.cluster, *self.words, f"flags-={value}")
            else:
                none = ",".join(f"{part.split('=')[0]}=-1" if "=" in part else "-1" for part in value.split(","))
                change(self.cluster, *self.words, f"{key}={none}")
        self.settings = ()

    def __exit__(self, *_):
        self.lift()


def submit(cluster, user, whose, *options):
    """-t 10 unless the options say otherwise; the QOS or partition that the limit belongs to."""
    where = {"qos": ["--qos=q"], "rule": ["-p", "ruled"]}.get(whose, [])
    return cluster.sbatch("-t", "10", *where, "-o", "/dev/null", *options, "--wrap", "sleep 60", user=user)


# Whose limit; the limit; the job of whom that runs already; the job of alice that waits; why.
WAITING = [
    ("user", "MaxJobs=1", "alice", "", "AssocMaxJobsLimit"),
    ("user", "MaxTRES=cpu=2", None, "-c4", "AssocMaxCpuPerJobLimit"),
    ("user", "MaxTRES=mem=150", None, "--mem=200", "AssocMaxMemPerJob"),
    ("user", "MaxTRES=node=1", None, "-N2", "AssocMaxNodePerJobLimit"),
    ("user", "MaxTRES=gres/gpu=1", None, "--gres=gpu:2", "AssocMaxGRESPerJob"),
    ("user", "MaxTRES=billing=2", None, "-c4", "AssocMaxBillingPerJob"),
    ("user", "MaxTRESPerNode=cpu=2", None, "-c4", "AssocMaxCpuPerNode"),
    ("user", "MaxTRESMins=cpu=10", None, "-c4", "AssocMaxCpuMinutesPerJobLimit"),
    ("user", "MaxWall=5", None, "", "AssocMaxWallDurationPerJobLimit"),
    ("account", "MaxJobs=1", "alice", "", "AssocMaxJobsLimit"),
    ("account", "GrpJobs=1", "bob", "", "AssocGrpJobsLimit"),
    ("account", "GrpJobs=1", "bob", "-A sub", "AssocGrpJobsLimit"),
    ("account", "GrpTRES=cpu=2", "bob -c2", "", "AssocGrpCpuLimit"),
    ("account", "GrpTRES=cpu=2", None, "-c4", "AssocGrpCpuLimit"),
    ("account", "GrpTRES=mem=150", None, "--mem=200", "AssocGrpMemLimit"),
    ("account", "GrpTRES=gres/gpu=1", "bob --gres=gpu:1", "--gres=gpu:1", "AssocGrpGRES"),
    ("account", "GrpTRES=node=1", "bob -w n1", "-w n2", "AssocGrpNodeLimit"),
    ("account", "GrpTRESRunMins=cpu=20", "bob", "-t 20", "AssocGrpCPURunMinutesLimit"),
    ("account", "GrpTRESMins=cpu=0", None, "", "AssocGrpCPUMinutesLimit"),
    ("account", "GrpWall=0", None, "", "AssocGrpWallLimit"),
    ("qos", "GrpJobs=1", "bob", "", "QOSGrpJobsLimit"),
    ("qos", "GrpTRES=cpu=2", "bob -c2", "", "QOSGrpCpuLimit"),
    ("qos", "GrpTRES=cpu=2", None, "-c4", "QOSGrpCpuLimit"),
    ("qos", "GrpTRESRunMins=cpu=20", None, "-t 30", "QOSGrpCPURunMinutesLimit"),
    ("qos", "GrpTRESRunMins=mem=888", None, "", "QOSGrpMemoryRunMinutes"),
    ("qos", "GrpTRESMins=cpu=0", None, "", "QOSGrpCPUMinutesLimit"),
    ("qos", "GrpWall=0", None, "", "QOSGrpWallLimit"),
    ("qos", "MaxJobsPerUser=1", "alice", "", "QOSMaxJobsPerUserLimit"),
    ("qos", "MaxJobsPerAccount=1", "bob", "", "MaxJobsPerAccount"),
    ("qos", "MaxTRES=cpu=2", None, "-c4", "QOSMaxCpuPerJobLimit"),
    ("qos", "MaxTRES=node=1", None, "-N2", "QOSMaxNodePerJobLimit"),
    ("qos", "MaxTRESPerNode=cpu=2", None, "-c4", "QOSMaxCpuPerNode"),
    ("qos", "MaxTRESPerUser=cpu=2", "alice -c2", "", "QOSMaxCpuPerUserLimit"),
    ("qos", "MaxTRESPerUser=gres/gpu=1", None, "--gres=gpu:2", "QOSMaxGRESPerUser"),
    ("qos", "MaxTRESPerUser=node=1", None, "-N2", "QOSMaxNodePerUserLimit"),
    ("qos", "MaxTRESPerUser=mem=150", None, "--mem=200", "QOSMaxMemoryPerUser"),
    ("qos", "MaxTRESPerAccount=cpu=2", "bob -c2", "", "MaxCpuPerAccount"),
    ("qos", "MaxTRESPerAccount=mem=150", None, "--mem=200", "MaxMemoryPerAccount"),
    ("qos", "MaxTRESMins=cpu=10", None, "-c4", "QOSMaxCpuMinutesPerJobLimit"),
    ("qos", "MaxWall=5", None, "", "QOSMaxWallDurationPerJobLimit"),
    ("qos", "MinTRES=cpu=2", None, "", "QOSMinCpuNotSatisfied"),
    ("qos", "MinTRES=node=2", None, "", "QOSMinNode"),
    ("qos", "MinTRES=gres/gpu=1", None, "", "QOSMinGRES"),
    ("rule", "MaxWall=5", None, "", "QOSMaxWallDurationPerJobLimit"),
    ("rule", "GrpJobs=1", "bob", "", "QOSGrpJobsLimit"),
]


@pytest.mark.parametrize("whose, setting, running, options, reason", WAITING, ids=lambda value: str(value))
def test_a_job_waits_until_the_limit_is_lifted(cluster, whose, setting, running, options, reason):
    with Limit(cluster, whose, setting) as limit:
        if running:
            user, *words = running.split()
            cluster.wait_state(submit(cluster, user, whose, *words), "RUNNING")
        job = submit(cluster, "alice", whose, *options.split())
        cluster.wait_reason(job, reason)
        limit.lift()
        cluster.wait_state(job, "RUNNING")


# Whose limit; the limit; who has a job already; alice's job; the first line of the refusal.
REFUSED = [
    ("user", "MaxSubmitJobs=1", "alice", "", "AssocMaxSubmitJobLimit"),
    ("user", "MaxSubmitJobs=2", None, "-a 0-2", "AssocMaxSubmitJobLimit"),
    ("account", "GrpSubmitJobs=1", "bob", "", "AssocGrpSubmitJobsLimit"),
    ("qos", "GrpSubmitJobs=1", "bob", "", "QOSGrpSubmitJobsLimit"),
    ("qos", "MaxSubmitJobsPerUser=1", "alice", "", "QOSMaxSubmitJobPerUserLimit"),
    ("qos", "MaxSubmitJobsPerAccount=1", "bob", "", "MaxSubmitJobsPerAccount"),
    ("rule", "MaxSubmitJobsPerUser=1", "alice", "", "QOSMaxSubmitJobPerUserLimit"),
]
# With DenyOnLimit of the QOS: limits that the job can never meet.
DENIED = [
    ("qos", "GrpTRES=cpu=2", None, "-c4", "QOSGrpCpuLimit"),
    ("qos", "GrpTRESRunMins=cpu=20", None, "-t 30", "QOSGrpCPURunMinutesLimit"),
    ("qos", "GrpTRESMins=cpu=20", None, "-t 30", "QOSGrpCPUMinutesLimit"),
    ("qos", "GrpWall=20", None, "-t 30", "QOSGrpWallLimit"),
    ("qos", "MaxTRES=cpu=2", None, "-c4", "QOSMaxCpuPerJobLimit"),
    ("qos", "MaxTRESPerNode=cpu=2", None, "-c4", "QOSMaxCpuPerNode"),
    ("qos", "MaxTRESPerUser=cpu=2", None, "-c4", "QOSMaxCpuPerUserLimit"),
    ("qos", "MaxTRESPerAccount=cpu=2", None, "-c4", "MaxCpuPerAccount"),
    ("qos", "MaxTRESMins=cpu=10", None, "-c4", "QOSMaxCpuMinutesPerJobLimit"),
    ("qos", "MaxWall=5", None, "", "QOSMaxWallDurationPerJobLimit"),
    ("qos", "MinTRES=cpu=2", None, "", "QOSMinCpuNotSatisfied"),
    ("qos", "MinTRES=gres/gpu=1", None, "", "QOSMinGRES"),
    ("user", "MaxTRES=cpu=2", None, "-c4", "AssocMaxCpuPerJobLimit"),
    ("user", "MaxWall=5", None, "", "AssocMaxWallDurationPerJobLimit"),
    ("account", "GrpTRES=cpu=2", None, "-c4", "AssocGrpCpuLimit"),
]


def refusal(cluster, *words, user="alice"):
    done = cluster.run("sbatch", "--mem=100", *words, "-o", "/dev/null", "--wrap", "sleep 60", user=user)
    assert done.code == 1, done.out
    return done.err.splitlines()


VIOLATES = ("sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit, "
            "user's size and/or time limits)")


@pytest.mark.parametrize("whose, setting, running, options, reason", REFUSED, ids=lambda value: str(value))
def test_too_many_jobs_are_refused(cluster, whose, setting, running, options, reason):
    with Limit(cluster, whose, setting):
        if running:
            submit(cluster, running, whose)
        where = {"qos": ["--qos=q"], "rule": ["-p", "ruled"]}.get(whose, [])
        wait_for(lambda: refusal(cluster, "-t10", *where, *options.split()) ==
                 [f"sbatch: error: {reason}", VIOLATES], "the refusal")


def test_what_can_never_start_is_refused_if_the_qos_says_so(cluster):
    with Limit(cluster, "qos", "flags=DenyOnLimit"):
        for whose, setting, _, options, reason in DENIED:
            with Limit(cluster, whose, setting):
                assert refusal(cluster, "-t10", "--qos=q", *options.split()) == [f"sbatch: error: {reason}", VIOLATES], setting


def test_a_node_that_jobs_share_counts_once(cluster):
    with Limit(cluster, "account", "GrpTRES=node=1"):
        cluster.wait_state(submit(cluster, "bob", "", "-w", "n1"), "RUNNING")
        cluster.wait_state(submit(cluster, "alice", "", "-w", "n1"), "RUNNING")


def test_a_job_without_a_time_limit_gets_that_of_its_association(cluster):
    with Limit(cluster, "user", "MaxWall=5"):
        job = cluster.sbatch("-o", "/dev/null", "--wrap", "sleep 60", user="alice")
        cluster.wait_state(job, "RUNNING")
        assert cluster.run("squeue", "-h", "-j", job, "-o", "%l").out.strip() == "5:00"


def test_limits_count_tasks_of_an_array(cluster):
    with Limit(cluster, "user", "MaxJobs=2"):
        job = submit(cluster, "alice", "", "-a", "0-4")
        expected = [f"{job}_{task} {'R None' if task < 2 else 'PD AssocMaxJobsLimit'}" for task in range(5)]
        wait_for(lambda: sorted(cluster.run("squeue", "-h", "-r", "-o", "%i %t %r").lines) == expected, "two tasks to run")


def test_clients_that_race_do_not_overrun_a_limit(cluster):
    with Limit(cluster, "user", "MaxSubmitJobs=3"):
        words = ["setpriv", "--reuid=alice", "--regid=alice", "--init-groups", str(BIN / "sbatch"), "-t10", "--mem=100", "-o",
                 "/dev/null", "--wrap", "sleep 60"]
        clients = [subprocess.Popen(words, env=cluster.environment, cwd=cluster.work, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for _ in range(12)]
        assert sorted(client.wait() for client in clients) == [0] * 3 + [1] * 9


def test_the_qos_of_a_partition_ranks_above_the_jobs_unless_that_says_otherwise(cluster):
    with Limit(cluster, "rule", "MaxTRESPerUser=cpu=2"), Limit(cluster, "qos", "MaxTRESPerUser=cpu=4"):
        job = submit(cluster, "alice", "qos", "-p", "ruled", "-c3")
        cluster.wait_reason(job, "QOSMaxCpuPerUserLimit")
        with Limit(cluster, "qos", "flags=OverPartQOS"):
            cluster.wait_state(job, "RUNNING")


# A flag and limits of the QOS; the job; that without the flag it does not run.
FLAGS = [
    (["flags=PartitionTimeLimit", "MaxWall=60"], ["-p", "short", "-t", "20"]),
    (["flags=PartitionMaxNodes", "MaxTRES=node=2"], ["-p", "short", "-N2"]),
    (["flags=PartitionMinNodes", "MinTRES=node=1"], ["-p", "wide", "-N1"]),
]


@pytest.mark.parametrize("settings, options", FLAGS, ids=lambda value: value[0])
def test_a_qos_may_override_bounds_of_partitions(cluster, settings, options):
    job = submit(cluster, "alice", "qos", *options)
    reasons = ("PartitionConfig", "PartitionTimeLimit" if "-t" in options else "PartitionNodeLimit")
    wait_for(lambda: cluster.reason(job) in reasons, "the partition's bound")  # the first: not looked at yet
    with Limit(cluster, "qos", *settings):
        cluster.wait_state(job, "RUNNING")


def test_a_qos_may_ask_for_a_reservation(cluster):
    with Limit(cluster, "qos", "flags=RequiresReservation"):
        assert refusal(cluster, "--qos=q") == ["sbatch: error: Batch job submission failed: Invalid qos specification"]
        cluster.run("scontrol", "create", "reservation", "reservationname=kept", "starttime=now", "duration=60",
                    "users=alice", "nodes=n4").ok()
        cluster.wait_state(submit(cluster, "alice", "qos", "--reservation=kept"), "RUNNING")
        cluster.cancel_all()
        cluster.run("scontrol", "delete", "reservationname=kept").ok()


def test_flags_of_a_qos_are_shown_in_the_order_of_the_reference(cluster):
    flags = ("DenyOnLimit,EnforceUsageThreshold,NoReserve,PartitionMaxNodes,PartitionMinNodes,OverPartQOS,"
             "PartitionTimeLimit,RequiresReservation,NoDecay,UsageFactorSafe")
    change(cluster, "modify", "qos", "other", "set", "flags=" + ",".join(reversed(flags.split(","))))
    assert cluster.run("sacctmgr", "-nP", "show", "qos", "other", "format=flags").lines == [flags]
    change(cluster, "modify", "qos", "other", "set", "flags=-1")
    assert cluster.run("sacctmgr", "-nP", "show", "qos", "other", "format=flags").lines == [""]


# A key of the partition, its value, what it is without it, and why a waiting job does not start.
LISTS = [
    ("AllowAccounts", "sub", "ALL", "Job's account not permitted to use this partition (listed allows sub not lab)"),
    ("DenyAccounts", "lab", "", "Job's account not permitted to use this partition (listed denies lab including lab)"),
    ("AllowQos", "q", "ALL", "Job's QOS not permitted to use this partition (listed allows q not normal)"),
    ("DenyQos", "normal", "", "Job's QOS not permitted to use this partition (listed denies normal including normal)"),
]


@pytest.mark.parametrize("key, value, none, reason", LISTS, ids=lambda value: str(value)[:20])
def test_lists_of_a_partition_count_for_jobs_that_wait(cluster, key, value, none, reason):
    job = submit(cluster, "alice", "", "-p", "listed", "-H")
    cluster.run("scontrol", "update", "partition=listed", f"{key}={value}").ok()
    cluster.run("scontrol", "release", job).ok()
    shown = ("squeue", "-h", "-j", job, "-o", "%r")
    wait_for(lambda: cluster.run(*shown).out.strip() == reason, reason)
    cluster.run("scontrol", "update", "partition=listed", f"{key}={none}").ok()
    cluster.wait_state(job, "RUNNING")


def test_a_qos_that_is_taken_away_keeps_its_jobs_waiting(cluster):
    job = submit(cluster, "alice", "", "--qos=other", "-H")
    change(cluster, "modify", "user", "alice", "set", "qos-=other")
    cluster.run("scontrol", "release", job).ok()
    cluster.wait_reason(job, "InvalidQOS")
    change(cluster, "modify", "user", "alice", "set", "qos+=other")
    cluster.wait_state(job, "RUNNING")


# --- scontrol show assoc_mgr ---

TRES = "cpu={},mem={},energy=N(0),node={},billing={},fs/disk=N(0),vmem=N(0),pages=N(0),gres/gpu={}"


def assoc_mgr(cluster, *words):
    return cluster.run("scontrol", "show", "assoc_mgr", *words).ok().out


def test_limits_are_shown_with_what_is_used_of_each(cluster):
    with Limit(cluster, "user", "GrpTRES=cpu=8,gres/gpu=2", "GrpJobs=4", "GrpJobsAccrue=6", "GrpSubmitJobs=11", "GrpWall=300",
               "MaxJobs=5", "MaxJobsAccrue=3", "MaxSubmitJobs=9", "MaxWall=100", "MaxTRES=cpu=4", "MaxTRESPerNode=cpu=4",
               "MaxTRESMins=cpu=500"):
        cluster.wait_state(submit(cluster, "alice", "", "-c2"), "RUNNING")
        submit(cluster, "alice", "", "-H")
        text = assoc_mgr(cluster, "users=alice", "accounts=lab", "flags=users,assoc")
    assert text.startswith("Current Association Manager state\n\nUser Records\n\nUserName=alice(")
    assert "DefAccount=lab DefWckey=(null) AdminLevel=Not Set\n\nAssociation Records\n\nClusterName=e2e Account=lab UserName= " in text
    account, mine = re.split("(?=ClusterName=)", text)[1:]
    assert re.search(r"\n    ParentAccount=root\(1\) Lft=\d+ DefAssoc=No\n    GrpJobs=N\(1\) GrpJobsAccrue=N\(0\)\n"
                     r"    GrpSubmitJobs=N\(2\) GrpWall=N\(\d+\.\d\d\)\n", account)
    lines = mine.splitlines()
    assert re.fullmatch(r"ClusterName=e2e Account=lab UserName=alice\(\d+\) Partition= Priority=0 ID=\d+", lines[0])
    assert re.fullmatch(r"    SharesRaw/Norm/Level/Factor=1/0\.33/3/\d\.\d\d", lines[1])
    assert re.fullmatch(r"    UsageRaw/Norm/Efctv=\d+\.\d\d/\d\.\d\d/\d\.\d\d", lines[2])
    assert re.fullmatch(r"    ParentAccount= Lft=\d+ DefAssoc=Yes", lines[3])
    assert lines[4] == "    GrpJobs=4(1) GrpJobsAccrue=6(0)"
    assert re.fullmatch(r"    GrpSubmitJobs=11\(2\) GrpWall=300\(\d+\.\d\d\)", lines[5])
    assert lines[6] == "    GrpTRES=" + TRES.format("8(2)", "N(100)", "N(1)", "N(2)", "2(0)")
    assert lines[7].startswith("    GrpTRESMins=cpu=N(")
    assert re.match(r"    GrpTRESRunMins=cpu=N\((20|19|18)\),mem=N\((1000|900)\),energy=N\(0\),node=N\((10|9)\),", lines[8])
    assert lines[9:] == ["    MaxJobs=5(1) MaxJobsAccrue=3(0) MaxSubmitJobs=9(2) MaxWallPJ=100", "    MaxTRESPJ=cpu=4",
                         "    MaxTRESPN=cpu=4", "    MaxTRESMinsPJ=cpu=500", "    MinPrioThresh=", ""][:len(lines) - 9]


def test_a_qos_is_shown_with_its_accounts_and_users(cluster, alice):
    with Limit(cluster, "qos", "GrpTRES=cpu=20", "MaxJobsPerUser=3", "MaxTRESPerUser=cpu=6", "MaxJobsPerAccount=4",
               "MaxTRESPerAccount=cpu=10", "MinTRES=cpu=1", "MaxWall=1-0"):
        cluster.wait_state(submit(cluster, "alice", "qos", "-c2"), "RUNNING")
        text = assoc_mgr(cluster, "qos=q", "flags=qos")
        line = cluster.run("scontrol", "-o", "show", "assoc_mgr", "qos=q", "flags=qos").ok().lines[2]
    lines = text.splitlines()
    assert lines[:4] == ["Current Association Manager state", "", "QOS Records", ""]
    assert re.fullmatch(r"QOS=q\(\d+\)", lines[4])
    assert re.fullmatch(r"    UsageRaw=\d+\.\d{6}", lines[5])
    assert re.fullmatch(r"    GrpJobs=N\(1\) GrpJobsAccrue=N\(0\) GrpSubmitJobs=N\(1\) GrpWall=N\(\d+\.\d\d\)", lines[6])
    assert lines[7] == "    GrpTRES=" + TRES.format("20(2)", "N(100)", "N(1)", "N(2)", "N(0)")
    assert lines[10:19] == ["    MaxWallPJ=1440", "    MaxTRESPJ=", "    MaxTRESPN=", "    MaxTRESMinsPJ=", "    MinPrioThresh= ",
                            "    MinTRESPJ=cpu=1", "    PreemptMode=OFF", "    Priority=0", "    Account Limits"]
    at = lines.index("      lab")
    assert lines[at + 1:at + 3] == ["        MaxJobsPA=4(1) MaxJobsAccruePA=N(0) MaxSubmitJobsPA=N(1)",
                                    "        MaxTRESPA=" + TRES.format("10(2)", "N(100)", "N(1)", "N(2)", "N(0)")]
    uid = cluster.run("id", "-u", alice).out.strip()
    at = lines.index(f"      {uid}")
    assert lines[at + 1:at + 3] == ["        MaxJobsPU=3(1) MaxJobsAccruePU=N(0) MaxSubmitJobsPU=N(1)",
                                    "        MaxTRESPU=" + TRES.format("6(2)", "N(100)", "N(1)", "N(2)", "N(0)")]
    assert " Account Limits= lab={MaxJobsPA=4(1) MaxJobsAccruePA=N(0) " in line
    assert f" {uid}={{MaxJobsPU=3(1) " in line


def test_records_are_selected_by_words(cluster):
    assert "Association Records" not in assoc_mgr(cluster, "flags=users")
    assert "No users currently cached in Slurm.\n\n" in assoc_mgr(cluster, "flags=users", "users=nobody")
    assert "No QOS currently cached in Slurm." in assoc_mgr(cluster, "flags=qos", "qos=nope")
    shown = re.findall(r"Account=(\w+) UserName=(\w*)", assoc_mgr(cluster, "flags=assoc", "accounts=sub"))
    assert shown == [("sub", ""), ("sub", "alice")]
    wrong = cluster.run("scontrol", "show", "assoc_mgr", "flags=bla")
    assert "invalid flag 'bla', valid options are 'Assoc, QOS, and/or Users'" in wrong.out + wrong.err
    assert "invalid entity: foo=1 for keyword:show assoc_mgr" in (
        lambda done: done.out + done.err)(cluster.run("scontrol", "show", "assoc_mgr", "foo=1"))


# --- muster budget ---

@pytest.mark.ours
def test_budget_says_what_is_left_and_what_would_stop_the_next_job(cluster):
    def budget(*words, user="alice"):
        return cluster.run("muster", "budget", *words, user=user)
    with Limit(cluster, "user", "MaxJobs=1"), Limit(cluster, "account", "GrpTRES=cpu=8"), \
            Limit(cluster, "qos", "MaxWall=30", "GrpTRES=cpu=5"):
        lines = budget().ok().lines
        assert lines[0] == "Budget of alice: account lab, QOS normal, partition batch"
        assert lines[1] == "  next job:    no limit stops a small job"
        cluster.wait_state(submit(cluster, "alice", "", "-c2"), "RUNNING")
        lines = [line.split() for line in budget().ok().lines]
        assert lines[1] == ["next", "job:", "would", "wait", "[AssocMaxJobsLimit]"]
        assert ["MaxJobs", "1", "1", "0", "alice", "in", "lab"] in lines
        assert ["GrpTRES=cpu", "2", "8", "6", "account", "lab"] in lines
        lines = [line.split() for line in budget("--qos=q").ok().lines]
        assert ["GrpTRES=cpu", "0", "5", "5", "QOS", "q"] in lines
        assert ["MaxWall", "00:30:00", "QOS", "q"] in lines
        assert "account lab" not in str(lines)  # the QOS overrides that limit
    with Limit(cluster, "user", "MaxSubmitJobs=1"):
        assert "would be refused [AssocMaxSubmitJobLimit]" in budget().out
    assert budget("--user=bob").code == 1
    assert budget("--user=alice", user="root").ok().lines[0].startswith("Budget of alice: ")
    assert "Invalid qos specification" in budget("--qos=nope").err
    assert budget("--colour").err == ("muster: error: budget takes --user=, --account=, --qos= and --partition=, "
                                      "not '--colour'\n")
