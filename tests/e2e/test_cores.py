"""Cores: which a job gets on nodes with two sockets and two threads, and which the system keeps."""
import re

import pytest

CLUSTER = dict(nodes=3, cpus=16, conf="AllowSpecResourcesUsage=YES\n")


@pytest.fixture(autouse=True, scope="module")
def two_sockets(module_cluster):
    """Two sockets of four cores with two threads each; n2 and n3 keep some for the system."""
    text = module_cluster.config_file.read_text()
    text = text.replace("SocketsPerBoard=1 CoresPerSocket=16 ThreadsPerCore=1",
                        "SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2")
    nodes = re.search(r"^NodeName=n\[1-3\](.*)Port=(\d+)-\d+(.*)$", text, re.M)
    kept = ("", " CoreSpecCount=2 MemSpecLimit=1000", " CpuSpecList=0,8")
    lines = [f"NodeName=n{i + 1}{nodes[1]}Port={int(nodes[2]) + i}{nodes[3]}{kept[i]}" for i in range(3)]
    module_cluster.config_file.write_text(text.replace(nodes[0], "\n".join(lines)))
    module_cluster.stop_controller()
    for node in ("n1", "n2", "n3"):
        module_cluster.stop_node(node)
    module_cluster.start_controller()
    for node in ("n1", "n2", "n3"):
        module_cluster.start_node(node)
    module_cluster.wait_nodes("idle")


def cpus(cluster, *args, node="n1"):
    job = cluster.sbatch("-w", node, *args, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(job, "RUNNING")
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    cluster.cancel_all()
    return re.findall(r" Nodes=\S+ CPU_IDs=(\S+) ", shown)


def test_cores_of_each_socket_are_taken_in_turn(cluster):
    assert cpus(cluster, "-n2") == ["0-1"]
    assert cpus(cluster, "-n4") == ["0-1,8-9"]
    assert cpus(cluster, "-n9") == ["0-5,8-11"]
    assert cpus(cluster, "-n4", "-c2") == ["0-7"]


def test_the_distribution_says_otherwise(cluster):
    assert cpus(cluster, "-n4", "-m", "block:block") == ["0-3"]
    assert cpus(cluster, "-n4", "-m", "cyclic:cyclic") == ["0-1,8-9"]
    assert cpus(cluster, "-n4", "-m", "plane=2") == ["0-3"]


def test_threads_and_tasks_of_a_core(cluster):
    for option in ("--threads-per-core=1", "--hint=nomultithread", "--ntasks-per-core=1"):
        assert cpus(cluster, "-n4", option) == ["0-3,8-11"], option
    assert cpus(cluster, "-n4", "--hint=multithread") == ["0-1,8-9"]
    assert cpus(cluster, "-n4", "-B", "2:2:1") == ["0-3,8-11"]


def test_a_range_of_nodes(cluster):
    many = cluster.sbatch("-N1-3", "-n3", "--wrap", "sleep 100", memory="10")
    assert cluster.wait_state(many, "RUNNING")["NumNodes"] == "3"
    few = cluster.sbatch("-N1-3", "-n3", "--use-min-nodes", "--wrap", "sleep 100", memory="10")
    assert cluster.wait_state(few, "RUNNING")["NumNodes"] == "1"


def test_the_system_keeps_cores_and_memory(cluster):
    assert cpus(cluster, "-n12", node="n2") == ["0-5,8-13"]
    assert cpus(cluster, "--exclusive", node="n2") == ["0-5,8-13"]
    assert cpus(cluster, "-n12", node="n3") == ["2-7,10-15"]
    refused = cluster.run("sbatch", "-w", "n2", "--mem=15500", "--wrap", "true")
    assert refused.code == 1 and "Requested node configuration is not available" in refused.err
    shown = cluster.run("scontrol", "show", "node", "n2").ok().out
    assert "CPUEfctv=12 CPUTot=16" in shown and "CfgTRES=cpu=12," in shown
    assert "\n   CoreSpecCount=2 CPUSpecList=6-7,14-15 MemSpecLimit=1000\n" in shown
    assert "CoreSpecCount=2 CPUSpecList=0-1,8-9" in cluster.run("scontrol", "show", "node", "n3").ok().out


def test_a_job_leaves_cores_to_the_system(cluster):
    assert cpus(cluster, "-S1") == ["0-13"]
    assert cpus(cluster, "--core-spec=2") == ["0-5,8-13"]
    assert cpus(cluster, "-S0", node="n2") == ["0-15"]
    job = cluster.sbatch("-w", "n1", "-S2", "--wrap", "sleep 100", memory="10")
    record = cluster.wait_state(job, "RUNNING")
    assert (record["CoreSpec"], record["NumCPUs"]) == ("2", "16")
    cluster.wait_reason(cluster.sbatch("-w", "n1", "--wrap", "true", memory="10"), "Resources|ReqNodeNotAvail.*")
    assert cluster.run("sbatch", "-S1", "--thread-spec=1", "--wrap", "true").code == 1
