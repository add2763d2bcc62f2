"""Requests that no shipped command would send: each is refused or does what is allowed, and harms nobody."""
import random
import re
import resource
import time
from pathlib import Path

import pytest

from muster import wait_for
from raw_client import JOB, RawClient, controller_socket, field, message, request, varint, zigzag

pytestmark = [pytest.mark.ours, pytest.mark.as_root]

CLUSTER = dict(nodes=1, cpus=4)
MOST = 0xFFFFFFFF  # of 32 bits


@pytest.fixture
def unharmed(cluster, bob):
    """Whatever alice does in the test, nobody else is harmed."""
    before = cluster.controller_pid, cluster.node_pid("n1")
    yield
    assert (cluster.controller_pid, cluster.node_pid("n1")) == before
    cluster.run("squeue", user=bob, limit=60).ok()
    assert cluster.wait_end(cluster.sbatch("--wrap", "true", user=bob))["JobState"] == "COMPLETED"


@pytest.fixture
def connect(cluster, alice):
    def as_alice():
        client = RawClient(controller_socket(cluster), alice)
        client.read_hello()
        return client
    return as_alice


@pytest.fixture
def ask(connect):
    """Sends a request of alice; returns the answer's name and fields, or None if the connection was closed."""
    def send(name, body):
        with connect() as client:
            return client.ask(name, body)
    return send


@pytest.fixture
def allocation(cluster, alice):
    """A job of alice in which steps may run."""
    job = cluster.sbatch("-n1", "--wrap", "sleep 600", user=alice)
    cluster.wait_state(job, "RUNNING")
    return int(job)


def text_of(answer):
    name, fields = answer
    assert name == "Error", answer
    return fields.get(2, [b""])[0].decode()


def spec(*fields):
    held = dict([("name", "raw"), ("work_dir", "/tmp"), ("memory_per_node_mib", 100), ("hold", 1)])
    return message(*sorted((JOB[name], value) for name, value in (held | dict(fields)).items()))


def submission(*fields, script="#!/bin/sh\n", components=b""):
    return message((1, spec(*fields)), (2, script)) + components


def tasks(first, last):
    return field(1, message((1, first), (2, last)))


