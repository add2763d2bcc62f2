"""Accounts, users and QOS that are made while the cluster runs: what they let jobs do."""
import os
import re
import signal

import pytest

from accounts_client import Site

pytestmark = [pytest.mark.ours, pytest.mark.as_root]

CLUSTER = dict(nodes=2, cpus=4, conf="""
QoS=filed Priority=5
AccountingStorageEnforce=associations,limits,qos
""")


@pytest.fixture
def site(cluster, alice):
    """Account lab, of which alice is a user."""
    site = Site(cluster)
    site.add("account", "lab", Description="the lab")
    site.add("user", alice, where={"Account": "lab"})
    yield site
    cluster.cancel_all()
    site.ask("remove", "account", {"Name": "lab,other"})


def refusal_of(cluster, *args, **options):
    done = cluster.run("sbatch", *args, "--wrap", "true", **options)
    assert done.code == 1
    return done.err.splitlines()[-1]


def test_until_there_is_an_account_everybody_may_run(cluster, alice):
    cluster.wait_state(cluster.sbatch("--wrap", "true", user=alice), "COMPLETED")


def test_a_user_runs_in_the_default_account_and_only_in_own_ones(site, cluster, alice, bob):
    job = cluster.sbatch("--wrap", "sleep 60", user=alice)
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%a %q").out.split() == ["lab", "normal"]
    wrong = "sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified"
    assert refusal_of(cluster, "-A", "other", user=alice) == wrong
    assert refusal_of(cluster, user=bob) == wrong
    site.add("account", "other")
    site.add("user", alice, where={"Account": "other"})
    cluster.sbatch("-A", "other", "--wrap", "true", user=alice)
    site.modify("user", alice, DefaultAccount="other")
    job = cluster.sbatch("--wrap", "true", user=alice)
    assert cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%a").out.strip() == "other"


def test_a_qos_is_for_those_who_may_use_it(site, cluster, alice):
    wrong = "sbatch: error: Batch job submission failed: Invalid qos specification"
    assert refusal_of(cluster, "--qos=fast", user=alice) == wrong
    site.add("qos", "fast", MaxJobsPerUser=1)
    assert refusal_of(cluster, "--qos=fast", user=alice) == wrong  # it exists, but not for her
    site.modify("user", alice, **{"QOS+": "fast"})
    first = cluster.sbatch("--qos=fast", "--wrap", "sleep 60", user=alice)
    cluster.wait_state(first, "RUNNING")
    second = cluster.sbatch("--qos=fast", "--wrap", "sleep 60", user=alice)
    cluster.wait_reason(second, "QOSMaxJobsPerUserLimit")
    site.modify("qos", "fast", MaxJobsPerUser=2)  # counts for the one that waits, at once
    cluster.wait_state(second, "RUNNING")
    site.modify("user", alice, DefaultQOS="fast")
    third = cluster.sbatch("--wrap", "true", user=alice)
    assert cluster.run("squeue", "-h", "-j", third, "-o", "%q").out.strip() == "fast"
    cluster.cancel_all()
    site.remove("qos", "fast")
    assert refusal_of(cluster, "--qos=fast", user=alice) == wrong


def test_limits_of_associations_act_and_a_changed_one_counts_at_once(site, cluster, alice):
    site.modify("user", alice, MaxJobs=1)
    first = cluster.sbatch("--wrap", "sleep 60", user=alice)
    cluster.wait_state(first, "RUNNING")
    second = cluster.sbatch("--wrap", "sleep 60", user=alice)
    cluster.wait_reason(second, "AssocMaxJobsLimit")
    site.modify("user", alice, MaxJobs=-1)
    cluster.wait_state(second, "RUNNING")
    site.modify("account", "lab", GrpTRES="cpu=2")
    third = cluster.sbatch("--wrap", "sleep 60", user=alice)
    cluster.wait_reason(third, "AssocGrpCpuLimit")
    site.modify("account", "lab", GrpTRES="cpu=-1")
    cluster.wait_state(third, "RUNNING")
    site.modify("account", "lab", MaxSubmitJobs=3)
    assert "Job violates accounting/QOS policy" in refusal_of(cluster, user=alice)


def test_what_is_acknowledged_survives_kill_9(site, cluster, alice):
    site.add("account", "other", Parent="lab")
    site.modify("user", alice, MaxJobs=7)
    os.kill(cluster.controller_pid, signal.SIGKILL)
    cluster.start_controller()
    shown = Site(cluster).ask("show", "association", {"Account": "other"})
    assert len(shown.rows) == 1
    cluster.wait_state(cluster.sbatch("--wrap", "true", user=alice), "COMPLETED")


def test_a_controller_that_forgets_its_jobs_keeps_the_accounts(site, cluster, alice, bob):
    cluster.stop_controller()
    cluster.start_controller("-c")
    cluster.wait_nodes("idle")
    cluster.wait_state(cluster.sbatch("--wrap", "true", user=alice), "COMPLETED")
    assert "Invalid account" in refusal_of(cluster, user=bob)


def test_a_qos_of_slurm_conf_is_shown_and_changed_there(site, cluster):
    assert len(site.ask("show", "qos", {"Name": "filed"}).rows) == 1
    problem, name, place = site.ask("modify", "qos", {"Name": "filed"}, {"Priority": 9}).refusal
    assert (problem, name) == ("defined_in_file", "filed")
    line = int(re.fullmatch(r"slurm\.conf:(\d+)", place)[1])
    assert cluster.config_file.read_text().splitlines()[line - 1].startswith("QoS=filed")


def test_an_account_stays_while_jobs_use_it(site, cluster, alice):
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    problem, _, jobs = site.ask("remove", "account", {"Name": "lab"}).refusal
    assert (problem, jobs) == ("jobs_active", job)


def test_users_without_rights_change_nothing(site, cluster, alice, bob):
    denied = Site(cluster, bob).ask("add", "account", {"Name": "mine"})
    assert denied.refusal[0] == "denied" and not denied.committed
    assert Site(cluster, alice).ask("modify", "user", {"Name": alice}, {"MaxJobs": 99}).refusal[0] == "denied"
    site.add("coordinator", alice, where={"Account": "lab"})
    Site(cluster, alice).add("user", bob, where={"Account": "lab"})
    cluster.wait_state(cluster.sbatch("--wrap", "true", user=bob), "COMPLETED")


def test_a_confirmation_is_refused_if_somebody_was_quicker(site):
    shown = site.ask("add", "account", {"Name": "other"}, dry_run=True)
    site.add("qos", "meanwhile")
    late = site.ask("add", "account", {"Name": "other"}, expected=shown.version)
    assert late.refusal[0] == "version_changed" and not late.committed
    site.remove("qos", "meanwhile")
