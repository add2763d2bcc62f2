"""What slurmctld answers to a hand-made client: in parts, only to those who may ask, and nothing to impostors."""
import pwd
import re
import struct
from pathlib import Path

import pytest

from muster import wait_for
from raw_client import HELLO, JOB, RawClient, controller_socket, decode, field, frame, message, request

pytestmark = [pytest.mark.ours, pytest.mark.as_root]
CLUSTER = dict(nodes=1, conf="MaxJobCount=2000\nSlurmctldParameters=allow_user_triggers\n")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs/security.md"
PART = 1 << 20
ACCESS_DENIED, USER_ID_MISSING = 2002, 2010  # base/error_code.h


def connect(cluster, user=None):
    client = RawClient(controller_socket(cluster), user)
    client.read_hello()
    return client


def submission(name, **fields):
    values = {"name": name, "work_dir": "/tmp", "memory_per_cpu_mib": 10, "hold": 1, **fields}
    spec = message(*sorted((JOB[field], value) for field, value in values.items()))
    return message((1, spec), (2, "#!/bin/bash\ntrue\n"))


def parts_of(client, name, body=b""):
    """The sizes of an answer's frames and what they hold."""
    client.send(request(name, body))
    sizes, answers = [], []
    while True:
        reply = client.read_frame()
        assert reply is not None, "the connection ended"
        fields = decode(reply)
        sizes.append(len(reply))
        answers.append(decode(fields[3][0]))
        if not fields.get(2, [0])[0]:
            return sizes, answers


@pytest.fixture
def long_queue(cluster, alice):
    """Jobs whose list is several MiB."""
    with connect(cluster, alice) as client:
        for i in range(200):
            comment = f"{i}-".ljust(20000, "c")
            name, _ = client.ask("Submit", submission(f"long{i}", comment=comment), number=i + 1)
            assert name == "Submit"
    return 200


def test_lists_come_in_parts(cluster, bob, long_queue):
    with connect(cluster, bob) as client:
        sizes, answers = parts_of(client, "Jobs")
        assert len(sizes) >= 4 and max(sizes) < PART + 65536
        assert sum(len(decode(a[5][0]).get(2, [])) for a in answers) == long_queue
        jobs = cluster.run("squeue", "-h", "-o", "%A").out.split()  # held: they are only listed if they are named
        sizes, answers = parts_of(client, "Accounting", message(*((1, message((1, int(job)))) for job in jobs), (11, 1)))
        assert len(sizes) >= 4 and max(sizes) < PART + 65536


def test_a_slow_reader_gets_all_of_it(cluster, bob, long_queue):
    """Many queries at once, whose answers nobody reads at first: the answers wait, other users do not."""
    with connect(cluster, bob) as client:
        questions = 30
        for number in range(questions):
            client.send(request("Jobs", number=number + 1))
        for _ in range(3):
            assert len(cluster.run("squeue", "-h").ok().lines) == long_queue
        done = 0
        while done < questions:
            reply = client.read_frame()
            assert reply is not None, "the connection was cut"
            fields = decode(reply)
            if 3 in fields and not fields.get(2, [0])[0]:
                done += 1


def test_who_greets_as_a_node_has_to_be_one(cluster, alice):
    greeting = frame(field(1, 1) + field(3, 1))
    report = frame(message((1, message((1, message((1, "n1")))))))
    for hello, user in ((greeting, alice), (HELLO, None), (HELLO, alice)):
        client = RawClient(controller_socket(cluster), user, greet=False)
        with client:
            client.send(hello)
            client.send(report)
            wait_for(lambda: client.read_frame() is None, "the end of the connection")
    client = RawClient(controller_socket(cluster), None, greet=False)
    with client:
        client.send(greeting)
        client.send(request("Ping"))
        client.read_hello()
        assert client.read_frame() is None, "a node asks nothing"
    cluster.wait_nodes("idle")


def test_bad_frames_do_not_fill_the_log(cluster, alice):
    log = next((cluster.directory / "log").glob("slurmctld*"))
    before = len(log.read_text().splitlines())
    for _ in range(300):
        with connect(cluster, alice) as client:
            client.send(frame(b"\xff\xff\xff"))
            while client.read_frame() is not None:
                pass
    assert len(log.read_text().splitlines()) - before < 150


