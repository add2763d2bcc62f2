"""Clusters of hosts that share only a home directory, and links that are cut and restored."""
import hashlib
import os
import re
import signal
import time

import pytest

import hosts
from conftest import user_named
from muster import ENDED, wait_for

TIMEOUT_S = 5  # after which a silent node is down
CONF = f"SlurmdTimeout={TIMEOUT_S}\nMessageTimeout=3\nInactiveLimit=0\n"

pytestmark = [pytest.mark.ours, pytest.mark.as_root,
              pytest.mark.skipif(not hosts.are_possible(), reason="namespaces or links cannot be made here")]


@pytest.fixture(scope="module")
def the_site():
    site = hosts.Site(nodes=3, conf=CONF).up()
    yield site
    site.down()


@pytest.fixture
def site(request, the_site):
    site = the_site
    site.give_home_to(user_named("alice"))
    yield site
    for host in site.hosts.values():
        host.join()
    if getattr(request.node, "failed", False):
        site.print_logs()
    site.run("scancel", *site.run("squeue", "-h", "-a", "-o", "%F").out.split() or ["--user=root"])
    wait_for(site.queue_is_empty, lambda: "an empty queue: " + site.run("squeue", "-a").out, every=0.1)
    site.wait_nodes(site.node_names, "idle")


def steady(program, name, lines=40):
    """A script that counts, ten lines a second."""
    return f"{program}for i in $(seq {lines}); do echo {name} $i; sleep 0.1; done"


def test_a_job_a_step_and_a_broadcast_reach_hosts_of_their_own(site):
    (site.home / "data").write_text("broadcast\n")
    job = site.sbatch("-N3", "--wrap", "echo kept > /tmp/mine; sbcast data /tmp/data && "
                                       "srun sh -c 'hostname; cat /tmp/data; ls /tmp'", user="alice")
    site.wait_state(job, *ENDED)
    out = site.wait_file(f"slurm-{job}.out")
    assert out.count("broadcast") == 3 and all(f"{name}\n" in out for name in site.node_names), out
    assert out.count("mine") == 1, "the batch script's /tmp is that of the first node alone"
    assert site.job(job)["JobState"] == "COMPLETED"
    assert site.run("sacct", "-n", "-P", "-X", "-j", job, "-o", "state,nodelist").out == "COMPLETED|n[1-3]\n"


def test_a_job_that_ends_while_its_node_is_cut_off_has_ended_well(site):
    job = site.sbatch("-w", "n1", "--wrap", "echo ran >> ran.$SLURM_JOB_ID; while [ ! -e go ]; do sleep 0.1; done; exit 3")
    site.wait_file(f"ran.{job}")
    site["n1"].cut()
    (site.home / "go").touch()
    wait_for(lambda: "slurmstepd: [" + job not in site["n1"].run("ps", "-eo", "args").out, "the job's processes to end")
    assert site.state(job) == "RUNNING", "nobody can know yet"
    site["n1"].join()
    record = site.wait_state(job, *ENDED)
    assert (record["JobState"], record["ExitCode"], record["Restarts"]) == ("FAILED", "3:0", "0")
    assert (site.home / f"ran.{job}").read_text() == "ran\n"


def test_jobs_that_end_while_the_controller_is_cut_off_are_all_known_later(site):
    jobs = [site.sbatch("-w", f"n{1 + i % 3}", "--wrap",
                        f"echo ran >> ran.$SLURM_JOB_ID; while [ ! -e leave ]; do sleep 0.1; done; exit {i}")
            for i in range(6)]
    for job in jobs:
        site.wait_file(f"ran.{job}")
    site.ctl.cut()
    (site.home / "leave").touch()
    for name in site.node_names:
        wait_for(lambda: "slurmstepd: [" not in re.sub(r"slurmstepd: \[nursery\]", "", site[name].run("ps", "-eo", "args").out),
                 f"the steps on {name} to end")
    site.ctl.join()
    for i, job in enumerate(jobs):
        record = site.wait_state(job, *ENDED)
        assert record["ExitCode"] == f"{i}:0" and record["Restarts"] == "0", record
        assert (site.home / f"ran.{job}").read_text() == "ran\n", f"job {job} ran once"
    rows = site.run("sacct", "-n", "-P", "-X", "-j", ",".join(jobs), "-o", "exitcode").lines
    assert rows == [f"{i}:0" for i in range(6)]


