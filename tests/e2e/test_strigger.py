"""strigger: programs that run when something happens to jobs, nodes or the cluster."""
import pwd

import pytest

from muster import USER, wait_for, write_program

CLUSTER = dict(nodes=2, conf="SlurmctldParameters=allow_user_triggers")


@pytest.fixture(autouse=True)
def none_are_left(cluster):
    yield
    if not cluster.controller_is_up():
        cluster.start_controller()
    for user in {row.split()[5] for row in listed(cluster)}:
        cluster.run("strigger", "--clear", f"--user={user}", "-Q").ok()


def listed(cluster, *options):
    return cluster.run("strigger", "--get", "-N", *options).ok().lines


@pytest.fixture
def program(cluster):
    """Writes down who it runs as, and its arguments."""
    path = cluster.work / "told"
    write_program(path, f'echo "$(id -un) $*" >> {cluster.work}/told.$(id -un)')
    return path


def told(cluster, user=USER):
    file = cluster.work / f"told.{user}"
    return file.read_text().splitlines() if file.exists() else []


def wait_told(cluster, line, user=USER):
    wait_for(lambda: line in told(cluster, user), lambda: f"{line!r}: {told(cluster, user)}")


def set_trigger(cluster, *options, **how):
    return cluster.run("strigger", "--set", *options, **how)