def documented():
    rows = re.search(r"\| request \| who .*?\n\|[-|]+\n((?:\|.*\n)+)", DOCUMENT.read_text())[1]
    return [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows.splitlines()]


def requests_about(job, owner):
    """A request of each kind, by the names in the document. Shutdown comes last, because it would end the daemon."""
    ref = message((1, job))

    def update(kind, *settings):
        pairs = [(2, message((1, key), (2, value))) for key, value in settings]
        return message((1, kind), *pairs)

    return {
        "Ping": ("Ping", b""), "Jobs": ("Jobs", b""), "Nodes": ("Nodes", b""), "Partitions": ("Partitions", b""),
        "Config": ("Config", b""), "Reservations": ("Reservations", b""), "Priorities": ("Priorities", b""),
        "Topology": ("Topology", b""), "Shares": ("Shares", b""), "Explain": ("Explain", message((1, ref))),
        "Accounting": ("Accounting", message((11, 1))), "Accounts": ("Accounts", b""),
        "BatchScript": ("BatchScript", ref), "Broadcast": ("Broadcast", ref),
        "AttachStep": ("AttachStep", message((1, job), (2, 0xfffffffb))),
        "Step": ("Step", message((1, job), (6, 99))),  # on more nodes than the job has
        "Step without an allocation": ("Step", message((1, 0xffff0000), (8, "nowhere"), (250, 0))),
        "Update": ("Update", update(0, ("JobId", str(job)), ("Comment", "x"))),
        "Update node, partition, reservation": ("Update", update(1, ("NodeName", "n1"), ("Comment", "x"))),
        "JobAction": ("JobAction", message((1, 0), (2, ref))),
        "JobAction suspend, resume": ("JobAction", message((1, 5), (2, ref))),
        "Cancel": ("Cancel", message((1, ref), (3, 2 * 18))),  # SIGCONT
        "Release": ("Release", ref),
        "Statistics": ("Statistics", b""), "Statistics reset": ("Statistics", message((1, 1))), "Triggers": ("Triggers", b""),
        "Limits": ("Limits", b""), "Budget": ("Budget", message((1, owner), (2, "alice"))),
        "SetTrigger": ("SetTrigger", message((1, message((2, 1), (3, job), (8, "/bin/true"))))),
        "ClearTriggers": ("ClearTriggers", message((2, job), (3, owner))),
        "Debug": ("Debug", message((1, "info"))), "Reconfigure": ("Reconfigure", b""), "ClaimNode": ("ClaimNode", b""),
        "Shutdown": ("Shutdown", message((1, 1))),
    }


def is_refused(answer):
    """Whether the answer refuses this user; other errors mean that the request makes no sense."""
    name, fields = answer
    if name == "Error":
        return fields.get(1, [0])[0] in (ACCESS_DENIED, USER_ID_MISSING)
    errors = [decode(pair) for pair in fields.get(1, [])] if name == "Cancel" else []
    return any(decode(error[2][0])[1][0] in (ACCESS_DENIED, USER_ID_MISSING) for error in errors if 2 in error)


def test_each_request_is_answered_to_whom_the_document_says(cluster, alice, bob):
    job = int(cluster.sbatch("-o", "/dev/null", "--wrap", "sleep 600", user=alice))
    cluster.wait_state(job, "RUNNING")
    wait_for(lambda: cluster.supervisors(f"{job}.batch"), "the script")
    asked = requests_about(job, pwd.getpwnam(alice).pw_uid)
    rows = dict(documented())
    assert set(rows) - set(asked) == {"Submit", "WaitJob", "ReportBatch"}  # elsewhere, and in the unit tests
    for user, may in ((bob, {"anyone"}), (alice, {"anyone", "owner or operator"}),
                      (None, {"anyone", "owner or operator", "operator"})):
        for name, who in rows.items():
            if name not in asked or (user, name) in ((alice, "Release"), (None, "Release"), (None, "Shutdown")):
                continue  # what would end the job or the daemon
            with connect(cluster, user) as client:
                answer = client.ask(*asked[name])
            assert answer is not None, (user, name)
            assert is_refused(answer) == (who not in may), (user, name, answer)


def test_frames_above_the_limit_end_their_connection_only(cluster, alice):
    with connect(cluster, alice) as client:
        client.send(struct.pack(">I", (64 << 20) + 1))
        while client.read_frame() is not None:
            pass
    cluster.run("squeue").ok()
