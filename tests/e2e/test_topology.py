"""Nodes of a job on as few switches as possible (topology/tree)."""
import pytest

CLUSTER = dict(nodes=4, conf="SchedulerParameters=max_switch_wait=8,bf_interval=2,sched_interval=5\n")


@pytest.fixture(autouse=True, scope="module")
def tree(module_cluster):
    (module_cluster.directory / "etc/topology.conf").write_text(
        "SwitchName=s0 Nodes=n[1-2]\nSwitchName=s1 Nodes=n[3-4]\n"
        "SwitchName=top Switches=s[0-1] LinkSpeed=9\n")
    with module_cluster.config_file.open("a") as conf:
        conf.write("TopologyPlugin=topology/tree\n")
    module_cluster.stop_controller()
    for node in ("n1", "n2", "n3", "n4"):
        module_cluster.stop_node(node)
    module_cluster.start_controller()
    for node in ("n1", "n2", "n3", "n4"):
        module_cluster.start_node(node)
    module_cluster.wait_nodes("idle")


def running(cluster, *args):
    job = cluster.sbatch("--exclusive", *args, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(job, "RUNNING")
    return job


def test_the_tree_is_shown(cluster):
    leaf = "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[3-4]"
    top = "SwitchName=top Level=1 LinkSpeed=9 Nodes=n[1-4] Switches=s[0-1]"
    assert cluster.run("scontrol", "show", "topology", "s1").lines == [leaf]
    assert cluster.run("scontrol", "show", "topology", "n4").lines == [leaf, top]
    assert len(cluster.run("scontrol", "show", "topology").lines) == 3
    assert "no switch or node named x" in cluster.run("scontrol", "show", "topology", "x").err


def test_a_job_is_put_below_one_switch(cluster):
    running(cluster, "-N1", "-w", "n1")
    job = running(cluster, "-N2")
    assert cluster.job(job)["NodeList"] == "n[3-4]"


@pytest.mark.parametrize("size", ["-N1", "-n2"])
def test_a_job_of_one_node_goes_where_fewer_are_free(cluster, size):
    running(cluster, "-N1", "-w", "n3")
    job = cluster.sbatch(size, "--wrap", "sleep 100", memory="10")
    cluster.wait_state(job, "RUNNING")
    assert cluster.job(job)["NodeList"] == "n4"


def test_tasks_know_where_they_are(cluster):
    out = cluster.run("srun", "--mem=10", "-N1", "-w", "n3", "bash", "-c",
                      "echo $SLURM_TOPOLOGY_ADDR $SLURM_TOPOLOGY_ADDR_PATTERN").ok().out
    assert out.split() == ["top.s1.n3", "switch.switch.node"]


def test_a_job_waits_for_its_switches_only_so_long(cluster):
    running(cluster, "-N1", "-w", "n1")
    running(cluster, "-N1", "-w", "n3")
    job = cluster.sbatch("-N2", "--switches=1", "--wrap", "true", memory="10")
    assert cluster.job(job)["Switches"] == "1@00:00:08"
    other = cluster.sbatch("-N2", "--switches=1@0:05", "--wrap", "true", memory="10")
    assert cluster.job(other)["Switches"] == "1@00:00:05"
    columns = cluster.run("squeue", "-h", "-j", other, "-O", "reqswitch,wait4switch").lines[0].split()
    assert columns == ["1", "0:05"]
    assert cluster.wait_end(job, limit=60)["NodeList"] == "n[2,4]"
