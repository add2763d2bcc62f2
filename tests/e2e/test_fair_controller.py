"""What one user may take of slurmctld: places, memory, threads, time. Whatever alice does, bob and root get theirs."""
import subprocess
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest
from muster import wait_for
from raw_client import HELLO, RawClient, acting_as, controller_socket, decode, field, request

PLACES = 40
CLUSTER = dict(nodes=2, conf=f"SlurmctldParameters=max_user_connections={PLACES}\n")
pytestmark = [pytest.mark.ours, pytest.mark.as_root]

ALL_JOBS = request("Jobs", field(1, field(12, 1)))


@pytest.fixture
def unharmed(cluster, bob):
    """At the end the same daemons still serve bob."""
    before = [cluster.controller_pid, *map(cluster.node_pid, cluster.node_names)]
    yield
    is_served(cluster, bob)
    assert [cluster.controller_pid, *map(cluster.node_pid, cluster.node_names)] == before


def is_served(cluster, user):
    cluster.run("squeue", user=user).ok()
    job = cluster.sbatch("-o", "/dev/null", "--wrap", "true", user=user)
    cluster.wait_state(job, "COMPLETED")


def resident_mib(cluster):
    status = Path(f"/proc/{cluster.controller_pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) // 1024


def connection(cluster, user, **options):
    return RawClient(controller_socket(cluster), user, **options)


class Sender(threading.Thread):
    """Sends as fast as possible, until it is cut off or told to stop."""

    def __init__(self, client, data):
        super().__init__(daemon=True)
        self.client, self.data = client, data
        self.start()

    def run(self):
        try:
            self.client.send(self.data)
        except OSError:
            pass


def test_the_places_of_one_user_are_not_those_of_others(cluster, alice, bob, unharmed):
    with ExitStack() as held:
        clients = [held.enter_context(connection(cluster, alice)) for _ in range(PLACES)]
        for client in clients:
            assert client.read_hello()
        with connection(cluster, alice) as late:
            assert decode(late.read_hello())[4] == [1000]  # milliseconds until it may come back
            assert late.read_frame() is None
        is_served(cluster, bob)
        cluster.run("squeue").ok()
        # Her own commands wait for a connection.
        with acting_as(alice):
            squeue = subprocess.Popen(["squeue", "-h"], env=cluster.environment, stdout=subprocess.PIPE, cwd="/")
        log = cluster.directory / "log/slurmctld.log"
        wait_for(lambda: log.read_text().count("turned away a connection") >= 2, "her command to be turned away")
        assert squeue.poll() is None
        held.close()
        assert squeue.wait(60) == 0
    cluster.run("squeue", user=alice).ok()


def test_halves_of_large_messages_take_little_memory(cluster, alice, bob, unharmed):
    before = resident_mib(cluster)
    half = HELLO + (63 << 20).to_bytes(4, "big") + bytes(40 << 20)
    with ExitStack() as held:
        clients = [held.enter_context(connection(cluster, alice, greet=False)) for _ in range(PLACES - 1)]
        senders = [Sender(client, half) for client in clients]
        wait_for(lambda: sum(not sender.is_alive() for sender in senders) >= 2, "some of it to arrive")
        is_served(cluster, bob)
        cluster.run("squeue", user=alice).ok()
        assert resident_mib(cluster) - before < 400
        assert sum(sender.is_alive() for sender in senders) > PLACES // 2, "the others wait for room"


def test_answers_that_nobody_reads_take_little_memory(cluster, alice, bob, unharmed):
    cluster.run("bash", "-c", "seq 700 | xargs -P4 -I{} sbatch -Q -H -o /dev/null --wrap true", limit=300).ok()
    before = resident_mib(cluster)
    with ExitStack() as held:
        for _ in range(PLACES - 2):
            client = held.enter_context(connection(cluster, alice))
            Sender(client, ALL_JOBS * 2000)
        for _ in range(3):
            is_served(cluster, bob)
        assert resident_mib(cluster) - before < 400


def test_waiting_a_hundred_thousand_times_for_one_job(cluster, alice, bob, unharmed):
    job = cluster.sbatch("-H", "-o", "/dev/null", "--wrap", "true", user=alice)
    with connection(cluster, alice) as client:
        client.read_hello()
        Sender(client, b"".join(request("WaitJob", field(1, int(job)), number) for number in range(1, 100001)))
        for _ in range(3):
            is_served(cluster, bob)
        answers = [decode(client.read_frame()) for _ in range(5)]
        assert b"waits for that job already" in answers[0][3][0]


def test_a_long_list_to_choose_by_is_refused(cluster, alice, unharmed):
    with connection(cluster, alice) as client:
        client.read_hello()
        name, fields = client.ask("Jobs", field(1, field(1, field(1, 1)) * 200000))
        assert name == "Error" and b"items in a list" in fields[2][0]
    with connection(cluster, alice) as client:
        client.read_hello()
        assert client.ask("Jobs", field(1, field(2, bytes(5 << 20)))) is None
    log = (cluster.directory / "log/slurmctld.log").read_text()
    assert "more than 4 MiB that is no submission" in log


def test_trials_are_made_aside(cluster, alice, bob, unharmed):
    running = cluster.sbatch("-N2", "--exclusive", "-o", "/dev/null", "--wrap", "sleep 300")
    cluster.wait_state(running, "RUNNING")
    trials = "seq 30 | xargs -P15 -I{} sbatch --test-only -N2 --exclusive --wrap true"
    told = cluster.run("bash", "-c", trials, user=alice, limit=300).ok()
    assert told.err.count("to start at") == 30
    assert "Requested nodes are busy" in cluster.run("srun", "-I", "-N2", "--exclusive", "true", user=alice).err
    cluster.run("scancel", running).ok()
    cluster.wait_nodes("idle")
    assert cluster.run("srun", "-I", "hostname", user=alice).ok().out
    assert cluster.run("salloc", "-Q", "-I", "true", user=bob).ok()


@pytest.fixture
def rate_limited(cluster):
    before = cluster.config_file.read_text()
    cluster.config_file.write_text(before.replace(
        "SlurmctldParameters=", "SlurmctldParameters=rl_enable,rl_bucket_size=5,rl_refill_rate=5,"))
    cluster.run("scontrol", "reconfigure").ok()
    yield
    cluster.config_file.write_text(before)
    cluster.run("scontrol", "reconfigure").ok()


def test_a_user_who_asks_too_often_is_slowed_down(cluster, alice, bob, rate_limited, unharmed):
    with connection(cluster, alice) as client:
        client.read_hello()
        answers = [client.ask("Config", number=number) for number in range(1, 21)]
        refused = [fields for name, fields in answers if name == "Error"]
        assert len(refused) >= 10 and refused[0][1] == [9004] and refused[0][2][0].startswith(b"again in ")
        # Commands wait and ask again.
        for _ in range(4):
            cluster.run("squeue", user=alice).ok()
    for _ in range(20):
        cluster.run("squeue").ok()  # root does not wait
    assert "sends more requests than SlurmctldParameters=rl_bucket_size" in (cluster.directory / "log/slurmctld.log").read_text()


def test_a_word_that_is_no_number_is_refused(cluster):
    before = cluster.config_file.read_text()
    cluster.config_file.write_text(before.replace("max_user_connections=", "rl_refill_rate=0,max_user_connections="))
    refused = cluster.run("scontrol", "reconfigure")
    cluster.config_file.write_text(before)
    assert refused.code != 0 and "rl_refill_rate=a number from 1 to" in refused.err


def test_a_restart_finds_everything_as_it_was(cluster, bob):
    job = cluster.sbatch("-H", "-o", "/dev/null", "--wrap", "true", user=bob)
    cluster.stop_controller()
    cluster.start_controller()
    assert cluster.job(job)["JobState"] == "PENDING"
