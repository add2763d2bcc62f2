"""Settings for protection that have no effect stop the daemons, with file, line and remedy; others act."""
import os
import socket
import subprocess

import muster
import pytest
from muster import wait_for

CLUSTER = dict(nodes=1, conf="""\
DisableRootJobs=YES
PartitionName=admin Nodes=ALL DisableRootJobs=NO
""")

BAD = [
    ("JobSubmitPlugins=throttle", "expected a list of lua, script"),
    ("CliFilterPlugins=lua", "not supported yet"),
    ("MCSPlugin=mcs/user", "not supported yet"),
    ("UsePAM=1", "no PAM session"),
    ("PrivateData=jobs,events", "it has to wait"),
    ("TaskPluginParam=OOMKillStep", "not supported yet"),
    ("SelectType=select/foo", "expected one of select/linear"),
    ("SchedulerParameters=bf_windoww=3", "unknown word"),
    ("AuthType=auth/foo", "expected one of auth/munge"),
    ("PreemptType=preempt/foo", "expected one of preempt/none"),
    ("NodeName=x[1-", "unbalanced brackets"),
    ("SlurmctldHost=spare", "there is no backup controller yet"),
]


def bad_file(cluster, line, instead_of=None):
    """The cluster's own file with one more line, as its last one."""
    lines = [each for each in cluster.config_file.read_text().splitlines()
             if not each.startswith(instead_of or line.split("=")[0] + "=") or each.startswith(("NodeName", "Slurmctld"))]
    if instead_of:
        lines = [each for each in lines if not each.startswith(instead_of)]
    bad = cluster.work / "slurm.conf"
    bad.write_text("\n".join([*lines, line]) + "\n")
    return bad, len(lines) + 1


@pytest.mark.ours
@pytest.mark.parametrize("line, why", BAD)
def test_the_controller_does_not_start(cluster, line, why):
    bad, number = bad_file(cluster, line)
    done = cluster.run(muster.SBIN / "slurmctld", "-D", "-f", bad)
    assert done.code == 1
    assert f"{bad}:{number}: " in done.err and why in done.err
    assert done.err.count("fatal") == 1


@pytest.mark.ours
@pytest.mark.parametrize("line", ["UsePAM=1", "AuthType=auth/foo", "ProctrackType=proctrack/foo", "TaskPlugin=task/foo"])
def test_nor_does_slurmd(cluster, line):
    bad, number = bad_file(cluster, line)
    done = cluster.run(muster.SBIN / "slurmd", "-D", "-N", "n1", "-f", bad)
    assert done.code == 1 and f"{bad}:{number}: " in done.err


@pytest.mark.ours
def test_a_command_takes_no_unknown_auth_type(cluster):
    bad, _ = bad_file(cluster, "AuthType=auth/foo")
    done = cluster.run("squeue", env={"SLURM_CONF": str(bad)})
    assert done.code == 1 and "AuthType=auth/foo" in done.err


@pytest.mark.ours
def test_slurmctld_starts_on_its_own_host_only(cluster):
    bad, number = bad_file(cluster, "SlurmctldHost=elsewhere", instead_of="SlurmctldHost")
    done = cluster.run(muster.SBIN / "slurmctld", "-D", "-f", bad)
    assert done.code == 1
    assert f"{bad}:{number}: SlurmctldHost=elsewhere: this host is {socket.gethostname()}" in done.err


@pytest.mark.ours
def test_a_refused_setting_does_not_come_by_reconfigure(cluster):
    before = cluster.config_file.read_text()
    try:
        cluster.config_file.write_text(before + "UsePAM=1\n")
        done = cluster.run("scontrol", "reconfigure")
        assert done.code == 1 and "UsePam=1" in done.err
    finally:
        cluster.config_file.write_text(before)
    assert cluster.controller_is_up()


@pytest.mark.ours
def test_reconfigure_says_what_needs_a_restart(cluster):
    before = cluster.config_file.read_text()
    port = cluster.ports.base + cluster.ports.SIZE - 1
    try:
        cluster.config_file.write_text(before.replace(f"SlurmctldPort={cluster.ports.base}\n", f"SlurmctldPort={port}\n"))
        done = cluster.run("scontrol", "reconfigure")
        assert (done.code, done.err) == (0, "scontrol: SlurmctldPort has changed: it needs a restart of slurmctld and slurmd\n")
    finally:
        cluster.config_file.write_text(before)
        done = cluster.run("scontrol", "reconfigure").ok()
    assert done.err == "", "the file says again what slurmctld runs with"


