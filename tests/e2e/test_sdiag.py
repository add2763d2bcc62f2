"""sdiag: the counts of the controller, in the words that programs for metrics read."""
import json
import re

import pytest

from muster import USER, wait_for

CLUSTER = dict(nodes=2)


def text(cluster, *options):
    return cluster.run("sdiag", *options).ok().out


def numbers(cluster):
    """Of the lines that stand alone: "Jobs started" -> 3. Of the two "Last cycle" the second."""
    return {name.strip(): int(value) for name, value in re.findall(r"^\t?([^:\n]+): +(\d+)$", text(cluster), re.M)}


def calls(cluster, section, *options):
    """The rows below "statistics by SECTION": name -> count, average, total, in their order."""
    part = text(cluster, *options).split(f"Remote Procedure Call statistics by {section}\n")[1].split("\n\n")[0]
    row = r"^\t(\S+) +\( *(\d*)\) count:(\d+) +ave_time:(\d+) +total_time:(\d+)$"
    found = [re.match(row, line) for line in part.splitlines()]
    assert all(found), part
    return {m[1]: tuple(int(n or 0) for n in m.groups()[1:]) for m in found}


@pytest.fixture(autouse=True)
def fresh(cluster):
    cluster.run("sdiag", "--reset").ok()


def test_the_layout_is_the_references(cluster):
    shown = text(cluster)
    labels = [re.sub(r"\d+", "0", line.rstrip("0123456789")) for line in shown.splitlines()]
    assert labels[0] == labels[3] == "*" * 55
    assert re.fullmatch(r"sdiag output at \w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4} \(\d+\)", shown.splitlines()[1])
    assert re.fullmatch(r"Data since      \w{3} \w{3} \d\d \d\d:\d\d:\d\d \d{4} \(\d+\)", shown.splitlines()[2])
    for line in ["Server thread count:  ", "Agent queue size:     ", "Agent count:          ",
                 "Agent thread count:   ", "DBD Agent queue size: ", "Jobs submitted: ", "Jobs started:   ",
                 "Jobs completed: ", "Jobs canceled:  ", "Jobs failed:    ", "Jobs pending:   ", "Jobs running:   ",
                 "Main schedule statistics (microseconds):", "\tLast cycle:   ", "\tMax cycle:    ",
                 "\tTotal cycles: ", "\tLast queue length: ", "Backfilling stats",
                 "\tTotal backfilled jobs (since last slurm start): ",
                 "\tTotal backfilled jobs (since last stats cycle start): ",
                 "\tTotal backfilled heterogeneous job components: ", "\tLast cycle: ", "\tMax cycle:  ",
                 "\tLast depth cycle: ", "\tLast depth cycle (try sched): ", "\tLast table size: ",
                 "Remote Procedure Call statistics by message type", "Remote Procedure Call statistics by user",
                 "Pending RPC statistics", "\tNo pending RPCs"]:
        assert line in labels, line
    assert re.search(r"^Latency for 1000 calls to gettimeofday\(\): \d+ microseconds$", shown, re.M)


def test_jobs_are_counted_as_they_come_start_and_end(cluster):
    done, failed = cluster.sbatch("--wrap", "true"), cluster.sbatch("--wrap", "exit 3")
    for job in (done, failed):
        cluster.wait_end(job)
    held = cluster.sbatch("-H", "--wrap", "true")
    cluster.run("scancel", held).ok()
    seen = numbers(cluster)
    assert (seen["Jobs submitted"], seen["Jobs started"]) == (3, 2)
    assert (seen["Jobs completed"], seen["Jobs canceled"], seen["Jobs failed"]) == (2, 1, 0)


@pytest.mark.ours  # the reference counts an array as no job when it comes, and as one when it is cancelled
def test_each_task_of_an_array_is_a_job(cluster):
    array = cluster.sbatch("-a", "1-5", "--exclusive", "--wrap", "sleep 100")
    wait_for(lambda: numbers(cluster)["Jobs running"] == 2, "two tasks to run")
    seen = numbers(cluster)
    assert (seen["Jobs submitted"], seen["Jobs started"], seen["Jobs pending"]) == (5, 2, 3)
    cluster.run("scancel", f"{array}_5").ok()
    assert numbers(cluster)["Jobs pending"] == 2
    cluster.run("scancel", array).ok()
    wait_for(lambda: numbers(cluster)["Jobs canceled"] == 5, "all tasks to be gone")
    seen = numbers(cluster)
    assert (seen["Jobs pending"], seen["Jobs running"]) == (0, 0)