def test_more_memory_than_there_is(cluster, connect, unharmed):
    """The daemon may allocate 40 MB more; the connection of a request of 8 MB that becomes a list of 100 MB is closed.

    The first test here: later on the daemon keeps enough memory from other requests.
    """
    pid = cluster.controller_pid
    size = int(re.search(r"VmSize:\s+(\d+)", (Path("/proc") / str(pid) / "status").read_text())[1]) * 1024
    strings = field(16, "x") * 2_000_000
    with connect() as client:
        resource.prlimit(pid, resource.RLIMIT_AS, (size + 40_000_000, resource.RLIM_INFINITY))
        try:
            assert client.ask("Step", field(1, 5) + strings) is None
        finally:
            resource.prlimit(pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def test_sets_that_are_none(cluster, alice, ask, unharmed):
    array = int(cluster.sbatch("-H", "-a", "0-9", "--wrap", "true", user=alice))
    for ranges in (tasks(5, 1), tasks(0, 9) + tasks(3, 4), tasks(7, 8) + tasks(0, 1)):
        assert ask("Cancel", field(1, message((1, array), (2, ranges)))) is None
    assert ask("Cancel", field(1, message((1, array), (2, tasks(0, MOST)))))[0] == "Cancel"
    wait_for(lambda: cluster.state(array) != "PENDING", "the end of the array")


def test_strides_in_an_update(cluster, alice, ask, unharmed):
    array = int(cluster.sbatch("-H", "-a", "0-9", "--wrap", "true", user=alice))

    def update(ids):
        return ask("Update", field(2, message((1, "JobId"), (2, ids))) + field(2, message((1, "Comment"), (2, "x"))))
    assert update(f"{array}_[0-400000000:2]")[0] == "Error"
    many = ",".join(f"{array}_[0-60000:2]" for _ in range(3000))
    assert update(many)[0] == "Error"
    assert update(f"{array}_[0-9:2]")[0] == "Cancel"


def test_counts_that_wrap_in_a_step(allocation, ask, unharmed):
    job = (1, allocation)
    overlaps = ((10, 1), (31, 1))  # overlap, overcommit
    for counts in ([(3, MOST)], [(5, MOST)], [(6, MOST), (7, MOST)], [(3, 2_000_000_000)]):
        for flags in ((), overlaps):
            assert ask("Step", message(*sorted([job, *counts, *flags])))[0] == "Error", counts
    assert ask("Step", message(job, (3, 1), (4, MOST), (10, 1)))[0] == "Error"
    assert ask("Step", message(job, (3, 1), (10, 1), (12, 50), (15, message((1, "true"))), (160, 0)))[0] == "Step"
    assert ask("Step", message(job, (3, 1), (10, 1), (32, 1 << 62)))[0] == "Error"
    assert ask("Step", message(job, (3, 1), (10, 1), (12, 50), (39, zigzag(-5))))[0] == "Error"


def test_counts_that_wrap_in_a_job(cluster, ask, unharmed):
    for asked in ([("num_tasks", MOST), ("overcommit", 1)],
                  [("num_tasks", MOST), ("ntasks_per_node", MOST), ("overcommit", 1)],
                  [("num_tasks", 2), ("cpus_per_task", MOST)], [("memory_per_node_mib", 1 << 63)],
                  [("cpus_per_task", 4), ("memory_per_node_mib", 0), ("memory_per_cpu_mib", 1 << 62)],
                  [("gpus", "4294967296"), ("cpus_per_gpu", 1 << 31)],
                  [("ntasks_per_gpu", 4), ("gpus_per_node", "9000000000000000000")]):
        assert ask("Submit", submission(*asked, ("hold", 0)))[0] == "Error", asked
        name, fields = ask("Submit", submission(*asked))
        if name == "Submit":  # a held job is checked less
            assert cluster.run("scontrol", "release", fields[1][0]).code == 1, asked
    # It waits for the cluster to grow.
    assert ask("Submit", submission(("min_nodes", MOST), ("max_nodes", MOST), ("hold", 0)))[0] == "Submit"
    assert ask("Submit", submission(("num_tasks", 1 << 32))) is None, "a number that 32 bits do not hold"


def test_components_without_end(ask, unharmed):
    empty = varint(100 << 3 | 2) + b"\0"
    for count in (257, 100_000, 1_000_000, 5_000_000):
        answer = ask("Submit", submission(components=empty * count))
        assert answer is None or "components" in text_of(answer) or "component" in text_of(answer)
    whole = field(100, spec())
    assert "257 components: at most 256 are allowed (max_components)" in text_of(
        ask("Submit", submission(components=whole * 256)))
    steps = varint(170 << 3 | 2) + b"\0"
    assert ask("Submit", submission(components=steps * 1_000_000)) is None
    assert ask("Submit", submission(components=steps * 2))[0] == "Error"


def test_fields_in_disorder(ask, unharmed):
    body = (b"\x18\x01\x10\x01" * 2_000_000)
    assert ask("Submit", field(1, body)) is None
    assert ask("Submit", message((2, "#!/bin/sh\n"), (1, spec()))) is None


def test_unknown_kinds(ask, unharmed):
    assert ask("Submit", submission(("kind", 7))) is None
    assert ask("JobAction", message((1, 200))) is None
    assert ask("Update", message((1, 99))) is None


def test_what_only_administrators_say(cluster, alice, ask, unharmed):
    name, fields = ask("Submit", submission(("admin_comment", "forged"), ("time_limit", zigzag(500)),
                                            ("priority", 4_000_000_000), ("time_limit_granted", 1),
                                            ("site_factor", zigzag(2_000_000_000))))
    assert name == "Submit"
    job = cluster.job(fields[1][0])
    assert job["UserId"].startswith(alice)
    assert "forged" not in str(job) and job["Priority"] == "0"  # it is held
    cluster.run("scontrol", "release", fields[1][0], user=alice).ok()
    assert int(cluster.job(fields[1][0])["Priority"]) not in (4_000_000_000, 2_000_000_000)
    assert text_of(ask("Submit", submission(("reboot", 1)))) == "rebooting of nodes is only allowed for admins"


def test_sizes(ask, allocation, unharmed):
    assert "max_text_size" in text_of(ask("Submit", submission(("extra", "x" * 3_000_000))))
    assert "max_environment_size" in text_of(ask("Submit", message((1, spec()), (2, "#!"), (3, b"x" * 9_000_000))))
    arguments = b"".join(field(JOB["script_args"], "x" * 1000) for _ in range(2200))
    assert "max_arguments_size" in text_of(
        ask("Submit", field(1, message((JOB["name"], "raw")) + arguments) + field(2, "#!/bin/sh\n")))
    environment = b"".join(field(16, "x" * 1_000_000) for _ in range(9))
    assert "max_environment_size" in text_of(ask("Step", field(1, allocation) + environment))
    programs = field(15, b"".join(field(2, message((1, n), (2, field(1, "x" * 100_000)))) for n in range(30)))
    assert "max_arguments_size" in text_of(ask("Step", field(1, allocation) + programs))
    parts = field(100, field(1, allocation)) * 300
    assert "max_components" in text_of(ask("Step", field(1, allocation) + parts))
    nested = field(100, field(1, allocation) + field(100, field(1, allocation)))
    assert ask("Step", field(1, allocation) + nested)[0] == "Error"
    assert "max_list_items" in text_of(ask("Cancel", field(1, field(1, 1)) * 10_001))
    assert "max_list_items" in text_of(ask("Jobs", field(1, field(10, 5) * 100_000)))
    assert "max_text_size" in text_of(ask("Accounting", field(4, "x" * 100_000)))


def test_times_beyond_all_calendars(cluster, ask, unharmed):
    for limit in (1 << 62, (1 << 63) - 1):
        name, fields = ask("Submit", submission(("time_limit", zigzag(limit) & ((1 << 64) - 1))))
        assert name == "Submit" and cluster.job(fields[1][0])["TimeLimit"] == "UNLIMITED"
        cluster.run("scontrol", "release", fields[1][0]).ok()
    assert text_of(ask("Submit", submission(("time_limit", zigzag(-60))))) == ""
    name, fields = ask("Submit", submission(("begin", zigzag(1 << 61)), ("deadline", zigzag(1 << 61))))
    assert name == "Submit"
    cluster.run("scontrol", "release", fields[1][0]).ok()
    cluster.run("scontrol", "show", "job", fields[1][0]).ok()


def test_waiting_steps(cluster, alice, connect, unharmed):
    """They wait for a step that has all of the job, and are kept in memory meanwhile."""
    job = int(cluster.sbatch("-n1", "--wrap", "srun -n1 --mem=100 sleep 600", user=alice))
    wait_for(lambda: f"{job}.0" in cluster.run("squeue", "-h", "-s", "-o", "%i").out, "the step")
    environment = b"".join(field(16, "x" * 1_000_000) for _ in range(8))
    step = message((1, job), (3, 1), (12, 50), (15, message((1, "true")))) + environment + field(164, 1)
    with connect() as client:
        answers = [client.ask("Step", step, number) for number in range(1, 11)]
    assert answers[0][0] == "Step" and "max_waiting_steps_size" in text_of(answers[-1]), answers[-1]
    cluster.run("scancel", job, user=alice).ok()


def test_random_fields(connect, unharmed):
    """A short fuzz of steps, submissions and updates, the same each time."""
    chance = random.Random(18)
    interesting = [0, 1, 2, 3, 7, 255, 1 << 16, 1 << 31, MOST, 1 << 32, 1 << 62, (1 << 64) - 1]
    deadline = time.monotonic() + 4

    def value():
        if chance.random() < 0.6:
            return chance.choice(interesting)
        return bytes(chance.randrange(256) for _ in range(chance.randrange(12)))

    def body(numbers):
        chosen = sorted(chance.choice(numbers) for _ in range(chance.randrange(1, 6)))
        return b"".join(field(number, value()) for number in chosen)

    client = connect()
    while time.monotonic() < deadline:
        kind = chance.choice(["Step", "Submit", "Update", "Cancel", "JobAction"])
        content = body(range(1, 300)) if kind != "Submit" else \
            field(1, body(range(1, 401))) + field(2, "#!/bin/sh\n")
        try:
            client.send(request(kind, content))
        except OSError:
            client.close()
            client = connect()
    client.close()
