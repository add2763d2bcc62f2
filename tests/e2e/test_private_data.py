"""PrivateData: what a user sees of others' jobs, nodes, partitions, reservations and usage; root sees all of it."""
import pytest
import raw_client
from muster import wait_for

pytestmark = pytest.mark.as_root

CLUSTER = dict(nodes=2)
WORDS = "PrivateData=jobs,reservations,usage\nPriorityType=priority/multifactor\nPriorityWeightAge=1000\n"


def with_words(module_cluster, words):
    text = "".join(line for line in module_cluster.config_file.read_text().splitlines(True)
                   if not line.startswith(("PrivateData", "Priority")))
    module_cluster.config_file.write_text(text + words)
    module_cluster.stop_controller()
    module_cluster.start_controller()
    module_cluster.wait_nodes("idle")
    return module_cluster


@pytest.fixture(scope="module")
def private_jobs(module_cluster):
    return with_words(module_cluster, WORDS)


@pytest.fixture
def jobs(private_jobs, cluster, alice, bob):
    """Two of alice, of which one runs a step, and one of bob."""
    runs = cluster.sbatch("-t5", "-J", "secret", "--wrap", "srun sleep 200", user=alice)
    wait_for(lambda: f"StepId={runs}.0" in cluster.run("scontrol", "show", "step").out, "alice's step")
    waits = cluster.sbatch("-N2", "--exclusive", "-t5", "--wrap", "true", memory=None, user=alice)
    own = cluster.sbatch("-N2", "--exclusive", "-t5", "--wrap", "true", memory=None, user=bob)
    return runs, waits, own


def test_squeue_lists_ones_own(cluster, jobs, bob):
    runs, waits, own = jobs
    for options in ([], ["-a"], ["--start"]):
        assert cluster.run("squeue", "-h", "-o", "%i", *options, user=bob).out.split() == [own]
    assert cluster.run("squeue", "-h", "-u", "alice", user=bob).out == ""
    assert cluster.run("squeue", "-h", "-s", user=bob).out == ""
    assert sorted(cluster.run("squeue", "-h", "-o", "%i").out.split()) == sorted(jobs)


def test_a_job_of_others_is_as_if_there_were_none(cluster, jobs, bob):
    runs, waits, own = jobs
    for command in (["squeue", "-j", runs], ["scontrol", "show", "job", runs]):
        done = cluster.run(*command, user=bob)
        assert (done.code, done.out, done.err) == (1, "", "slurm_load_jobs error: Invalid job id specified\n")
    shown = cluster.run("scontrol", "-o", "show", "job", user=bob).out
    assert f"JobId={own} " in shown and "alice" not in shown
    assert cluster.run("scontrol", "show", "step", user=bob).out == "No job steps in the system\n"
    done = cluster.run("scontrol", "show", "step", f"{runs}.0", user=bob)
    assert done.code == 1 and "StepId" not in done.out


def test_other_commands_tell_nothing_of_it(cluster, jobs, bob):
    runs, waits, own = jobs
    wait_for(lambda: own in cluster.run("sprio", "-h", "-o", "%i").out, "the priorities")
    assert cluster.run("sprio", "-h", "-o", "%i", user=bob).out.split() == [own]
    done = cluster.run("sprio", "-j", waits, user=bob)
    assert done.out == "Unable to find jobs matching user/id(s) specified\n"
    assert cluster.run("sstat", "-n", "-j", runs, "-o", "JobID", user=bob).out == ""
    done = cluster.run("sattach", f"{runs}.0", user=bob)
    assert (done.code, done.err) == (1, "sattach: error: Could not get job step info: Access/permission denied\n")
    assert cluster.run("scancel", runs, user=bob).code == 210
    assert "secret" not in cluster.run("scontrol", "write", "batch_script", runs, "-", user=bob).out


@pytest.mark.ours
def test_muster_explain_and_raw_requests_tell_nothing_of_it(cluster, jobs, alice, bob):
    runs, waits, own = jobs
    done = cluster.run("muster", "explain", waits, user=bob)
    assert done.code != 0 and "alice" not in done.out + done.err
    told = cluster.run("muster", "explain", own, user=bob).ok().out
    assert own in told and "alice" not in told
    assert "alice" in cluster.run("muster", "explain", own).ok().out
    number = int(runs)
    for name, body in {"Jobs": b"", "WaitJob": raw_client.field(1, number), "Explain": raw_client.field(
            1, raw_client.field(1, number)), "Priorities": b""}.items():
        with raw_client.RawClient(raw_client.controller_socket(cluster), user=bob) as client:
            client.send(raw_client.request(name, body))
            client.read_hello()
            assert b"alice" not in client.read_frame(), name


