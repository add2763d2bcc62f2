"""What a user of the cluster can do to slurmd and slurmstepd with a hand-made client."""
import os
import re
import resource
import socket
import struct
import subprocess
from pathlib import Path

import pytest

from muster import wait_for
from raw_client import RawClient, controller_socket, decode, field, frame, message, node_socket

CLUSTER = dict(nodes=2, conf="MessageTimeout=5\n")
pytestmark = [pytest.mark.as_root, pytest.mark.ours]

WAITING_OF_USER = 256  # slurmd_host.h
CALL_BYTES = 64 << 10


def step_of(cluster, user, words="sleep 300"):
    """A running step of two tasks on n1: its job."""
    job = cluster.sbatch("-n2", "-w", "n1", "--mem=100", "--wrap", f"srun --mem=50 bash -c 'touch started.$SLURM_JOB_ID; {words}'",
                         user=user)
    wait_for((cluster.work / f"started.{job}").exists, "the step")
    return int(job)


def place_of(cluster, user, job, step=0):
    """Where the step is, and its key, as the controller tells its owner."""
    with RawClient(controller_socket(cluster), user) as client:
        client.read_hello()
        name, reply = client.ask("AttachStep", message((1, job), (2, step)))
        assert name == "Step", reply
        return decode(reply[4][0])


def attach(job, key, *more, step=0, attempt=1):
    ref = message((1, job), (2, attempt), (3, step))
    request = message((1, ref), (2, key), *more)
    return frame(field(1, field(1, request)))


def below(node, port, width=50, places=(1,)):
    """The field of an AttachRequest that names the nodes below."""
    branch = b"".join(field(1, message((1, place), (2, node), (3, "127.0.0.1"), (4, port))) for place in places)
    return 171, branch + field(2, width)


def call(cluster, user, data, node="n1"):
    client = RawClient(node_socket(cluster, node), user)
    client.read_hello()
    client.send(data)
    return client


def said(client):
    """The text of a StepMessage, or the name of another message."""
    reply = client.read_frame()
    if reply is None:
        return "closed"
    (place, (body,)), = decode(decode(reply)[1][0]).items()
    return decode(body)[1][0].decode() if place == 5 else {1: "Attached", 3: "TaskStarted"}.get(place, str(place))


class FakeServer:
    """A port of the test, which a step is told belongs to a node."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(60)
        self.port = self.socket.getsockname()[1]

    def greet(self, name, nonce):
        """The credential that a connecting peer makes for this name and nonce; None = it closed the connection."""
        connection, _ = self.socket.accept()
        connection.settimeout(60)
        connection.sendall(frame(message((1, 1), (2, nonce), (3, name))))
        self.hello = b""
        while len(self.hello) < 4 or len(self.hello) < 4 + struct.unpack(">I", self.hello[:4])[0]:
            try:
                part = connection.recv(65536)
            except ConnectionResetError:
                part = b""
            if not part:
                return None
            self.hello += part
        self.connection = connection
        return decode(self.hello[4:])[2][0].decode()


def everybody_is_well(cluster, pids, bob):
    assert pids == [cluster.controller_pid, *map(cluster.node_pid, cluster.node_names)]
    assert cluster.run("squeue", user=bob).ok()
    assert cluster.run("srun", "--mem=50", "-w", "n1", "hostname", user=bob, limit=60).ok()


@pytest.fixture
def well(cluster, bob):
    """After the attack: the same daemons run, and bob's work goes on."""
    pids = [cluster.controller_pid, *map(cluster.node_pid, cluster.node_names)]
    yield
    everybody_is_well(cluster, pids, bob)


def test_a_step_that_connects_with_other_nodes_does_so_as_its_user(cluster, well, alice):
    job = step_of(cluster, alice)
    key = place_of(cluster, alice, job)[102][0]
    server = FakeServer()
    with call(cluster, alice, attach(job, key, below("x", server.port))):
        credential = server.greet("slurmd/x", os.urandom(32))
    shown = subprocess.run(["unmunge"], input=credential.encode(), capture_output=True).stdout.decode(errors="replace")
    assert re.search(rf"^UID:\s+{alice} ", shown, re.M), shown


