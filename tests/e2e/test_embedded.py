"""muster up, down and status: a cluster for one user with no configuration, no root and no munge."""
import os
import pty
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

import muster
from embedded import Embedded
from muster import wait_for

pytestmark = pytest.mark.ours
CLOCK = Path(os.environ.get("MUSTER_STANDINS", muster.BIN.parent / "tests/standins")) / "libclock_standin.so"
OTHER_USER = "nobody"  # exists everywhere, has no home and no privilege


@pytest.fixture(params=[None, OTHER_USER] if muster.IS_ROOT else [None], ids=lambda user: user or "me")
def embedded(request):
    cluster = Embedded(request.param)
    yield cluster
    cluster.end(failed=getattr(request.node, "failed", False))


def test_a_job_runs_on_the_embedded_cluster(embedded):
    assert "is up" in embedded.up()
    assert embedded.run("muster", "status").returncode == 0
    done = embedded.run("sbatch", "--wait", "-o", "out", "--wrap", "echo hello from $SLURM_JOB_ID; srun id -u")
    assert done.returncode == 0, done.stderr
    owner = (embedded.home.stat()).st_uid
    assert (embedded.home / "out").read_text() == f"hello from 1\n{owner}\n"
    # Accounting is written a moment after the end.
    wait_for(lambda: "COMPLETED" in embedded.run("sacct", "-n", "-X", "-j", "1", "-o", "State").stdout,
             "the job's record")


def test_only_its_user_can_look_into_its_directories(embedded):
    embedded.up()
    for directory in (embedded.base, *(embedded.base / d for d in ("etc", "run", "state", "spool", "log"))):
        assert directory.stat().st_mode & 0o777 == 0o700, directory


def test_nobody_but_root_looks_into_the_memory_of_the_daemons(embedded):
    embedded.up()
    for pid in embedded.processes("slurmctld", "slurmd"):
        assert os.stat(f"/proc/{pid}/environ").st_uid == 0  # whoever the process belongs to


def test_several_jobs_fit_on_the_node(embedded):
    embedded.up()
    cpus = int(embedded.run("sinfo", "-h", "-o", "%c").stdout)
    jobs = [embedded.submit("--wrap", "sleep 100") for _ in range(cpus)]
    for job in jobs:
        embedded.wait_running(job)


def test_a_second_up_says_that_it_runs_already(embedded):
    embedded.up()
    before = embedded.processes("slurmctld", "slurmd")
    assert "already" in embedded.up()
    assert embedded.processes("slurmctld", "slurmd") == before
    other = embedded.run("muster", "up", "--nodes", "3")
    assert other.returncode == 1 and "muster down" in other.stderr


def test_up_right_after_a_kill_brings_it_back(embedded):
    embedded.up("--nodes", "2")
    for daemon in 4 * ("slurmctld", "slurmd"):
        os.kill(embedded.processes(daemon)[0], signal.SIGKILL)  # and nobody waits until it is gone
        assert "already" not in embedded.up()
        assert embedded.run("squeue").returncode == 0
        assert embedded.run("sinfo", "-h", "-o", "%D %T").stdout == "2 idle\n"


def test_pretend_nodes(embedded):
    embedded.up("--nodes", "4")
    assert embedded.run("sinfo", "-h", "-o", "%D %T %N").stdout.split() == ["4", "idle", "node[1-4]"]
    done = embedded.run("srun", "-N4", "bash", "-c", "echo $SLURMD_NODENAME")
    assert sorted(done.stdout.split()) == ["node1", "node2", "node3", "node4"], done.stderr


def test_status_tells_up_from_down_and_from_damaged(embedded):
    down = embedded.run("muster", "status")
    assert down.returncode == 1 and "No cluster" in down.stdout
    embedded.up()
    embedded.submit("-H", "--wrap", "true")
    up = embedded.run("muster", "status")
    assert up.returncode == 0 and "1 node, 0 jobs running, 1 pending" in up.stdout
    (slurmd,) = embedded.processes("slurmd")
    os.kill(slurmd, signal.SIGKILL)
    wait_for(lambda: not muster.is_alive(slurmd), "slurmd to be gone")
    damaged = embedded.run("muster", "status")
    assert damaged.returncode == 1 and "does not run" in damaged.stdout
    embedded.up()
    assert embedded.run("muster", "status").returncode == 0


def test_down_leaves_queued_jobs_for_the_next_up(embedded):
    embedded.up()
    job = embedded.submit("-H", "--wrap", "true")
    done = embedded.run("muster", "down")
    assert done.returncode == 0 and "1 queued job stays" in done.stdout
    assert not embedded.remaining()
    squeue = embedded.run("squeue")
    assert squeue.returncode != 0
    assert embedded.run("muster", "status").returncode == 1
    embedded.up()
    assert embedded.queue() == [f"{job} PENDING"]
    embedded.run("scontrol", "release", job)
    wait_for(lambda: not embedded.queue(), "the job to run")


def test_down_refuses_while_jobs_run_unless_forced(embedded):
    embedded.up()
    running = embedded.submit("--exclusive", "--wrap", "sleep 1000")
    embedded.wait_running(running)
    waiting = embedded.submit("--exclusive", "-o", "waited", "--wrap", "echo ran")
    refused = embedded.run("muster", "down")
    assert refused.returncode == 1 and "--force" in refused.stderr
    assert f"{running} RUNNING" in embedded.queue()
    forced = embedded.run("muster", "down", "--force")
    assert forced.returncode == 0, forced.stderr
    assert not embedded.remaining()
    assert not (embedded.home / "waited").exists()  # nothing was started in place of the cancelled job
    embedded.up()
    wait_for(lambda: (embedded.home / "waited").exists(), f"job {waiting}, which was queued, to run")
    wait_for(lambda: "CANCELLED" in embedded.run("sacct", "-n", "-X", "-j", running, "-o", "State").stdout,
             "the record of the cancelled job")


