"""Jobs that share CPUs, take turns on them, or are suspended for jobs of higher tiers."""
import muster

CLUSTER = dict(nodes=3, conf="""PreemptType=preempt/partition_prio
PreemptMode=SUSPEND,GANG
SchedulerTimeSlice=5
PartitionName=low Nodes=n1 OverSubscribe=FORCE:1 PriorityTier=1 State=UP
PartitionName=high Nodes=n1 OverSubscribe=FORCE:1 PriorityTier=10 State=UP
PartitionName=force Nodes=n2 OverSubscribe=FORCE:2 State=UP
PartitionName=asked Nodes=n3 OverSubscribe=YES:2 State=UP
PartitionName=alone Nodes=n3 OverSubscribe=EXCLUSIVE State=UP
""")


def submit(cluster, partition, *args, script="sleep 100"):
    return cluster.sbatch("-p", partition, "-N1", *args, "--wrap", script, memory="10")


def all_cpus(cluster):
    return "-n" + cluster.run("sinfo", "-h", "-n", "n1", "-o", "%c").lines[0].strip()


def test_what_the_commands_call_it(cluster):
    jobs = [submit(cluster, *args) for args in
            (("force",), ("asked",), ("asked", "-s"), ("alone",), ("low",), ("low", "--exclusive"))]
    words = ["YES", "OK", "YES", "NO", "OK", "NO"]
    assert [cluster.run("squeue", "-h", "-j", job, "-o", "%h").lines[0] for job in jobs] == words
    assert [cluster.job(job)["OverSubscribe"] for job in jobs] == words
    shown = cluster.run("sinfo", "-h", "-p", "force,alone", "-o", "%R %h").lines
    assert sorted(shown) == ["alone EXCLUSIVE", "force FORCE:2"]


def test_a_lower_job_is_suspended_and_comes_back(cluster):
    everything = all_cpus(cluster)
    low = submit(cluster, "low", everything, script="while :; do date +%s >> beats; sleep 0.2; done")
    cluster.wait_text("beats")
    high = submit(cluster, "high", "-n1")
    cluster.wait_state(high, "RUNNING")
    cluster.wait_state(low, "SUSPENDED")
    waits = submit(cluster, "low", "-n1")
    cluster.wait_reason(waits, "Resources")
    beats = cluster.work / "beats"
    size = {}

    def stands_still():
        size["before"], size["now"] = size.get("now"), beats.stat().st_size
        return size["before"] == size["now"]
    muster.wait_for(stands_still, "the suspended job to stand still", every=1)
    cluster.run("scancel", high).ok()
    cluster.wait_state(low, "RUNNING")
    muster.wait_for(lambda: beats.stat().st_size > size["now"], "the job to go on")


def test_jobs_that_share_cpus_take_turns(cluster):
    everything = all_cpus(cluster)
    jobs = [submit(cluster, "force", everything) for _ in range(3)]
    states = {}

    def see():
        states.update({(job, cluster.state(job)): True for job in jobs})
        return all((job, state) in states for job in jobs[:2] for state in ("RUNNING", "SUSPENDED"))
    muster.wait_for(see, "both jobs to have had their turn", limit=60)
    assert cluster.state(jobs[2]) == "PENDING"
    assert cluster.run("squeue", "-h", "-w", "n2", "-t", "R").lines  # one of them runs


def test_those_who_ask_share(cluster):
    everything = all_cpus(cluster)
    jobs = [submit(cluster, "asked", "-s", everything) for _ in range(2)]
    for job in jobs:
        cluster.wait_state(job, "RUNNING", "SUSPENDED")
    other = submit(cluster, "asked", "-n1")
    cluster.wait_reason(other, "Resources")
    node = cluster.run("scontrol", "show", "node", "n3").ok().out
    assert f"CPUAlloc={everything[2:]} " in node