@pytest.mark.as_root
def test_root_runs_no_jobs(cluster, alice):
    for command, text in {("sbatch", "--wrap", "true"): "sbatch: error: Batch job submission failed: Invalid user id\n",
                          ("srun", "true"): "srun: error: Unable to allocate resources: Invalid user id\n",
                          ("salloc", "true"): "salloc: error: Job submit/allocate failed: Invalid user id\n"}.items():
        done = cluster.run(*command)
        assert (done.code, done.err) == (1, text)
    cluster.wait_end(cluster.sbatch("-p", "admin", "--wrap", "true"))
    cluster.wait_end(cluster.sbatch(f"--uid={alice}", "--wrap", "true"))
    assert "DisableRootJobs=YES" in cluster.run("scontrol", "show", "partition", "batch").out


def test_scontrol_abort_stops_the_controller_alone(cluster):
    node, controller = cluster.node_pid("n1"), cluster.controller_pid
    cluster.run("scontrol", "abort").ok()
    wait_for(lambda: not muster.is_alive(controller), "slurmctld to end")
    cluster.start_controller()
    cluster.wait_nodes("idle")
    assert cluster.node_pid("n1") == node and muster.is_alive(node)


@pytest.fixture
def own(cluster):
    """A second controller next to the cluster's, for one test."""
    other = muster.Cluster(nodes=1)
    other.munge.start()
    yield other
    other.down()


def test_the_log_goes_where_L_says(own):
    own.write_config()
    log = own.directory / "log/other.log"
    own.run(muster.SBIN / "slurmctld", "-L", log, "-f", own.config_file).ok()
    wait_for(own.controller_is_up, "slurmctld to answer")
    assert log.read_text() and not (own.directory / "log/slurmctld.log").exists()


@pytest.mark.ours
def test_keys_that_act_are_not_called_idle(own):
    own.conf = "QoS=normal Priority=0\n"
    own.write_config()
    own.start_controller()
    assert "no effect" not in (own.directory / "log/slurmctld.log").read_text()


@pytest.mark.ours
@pytest.mark.as_root
def test_the_state_of_another_user_is_told(own, alice):
    own.write_config()
    own.start_controller()
    own.stop_controller()
    text = own.config_file.read_text().replace("SlurmUser=root", f"SlurmUser={alice}")
    own.config_file.write_text(text)
    own.directory.joinpath("run").chmod(0o777)
    done = own.run(muster.SBIN / "slurmctld", "-f", own.config_file)
    assert done.code == 1
    assert f"belongs to root, but slurmctld runs as {alice}: as root, run chown -R {alice} {own.directory}/state" in done.err
    subprocess.run(["chown", "-R", alice, own.directory / "state", own.directory / "log"], check=True)
    own.start_controller()


@pytest.mark.ours
def test_without_munge_the_log_says_so(own):
    own.conf = f"AuthInfo=socket={own.directory}/no-munge-here\n"
    own.write_config()
    own.start_controller()
    assert "until munged runs, only callers on this machine can connect" in (
        own.directory / "log/slurmctld.log").read_text()


@pytest.mark.ours
@pytest.mark.as_root
def test_a_gpu_whose_file_is_missing_drains_the_node(own):
    devices = own.directory / "dev"
    devices.mkdir()
    for i in range(3):
        os.mknod(devices / f"nvidia{i}", 0o20600, os.makedev(1, 3))
    own.cpus, own.memory, own.gpus = 1, 100, 4
    own.conf = "SlurmdParameters=shutdown_on_reboot\n"
    own.gres = f"NodeName=n1 Name=gpu Type=v100 File={devices}/nvidia[0-3]\n"
    own.write_config()
    own.start_controller()
    own.start_node("n1")
    node = lambda: own.run("scontrol", "-o", "show", "node", "n1").out
    wait_for(lambda: "DRAIN" in node(), node)
    assert "Reason=gres/gpu count reported lower than configured (3 < 4)" in node()
    os.mknod(devices / "nvidia3", 0o20600, os.makedev(1, 3))
    own.stop_node("n1")
    own.start_node("n1")
    wait_for(lambda: own.run("scontrol", "update", "nodename=n1", "state=resume").code == 0, "the node")
    own.wait_nodes("idle")