@pytest.mark.parametrize("which", ["n1", "login", "ctl"])
def test_sruns_streams_outlive_a_cut_link(site, which):
    srun = site.login.start("srun", "-N2", "-w", "n1,n2", "-l", "bash", "-c", steady("", "line", 30))
    seen = [srun.stdout.readline() for _ in range(4)]
    site[which].cut()
    time.sleep(1.5)  # the length of the cut, well below SlurmdTimeout
    site[which].join()
    out, err = srun.communicate(timeout=60)
    lines = ("".join(seen) + out).splitlines()
    for rank in "01":
        assert [l for l in lines if l.startswith(rank)] == [f"{rank}: line {i}" for i in range(1, 31)], err
    assert srun.returncode == 0, err


def test_a_broadcast_over_a_link_that_is_cut_and_joined_arrives_whole(site):
    data = os.urandom(64 << 20)
    (site.home / "large").write_bytes(data)
    holder = site.login.start("salloc", "-N3", "bash", "-c", "sbcast -f large /tmp/large && srun md5sum /tmp/large")
    wait_for(lambda: site["n2"].run("sh", "-c", "ls -a /tmp | grep large").out, "the first bytes on n2", every=0.01)
    site["n2"].cut()
    time.sleep(1)  # the length of the cut
    site["n2"].join()
    out, err = holder.communicate(timeout=60)
    assert holder.returncode == 0, err
    assert out.count(hashlib.md5(data).hexdigest()) == 3, out


def test_a_node_cut_off_for_long_is_down_its_job_goes_on_elsewhere_and_ends_here(site):
    script = "echo $SLURMD_NODENAME $SLURM_RESTART_COUNT >> runs.$SLURM_JOB_ID; exec sleep 600"
    job = site.sbatch("-w", "n3", "--requeue", "--wrap", script)
    site.wait_file(f"runs.{job}")
    site.run("scontrol", "update", f"jobid={job}", "nodelist=")
    site["n3"].cut()
    site.wait_nodes(["n3"], "down", "down*")
    site.wait_state(job, "PENDING", "RUNNING")
    assert "sleep 600" in site["n3"].run("ps", "-eo", "args").out, "its processes cannot be reached"
    site["n3"].join()
    wait_for(lambda: "sleep 600" not in site["n3"].run("ps", "-eo", "args").out or
             site.job(job).get("BatchHost") == "n3", "the old run to end")
    site.wait_nodes(["n3"], "idle", "mixed")
    assert site.wait_state(job, "RUNNING")["Restarts"] == "1"
    running = [name for name in site.node_names if "sleep 600" in site[name].run("ps", "-eo", "args").out]
    assert running == [site.job(job)["BatchHost"]]


def test_a_lost_login_host_ends_its_interactive_step(site):
    site.login.start("srun", "-w", "n1", "sleep", "600")
    job = wait_for(lambda: site.run("squeue", "-h", "-o", "%i", "-t", "R").out.strip(), "srun's job to run")
    site.login.power_off()
    site.login.power_on()
    wait_for(lambda: site.state(job) in ENDED, lambda: f"the job to end: {site.job(job)}", every=0.2)
    wait_for(lambda: "sleep 600" not in site["n1"].run("ps", "-eo", "args").out, "its task to end")


def test_a_node_lost_for_good_takes_its_jobs_along_and_nothing_else(site):
    lost = site.sbatch("-w", "n2", "--no-requeue", "--wrap", "echo ran > lost; sleep 600")
    wide = site.login.start("srun", "--mem=100", "-N2", "-w", "n1,n2", "sh", "-c", "echo here; exec sleep 600")
    other = site.sbatch("-w", "n1", "--wrap", "while [ ! -e done ]; do sleep 0.1; done")
    site.wait_file("lost")
    wide.stdout.readline(), wide.stdout.readline()
    site["n2"].power_off()
    assert site.wait_state(lost, *ENDED)["JobState"] == "NODE_FAIL"
    _, err = wide.communicate(timeout=60)
    assert wide.returncode != 0 and "n2" in err, err
    site.wait_nodes(["n2"], "down", "down*")
    (site.home / "done").touch()
    assert site.wait_state(other, *ENDED)["JobState"] == "COMPLETED"
    wait_for(lambda: "sleep 600" not in site["n1"].run("ps", "-eo", "args").out, "the step's other half to end")
    site["n2"].power_on()
    site["n2"].start_slurmd()
    site.wait_nodes(["n2"], "idle")


def test_slurmctld_killed_behind_a_cut_link_finds_everything_again(site):
    job = site.sbatch("-w", "n1", "--wrap", "while [ ! -e end ]; do sleep 0.1; done; exit 4")
    site.wait_state(job, "RUNNING")
    site["n1"].cut()
    pid = site.ctl.run("cat", "/run/slurmctld.pid").out.strip()
    site.ctl.run("kill", f"-{signal.SIGKILL}", pid).ok()
    site.ctl.start_controller()
    (site.home / "end").touch()
    site["n1"].join()
    assert site.wait_state(job, *ENDED)["ExitCode"] == "4:0"