@pytest.mark.ours
def test_a_requeued_job_waits_again(cluster):
    job = cluster.sbatch("--requeue", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scontrol", "requeuehold", job).ok()
    wait_for(lambda: numbers(cluster)["Jobs pending"] == 1, "the job to wait again")
    assert numbers(cluster)["Jobs running"] == 0


@pytest.mark.ours
def test_jobs_that_go_first_are_counted_as_backfilled(cluster):
    cluster.wait_state(cluster.sbatch("-w", "n1", "--exclusive", "-t", "30", "--wrap", "sleep 100"), "RUNNING")
    cluster.sbatch("-N2", "--exclusive", "-t", "30", "--wrap", "true")
    short = cluster.sbatch("-t", "1", "--wrap", "true")
    cluster.wait_end(short)
    seen = numbers(cluster)
    assert seen["Total backfilled jobs (since last slurm start)"] == 1
    assert seen["Total backfilled jobs (since last stats cycle start)"] == 1
    last = ["Last depth cycle", "Last depth cycle (try sched)", "Last queue length", "Last table size"]
    wait_for(lambda: all(numbers(cluster)[label] == 1 for label in last), "a plan that promises the large job a time")
    seen = numbers(cluster)
    assert seen["Total cycles"] >= 1 and seen["Max cycle"] >= seen["Last cycle"] > 0


def test_messages_are_counted_by_type_and_by_user(cluster):
    cluster.run("scontrol", "show", "partition").ok()
    cluster.run("sinfo").ok()
    cluster.wait_end(cluster.sbatch("--wrap", "true"))
    by_type = calls(cluster, "message type")
    assert by_type["REQUEST_SUBMIT_BATCH_JOB"][:2] == (4003, 1)
    assert by_type["REQUEST_NODE_INFO"][0] == 2007 and by_type["REQUEST_PARTITION_INFO"][0] == 2009
    assert by_type["REQUEST_COMPLETE_BATCH_SCRIPT"][0] == 5018
    for number, count, average, total in by_type.values():
        assert count > 0 and average == total // count
    assert calls(cluster, "user")[USER][1] > 3


def test_rows_are_ordered_as_asked(cluster):
    for _ in range(3):
        cluster.run("scontrol", "show", "config").ok()
    cluster.run("sinfo").ok()

    def column(index, *options):
        return [row[index] for row in calls(cluster, "message type", *options).values()]

    assert column(0, "-i") == sorted(column(0, "--sort-by-id"))
    for index, options in [(1, ()), (1, ("-a",)), (2, ("-T",)), (2, ("--sort-by-time2",)), (3, ("-t",))]:
        shown = column(index, *options)
        assert shown == sorted(shown, reverse=True)


@pytest.mark.as_root
def test_only_operators_may_reset(cluster, alice):
    cluster.wait_end(cluster.sbatch("--wrap", "true"))
    refused = cluster.run("sdiag", "-r", user=alice)
    assert (refused.code, refused.err.rstrip()) == (255, "slurm_reset_statistics: Access/permission denied")
    assert numbers(cluster)["Jobs submitted"] == 1
    assert "Jobs submitted: 1" in cluster.run("sdiag", user=alice).ok().out
    assert text(cluster, "--reset") == "Reset scheduling statistics\n"
    seen = numbers(cluster)
    assert (seen["Jobs submitted"], seen["Jobs completed"]) == (0, 0)
    assert set(calls(cluster, "user")) == {USER}
    assert "Jobs submitted" in text(cluster, "-r", "-a"), "the last of -a and -r counts"


@pytest.mark.ours
def test_json_has_the_keys_and_types_that_programs_read(cluster):
    cluster.wait_end(cluster.sbatch("--wrap", "true"))
    document = json.loads(text(cluster, "--all", "--json"))
    assert document["errors"] == document["warnings"] == []
    assert "data_parser" in document["meta"]["plugins"]
    told = document["statistics"]
    counts = """parts_packed req_time req_time_start server_thread_count agent_queue_size agent_count
        agent_thread_count dbd_agent_queue_size gettimeofday_latency schedule_cycle_max schedule_cycle_last
        schedule_cycle_total schedule_cycle_mean schedule_cycle_mean_depth schedule_cycle_per_minute
        schedule_queue_length jobs_submitted jobs_started jobs_completed jobs_canceled jobs_failed jobs_pending
        jobs_running job_states_ts bf_backfilled_jobs bf_last_backfilled_jobs bf_backfilled_het_jobs
        bf_cycle_counter bf_cycle_mean bf_depth_mean bf_depth_mean_try bf_cycle_last bf_cycle_max bf_queue_len
        bf_queue_len_mean bf_table_size bf_table_size_mean bf_when_last_cycle bf_cycle_sum bf_last_depth
        bf_last_depth_try bf_depth_sum bf_depth_try_sum bf_queue_len_sum""".split()
    assert {key: type(told.get(key)) for key in counts} == dict.fromkeys(counts, int)
    assert told["bf_active"] in (True, False)
    assert told["jobs_submitted"] == told["jobs_completed"] == 1
    types = {row["message_type"]: row for row in told["rpcs_by_message_type"]}
    assert types["REQUEST_SUBMIT_BATCH_JOB"]["type_id"] == 4003
    for row in [*told["rpcs_by_message_type"], *told["rpcs_by_user"]]:
        assert row["count"] > 0 and row["average_time"] == row["total_time"] // row["count"]
    assert {"user", "user_id"} <= told["rpcs_by_user"][0].keys()


def test_nothing_survives_a_restart(cluster):
    cluster.wait_end(cluster.sbatch("--wrap", "true"))
    cluster.stop_controller()
    cluster.start_controller()
    assert numbers(cluster)["Jobs submitted"] == 0


def test_wrong_options_and_no_controller(cluster):
    unknown = cluster.run("sdiag", "-x")
    assert unknown.code != 0 and "Try \"sdiag --help\" for more information" in unknown.err
    assert cluster.run("sdiag", "-M", "nosuch").code == 1
    cluster.stop_controller()
    lost = cluster.run("sdiag")
    assert lost.code != 0 and lost.err.startswith("slurm_get_statistics: Unable to contact slurm controller")
