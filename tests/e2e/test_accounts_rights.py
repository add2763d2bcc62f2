"""What levels of administrators, coordinators and keys mean on the cluster; accounting without steps."""
import pytest

from accounts_client import Site

pytestmark = [pytest.mark.ours, pytest.mark.as_root]

CLUSTER = dict(nodes=1, cpus=4, conf="""
AccountingStorageEnforce=associations,wckeys,nosteps
""")


@pytest.fixture
def site(cluster, alice, bob):
    """Account lab with alice and bob, who have the keys k1 and k2; k1 is the default one."""
    site = Site(cluster)
    site.add("account", "lab")
    site.add("user", f"{alice},{bob}", where={"Account": "lab"}, WCKey="k1,k2")
    site.add("user", "root", where={"Account": "lab"}, WCKey="k1")
    yield site
    cluster.cancel_all()
    site.remove("account", "lab")


def test_a_job_has_a_key_of_its_users(site, cluster, alice):
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    assert cluster.run("squeue", "-h", "-j", job, "-o", "%w").out.strip() == "k1"
    cluster.sbatch("-H", "--wckey=k2", "--wrap", "true", user=alice)
    done = cluster.run("sbatch", "--wckey=other", "--wrap", "true", user=alice)
    assert (done.code, done.err) == (1, "sbatch: error: Batch job submission failed: Invalid wckey specification\n")
    site.modify("user", alice, **{"WCKey-": "k2"})
    assert cluster.run("sbatch", "--wckey=k2", "--wrap", "true", user=alice).code == 1


def test_accounting_keeps_no_steps(site, cluster, alice):
    job = cluster.sbatch("--wrap", "srun true", user=alice)
    cluster.wait_state(job, "COMPLETED")
    cluster.wait_sacct([f"{job}\\|COMPLETED"], "-j", job, "-o", "jobid,state")


def test_administrators_do_what_slurmuser_does_and_operators_reservations(site, cluster, alice, bob):
    drain = ("scontrol", "update", "nodename=n1", "state=drain", "reason=test")
    reserve = ("scontrol", "create", "reservation", "reservationname=r", "starttime=now+1hour", "duration=10",
               "nodes=n1", f"users={bob}")
    assert cluster.run(*drain, user=alice).code == 1
    assert cluster.run(*reserve, user=alice).code == 1
    site.modify("user", alice, AdminLevel="Operator")
    assert cluster.run(*drain, user=alice).code == 1
    cluster.run(*reserve, user=alice).ok()
    site.modify("user", alice, AdminLevel="Administrator")
    cluster.run(*drain, user=alice).ok()
    cluster.run("scontrol", "update", "nodename=n1", "state=resume", user=alice).ok()
    cluster.run("scontrol", "delete", "reservation=r", user=alice).ok()
    job = cluster.sbatch("-H", "--wrap", "true", user=bob)
    cluster.run("scancel", job, user=alice).ok()
    site.modify("user", alice, AdminLevel="None")
    assert cluster.run(*drain, user=alice).code == 1


def test_coordinators_manage_the_jobs_of_their_account(site, cluster, alice, bob):
    job = cluster.sbatch("-H", "--wrap", "true", user=bob)
    assert cluster.run("scontrol", "release", job, user=alice).code == 1
    site.add("coordinator", alice, where={"Account": "lab"})
    cluster.run("scontrol", "release", job, user=alice).ok()
    cluster.wait_state(job, "COMPLETED")
    # Nobody runs anything as another user because of it.
    running = cluster.sbatch("--wrap", "sleep 60", user=bob)
    cluster.wait_state(running, "RUNNING")
    assert cluster.run("srun", f"--jobid={running}", "true", user=alice).code != 0
    cluster.run("scancel", running, user=alice).ok()
