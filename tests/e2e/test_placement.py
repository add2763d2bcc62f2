"""Where jobs run: nodes, CPUs, memory, GPUs, order."""
import re

import pytest

from muster import wait_for

SLEEP = ("--wrap", "sleep 100")


def running(cluster, *args, **options):
    return cluster.wait_state(cluster.sbatch(*args, *SLEEP, **options), "RUNNING")


def test_an_exclusive_job_takes_the_whole_node(cluster):
    record = running(cluster, "--exclusive", "-w", "n2")
    assert (record["NumCPUs"], record["NodeList"]) == ("8", "n2")
    waiting = cluster.sbatch("-w", "n2", "--wrap", "true")
    cluster.wait_reason(waiting, "Resources|ReqNodeNotAvail.*")


def test_an_exclusive_job_has_all_gpus_and_its_steps_those_it_asked_for(cluster):
    script = """echo $CUDA_VISIBLE_DEVICES $SLURM_JOB_GPUS $SLURM_GPUS_ON_NODE
srun -n1 bash -c 'echo step $CUDA_VISIBLE_DEVICES'
srun -n1 --gres=gpu:3 bash -c 'echo three $CUDA_VISIBLE_DEVICES'
sleep 100"""
    for options, own in [((), ""), (("--gres=gpu:1",), " 0"), (("--gpus=2",), " 0,1")]:
        job = cluster.sbatch("--exclusive", *options, "--wrap", script)
        text = cluster.wait_text(f"slurm-{job}.out", "three.*\n")
        assert text == f"0,1,2,3 0,1,2,3 4\nstep{own}\nthree 0,1,2\n"
        assert "GRES=gpu:v100:4(IDX:0-3)" in cluster.run("scontrol", "show", "job", job, "-d").ok().out
        cluster.cancel_all()


def test_exclusive_jobs_have_memory_for_all_gpus(cluster):
    job = cluster.sbatch("--exclusive", "--gpus=1", "--mem-per-gpu=100", *SLEEP, memory=None)
    cluster.wait_state(job, "RUNNING")
    assert " Mem=400 " in cluster.run("scontrol", "-d", "show", "job", job).ok().out


def test_nodes_asked_for_and_nodes_excluded(cluster):
    record = running(cluster, "-x", "n[1-2]")
    assert record["NodeList"] in ("n3", "n4")
    assert record["ExcNodeList"] == "n[1-2]"
    assert running(cluster, "-w", "n[1,3]")["NodeList"] == "n[1,3]"


def test_counts_of_nodes_tasks_and_cpus(cluster):
    assert int(running(cluster, "--mincpus=5")["NumCPUs"]) >= 5
    assert running(cluster, "-N1-3", "-n4", "--ntasks-per-node=2")["NumNodes"] in ("2", "3")
    assert running(cluster, "-N3")["NumNodes"] == "3"
    record = running(cluster, "-n3", "-c2")
    assert record["NumCPUs"] == "6"


def test_jobs_share_a_node_until_it_is_full(cluster):
    jobs = [cluster.sbatch("-w", "n1", "-c2", *SLEEP) for _ in range(4)]
    for job in jobs:
        cluster.wait_state(job, "RUNNING")
    fifth = cluster.sbatch("-w", "n1", "-c2", *SLEEP)
    cluster.wait_reason(fifth, "Resources|ReqNodeNotAvail.*")
    cluster.run("scancel", jobs[0]).ok()
    cluster.wait_state(fifth, "RUNNING")


def test_without_a_memory_request_a_job_gets_the_nodes_memory(cluster):
    record = running(cluster, "-w", "n3", memory=None)
    assert "mem=16000M" in record["TRES"]
    waiting = cluster.sbatch("-w", "n3", "--mem=10", "--wrap", "true")
    cluster.wait_reason(waiting, "Resources|ReqNodeNotAvail.*")


def test_memory_per_node_and_per_cpu(cluster):
    record = running(cluster, "--mem=1G")
    assert record["MinMemoryNode"] == "1G"
    record = running(cluster, "-c2", "--mem-per-cpu=300")
    assert record["MinMemoryCPU"] == "300M"
    assert record["TRES"].startswith("cpu=2,mem=600M")


