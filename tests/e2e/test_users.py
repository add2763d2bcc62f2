"""Two users on one cluster: as whom jobs run, and who may do what."""
import pwd
import re

import pytest

pytestmark = pytest.mark.as_root


def test_a_users_job_runs_as_that_user(cluster, alice):
    job = cluster.sbatch("--wrap", "id -un; id -u; id -G; echo $SLURM_JOB_USER $HOME", user=alice)
    record = pwd.getpwnam(alice)
    name, uid, groups, last = cluster.output(job).splitlines()
    assert (name, uid, last) == (alice, str(record.pw_uid), f"{alice} {record.pw_dir}")
    assert str(record.pw_gid) in groups.split() and "0" not in groups.split()
    assert (cluster.work / f"slurm-{job}.out").owner() == alice


def test_a_user_may_not_touch_other_jobs(cluster, alice):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    done = cluster.run("scancel", job, user=alice)
    assert done.code == 210
    assert done.err == f"scancel: error: Kill job error on job id {job}: Access/permission denied\n"
    done = cluster.run("scontrol", "update", f"jobid={job}", "timelimit=1", user=alice)
    assert done.code == 1
    assert f"Invalid user id for job {job}" in done.out + done.err
    assert cluster.run("scontrol", "hold", job, user=alice).code == 1
    assert cluster.state(job) == "RUNNING"


def test_a_user_may_not_change_nodes_or_stop_the_cluster(cluster, alice):
    done = cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=x", user=alice)
    assert re.search("slurm_update error: Invalid user id", done.out + done.err)
    assert cluster.run("scontrol", "reconfigure", user=alice).code != 0
    assert cluster.run("scontrol", "shutdown", user=alice).code != 0
    assert cluster.controller_is_up()


def test_a_user_sees_all_jobs_and_filters_his_own(cluster, alice):
    job = cluster.sbatch("-H", "--wrap", "true")
    assert cluster.run("squeue", "-h", "-o", "%i", user=alice).out.split() == [job]
    assert cluster.run("squeue", "-h", "--me", user=alice).out == ""
    hers = cluster.sbatch("-H", "--wrap", "true", user=alice)
    assert cluster.run("squeue", "-h", "-u", alice, "-o", "%i %u").out.split() == [hers, alice]


def test_root_cancels_a_users_jobs(cluster, alice):
    mine = cluster.sbatch("-H", "--wrap", "true")
    hers = [cluster.sbatch("-H", "--wrap", "true", user=alice) for _ in range(2)]
    cluster.run("scancel", "-u", alice).ok()
    for job in hers:
        cluster.wait_state(job, "CANCELLED")
    assert cluster.state(mine) == "PENDING"


def test_srun_runs_as_the_user(cluster, alice):
    assert cluster.run("srun", "--mem=100", "id", "-un", user=alice).ok().out == f"{alice}\n"


def test_a_user_cannot_write_where_he_may_not(cluster, alice):
    closed = cluster.work / "closed"
    closed.mkdir(mode=0o700)
    job = cluster.sbatch("-o", closed / "out", "--wrap", "true", user=alice)
    assert cluster.wait_end(job)["JobState"] == "FAILED"
    assert list(closed.iterdir()) == []
