"""Nodes that are switched off and on, are told to leave, are rebooted, or join by themselves."""
import os
import signal
import tempfile
from pathlib import Path

import pytest

from muster import SBIN, is_alive, wait_for

PLACE = Path(tempfile.mkdtemp(prefix="muster.power.", dir="/tmp"))
PLACE.chmod(0o777)
CLUSTER = dict(nodes=3, conf=f"SuspendProgram={PLACE}/suspend\nResumeProgram={PLACE}/resume\nSuspendTime=-1\n"
               f"SuspendTimeout=2\nResumeTimeout=30\nRebootProgram={PLACE}/reboot\nPowerDownGrace=2\nMaxNodeCount=5\n"
               f"ResumeFailProgram={PLACE}/failed\n"
               "PartitionName=quick Nodes=n1 SuspendTime=INFINITE PowerDownOnIdle=YES ResumeTimeout=3\n"
               "PartitionName=patient Nodes=ALL GraceTime=30\n")
pytestmark = pytest.mark.ours  # Slurm does not know PowerDownGrace


@pytest.fixture(scope="module", autouse=True)
def programs(module_cluster):
    """Switching off ends slurmd, switching on starts it, and rebooting does both."""
    run, conf = module_cluster.directory / "run", module_cluster.config_file
    off = f"kill $(cat {run}/slurmd.$n.pid)"
    on = f"{SBIN}/slurmd -f {conf} -N $n"
    for name, body in (("suspend", off), ("resume", on)):
        (PLACE / name).write_text(f"#!/bin/bash\necho $1 >> {PLACE}/{name}.log\n"
                                  f"for n in $({SBIN}/scontrol show hostnames $1); do {body}; done\n")
    (PLACE / "failed").write_text(f"#!/bin/bash\necho $1 >> {PLACE}/failed.log\n")
    (PLACE / "reboot").write_text(f"#!/bin/bash\necho $SLURMD_NODENAME >> {PLACE}/reboot.log\n")
    for name in ("suspend", "resume", "reboot", "failed"):
        (PLACE / name).chmod(0o755)
        (PLACE / f"{name}.log").write_text("")
        (PLACE / f"{name}.log").chmod(0o666)
    yield
    for file in PLACE.iterdir():
        file.unlink()
    PLACE.rmdir()


def state(cluster, node):
    return cluster.run("sinfo", "-h", "-N", "-n", node, "-o", "%t").lines[0]


def wait_node(cluster, node, wanted):
    wait_for(lambda: state(cluster, node) == wanted, f"{node} to be {wanted}")


def set_state(cluster, node, wanted, *more):
    return cluster.run("scontrol", "update", f"nodename={node}", f"state={wanted}", *more)


def test_a_node_goes_off_and_comes_on_for_a_job(cluster):
    set_state(cluster, "n1", "power_down").ok()
    wait_node(cluster, "n1", "idle~")
    assert (PLACE / "suspend.log").read_text().split()[-1] == "n1"
    job = cluster.sbatch("-w", "n1", "--wrap", "true")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert (PLACE / "resume.log").read_text().split()[-1] == "n1"
    wait_node(cluster, "n1", "idle")


def test_a_partition_says_when_its_nodes_go_and_how_long_they_may_take(cluster):
    assert cluster.wait_end(cluster.sbatch("-p", "quick", "--wrap", "true"))["JobState"] == "COMPLETED"
    wait_node(cluster, "n1", "idle~")  # PowerDownOnIdle
    (PLACE / "resume").rename(PLACE / "resume.away")
    (PLACE / "resume").write_text("#!/bin/bash\n")  # it does not come up, and ResumeTimeout is short there
    (PLACE / "resume").chmod(0o755)
    job = cluster.sbatch("-p", "quick", "--wrap", "true")
    cluster.wait_text(PLACE / "failed.log", "n1")
    (PLACE / "resume.away").rename(PLACE / "resume")
    cluster.wait_state(job, "PENDING")
    cluster.run("scancel", job).ok()
    cluster.run(SBIN / "slurmd", "-f", cluster.config_file, "-N", "n1").ok()
    wait_node(cluster, "n1", "idle")


def test_power_up(cluster):
    set_state(cluster, "n2", "power_down_asap").ok()
    wait_node(cluster, "n2", "idle~")
    set_state(cluster, "n2", "power_up").ok()
    wait_node(cluster, "n2", "idle")


@pytest.mark.parametrize("how, partition", [("power_down_force", "batch"), ("power_down", "patient")])
def test_a_node_that_must_go_lets_its_jobs_save_their_work(cluster, how, partition):
    script = cluster.script("saves.sh", "trap 'echo saved >> saved; exit' TERM\n"
                            "[ \"$SLURM_RESTART_COUNT\" = 1 ] && { hostname; echo $SLURMD_NODENAME > second; exit; }\n"
                            "echo ready > ready\nsleep 1000 & wait\n")
    job = cluster.sbatch("--requeue", "-p", partition, script)
    cluster.wait_text(cluster.work / "ready")
    first = cluster.job(job)["NodeList"]
    set_state(cluster, first, how, "reason=notice").ok()
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    assert (cluster.work / "saved").read_text() == "saved\n"
    assert (cluster.work / "second").read_text().strip() != first
    wait_node(cluster, first, "idle~")
    set_state(cluster, first, "power_up").ok()
    wait_node(cluster, first, "idle")


