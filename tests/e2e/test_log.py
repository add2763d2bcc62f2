"""slurmctld's log says what happened and who did it: a line each, as text, as JSON, and to the machine's log."""
import json
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from muster import IS_ROOT, USER, Cluster, wait_for

pytestmark = pytest.mark.ours
CLUSTER = dict(nodes=2, conf="PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nMinJobAge=5\n", partitions="""\
PartitionName=batch Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=ALL PriorityTier=9 State=UP
""")


@pytest.fixture
def own_cluster():
    """A cluster of the test's own: called with what a Cluster takes."""
    made = []

    def make(**settings):
        made.append(Cluster(**settings))
        return made[-1].up()
    yield make
    for cluster in made:
        cluster.down()


def log_of(cluster):
    return (cluster.directory / "log/slurmctld.log").read_text()


def line(cluster, pattern):
    """The first line of the log that holds the pattern, without its time."""
    def find():
        return re.search(rf"^\[[^]]*\] (.*{pattern}.*)$", log_of(cluster), re.M)
    return wait_for(find, lambda: f"a line {pattern!r} in\n{log_of(cluster)}")[1]


def submit(cluster, *options, command="sleep 100"):
    return cluster.run("sbatch", "--parsable", "-o", "/dev/null", *options, "--wrap", command).ok().out.strip()


def test_the_life_of_a_job(cluster):
    job = submit(cluster, "-J", "two words", "-t", "5", command="exit 3")
    assert line(cluster, f"job submitted: JobId={job} ") == (
        f'job submitted: JobId={job} User={USER} Account=root Partition=batch QOS=normal JobName="two words" '
        f"TimeLimit=00:05:00 By={USER}")
    assert re.fullmatch(rf"job started: JobId={job} User={USER} Partition=batch NumCPUs=1 NodeList=n[12]",
                        line(cluster, f"job started: JobId={job} "))
    assert re.fullmatch(rf"job ended: JobId={job} User={USER} State=FAILED ExitCode=3:0 RunTime=\S+ Reason=NonZeroExitCode",
                        line(cluster, f"job ended: JobId={job} "))


def test_a_cancelled_job_and_who_did_it(cluster):
    job = submit(cluster)
    line(cluster, f"job started: JobId={job} ")
    cluster.run("scancel", job).ok()
    assert line(cluster, f"job cancelled: JobId={job} ") == f"job cancelled: JobId={job} State=CANCELLED By={USER}"
    assert "State=CANCELLED ExitCode=0:15" in line(cluster, f"job ended: JobId={job} ")
    waiting = submit(cluster, "-H")
    assert f"Hold=YES By={USER}" in line(cluster, f"job submitted: JobId={waiting} ")
    cluster.run("scancel", waiting).ok()
    line(cluster, f"job cancelled: JobId={waiting} State=CANCELLED.* By={USER}")


def test_an_array_is_one_line_and_its_tasks_are_named(cluster):
    job = submit(cluster, "-a", "0-2", command="true")
    assert f"JobId={job} ArrayTasks=0-2 User=" in line(cluster, f"job submitted: JobId={job} ")
    for task in range(3):
        line(cluster, f"job ended: JobId=[0-9]+ ArrayJobId={job} ArrayTaskId={task} .* State=COMPLETED")


def test_hold_release_update_and_requeue(cluster):
    job = submit(cluster, "-H")
    cluster.run("scontrol", "update", f"JobId={job}", "TimeLimit=7", "Comment=a b").ok()
    assert line(cluster, f"job updated: JobId={job} ").endswith(f'Changes="TimeLimit=7 Comment=a b" By={USER}')
    cluster.run("scontrol", "release", job).ok()
    line(cluster, f"job released: JobId={job} By={USER}")
    line(cluster, f"job started: JobId={job} ")
    cluster.run("scontrol", "requeue", job).ok()
    line(cluster, f"job told to end and be requeued: JobId={job} .*By={USER}")
    line(cluster, f"job requeued: JobId={job} ")
    cluster.run("scontrol", "hold", job).ok()
    line(cluster, f"job held: JobId={job} .*By={USER}")
    cluster.run("scancel", job).ok()


def test_preemption(cluster):
    victims = [submit(cluster, "--exclusive", "-N1", "--requeue") for _ in range(2)]
    for victim in victims:
        line(cluster, f"job started: JobId={victim} ")
    urgent = submit(cluster, "-p", "urgent", "-N1", "--exclusive")
    assert re.search(rf"job preempted: JobId=({'|'.join(victims)}) User={USER} ForJobId={urgent} PreemptMode=REQUEUE",
                     line(cluster, f"job preempted: .*ForJobId={urgent} "))
    line(cluster, f"job requeued: JobId=({'|'.join(victims)}) ")
    cluster.cancel_all()


