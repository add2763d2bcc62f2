"""slurmd -F: a machine becomes one of the nodes in state FUTURE with the same hardware."""
import re
import socket
import subprocess

import pytest

import muster
from muster import SBIN, wait_for

HOST = socket.gethostname().split(".")[0]


@pytest.fixture
def cluster():
    """A controller with nodes in state FUTURE only: two are like this machine, one is not."""
    cluster = muster.Cluster(nodes=1)
    slurmds = []
    try:
        cluster.munge.start()
        cluster.write_config()
        machine = cluster.run(SBIN / "slurmd", "-C").out.split()[1:7]
        text = re.sub(r"^(NodeName|GresTypes)=.*\n", "", cluster.config_file.read_text(), flags=re.M)
        text = re.sub(r"^SlurmdParameters=.*\n", "", text, flags=re.M)
        cluster.config_file.write_text(text + f"""\
NodeName=alien CPUs=1 RealMemory=10 Feature=any State=FUTURE
NodeName=basic {' '.join(machine)} Feature=any State=FUTURE
NodeName=fast {' '.join(machine)} Feature=any,fast State=FUTURE
TreeWidth=65533
""")
        (cluster.directory / "etc/gres.conf").unlink()
        cluster.start_controller()

        def claim(*options):
            slurmds.append(subprocess.Popen([SBIN / "slurmd", "-D", *options, "-f", cluster.config_file],
                                            env=cluster.environment, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            return slurmds[-1]

        cluster.claim = claim
        yield cluster
    finally:
        for slurmd in slurmds:
            end(slurmd)
        cluster.down()


def end(slurmd):
    slurmd.terminate()
    slurmd.wait(timeout=muster.LIMIT)


def shown(cluster, node):
    text = cluster.run("scontrol", "-F", "show", "node", node).ok().out
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def wait_state(cluster, node, state):
    wait_for(lambda: shown(cluster, node)["State"] == state, lambda: f"{node} {state}: {shown(cluster, node)['State']}")


def test_a_machine_takes_the_node_with_the_feature(cluster):
    assert cluster.run("sinfo", "-h", "-N").out == ""
    cluster.claim("-Ffast")
    wait_state(cluster, "fast", "IDLE+DYNAMIC_FUTURE")
    assert shown(cluster, "fast")["NodeHostName"] == HOST
    assert shown(cluster, "basic")["State"] == "FUTURE"
    ran = cluster.run("srun", "-n1", "--mem=1", "printenv", "SLURMD_NODENAME").ok()
    assert ran.out == "fast\n"


def test_it_stays_that_node_until_the_node_is_given_back(cluster):
    first = cluster.claim("-F")
    wait_state(cluster, "basic", "IDLE+DYNAMIC_FUTURE")
    cluster.stop_controller()
    cluster.start_controller()
    wait_state(cluster, "basic", "IDLE+DYNAMIC_FUTURE")
    end(first)
    second = cluster.claim("-F")
    job = cluster.sbatch("--mem=1", "-w", "basic", "--wrap", "true")
    assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    end(second)
    cluster.run("scontrol", "update", "nodename=basic", "state=future").ok()
    node = shown(cluster, "basic")
    assert (node["State"], node["NodeHostName"], node["NodeAddr"]) == ("FUTURE", "basic", "basic")
    cluster.claim("-Ffast")
    wait_state(cluster, "fast", "IDLE+DYNAMIC_FUTURE")


def test_it_waits_for_the_controller(cluster):
    cluster.stop_controller()
    waiting = cluster.claim("-Ffast")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=2)
    cluster.start_controller()
    wait_state(cluster, "fast", "IDLE+DYNAMIC_FUTURE")


def test_none_is_like_it(cluster):
    refused = cluster.claim("-Fnone")
    refused.wait(timeout=muster.LIMIT)
    assert refused.returncode == 1
    assert cluster.run("sinfo", "-h", "-N").out == ""