def test_the_list_has_the_references_columns(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    set_trigger(cluster, f"--jobid={job}", "--fini", "--flags=PERM", "--program=/bin/true").ok()
    set_trigger(cluster, "--node=n[1-2]", "--idle", "--offset=31000", "-p", "/bin/true a b").ok()
    set_trigger(cluster, "--reconfig", "-p", "/bin/true").ok()
    done = cluster.run("strigger", "--get").ok().lines
    assert done[0] == "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS PROGRAM"
    assert [row[8:] for row in done[1:]] == [
        f"job       {job:>7} fini                                     0 {USER:<8} PERM  /bin/true",
        f"node       n[1-2] idle                                 31000 {USER:<8}       /bin/true a b",
        f"node            * reconfig                                 0 {USER:<8}       /bin/true"]
    assert listed(cluster) == done[1:]
    assert listed(cluster, f"--jobid={job}") == done[1:2]
    assert listed(cluster, "--node") == done[2:4]
    assert listed(cluster, "--idle") == done[2:3]
    assert listed(cluster, f"--user={USER}") == done[1:]
    assert listed(cluster, f"--id={done[3].split()[0]}") == done[3:]
    assert listed(cluster, "--id=999999") == []


def test_nodes_that_go_down_and_come_back(cluster, program):
    set_trigger(cluster, "--node", "--down", "-p", f"{program} down").ok()
    set_trigger(cluster, "--node=n1", "--up", "--flags=perm", "-p", f"{program} up").ok()
    cluster.run("scontrol", "update", "nodename=n[1-2]", "state=down", "reason=test").ok()
    wait_told(cluster, f"{USER} down n[1-2]")
    assert [row.split()[3] for row in listed(cluster)] == ["up"], "the other one is used up"
    for back in ("n[1-2]", "n1"):
        before = len(told(cluster))
        cluster.run("scontrol", "update", f"nodename={back}", "state=resume").ok()
        wait_for(lambda: len(told(cluster)) > before, "the program to run")
        assert told(cluster)[-1] == f"{USER} up n1"
        cluster.run("scontrol", "update", "nodename=n1", "state=down", "reason=test").ok()


@pytest.mark.ours  # the reference takes a node in state FAIL for a drained one
def test_a_node_that_is_drained_or_about_to_fail(cluster, program):
    set_trigger(cluster, "--node", "--drained", "-p", f"{program} drained").ok()
    set_trigger(cluster, "--node", "--fail", "-p", f"{program} fail").ok()
    job = cluster.sbatch("-w", "n1", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=test").ok()
    cluster.run("scontrol", "update", "nodename=n2", "state=fail", "reason=test").ok()
    wait_told(cluster, f"{USER} fail n2")
    assert told(cluster) == [f"{USER} fail n2"], "n1 has a job yet"
    cluster.run("scancel", job).ok()
    wait_told(cluster, f"{USER} drained n1")


def test_the_end_of_a_job_and_its_time_limit(cluster, program):
    job = cluster.sbatch("-t", "5", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    set_trigger(cluster, f"--jobid={job}", "--time", "--offset=-600", "-p", f"{program} time").ok()
    set_trigger(cluster, "-j", job, "-f", "-p", f"{program} fini").ok()
    wait_told(cluster, f"{USER} time {job}")
    assert len(told(cluster)) == 1
    cluster.run("scancel", job).ok()
    wait_told(cluster, f"{USER} fini {job}")
    wait_for(lambda: not listed(cluster), "both to be used up")


def test_reconfiguration(cluster, program):
    set_trigger(cluster, "-r", "-p", str(program)).ok()
    cluster.run("scontrol", "reconfigure").ok()
    wait_told(cluster, f"{USER} reconfig")


@pytest.mark.as_root
def test_programs_run_as_their_owner_with_its_groups(cluster, program, alice):
    write_program(program, f'id > {cluster.work}/who; echo "$HOME $SLURM_CONF $*" > {cluster.work}/what')
    job = cluster.sbatch("--wrap", "sleep 100", user=alice)
    set_trigger(cluster, f"--jobid={job}", "--fini", "-p", str(program), user=alice).ok()
    cluster.run("scancel", job).ok()
    cluster.wait_text("what", job)
    entry = pwd.getpwnam(alice)
    assert cluster.wait_text("who").startswith(f"uid={entry.pw_uid}(alice) gid={entry.pw_gid}(alice)")
    assert "root" not in cluster.wait_text("who")


@pytest.mark.as_root
@pytest.mark.ours  # the reference lets users set all triggers where it lets them set any
def test_users_may_set_triggers_for_jobs_of_their_own(cluster, alice, bob):
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    set_trigger(cluster, "-j", job, "-f", "-p", "/bin/true", user=alice).ok()
    for user, options in [(bob, ["-j", job, "-f"]), (alice, ["--node", "--down"]), (alice, ["--reconfig"])]:
        refused = set_trigger(cluster, *options, "-p", "/bin/true", user=user)
        assert (refused.code, refused.err.rstrip()) == (1, "slurm_set_trigger: Access/permission denied")
    refused = cluster.run("strigger", "--clear", f"--user={alice}", user=bob)
    assert (refused.code, refused.err.rstrip()) == (1, "slurm_clear_trigger: Access/permission denied")
    cluster.run("strigger", "--clear", "-j", job, user=alice).ok()
    assert listed(cluster) == []


@pytest.mark.ours
def test_triggers_survive_a_restart_which_pulls_one(cluster, program):
    set_trigger(cluster, "--primary_slurmctld_resumed_operation", "-p", f"{program} back").ok()
    set_trigger(cluster, "--node", "--down", "-p", f"{program} down").ok()
    cluster.stop_controller()
    cluster.start_controller()
    wait_told(cluster, f"{USER} back primary_slurmctld_resumed_operation")
    assert [row.split()[3] for row in listed(cluster)] == ["down"]
    cluster.run("scontrol", "update", "nodename=n2", "state=down", "reason=test").ok()
    wait_told(cluster, f"{USER} down n2")


@pytest.mark.ours
def test_an_accounting_file_that_cannot_be_written(cluster, program):
    set_trigger(cluster, "-h", "-p", f"{program} lost").ok()
    set_trigger(cluster, "-H", "-p", f"{program} found").ok()
    place = cluster.directory / "state/accounting.db"
    away = place.with_name("away.db")
    place.rename(away)
    try:
        cluster.wait_end(cluster.sbatch("--wrap", "true"))
        wait_told(cluster, f"{USER} lost primary_database_failure")
    finally:
        away.rename(place)
    wait_told(cluster, f"{USER} found primary_database_resumed_operation")


def test_what_is_wrong_is_said(cluster):
    def said(*options):
        done = cluster.run("strigger", *options)
        assert done.code == 1
        return done.err.splitlines()[0]

    one = "strigger: error: You must use exactly one of the following options: --set, --get or --clear"
    assert said() == said("--set", "--get") == one
    assert said("--clear") == said("--clear", "--id=0") == "strigger: error: You must specify a --id, --jobid, or --user to clear"
    assert said("--set").startswith("strigger: error: You must specify a trigger (--down, --up,")
    assert said("--set", "--down") == "strigger: error: You must specify a --program value"
    assert said("--set", "--fini", "-p", "/bin/true") == "strigger: error: You must specify a --jobid value"
    assert said("--set", "--down", "-p", "true") == 'strigger: error: The --program value must start with "/"'
    assert said("--set", "--down", "-p", "/bin/true", "--offset=32001") == "strigger: error: The --offset parameter must be between +/-32000"
    assert said("--set", "--down", "-p", "/bin/true", "--flags=x") == "strigger: error: Invalid flags x"
    assert said("--set", "--jobid=x", "--fini", "-p", "/bin/true") == "strigger: error: Invalid jobid x"
    assert said("--get", "--user=nosuchuser") == "strigger: error: Invalid user nosuchuser"
    assert said("--set", "--node=nx", "--down", "-p", "/bin/true") == "slurm_set_trigger: Invalid node name specified"
    assert said("--set", "-j", "999999", "--fini", "-p", "/bin/true") == "slurm_set_trigger: Invalid job id specified"
    assert said("--clear", "--id=999999") == "slurm_clear_trigger: No such process"
    assert cluster.run("strigger", "--clear", "--id=999999", "-Q").code == 0
    set_trigger(cluster, "--down", "-p", "/bin/true").ok()
    assert said("--set", "--node", "--down", "-p", "/bin/true") == "slurm_set_trigger: Duplicate event trigger"
    cleared = cluster.run("strigger", "--clear", f"--user={USER}", "-v").ok()
    assert f"strigger: triggers for user {pwd.getpwnam(USER).pw_uid} cleared" in cleared.err
    assert "strigger: Read 0 trigger records" in cluster.run("strigger", "--get", "-v").ok().err


@pytest.mark.ours
def test_events_that_cannot_happen_here_are_refused(cluster):
    for option in ["-a", "-b", "-B", "-c", "-C", "-e", "-g", "-G", "--burst_buffer", "--front_end"]:
        refused = set_trigger(cluster, option, "-p", "/bin/true")
        assert refused.code == 1 and refused.err.startswith("strigger: error: There "), option
    assert listed(cluster) == []
