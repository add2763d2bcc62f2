"""Clocks that are set, machines that sleep, a controller that is stopped, a node whose clock is wrong: jobs go on.

The daemons run with a stand-in for the time of day (tests/standins/clock.cc), which each test sets in a file.
"""
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

import muster
from muster import wait_for

STANDIN = Path(os.environ.get("MUSTER_STANDINS", muster.BIN.parent / "tests/standins")) / "libclock_standin.so"
TIMEOUT = 10  # SlurmdTimeout
CLUSTER = dict(nodes=2, conf=f"SlurmdTimeout={TIMEOUT}\nKillWait=2\n")
pytestmark = [pytest.mark.ours,
              pytest.mark.skipif(not STANDIN.exists(), reason="the stand-in library is not built")]
HOUR = 3600


class Clocks:
    """Sets how many seconds the clock of each daemon is ahead."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.library = Path(shutil.copy(STANDIN, cluster.directory))

    def variables(self, whose):
        return {"LD_PRELOAD": str(self.library), "STANDIN_CLOCK": str(self.file(whose))}

    def file(self, whose):
        return self.cluster.directory / f"clock.{whose}"

    def set(self, whose, ahead):
        new = self.file("new")
        new.write_text(str(ahead))
        new.rename(self.file(whose))

    def start_node(self, node, config=None):
        config = config or self.cluster.config_file
        self.cluster.run(muster.SBIN / "slurmd", "-N", node, "-f", config, env=self.variables(node)).ok()

    def start_controller(self):
        self.cluster.run(muster.SBIN / "slurmctld", "-f", self.cluster.config_file,
                         env=self.variables("controller")).ok()
        wait_for(self.cluster.controller_is_up, "slurmctld to answer")


@pytest.fixture(scope="module")
def all_clocks(module_cluster):
    clocks = Clocks(module_cluster)
    module_cluster.stop_controller()
    for node in module_cluster.node_names:
        module_cluster.stop_node(node)
        clocks.start_node(node)
    clocks.start_controller()
    module_cluster.wait_nodes("idle")
    return clocks


@pytest.fixture
def clocks(cluster, all_clocks):
    yield all_clocks
    for whose in ["controller", *cluster.node_names]:
        all_clocks.set(whose, 0)


def log(cluster):
    return (cluster.directory / "log/slurmctld.log").read_text()


def begin_long_job(cluster, *options):
    job = cluster.sbatch("-t5", "--requeue", *options, "--wrap", "echo yes > began; until [ -e done ]; do sleep 0.1; done")
    cluster.wait_text("began")
    return job


def ends_well(cluster, job):
    """The same run continues to its end."""
    (cluster.work / "done").touch()
    record = cluster.wait_end(job)
    assert (record["JobState"], record["Restarts"]) == ("COMPLETED", "0")


def all_serve(cluster):
    return not any("down" in line for line in cluster.run("sinfo", "-h", "-N", "-o", "%T").lines)


def seconds(text):
    return sum(int(part) * 60 ** place for place, part in enumerate(reversed(text.split(":"))))


@pytest.mark.parametrize("ahead", [HOUR, -HOUR, 8 * HOUR])
def test_the_controllers_clock_is_set(cluster, clocks, ahead):
    """As after a sleep: the steady clock stood still meanwhile."""
    job = begin_long_job(cluster)
    steps = log(cluster).count("the clock went")
    clocks.set("controller", ahead)
    wait_for(lambda: log(cluster).count("the clock went") > steps, "the step to be seen")
    ran = seconds(cluster.run("squeue", "-h", "-j", job, "-o", "%M").out.strip())
    assert ran < 240, "the time limit does not count it"
    shown = cluster.run("scontrol", "show", "job", job).out
    start = time.mktime(time.strptime(shown.split("StartTime=")[1].split()[0], "%Y-%m-%dT%H:%M:%S"))
    assert abs(start - (time.time() + ahead)) < 240, "told by the clock as it is now"
    assert all_serve(cluster)
    ends_well(cluster, job)


@pytest.mark.parametrize("ahead", [HOUR, -HOUR])
def test_a_nodes_clock_is_set(cluster, clocks, ahead):
    """It sends heartbeats for longer than SlurmdTimeout, and KillWait stays the same."""
    clocks.set("n1", ahead)
    stubborn = cluster.sbatch("-w", "n1", "--wrap", "trap '' TERM; echo yes > began; while :; do sleep 0.1; done")
    cluster.wait_text("began")
    cluster.run("scancel", stubborn).ok()
    job = cluster.sbatch("-w", "n1", "--requeue", "--wrap", f"sleep {TIMEOUT + 2}")
    cluster.wait_state(stubborn, "CANCELLED")
    record = cluster.wait_end(job)
    assert (record["JobState"], record["Restarts"]) == ("COMPLETED", "0")
    assert all_serve(cluster)


def test_a_controller_that_was_stopped_takes_no_node_for_silent(cluster, clocks):
    job = begin_long_job(cluster)
    os.kill(cluster.controller_pid, signal.SIGSTOP)
    try:
        stopped = time.monotonic()
        wait_for(lambda: time.monotonic() - stopped > TIMEOUT + 2, "SlurmdTimeout to pass")
    finally:
        os.kill(cluster.controller_pid, signal.SIGCONT)
    wait_for(lambda: "stood still for" in log(cluster), "the controller to see it")
    assert all_serve(cluster)
    ends_well(cluster, job)


# --- a node that munge refuses ---


@pytest.fixture
def apart(cluster, clocks):
    """n1 with a munged of its own and its own connection to slurmctld, as on another machine."""
    place = cluster.directory / "munge-n1"
    place.mkdir()
    place.chmod(0o755)
    if muster.IS_ROOT:
        shutil.chown(place, "munge", "munge")
    options = [f"--socket={place}/socket", f"--pid-file={place}/pid", f"--log-file={place}/log",
               f"--seed-file={place}/seed"]
    if not muster.IS_ROOT:
        options.append(f"--key-file={cluster.directory}/munge/key")
    as_munge = ["runuser", "-u", "munge", "--"] if muster.IS_ROOT else []
    daemon = subprocess.Popen([*as_munge, "/usr/sbin/munged", "--foreground", "--force", *options],
                              env=os.environ | clocks.variables("n1"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: (place / "socket").exists(), "munged to answer")
    config = cluster.config_file.with_name("slurm-n1.conf")
    lines = [line for line in cluster.config_file.read_text().splitlines()
             if not line.startswith(("AuthInfo=", "SlurmctldPidFile="))]
    config.write_text("\n".join([*lines, f"AuthInfo=socket={place}/socket", f"SlurmctldPidFile={place}/none.pid", ""]))

    def restart():
        cluster.stop_node("n1")
        clocks.start_node("n1", config)

    yield restart
    cluster.stop_node("n1")
    daemon.terminate()
    daemon.wait()
    shutil.rmtree(place, ignore_errors=True)
    clocks.start_node("n1")


def reasons(cluster):
    return cluster.run("sinfo", "-h", "-R", "-o", "%E|%N|%T").out


def test_a_node_with_a_wrong_clock_keeps_its_jobs_and_comes_back(cluster, clocks, apart):
    apart()
    cluster.wait_nodes("idle")
    job = begin_long_job(cluster, "-w", "n1")
    clocks.set("n1", HOUR)
    apart()
    wait_for(lambda: "clock 36" in reasons(cluster) and " s ahead|n1" in reasons(cluster),
             lambda: f"the difference of the clocks: {reasons(cluster)}")
    assert "node n1 is refused by munge: its clock 3" in log(cluster)
    assert "down" not in reasons(cluster)
    wait_for(lambda: "n1|down" in reasons(cluster), lambda: f"n1 to be down: {reasons(cluster)}")
    assert cluster.state(job) == "RUNNING"
    other = cluster.sbatch("-w", "n2", "--wrap", "true")
    assert cluster.wait_end(other)["JobState"] == "COMPLETED"
    assert cluster.state(job) == "RUNNING", "it runs where it is, and nowhere else"
    clocks.set("n1", 0)
    wait_for(lambda: "n1" not in reasons(cluster), lambda: f"n1 to be back: {reasons(cluster)}")
    ends_well(cluster, job)
