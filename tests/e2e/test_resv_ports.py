"""srun --resv-ports: ports of MpiParams that no other step on the same nodes has."""
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2, conf="MpiParams=ports=23000-23009\n")


def ports_of(text):
    """Every port of "23000-23002,23009"."""
    return {port for part in text.split(",") for low, _, high in [part.partition("-")]
            for port in range(int(low), int(high or low) + 1)}


def seen(lines):
    return [ports_of(line.split("=", 1)[1]) for line in lines if line.startswith("SLURM_STEP_RESV_PORTS=")]


def test_all_tasks_are_told_the_ports(cluster):
    first, *others = seen(cluster.run("srun", "--mem=100", "-N2", "-n4", "--resv-ports=3", "env").ok().lines)
    assert len(first) == 3 and first <= set(range(23000, 23010)) and others == [first] * 3


@pytest.mark.parametrize("options, count", [(["-n1"], 2), (["-n4"], 5), (["-N2", "-n4"], 4)])
def test_there_is_one_for_each_task_of_a_node_and_one_more(cluster, options, count):
    assert {len(ports) for ports in seen(cluster.run("srun", "--mem=100", *options, "env").ok().lines)} == {count}


@pytest.mark.parametrize("options", [["--resv-ports"], ["--resv-ports=0"]])
def test_none_are_reserved_where_no_number_is_given(cluster, options):
    assert seen(cluster.run("srun", "--mem=100", *options, "env").ok().lines) == []


def test_an_input_variable(cluster):
    found = seen(cluster.run("srun", "--mem=100", "env", env={"SLURM_RESV_PORTS": "2"}).ok().lines)
    assert [len(ports) for ports in found] == [2]


def test_steps_beside_each_other_have_different_ports(cluster):
    job = cluster.sbatch("-n2", cluster.script("job.sh", """
        srun --overlap --resv-ports=5 bash -c 'echo $SLURM_STEP_RESV_PORTS > first; while [ ! -e go ]; do sleep .1; done' &
        while [ ! -s first ]; do sleep .1; done
        scontrol show step $SLURM_JOB_ID.0 | grep ResvPorts= > shown
        srun --overlap -n1 --resv-ports=5 bash -c 'echo $SLURM_STEP_RESV_PORTS > second'
        touch go; wait"""))
    cluster.wait_end(job)
    first, second = (ports_of((cluster.work / name).read_text().splitlines()[0]) for name in ("first", "second"))
    assert len(first) == len(second) == 5 and not first & second
    assert ports_of(re.search(r"ResvPorts=(\S+)", (cluster.work / "shown").read_text())[1]) == first


@pytest.mark.ours  # with Slurm srun asks again only after a while
def test_a_step_waits_for_ports(cluster):
    job = cluster.sbatch("-n2", "--mem=200", cluster.script("job.sh", """
        srun --overlap -n1 --resv-ports=6 bash -c 'touch one; while [ ! -e go ]; do sleep .1; done' &
        while [ ! -e one ]; do sleep .1; done
        srun --overlap -n1 --resv-ports=6 touch two &
        touch asked; wait"""))
    wait_for((cluster.work / "asked").exists, "both steps to be asked for")
    assert not (cluster.work / "two").exists()
    (cluster.work / "go").touch()
    cluster.wait_end(job)
    assert (cluster.work / "two").exists()


@pytest.mark.parametrize("value, text", [
    ("abc", 'srun: error: Invalid numeric value "abc" for --resv-port.'),
    ("300", "Requires more ports than can be reserved"),
])
def test_bad_numbers(cluster, value, text):
    done = cluster.run("srun", "--mem=100", f"--resv-ports={value}", "true")
    assert done.code == 1 and text in done.err