@pytest.mark.accounting
def test_sacct_and_sshare_tell_ones_own(cluster, jobs, alice, bob):
    mine = cluster.sbatch("--wrap", "true", user=bob)
    wait_for(lambda: mine in cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID").out.split(), "accounting")
    for options in (["-a"], ["-u", "alice"], ["-j", jobs[0]], ["-a", "-S", "2020-01-01"]):
        rows = cluster.run("sacct", "-n", "-P", "-o", "JobID,User", *options, user=bob).out
        assert "alice" not in rows and f"{jobs[0]}|" not in rows
    assert f"{jobs[0]}|alice" in cluster.run("sacct", "-n", "-X", "-P", "-o", "JobID,User").lines
    assert cluster.run("seff", jobs[0], user=bob).code != 0
    shares = cluster.run("sshare", "-a", "-n", "-P", "-o", "User").out.split()
    assert {"alice", "bob"} <= set(shares)
    assert cluster.run("sshare", "-a", "-n", "-P", "-o", "User", user=bob).out.split() == ["bob"]


def test_a_reservation_is_seen_by_who_may_use_it(cluster, private_jobs, alice, bob):
    cluster.run("scontrol", "create", "reservation", "reservationname=hers", f"users={alice}",
                "starttime=now+1hour", "duration=10", "nodes=n1").ok()
    cluster.run("scontrol", "create", "reservation", "reservationname=his", f"users={bob}",
                "starttime=now+2hour", "duration=10", "nodes=n2").ok()
    try:
        shown = cluster.run("scontrol", "-o", "show", "res", user=bob).out
        assert "ReservationName=his " in shown and "hers" not in shown
        done = cluster.run("scontrol", "show", "res", "hers", user=bob)
        assert (done.code, done.out) == (1, "Reservation hers not found\n")
        assert "hers" not in cluster.run("sinfo", "-T", user=bob).out
        assert "hers" in cluster.run("sinfo", "-T").out
    finally:
        for name in ("hers", "his"):
            cluster.run("scontrol", "delete", f"reservation={name}").ok()


def test_nodes_are_not_shown(module_cluster, cluster, bob):
    with_words(module_cluster, "PrivateData=nodes\n")
    for command in (["sinfo"], ["sinfo", "-N"], ["sinfo", "-R"]):
        done = cluster.run(*command, user=bob)
        assert (done.code, done.out, done.err) == (1, "", "slurm_load_node: Access/permission denied\n")
    for command in (["scontrol", "show", "node"], ["scontrol", "show", "node", "n1"], ["squeue", "-w", "n1"]):
        done = cluster.run(*command, user=bob)
        assert (done.code, done.out, done.err) == (1, "", "slurm_load_node error: Access/permission denied\n")
    assert "PartitionName=batch" in cluster.run("scontrol", "show", "partition", user=bob).ok().out
    assert "n1" in cluster.run("sinfo", "-N").ok().out
    assert cluster.run("srun", "--mem=100", "echo", "ran", user=bob).ok().out == "ran\n"


def test_partitions_are_not_shown(module_cluster, cluster, alice, bob):
    with_words(module_cluster, "PrivateData=partitions\n")
    for command in (["sinfo"], ["sinfo", "-a"]):
        done = cluster.run(*command, user=bob)
        assert (done.code, done.out, done.err) == (1, "", "slurm_load_partitions: Access/permission denied\n")
    for command in (["scontrol", "show", "partition"], ["scontrol", "-a", "show", "partition", "short"],
                    ["scontrol", "show", "node"]):
        done = cluster.run(*command, user=bob)
        assert (done.code, done.out, done.err) == (1, "", "slurm_load_partitions error: Access/permission denied\n")
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    done = cluster.run("squeue", "-h", "-o", "%i", user=bob)
    assert (done.code, done.out.split()) == (0, [job])
    assert done.err == "slurm_load_partitions: Access/permission denied\n"
    assert "PartitionName=batch" in cluster.run("scontrol", "show", "partition").ok().out


def test_accounts_and_users_of_others_are_not_shown(module_cluster, cluster, alice, bob):
    for name, user in (("hers", alice), ("his", bob)):
        cluster.run("sacctmgr", "-i", "add", "account", name).ok()
        cluster.run("sacctmgr", "-i", "add", "user", user, f"account={name}").ok()
    associations, users, accounts, all_limits = (
        ["sacctmgr", "-nP", "show", "assoc", "format=account,user"], ["sacctmgr", "-nP", "show", "user", "format=user"],
        ["sacctmgr", "-nP", "show", "account", "format=account"], ["scontrol", "show", "assoc_mgr"])
    try:
        for word, hidden, commands in (("users", "alice", (associations, users, all_limits)),
                                       ("accounts", "hers", (accounts, [*all_limits, "flags=assoc"]))):
            with_words(module_cluster, f"PrivateData={word}\n")
            for command in commands:
                shown = cluster.run(*command, user=bob).ok().out
                assert hidden not in shown and ("bob" if word == "users" else "his") in shown, (word, command)
                assert hidden in cluster.run(*command).ok().out
            assert cluster.run("muster", "budget", "--user=alice", user=bob).code == 1
            assert cluster.run("muster", "budget", user=bob).ok().out.startswith("Budget of bob: account his")
    finally:
        cluster.run("sacctmgr", "-i", "delete", "account", "hers,his").ok()