def test_down_asks_on_a_terminal(embedded):
    embedded.up()
    embedded.wait_running(embedded.submit("--wrap", "sleep 1000"))
    for answer, stays in (b"n\n", True), (b"y\n", False):
        ours, theirs = pty.openpty()
        asked = subprocess.Popen(embedded.command("muster", "down"), env=embedded.environment, stdin=theirs,
                                 stdout=subprocess.PIPE, text=True)
        os.write(ours, answer)
        out, _ = asked.communicate(timeout=muster.LIMIT)
        os.close(ours), os.close(theirs)
        assert asked.returncode == 0 and "[y/N]" in out
        assert (embedded.run("muster", "status").returncode == 0) == stays


def test_up_recovers_after_a_crash(embedded):
    embedded.up()
    job = embedded.submit("-H", "--wrap", "true")
    assert len(embedded.crash()) == 2
    assert embedded.run("muster", "status").returncode == 1
    embedded.up()
    assert embedded.queue() == [f"{job} PENDING"]
    done = embedded.run("sbatch", "--wait", "-o", "out", "--wrap", "echo again")
    assert done.returncode == 0, done.stderr


def test_a_running_job_goes_on_through_a_crash_of_all_daemons(embedded):
    embedded.up("--nodes", "2")
    job = embedded.submit("-w", "node2", "-o", "out",
                          "--wrap", "touch started; while [ ! -e go ]; do sleep 0.1; done; "
                                    "echo done on $SLURMD_NODENAME")
    wait_for((embedded.home / "started").exists, "the script to run")
    embedded.crash()
    assert embedded.run("muster", "down").returncode == 1  # its job would be forgotten
    embedded.up()  # with as many nodes as before
    assert embedded.queue() == [f"{job} RUNNING"]
    (embedded.home / "go").touch()
    wait_for(lambda: not embedded.queue(), "the job to end")
    assert (embedded.home / "out").read_text() == "done on node2\n"


def test_down_force_after_a_crash_ends_what_still_runs(embedded):
    embedded.up()
    embedded.submit("--wrap", "touch started; sleep 1000")
    wait_for((embedded.home / "started").exists, "the script to run")
    embedded.crash()
    assert embedded.processes()
    done = embedded.run("muster", "down", "--force")
    assert done.returncode == 0, done.stderr
    assert not embedded.remaining()


def test_up_names_the_configuration_where_commands_use_another(embedded):
    other = embedded.home / "other.conf"
    done = embedded.run("muster", "up", SLURM_CONF=str(other))
    assert done.returncode == 0, done.stderr
    assert str(other) in done.stdout
    assert f"  export SLURM_CONF={embedded.base}/etc/slurm.conf\n" in done.stdout
    embedded.environment["SLURM_CONF"] = f"{embedded.base}/etc/slurm.conf"
    done = embedded.run("srun", "echo", "found")
    assert done.stdout == "found\n", done.stderr


def test_two_ups_at_once_make_one_cluster(embedded):
    ups = [subprocess.Popen(embedded.command("muster", "up"), env=embedded.environment, stdout=subprocess.DEVNULL,
                            stdin=subprocess.DEVNULL) for _ in range(3)]
    assert [up.wait(muster.LIMIT) for up in ups] == [0, 0, 0]
    assert len(embedded.processes("slurmctld", "slurmd")) == 2


@pytest.mark.parametrize("args, word", [
    (["up", "--nodes", "0"], "from 1 to"), (["up", "--nodes", "many"], "from 1 to"), (["up", "--nodes"], "value"),
    (["up", "now"], "now"), (["down", "--hard"], "--hard"), (["status", "x"], "x"), (["sweep"], "up, down, status"),
    ([], "up, down, status")], ids=" ".join)
def test_a_wrong_word_is_refused_with_what_there_is(args, word):
    done = subprocess.run([muster.BIN / "muster", *args], capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("muster: error: ") and word in done.stderr


def test_a_directory_too_deep_for_sockets_is_refused_clearly(embedded):
    done = embedded.run("muster", "up", XDG_STATE_HOME=str(embedded.home / ("d" * 90)))
    assert done.returncode == 1 and "XDG_STATE_HOME" in done.stderr


@pytest.mark.parametrize("option", ["--help", "-h", "help", "--usage", "-V", "--version"])
def test_help_and_version(option):
    done = subprocess.run([muster.BIN / "muster", option], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout and done.stderr == ""


@pytest.mark.skipif(not CLOCK.exists(), reason="the stand-in library is not built")
def test_a_night_of_sleep_costs_no_job_anything(embedded):
    """The laptop sleeps: its clock advances, steady clocks and processes do not."""
    clock = embedded.home / "clock"
    embedded.environment |= {"LD_PRELOAD": shutil.copy(CLOCK, embedded.home), "STANDIN_CLOCK": str(clock)}
    embedded.up()
    job = embedded.submit("-t", "10", "--wrap", "until [ -e done ]; do sleep 0.1; done")
    embedded.wait_running(job)
    clock.write_text(str(9 * 3600))
    wait_for(lambda: "the clock went forward" in (embedded.base / "log/slurmctld.log").read_text(), "the sleep to be seen")
    assert embedded.queue() == [f"{job} RUNNING"]
    (embedded.home / "done").touch()
    wait_for(lambda: "COMPLETED" in embedded.run("sacct", "-n", "-X", "-j", job, "-o", "State").stdout, "the job's end")