def test_a_host_that_stops_lets_its_jobs_save_their_work(cluster):
    """What a service manager does to slurmd when the machine shuts down, or a cloud takes it back."""
    script = cluster.script("stops.sh", "trap 'echo saved >> stopped; exit' TERM\n"
                            "echo $SLURMD_NODENAME >> stopped\n[ \"$SLURM_RESTART_COUNT\" = 1 ] && exit\n"
                            "while :; do sleep 0.1; done\n")
    job = cluster.sbatch("--requeue", script)
    cluster.wait_text("stopped", "n")
    first = cluster.job(job)["NodeList"]
    pid = int((cluster.directory / f"run/slurmd.{first}.pid").read_text())
    os.kill(pid, signal.SIGPWR)
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    ran, saved, again = (cluster.work / "stopped").read_text().split()
    assert (ran, saved) == (first, "saved") and again != first
    wait_for(lambda: not is_alive(pid), "slurmd to end with its host")
    wait_node(cluster, first, "idle~")
    set_state(cluster, first, "power_up").ok()
    wait_node(cluster, first, "idle")


def test_a_job_that_may_not_be_requeued_ends_preempted_after_its_grace(cluster):
    job = cluster.sbatch("--no-requeue", "-w", "n3", "--wrap", "trap '' TERM; while :; do sleep 1; done")
    cluster.wait_state(job, "RUNNING")
    set_state(cluster, "n3", "power_down_force").ok()
    assert cluster.wait_end(job)["JobState"] == "PREEMPTED"
    wait_node(cluster, "n3", "idle~")
    set_state(cluster, "n3", "power_up").ok()
    wait_node(cluster, "n3", "idle")


def test_a_restarted_controller_knows_what_is_off(cluster):
    set_state(cluster, "n1", "power_down").ok()
    wait_node(cluster, "n1", "idle~")
    cluster.stop_controller(signal.SIGKILL)
    cluster.start_controller()
    assert state(cluster, "n1") == "idle~"
    set_state(cluster, "n1", "power_up").ok()
    wait_node(cluster, "n1", "idle")


def test_reboot(cluster):
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "reboot", "ASAP", "nextstate=RESUME", "reason=kernel", "n1").ok()
    assert state(cluster, "n1") == "drng@"
    cluster.run("scancel", job)
    wait_node(cluster, "n1", "boot^")
    wait_for(lambda: (PLACE / "reboot.log").read_text() == "n1\n", "RebootProgram on n1")
    cluster.stop_node("n1")
    cluster.run(SBIN / "slurmd", "-b", "-f", cluster.config_file, "-N", "n1").ok()
    wait_node(cluster, "n1", "idle")


def test_only_administrators_reboot(cluster):
    if os.geteuid() == 0:
        done = cluster.run("scontrol", "reboot", "n1", user="nobody")
        assert (done.code, done.err) == (1, "scontrol_reboot_nodes error: Permission denied\n")
    done = cluster.run("scontrol", "reboot", "nosuch")
    assert (done.code, done.err) == (1, "scontrol_reboot_nodes error: Invalid node name specified\n")


def test_a_node_that_no_file_names(cluster):
    port = cluster.ports.base + 1  # SlurmdPort: no configured node listens there
    cluster.run(SBIN / "slurmd", "-f", cluster.config_file, "-Z", "-N", "z1", "--conf",
                f"CPUs=2 RealMemory=500 Feature=odd NodeAddr=127.0.0.1 Port={port}").ok()
    wait_for(lambda: "z1" in cluster.run("sinfo", "-h", "-N", "-o", "%N").out, "z1 to join")
    try:
        assert cluster.run("srun", "-C", "odd", "--mem=10", "sh", "-c", "echo $SLURMD_NODENAME").ok().out == "z1\n"
        assert "DYNAMIC_NORM" in cluster.run("scontrol", "show", "node", "z1").out
        cluster.stop_controller(signal.SIGKILL)
        cluster.start_controller()
        wait_node(cluster, "z1", "idle")
        job = cluster.sbatch("-w", "z1", "--wrap", "sleep 1000")
        cluster.wait_state(job, "RUNNING")
        assert cluster.run("scontrol", "delete", "nodename=z1").code == 1
        cluster.run("scontrol", "reconfigure").ok()
        assert cluster.state(job) == "RUNNING"
        cluster.cancel_all()
    finally:
        cluster.stop_node("z1")
    cluster.run("scontrol", "delete", "nodename=z1").ok()
    assert "z1" not in cluster.run("sinfo", "-h", "-N", "-o", "%N").out
    done = cluster.run("scontrol", "delete", "nodename=n1")
    assert done.code == 1 and "slurm.conf" in done.err


@pytest.mark.parametrize("options, error", [
    (["-N", "n1"], "Duplicated NodeName n1 in the config file"),
    (["-N", "z1", "--conf", "NodeName=z2"], "option 'NodeName=' not allowed in --conf"),
])
def test_a_dynamic_node_has_one_name_of_its_own(cluster, options, error):
    done = cluster.run(SBIN / "slurmd", "-f", cluster.config_file, "-Z", *options)
    assert done.code == 1 and error in done.err


def test_nodes_are_created_up_to_max_node_count(cluster):
    create = ("scontrol", "create", "nodename=d[1-2]", "CPUs=2", "RealMemory=500", "Feature=odd")
    assert cluster.run(*create).err == "Error creating the node(s): Invalid node state specified\n"
    cluster.run(*create, "state=CLOUD").ok()
    assert state(cluster, "d1") == "idle~"
    assert "MaxNodeCount" in cluster.run("scontrol", "create", "nodename=d3", "CPUs=2", "state=CLOUD").err
    cluster.run("scontrol", "delete", "nodename=d[1-2]").ok()
    assert cluster.run("sinfo", "-h", "-N", "-n", "d1").out == ""
