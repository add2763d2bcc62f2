"""SchedulerParameters that are about heterogeneous jobs: whole_hetjob and disable_hetjob_steps."""
from muster import wait_for

CLUSTER = dict(nodes=2, conf="SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000,bf_interval=2,"
               "sched_interval=5,whole_hetjob,disable_hetjob_steps\n")


def submit(cluster, body, *options):
    script = cluster.script("het.sh", body)
    return cluster.sbatch("-n1", "-o", "out", *options, ":", "-n1", "--mem=100", *options, script)


def states(cluster, job):
    return cluster.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T %r", "-S", "i").lines


def test_steps_do_not_span_components(cluster):
    job = submit(cluster, "srun --het-group=0,1 true; echo $?\nsrun --het-group=1 echo one\n")
    cluster.wait_end(job)
    assert (cluster.work / "out").read_text() == (
        "srun: fatal: Job steps that span multiple components of a heterogeneous job are not currently supported\n"
        "1\none\n")


def test_what_is_done_to_one_component_is_done_to_all(cluster):
    job = submit(cluster, "true", "--begin=now+1hour")
    cluster.run("scontrol", "hold", f"{job}+1").ok()
    wait_for(lambda: all("Held" in line for line in states(cluster, job)), "both to be held")
    cluster.run("scontrol", "release", f"{job}+1").ok()
    wait_for(lambda: not any("Held" in line for line in states(cluster, job)), "both to be released")
    cluster.run("scancel", f"{job}+1").ok()
    wait_for(lambda: all("CANCELLED" in line for line in states(cluster, job)), "both to be cancelled")