def test_what_a_step_proves_to_one_server_is_no_good_at_another(cluster, well, alice):
    job = step_of(cluster, alice)
    key = place_of(cluster, alice, job)[102][0]
    controller = socket.create_connection(("127.0.0.1", cluster.ports.base), timeout=60)
    header = controller.recv(4, socket.MSG_WAITALL)
    hello = decode(controller.recv(struct.unpack(">I", header)[0], socket.MSG_WAITALL))
    server = FakeServer()
    with call(cluster, alice, attach(job, key, below("x", server.port))):
        assert server.greet(hello[3][0], hello[2][0]) is None, "it is no slurmd"
    with call(cluster, alice, attach(job, key, below("x", server.port))):
        assert server.greet("slurmd/x", hello[2][0])
    controller.sendall(server.hello)
    assert controller.recv(1) == b"", "slurmctld took what was made for a slurmd"


def test_a_step_has_no_more_nodes_below_it_than_tasks(cluster, well, alice):
    job = step_of(cluster, alice)
    key = place_of(cluster, alice, job)[102][0]
    server = FakeServer()
    with call(cluster, alice, attach(job, key, below("x", server.port, places=range(100)))) as client:
        assert "100 nodes below this one are too many for a step of 2 tasks" in said(client)


def test_a_job_ends_while_its_steps_wait_for_silent_nodes(cluster, well, alice):
    job = step_of(cluster, alice)
    key = place_of(cluster, alice, job)[102][0]
    silent = socket.create_server(("127.0.0.1", 0), backlog=64)
    clients = [call(cluster, alice, attach(job, key, below("x", silent.getsockname()[1]))) for _ in range(40)]
    cluster.run("scancel", str(job), user=alice)
    cluster.wait_end(str(job), limit=40)
    for client in clients:
        client.close()


def test_nobody_attaches_to_a_step_of_another_user(cluster, well, alice, bob):
    job = step_of(cluster, bob)
    key = place_of(cluster, bob, job)[102][0]
    with call(cluster, alice, attach(job, key)) as client:
        assert "this step is another user's" in said(client)
    with call(cluster, "root", attach(job, key)) as client:
        assert said(client) == "Attached"
    assert cluster.state(str(job)) == "RUNNING"


def test_attaches_that_wait_are_bounded_for_each_user(cluster, well, alice, bob):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    clients = [call(cluster, alice, attach(999999, "x")) for _ in range(WAITING_OF_USER + 20)]
    assert "too many connections wait" in said(clients[-1])
    descriptors = len(os.listdir(f"/proc/{cluster.node_pid('n1')}/fd"))
    assert descriptors < WAITING_OF_USER + 200
    assert cluster.run("srun", "--mem=50", "-w", "n1", "hostname", user=bob, limit=60).ok()
    for client in clients:
        client.close()
    wait_for(lambda: cluster.run("srun", "--mem=50", "-w", "n1", "true", user=alice, limit=60).code == 0,
             "alice's own connections to be let in again")
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_call_is_small(cluster, well, alice):
    with RawClient(node_socket(cluster, "n1"), alice) as client:
        client.read_hello()
        client.send(struct.pack(">I", CALL_BYTES + 1))
        assert client.read_frame() is None


def receivers():
    """Processes that take a file of sbcast."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found += [process.name] * (b"slurmstepd: [sbcast]" in (process / "cmdline").read_bytes())
        except OSError:
            continue
    return found


def offer(grant, path):
    return frame(field(1, field(2, message((1, grant), (2, path), (3, 0o600)))))


def test_a_file_without_leave_starts_no_process(cluster, well, alice):
    for _ in range(50):
        with call(cluster, alice, offer("x", str(cluster.work / "file"))) as client:
            stored = decode(client.read_frame())
            assert stored[1] == [1 << 1], "EPERM"
    assert not receivers()


def test_a_leave_is_for_the_nodes_of_the_job(cluster, well, alice):
    job = step_of(cluster, alice)
    with RawClient(controller_socket(cluster), alice) as client:
        client.read_hello()
        _, reply = client.ask("Broadcast", message((1, job)))
    grant = reply[2][0]
    with call(cluster, alice, offer(grant, str(cluster.work / "elsewhere")), node="n2") as client:
        stored = decode(client.read_frame())
        assert stored[1] == [1 << 1] and b"not for this node" in stored[2][0]
    with call(cluster, alice, offer(grant, str(cluster.work / "here"))) as client:
        client.send(frame(field(1, b"text")) + frame(b""))
        assert 1 not in decode(client.read_frame())
    assert (cluster.work / "here").read_text() == "text"
    assert not (cluster.work / "elsewhere").exists()


def test_a_user_does_not_speak_for_a_node(cluster, well, alice):
    register = frame(field(1, field(1, message((1, "n1")))))
    with RawClient(controller_socket(cluster), alice) as client:
        client.read_hello()
        client.send(register)
        assert client.read_frame() is None
