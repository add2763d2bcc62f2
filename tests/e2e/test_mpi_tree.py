"""srun --mpi on more nodes than TreeWidth: messages between tasks pass through the nodes above them."""
import os
from pathlib import Path

import pytest

from muster import wait_for
from test_mpi import client  # noqa: F401

NODES = 7
CLUSTER = dict(nodes=NODES, cpus=4, conf="TreeWidth=2\n")
ROUNDS = """
    ask("cmd=init pmi_version=2 pmi_subversion=0")
    ask2(f"cmd=fullinit;pmijobid={step};pmirank={rank};threaded=FALSE;")
    for turn in range(3):
        value = f"{turn}.{rank}." + "x" * 900
        assert ask2(f"cmd=kvs-put;key=k{turn}.{rank};value={value};") == "cmd=kvs-put-response;rc=0;"
        assert ask2("cmd=kvs-fence;") == "cmd=kvs-fence-response;rc=0;"
        for other in range(size):
            answer = ask2(f"cmd=kvs-get;jobid={step};srcid=-1;key=k{turn}.{other};")
            assert f"value={turn}.{other}." in answer, answer
    """


def srun(cluster, *words, **options):
    return cluster.run("srun", "--mem=100", f"-N{NODES}", *words, **options)


def test_tasks_of_all_nodes_find_each_other(cluster, client):  # noqa: F811
    done = srun(cluster, "--mpi=pmi2", f"-n{2 * NODES}", *client(ROUNDS + """
    assert ask2("cmd=finalize;") == "cmd=finalize-response;rc=0;"
    print(rank)
    """)).ok()
    assert sorted(map(int, done.lines)) == list(range(2 * NODES))


@pytest.mark.ours
def test_srun_is_connected_with_the_first_nodes_only(cluster, client):  # noqa: F811
    process = cluster.start("srun", "--mem=100", f"-N{NODES}", "--mpi=pmi2", *client(ROUNDS + """
    open(f"ready.{rank}", "w").close()
    import time
    while not os.path.exists("go"):
        time.sleep(0.05)
    """))
    wait_for(lambda: len(list(cluster.work.glob("ready.*"))) == NODES, "all tasks")
    held = [os.readlink(fd) for fd in Path(f"/proc/{process.pid}/fd").iterdir()]
    assert sum(name.startswith("socket:") for name in held) == 1 + 2 + 2  # the controller, output, exchange
    (cluster.work / "go").touch()
    assert process.wait(timeout=60) == 0


@pytest.mark.ours
def test_a_task_that_aborts_ends_those_of_all_nodes(cluster, client):  # noqa: F811
    done = srun(cluster, "--mpi=pmi2", *client(ROUNDS + """
    if rank == size - 1:
        os.write(fd, b"%6d" % 33 + b"cmd=abort;isworld=TRUE;msg=no go;")
    ask2("cmd=kvs-fence;")
    """))
    assert done.code != 0
