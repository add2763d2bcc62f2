"""squeue: layouts, formats, filters, sorting, reasons."""
import json
import os
import pwd
import re

from muster import is_reference, wait_for

USER = pwd.getpwuid(os.geteuid()).pw_name
HEADER = "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)"


def squeue(cluster, *args):
    return cluster.run("squeue", *args).ok().out


def column(cluster, *args):
    return squeue(cluster, "-h", *args).split()


def test_an_empty_queue_is_a_header(cluster):
    assert squeue(cluster) == HEADER + "\n"


def test_default_rows_of_running_and_held_jobs(cluster):
    running = cluster.sbatch("-N2", "-J", "averylongname", "--wrap", "sleep 100")
    cluster.wait_state(running, "RUNNING")
    held = cluster.sbatch("-H", "-J", "held", "--wrap", "true")
    user = USER[:8].rjust(8)
    assert re.fullmatch(rf"{running:>18}     batch averylon {user}  R +0:\d\d      2 n\[1-2\]\n",
                        squeue(cluster, "-h", "-j", running))
    assert squeue(cluster, "-h", "-j", held) == (
        f"{held:>18}     batch     held {user} PD       0:00      1 (JobHeldUser)\n")


def test_the_long_form_has_a_date_the_state_and_the_limit(cluster):
    job = cluster.sbatch("-t", "30", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    date, header, row = squeue(cluster, "-l").splitlines()
    assert re.match(r"[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}", date)
    assert header == "             JOBID PARTITION     NAME     USER    STATE       TIME TIME_LIMI  NODES NODELIST(REASON)"
    assert re.search(r" RUNNING +0:\d\d     30:00      1 n\d$", row)


def test_filters(cluster):
    running = cluster.sbatch("-w", "n1", "--wrap", "sleep 100")
    held = cluster.sbatch("-H", "-J", "held", "-p", "standard", "--wrap", "true")
    cluster.wait_state(running, "RUNNING")
    both = sorted([running, held])
    assert column(cluster, "-t", "PD", "-o", "%i") == [held]
    assert column(cluster, "-t", "running", "-o", "%i") == [running]
    assert column(cluster, "-n", "held", "-o", "%i") == [held]
    assert sorted(column(cluster, "-u", USER, "-o", "%i")) == both
    assert sorted(column(cluster, "--me", "-o", "%i")) == both
    assert column(cluster, "-p", "standard", "-o", "%i") == [held]
    assert column(cluster, "-w", "n1", "-o", "%i") == [running]
    assert sorted(column(cluster, "-j", f"{running},{held}", "-o", "%i")) == both


def test_ended_jobs_are_listed_when_asked_for(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    cluster.run("scancel", job).ok()
    cluster.wait_end(job)
    wait_for(lambda: squeue(cluster, "-h", "-j", job, "-t", "all", "-o", "%t %T") == "CA CANCELLED\n", "the ended row")
    wait_for(lambda: squeue(cluster, "-h", "-o", "%i") == "", "it to leave the plain list")


def test_format_letters(cluster):
    job = cluster.sbatch("-J", "fmt", "-N2", "-n4", "-t", "30", "--gres=gpu:1", "--comment=cm", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    row = squeue(cluster, "-h", "-j", job, "-o",
                 "%i|%A|%F|%j|%u|%U|%P|%t|%T|%D|%C|%N|%R|%r|%l|%m|%b|%k|%y|%n|%x|%B|%Z|%o|%E|%h")
    assert row == "|".join([job, job, job, "fmt", USER, str(os.geteuid()), "batch", "R", "RUNNING", "2", "4", "n[1-2]",
                            "n[1-2]", "None", "30:00", "100M", "gres:gpu:1", "cm", "0", "", "", "n1",
                            str(cluster.work), "(null)", "(null)", "OK"]) + "\n"
    assert re.fullmatch(r"0:\d\d", squeue(cluster, "-h", "-j", job, "-o", "%M").strip())
    assert re.fullmatch(r"30:00|29:\d\d", squeue(cluster, "-h", "-j", job, "-o", "%L").strip())


def test_widths_and_literal_text(cluster):
    header = squeue(cluster, "-o", "%.10i %5P %8t|%.4D")
    assert header == "     JOBID PARTI ST      |NODE\n"


def test_named_fields(cluster):
    job = cluster.sbatch("-J", "fmt", "-N2", "-n4", "-t", "30", "--gres=gpu:1", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    row = squeue(cluster, "-h", "-j", job, "-O",
                 "JobID:10,Name:6,State:10,NumNodes:4,NumCPUs:4,tres-alloc:60,TimeLimit:8,NodeList")
    tres = "cpu=4,mem=200M,node=2,billing=4,gres/gpu=2"
    if is_reference():  # it counts GPUs only with AccountingStorageTRES, which needs its database
        tres = tres.removesuffix(",gres/gpu=2")
    assert row == f"{job:<10}fmt   RUNNING   2   4   {tres:<60}30:00   {'n[1-2]':<20}\n"


def test_sorting(cluster):
    for name in ("zz", "aa", "mm"):
        cluster.sbatch("-H", "-J", name, "--wrap", "true")
    assert column(cluster, "-S", "j", "-o", "%j") == ["aa", "mm", "zz"]
    assert column(cluster, "-S", "-j", "-o", "%j") == ["zz", "mm", "aa"]


def test_steps_and_start_times(cluster):
    job = cluster.sbatch("--wrap", "sleep 100")
    held = cluster.sbatch("-H", "--wrap", "true")
    cluster.wait_state(job, "RUNNING")
    wait_for(lambda: re.search(rf"{job}.batch +batch +batch +{USER} +[0-9:]+ n\d", squeue(cluster, "-h", "-s", "-j", job)),
             "the batch step")
    assert re.match(r" +JOBID PARTITION +NAME +USER ST +START_TIME +NODES SCHEDNODES +NODELIST\(REASON\)",
                    squeue(cluster, "--start", "-j", held))


def test_json_holds_the_jobs(cluster):
    job = cluster.sbatch("-H", "-J", "asjson", "--wrap", "true")
    jobs = json.loads(squeue(cluster, "--json"))["jobs"]
    mine = [(j["name"], j["job_state"]) for j in jobs if j["job_id"] == int(job)]
    assert mine == [("asjson", "PENDING")]


def test_nodes_of_a_waiting_job_follow_from_its_tasks(cluster):
    for options, nodes in (("-n9", "2"), ("-n33", "5"), ("-n4 -c4", "2"), ("-n9 -c3", "5"), ("-c20", "1"), ("-n9 -N1-4", "2-4"),
                           ("-n2 --ntasks-per-node=1", "2"), ("-n17 --overcommit", "3"), ("-N2 -n4", "2-2")):
        job = cluster.sbatch("-H", *options.split(), "--wrap", "true")
        assert column(cluster, "-j", job, "-o", "%D") == [nodes.partition("-")[0]], options
        assert cluster.job(job)["NumNodes"] == nodes, options
        cluster.run("scancel", job)


def test_a_row_for_each_partition_that_a_job_waits_for(cluster):
    job = cluster.sbatch("-H", "-p", "standard,short", "--wrap", "true")
    assert squeue(cluster, "-h", "-j", job, "-o", "%i %P").splitlines() == [f"{job} standard,short"]
    assert sorted(squeue(cluster, "-h", "-P", "-j", job, "-o", "%i %P").splitlines()) == [f"{job} short", f"{job} standard"]
    assert squeue(cluster, "-h", "-P", "-p", "short", "-o", "%i %P").splitlines() == [f"{job} short"]


def test_reasons_of_waiting_jobs(cluster):
    holder = cluster.sbatch("-N4", "--exclusive", "-t", "10", "--wrap", "sleep 100")
    cluster.wait_state(holder, "RUNNING")
    first = cluster.sbatch("-N4", "--exclusive", "-t", "10", "--wrap", "true")
    cluster.wait_reason(first, "Resources")
    jobs = {
        cluster.sbatch("-N4", "--exclusive", "-t", "10", "--wrap", "true"): "Priority",
        cluster.sbatch("--begin=now+600", "--wrap", "true"): "BeginTime",
        cluster.sbatch("-p", "short", "-t", "20", "--wrap", "true"): "PartitionTimeLimit",
        cluster.sbatch("-H", "--wrap", "true"): "JobHeldUser",
    }
    too_large = cluster.sbatch("-N", "9", "--wrap", "true")
    cluster.wait_reason(too_large, "PartitionConfig")  # at first
    cluster.wait_reason(too_large, "PartitionNodeLimit")
    for job, reason in jobs.items():
        cluster.wait_reason(job, reason)
    assert squeue(cluster, "-h", "-j", first).endswith("(Resources)\n")
    assert cluster.job(first)["Reason"] == "Resources"
