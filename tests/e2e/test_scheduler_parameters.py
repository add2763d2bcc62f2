"""SchedulerParameters: words with an effect; words for tuning are accepted."""
import pytest

from muster import wait_for

WORDS = ("batch_sched_delay=0,sched_min_interval=0,bf_interval=2,bf_window=4320,default_queue_depth=50,defer,"
         "max_rpc_cnt=0,bf_continue,max_array_tasks=3,max_script_size=1000,enable_user_top,allow_zero_lic")
CLUSTER = dict(nodes=2, conf=f"""SchedulerParameters={WORDS}
Licenses=matlab:2
PriorityType=priority/multifactor
PriorityWeightJobSize=1000
""")


def test_they_are_shown_as_they_were_given(cluster):
    shown = cluster.run("scontrol", "show", "config").ok().out
    assert f"SchedulerParameters     = {WORDS}\n" in shown


def test_arrays_have_so_many_tasks(cluster):
    cluster.sbatch("-H", "--array=0-30:15", "--wrap", "true")
    refused = cluster.run("sbatch", "-H", "--array=1-4", "--wrap", "true")
    assert (refused.code, refused.err) == (
        1, "sbatch: error: Batch job submission failed: Invalid job array specification\n")


def test_scripts_are_so_long(cluster):
    cluster.sbatch("-H", cluster.script("short.sh", "#" * 900))
    refused = cluster.run("sbatch", "-H", cluster.script("long.sh", "#" * 1000))
    assert refused.code == 1 and refused.err.startswith(  # followed, here, by the limit
        "sbatch: error: Batch job submission failed: Pathname of a file, directory or other parameter too long")


def test_more_licenses_than_there_are_can_be_waited_for(cluster):
    job = cluster.sbatch("-L", "matlab:3", "-o", "/dev/null", "--wrap", "true")
    cluster.wait_reason(job, "Licenses")
    assert cluster.run("sbatch", "-L", "other:1", "--wrap", "true").code == 1


@pytest.mark.as_root
def test_users_may_say_which_of_their_jobs_is_the_first(cluster, alice):
    first, second = (cluster.sbatch("--begin=now+1hour", "-o", "/dev/null", "-D", "/tmp", "--wrap", "true", user=alice)
                     for _ in range(2))
    own = cluster.sbatch("--begin=now+1hour", "-o", "/dev/null", "--wrap", "true")
    cluster.run("scontrol", "top", second, user=alice).ok()
    wait_for(lambda: cluster.run("squeue", "-h", "-j", f"{first},{second}", "-S", "-Q", "-o", "%i %y").lines ==
             [f"{second} 0", f"{first} 1"], "the second one to be the first")
    assert cluster.run("scontrol", "top", own, user=alice).code == 1
