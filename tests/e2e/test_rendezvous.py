"""--rendezvous: tasks of a step find each other without code in the script."""
import pytest

from muster import wait_for

pytestmark = pytest.mark.ours

MEET = r"""
import os, socket
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
place = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
if rank == 0:
    with socket.create_server(place) as server:
        server.settimeout(30)
        peers = [server.accept()[0] for _ in range(size - 1)]
        names = sorted(peer.recv(100).decode() for peer in peers)
        for peer in peers:
            peer.sendall(b"met")
    print("ranks", *names)
else:
    for attempt in range(300):
        try:
            peer = socket.create_connection(place, timeout=1)
            break
        except OSError:
            import time; time.sleep(0.1)
    peer.sendall(str(rank).encode())
    assert peer.recv(100) == b"met"
"""
NAMES = "MASTER_ADDR MASTER_PORT WORLD_SIZE RANK LOCAL_RANK LOCAL_WORLD_SIZE NODE_RANK GROUP_RANK".split()
SHOW = "echo " + " ".join(f"${{{name}-unset}}" for name in NAMES)


def show(cluster, *options, env=None):
    return sorted(cluster.run("srun", "--mem=100", *options, "bash", "-c", SHOW, env=env).ok().lines)


def test_four_tasks_on_two_nodes_meet(cluster):
    script = cluster.script("meet.py", MEET, interpreter="#!/usr/bin/env python3")
    done = cluster.run("srun", "--mem=100", "--rendezvous", "-N2", "-n4", "--ntasks-per-node=2", "python3", script)
    assert done.ok().lines == ["ranks 1 2 3"]


def test_each_task_knows_its_place(cluster):
    lines = [line.split() for line in show(cluster, "--rendezvous", "-N2", "-n4", "--ntasks-per-node=2")]
    assert len({(line[0], line[1]) for line in lines}) == 1
    assert lines[0][0] == "127.0.0.1" and 29500 <= int(lines[0][1]) <= 39499
    assert sorted(line[2:] for line in lines) == [
        ["4", "0", "0", "2", "0", "0"], ["4", "1", "1", "2", "0", "0"],
        ["4", "2", "0", "2", "1", "1"], ["4", "3", "1", "2", "1", "1"]]


def test_it_is_off_by_default(cluster):
    assert show(cluster, "-n1") == [" ".join(["unset"] * len(NAMES))]


def test_what_the_user_set_stays(cluster):
    own = show(cluster, "--rendezvous", "-n1", env={"MASTER_ADDR": "head", "MASTER_PORT": "1234", "RANK": "7"})
    assert own == ["head 1234 1 0 0 1 0 0"]


def test_as_an_option_of_the_job_it_counts_for_its_steps(cluster):
    job = cluster.sbatch("--rendezvous", "-n2", "--wrap", f"srun bash -c '{SHOW}'")
    assert [line.split()[2:4] for line in sorted(cluster.output(job).splitlines())] == [["2", "0"], ["2", "1"]]


def test_steps_on_one_node_have_ports_of_their_own(cluster):
    command = "srun --exact -n1 --mem=10 bash -c 'echo $MASTER_PORT > port.$SLURM_STEP_ID; sleep 100' &\n"
    cluster.sbatch("--rendezvous", "-N1", "-n2", cluster.script("s.sh", command * 2 + "wait\n"))
    ports = lambda: {p.read_text().strip() for p in cluster.work.glob("port.*")} - {""}
    wait_for(lambda: len(list(cluster.work.glob("port.*"))) == 2 and len(ports()) == 2, lambda: f"two ports: {ports()}")


def test_a_step_inside_of_a_step_meets_elsewhere(cluster):
    job = cluster.sbatch("-n2", "--wrap", "srun --rendezvous -n1 bash -c "
                         "'echo $MASTER_PORT; srun --rendezvous --overlap -n1 bash -c \"echo \\$MASTER_PORT\"'")
    assert len(set(cluster.output(job).split())) == 2


def test_components_of_a_heterogeneous_step_meet(cluster):
    script = cluster.script("meet.py", MEET, interpreter="#!/usr/bin/env python3")
    done = cluster.run("srun", "--mem=100", "--rendezvous", "-n1", "python3", script, ":", "-n2", "python3", script)
    assert done.ok().lines == ["ranks 1 2"]