def test_gpu_options_and_their_variables(cluster):
    gpus = cluster.sbatch("--gpus=2", "--wrap", 'echo "$CUDA_VISIBLE_DEVICES|$SLURM_GPUS|$SLURM_GPUS_ON_NODE"')
    per_node = cluster.sbatch("-N2", "--gpus-per-node=1", "--wrap", 'echo "$SLURM_GPUS_PER_NODE|$SLURM_GPUS_ON_NODE"')
    per_task = cluster.sbatch("-n2", "--gpus-per-task=1", "--wrap", 'echo "$SLURM_GPUS_PER_TASK"')
    assert re.fullmatch(r"\d,\d\|2\|2\n", cluster.output(gpus))
    assert cluster.output(per_node) == "1|1\n"
    assert cluster.output(per_task) == "1\n"


@pytest.mark.parametrize("options, nodes, tasks, gpus", [
    ("--gpus=4 --gpus-per-node=2", "2", "1(x2)", 2),
    ("--gpus=4 --gpus-per-task=1", "1", "4", 4),
    ("-N2 --ntasks-per-node=2 --gpus-per-task=1", "2", "2(x2)", 2),
    ("--gpus-per-node=2 --gpus-per-task=1 -n4", "2", "2(x2)", 2),
])
def test_gpus_counted_in_several_ways_are_the_same(cluster, options, nodes, tasks, gpus):
    job = cluster.sbatch(*options.split(), "--wrap", "echo $SLURM_TASKS_PER_NODE; "
                         "srun true && echo stepped; sleep 100")
    text = cluster.wait_text(f"slurm-{job}.out", "stepped").split()
    assert text == [tasks, "stepped"]
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    assert cluster.job(job)["NumNodes"] == nodes
    assert set(re.findall(r" GRES=(gpu:v100:\d)", shown)) == {f"gpu:v100:{gpus}"}


def test_memory_of_gpus_is_where_they_are(cluster):
    job = cluster.sbatch("--gpus=5", "--mem-per-gpu=100", *SLEEP)
    cluster.wait_state(job, "RUNNING")
    shown = cluster.run("scontrol", "-d", "show", "job", job).ok().out
    assert re.findall(r" Mem=(\d+) GRES=gpu:v100:(\d)", shown) == [("400", "4"), ("100", "1")]


def test_jobs_on_one_node_get_different_gpus(cluster):
    first = cluster.sbatch("-w", "n1", "--gres=gpu:1", "--wrap", "echo $CUDA_VISIBLE_DEVICES; sleep 100")
    assert cluster.wait_text(f"slurm-{first}.out", "\n") == "0\n"
    second = cluster.sbatch("-w", "n1", "--gres=gpu:v100:2", "--wrap", "echo $SLURM_JOB_GPUS; sleep 100")
    assert cluster.wait_text(f"slurm-{second}.out", "\n") == "1,2\n"
    third = cluster.sbatch("-w", "n1", "--gres=gpu:2", "--wrap", "true")
    cluster.wait_reason(third, "Resources|ReqNodeNotAvail.*")


def test_earlier_jobs_are_not_overtaken_on_the_same_resources(cluster):
    holder = running(cluster, "-N4", "--exclusive", "-t", "10")["JobId"]
    first = cluster.sbatch("-N4", "--exclusive", "-t", "10", *SLEEP)
    cluster.wait_reason(first, "Resources")
    second = cluster.sbatch("-N4", "--exclusive", "-t", "10", *SLEEP)
    cluster.wait_reason(second, "Priority")
    cluster.run("scancel", holder).ok()
    cluster.wait_state(first, "RUNNING")
    assert cluster.state(second) == "PENDING"


def test_a_job_starts_no_earlier_than_its_begin_time(cluster):
    job = cluster.sbatch("--begin=now+5", "-o", "out", "--wrap", "true")
    cluster.wait_reason(job, "BeginTime")
    record = cluster.wait_end(job)
    assert record["StartTime"] >= record["EligibleTime"]
