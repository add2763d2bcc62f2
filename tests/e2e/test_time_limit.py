"""The end of a job by its time limit, and the warning before it. The shortest limit is a minute, so one
test looks at all of them while they run side by side."""
import re


def test_time_limits_and_warnings(cluster):
    over = cluster.sbatch("-t", "1", "--wrap", "exec sleep 300")
    warned = cluster.sbatch("-t", "2", "--signal=B:USR1@110", cluster.script(
        "job.sh", "trap 'echo warned; exit 4' USR1\nwhile :; do sleep 0.2; done\n"))

    record = cluster.wait_end(warned, limit=120)
    assert (record["JobState"], record["ExitCode"]) == ("FAILED", "4:0")
    assert cluster.output(warned) == "warned\n"

    record = cluster.wait_end(over, limit=150)
    assert (record["JobState"], record["Reason"], record["ExitCode"]) == ("TIMEOUT", "TimeLimit", "0:15")
    message = (rf"slurmstepd.*: error: \*\*\* JOB {over} ON n\d CANCELLED AT 20[\d-]{{8}}T[\d:]{{8}} "
               r"DUE TO TIME LIMIT \*\*\*")
    assert re.search(message, cluster.output(over))
    if cluster.has_accounting:
        cluster.wait_sacct([rf"{over}\|TIMEOUT\|0:0", rf"{over}.batch\|CANCELLED\|0:15"],
                           "-j", over, "-o", "jobid,state,exitcode")