def test_drain_resume_loss_and_return_of_nodes(cluster):
    cluster.run("scontrol", "update", "NodeName=n[1-2]", "State=DRAIN", "Reason=bad disk").ok()
    assert line(cluster, "node drained:") == (
        f'node drained: NodeName=n[1-2] State=IDLE+DRAIN Reason="bad disk" By={USER}')
    cluster.run("scontrol", "update", "NodeName=n[1-2]", "State=RESUME").ok()
    line(cluster, rf"node resumed: NodeName=n\[1-2\] State=IDLE By={USER}")
    cluster.run("scontrol", "update", "NodeName=n1", "Weight=7").ok()
    line(cluster, f"node updated: NodeName=n1 .*Changes=Weight=7 By={USER}")
    cluster.run("scontrol", "update", "NodeName=n2", "State=DOWN", "Reason=gone").ok()
    line(cluster, f"node down: NodeName=n2 State=DOWN.* Reason=gone By={USER}")
    cluster.run("scontrol", "update", "NodeName=n2", "State=RESUME").ok()
    line(cluster, f"node resumed: NodeName=n2 .*By={USER}")


def test_reservations_and_partitions(cluster):
    cluster.run("scontrol", "create", "reservation", "ReservationName=maint", "StartTime=now+1hour", "Duration=60",
                "Nodes=n1", f"Users={USER}").ok()
    created = line(cluster, "reservation created:")
    assert "ReservationName=maint NodeList=n1 StartTime=" in created and f"Users={USER} " in created
    assert created.endswith(f"By={USER}")
    cluster.run("scontrol", "update", "ReservationName=maint", "Duration=90").ok()
    line(cluster, f"reservation updated: ReservationName=maint .*Changes=Duration=90 By={USER}")
    cluster.run("scontrol", "delete", "ReservationName=maint").ok()
    line(cluster, f"reservation deleted: ReservationName=maint By={USER}")
    cluster.run("scontrol", "update", "PartitionName=urgent", "State=DOWN").ok()
    line(cluster, f"partition updated: PartitionName=urgent Changes=State=DOWN By={USER}")


def test_reconfigure_says_what_it_changed(cluster):
    conf = cluster.config_file.read_text()
    cluster.config_file.write_text(conf.replace("KillWait=3", "KillWait=5") + "PartitionName=new Nodes=n1\n")
    cluster.run("scontrol", "reconfigure").ok()
    assert line(cluster, "reconfigured:") == f"reconfigured: Changes=KillWait=3->5 PartitionsAdded=new By={USER}"
    cluster.config_file.write_text(conf)
    os.kill(cluster.controller_pid, signal.SIGHUP)
    line(cluster, r"reconfigured: Changes=KillWait=5->3 PartitionsRemoved=new$")


def test_a_lost_node_and_its_return(own_cluster):
    own = own_cluster(nodes=1, conf="SlurmdTimeout=5\n")
    own.stop_node("n1", signal.SIGKILL)
    line(own, 'node down: NodeName=n1 .*Reason="Not responding"$')
    own.start_node("n1")
    line(own, "node back: NodeName=n1 ")


def test_lines_of_json(own_cluster):
    own = own_cluster(nodes=1, conf="SlurmctldParameters=log_json\nSlurmdParameters=config_overrides,log_json\n")
    job = submit(own, "-J", 'q"\\\n\x01', command="true")
    wait_for(lambda: '"event":"job ended"' in log_of(own), "the end")
    lines = [json.loads(text) for text in log_of(own).splitlines()]
    assert all(each["program"] == "slurmctld" and each["level"] and ("message" in each) != ("event" in each) for each in lines)
    [submitted] = [each for each in lines if each.get("event") == "job submitted"]
    assert submitted["JobId"] == int(job) and submitted["By"] == USER and submitted["JobName"].startswith('q"\\')
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d", submitted["time"])
    [ended] = [each for each in lines if each.get("event") == "job ended"]
    assert (ended["State"], ended["ExitCode"]) == ("COMPLETED", "0:0")
    node = (own.directory / "log/slurmd.n1.log").read_text().splitlines()
    assert all(json.loads(text)["program"] == "slurmd" for text in node)


@pytest.mark.parametrize("form, shape", [("iso8601", r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] "),
                                         ("rfc5424_ms", r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d\] "),
                                         ("short", r"\[[A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d\] "),
                                         ("clock", r"\[\d+\] ")])
def test_the_time_looks_as_log_time_format_says(cluster, form, shape):
    conf = cluster.config_file.read_text()
    try:
        cluster.config_file.write_text(conf + f"LogTimeFormat={form}\n")
        cluster.run("scontrol", "reconfigure").ok()
        job = submit(cluster, command="true")
        wait_for(lambda: re.search(rf"^{shape}job submitted: JobId={job} ", log_of(cluster), re.M), lambda: log_of(cluster))
    finally:
        cluster.config_file.write_text(conf)
        cluster.run("scontrol", "reconfigure").ok()


@pytest.mark.skipif(not IS_ROOT or Path("/dev/log").exists(), reason="the machine's own log is in use")
def test_the_machines_log(own_cluster):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind("/dev/log")
        try:
            log.settimeout(60)
            own = own_cluster(nodes=1, conf="SlurmctldSyslogDebug=info\n")
            job = submit(own, "-J", "to-syslog")
            for text in iter(lambda: log.recv(65536).decode(), None):
                if f"job submitted: JobId={job} " in text and "JobName=to-syslog" in text:
                    break
            assert re.match(rf"<30>[A-Z][a-z]{{2}} \d\d \d\d:\d\d:\d\d slurmctld\[{own.controller_pid}\]: job submitted", text)
        finally:
            os.unlink("/dev/log")
