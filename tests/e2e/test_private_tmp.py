"""JobContainerType=job_container/tmpfs: each job has its own /tmp and /dev/shm."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import muster
from muster import wait_for

pytestmark = [pytest.mark.as_root, pytest.mark.ours]  # Slurm does not start without its cgroups


def can_unshare():
    return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


def keep_srun_in_sight(cluster):
    """Jobs cannot see the real /tmp, where the programs under test may be."""
    own = cluster.directory / "bin"
    own.mkdir()
    for name in ("srun", "sbcast"):
        shutil.copy(muster.BIN / "muster", own / name)
    cluster.environment["PATH"] = f"{own}:{cluster.environment['PATH']}"


@pytest.fixture(scope="module")
def module_cluster():
    if not muster.IS_ROOT or not can_unshare():
        pytest.skip("needs mount namespaces")
    base = Path(tempfile.mkdtemp(prefix="muster.private.", dir="/var/tmp"))
    cluster = muster.Cluster(nodes=1, conf="JobContainerType=job_container/tmpfs\nPrologFlags=Contain\n",
                             parent="/var/tmp")
    keep_srun_in_sight(cluster)
    (cluster.directory / "etc/job_container.conf").write_text(f"AutoBasePath=true\nBasePath={base}/%n\n")
    cluster.base = base / "n1"
    yield cluster.up()
    cluster.down()
    subprocess.run(["umount", cluster.base], check=True)
    cluster.base.rmdir()
    base.rmdir()


def test_what_a_job_writes_there_is_its_own_and_goes_with_it(cluster):
    name = f"muster-private-{os.getpid()}"
    script = cluster.script("write.sh", f"echo mine > /tmp/{name}; echo mine > /dev/shm/{name}; srun cat /tmp/{name}; "
                            "pwd; ls -A /tmp; touch ready; while [ ! -e go ]; do sleep 0.1; done")
    job = cluster.sbatch(script, user="nobody")
    cluster.wait_text(cluster.work / f"slurm-{job}.out", name)
    wait_for((cluster.work / "ready").exists, "the job's files")
    assert not Path(f"/tmp/{name}").exists() and not Path(f"/dev/shm/{name}").exists()
    other = cluster.sbatch("--wrap", "ls -A /tmp /dev/shm")
    cluster.wait_end(other)
    assert name not in cluster.output(other)
    assert (cluster.base / job).exists()
    (cluster.work / "go").touch()
    cluster.wait_end(job)
    assert cluster.output(job) == f"mine\n{cluster.work}\n{name}\n"
    wait_for(lambda: not list(cluster.base.iterdir()), "the job's directories to go")


def test_it_outlives_slurmd(cluster):
    job = cluster.sbatch("--wrap", "echo before > /tmp/kept; touch ready; while [ ! -e go ]; do sleep 0.1; done; "
                         "srun cat /tmp/kept")
    wait_for((cluster.work / "ready").exists, "the job's file")
    cluster.stop_node("n1")
    cluster.start_node("n1")
    (cluster.work / "go").touch()
    cluster.wait_end(job)
    assert cluster.output(job) == "before\n"
    wait_for(lambda: not list(cluster.base.iterdir()), "the job's directories to go")


def test_a_requeued_job_starts_with_an_empty_one(cluster):
    job = cluster.sbatch("--requeue", "--wrap", "ls -A /tmp; touch /tmp/left ready$SLURM_RESTART_COUNT; "
                         "[ \"$SLURM_RESTART_COUNT\" = 1 ] || sleep 1000")
    wait_for((cluster.work / "ready").exists, "the first run")
    cluster.run("scontrol", "requeue", job).ok()
    cluster.wait_end(job)
    assert "left" not in cluster.output(job).splitlines()


def test_without_contain_the_daemons_do_not_start(cluster):
    text = cluster.config_file.read_text()
    bad = cluster.work / "slurm.conf"
    bad.write_text(text.replace("PrologFlags=Contain\n", ""))
    done = cluster.run(muster.SBIN / "slurmctld", "-D", "-f", bad)
    assert done.code == 1
    assert "JobContainerType=job_container/tmpfs needs PrologFlags=Contain" in done.err


def test_the_sites_script_comes_before_the_directories(cluster):
    """InitScript: once per job, as root; if it fails, nothing of the job runs there."""
    log = cluster.directory / "init.log"
    init = cluster.script("init.sh", f"echo $SLURM_JOB_ID $SLURMD_NODENAME $(id -u) >> {log}; [ ! -e {cluster.work}/bad ]\n")
    conf = cluster.directory / "etc/job_container.conf"
    before = conf.read_text()
    conf.write_text(before + f"InitScript={init}\n")
    cluster.stop_node("n1")
    cluster.start_node("n1")
    try:
        job = cluster.sbatch("-o", "out", "--wrap", "srun -n1 echo ran")
        cluster.wait_end(job)
        assert log.read_text() == f"{job} n1 0\n" and (cluster.work / "out").read_text() == "ran\n"
        (cluster.work / "bad").touch()
        job = cluster.sbatch("--no-requeue", "--wrap", "true")
        assert cluster.wait_end(job)["JobState"] == "CANCELLED"
    finally:
        conf.write_text(before)
        cluster.stop_node("n1")
        cluster.start_node("n1")


def test_a_slow_script_of_the_site_keeps_nobody_else_waiting(cluster):
    """slurmd goes on while InitScript runs: other jobs start and end on the node."""
    conf = cluster.directory / "etc/job_container.conf"
    before = conf.read_text()
    init = cluster.script("slow.sh", f"[ -e {cluster.work}/slow ] || exit 0; rm {cluster.work}/slow; touch {cluster.work}/waits\n"
                          f"while [ ! -e {cluster.work}/go ]; do sleep 0.1; done\n")
    conf.write_text(before + f"InitScript={init}\n")
    cluster.stop_node("n1")
    cluster.start_node("n1")
    try:
        (cluster.work / "slow").touch()
        slow = cluster.sbatch("-o", "slow.out", "--wrap", "echo ran")
        wait_for(lambda: (cluster.work / "waits").exists(), "the script to run")
        quick = cluster.sbatch("-o", "quick.out", "--wrap", "echo ran")
        assert cluster.wait_end(quick)["JobState"] == "COMPLETED"
        assert not (cluster.work / "slow.out").exists()
        (cluster.work / "go").touch()
        assert cluster.wait_end(slow)["JobState"] == "COMPLETED"
        assert (cluster.work / "slow.out").read_text() == "ran\n"
    finally:
        (cluster.work / "go").touch()
        conf.write_text(before)
        cluster.stop_node("n1")
        cluster.start_node("n1")


def test_a_link_in_it_leads_nowhere_that_its_user_may_not_go(cluster, alice, bob):
    """A working directory is a name, which may mean another place in the job's own /tmp."""
    closed = cluster.work / "closed"
    (closed / "project").mkdir(parents=True)
    (closed / "project/data").write_text("secret\n")
    shutil.chown(closed, bob)
    closed.chmod(0o700)
    outside = Path(tempfile.mkdtemp(prefix="muster-link.", dir="/tmp"))
    (outside / "project").mkdir()
    outside.chmod(0o755)
    script = cluster.script("link.sh", f"ln -s {closed} {outside}; srun --chdir={outside}/project cat data; pwd")
    job = cluster.sbatch(script, user=alice)
    cluster.wait_end(job)
    shutil.rmtree(outside)
    assert "secret" not in cluster.output(job)


def test_sbcast_writes_where_the_job_reads(cluster, alice):
    name = f"/tmp/muster-sbcast-{os.getpid()}"
    (cluster.work / "file").write_text("content\n")
    (cluster.work / "file").chmod(0o644)
    script = cluster.script("cast.sh", f"sbcast file {name} && srun cat {name}")
    job = cluster.sbatch(script, user=alice)
    cluster.wait_end(job)
    assert cluster.output(job) == "content\n"
    assert not Path(name).exists()
