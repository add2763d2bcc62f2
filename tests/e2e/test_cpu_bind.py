"""TaskPlugin=task/affinity: which CPUs tasks share, and how a binding is shown."""
import os
import re

import pytest

CPUS = os.cpu_count()
CLUSTER = dict(nodes=1, cpus=CPUS, conf="TaskPlugin=task/affinity\n")
ALL_ARE_OURS = os.sched_getaffinity(0) == set(range(CPUS))  # not so in a container that was given some of them
pytestmark = pytest.mark.skipif(CPUS < 2 or not ALL_ARE_OURS, reason="needs two CPUs, and all that the machine has")
ALLOWED = "grep Cpus_allowed_list /proc/self/status | cut -f2"
SHOW = "env | grep ^SLURM_CPU_BIND= ; " + ALLOWED


def said(err):
    return sorted(re.findall(r"cpu-bind=(\S+) +- (\w+), task +(\d+) .*: mask (.*)", err))


def test_a_script_keeps_to_the_cpus_of_its_job(cluster):
    job = cluster.sbatch("-n1", "--wrap", ALLOWED)
    cluster.wait_end(job)
    assert cluster.output(job) == "0\n"


def test_a_task_that_is_not_bound_keeps_to_those_of_its_step(cluster):
    done = cluster.run("srun", "-n1", "--cpu-bind=verbose,none", "bash", "-c", SHOW).ok()
    assert done.lines == ["SLURM_CPU_BIND=verbose,mask_cpu:0x1", "0"]
    assert said(done.err) == [("MASK", "n1", "0", "0x1 set")]
    done = cluster.run("srun", "-c", CPUS, "--cpu-bind=verbose,none", "bash", "-c", SHOW).ok()
    assert done.lines == ["SLURM_CPU_BIND=verbose,none", f"0-{CPUS - 1}"]
    assert said(done.err) == [("NONE", "n1", "0", "0x0")]


@pytest.mark.parametrize("how, label, shown", [("rank", "RANK", "rank"), ("map_cpu:1,0", "MAP", "map_cpu:1,0"),
                                               ("mask_cpu:0x2,0x1", "MASK", "mask_cpu:2,1")])
def test_with_all_of_a_node_a_binding_is_shown_as_it_was_asked_for(cluster, how, label, shown):
    done = cluster.run("srun", "-n", CPUS, f"--cpu-bind=verbose,{how}", "bash", "-c", SHOW).ok()
    assert f"SLURM_CPU_BIND=verbose,{shown}" in done.lines
    assert (label, "n1", "0", "0x1 set" if how == "rank" else "0x2 set") in said(done.err)


def test_a_word_that_is_no_binding(cluster):
    done = cluster.run("srun", "--cpu-bind=bad", "true")
    assert (done.code, done.err) == (1, 'srun: error: unrecognized --cpu-bind argument "bad"\n'
                                        "srun: fatal: Failed to parse --cpu-bind= values.\n")


def all_allowed(cluster, *args):
    return set(cluster.run("srun", "-n", CPUS, *args, "bash", "-c", ALLOWED).ok().lines)


@pytest.mark.parametrize("kind, name", [("node", "n1"), ("partition", "batch")])
def test_a_node_or_a_partition_says_how_to_bind_where_srun_does_not(cluster, kind, name):
    each_its_own, all_of_them = {str(i) for i in range(CPUS)}, {f"0-{CPUS - 1}"}
    what = f"{kind}name={name}"

    def shown():
        return re.search(r" CpuBind=(\S+)", cluster.run("scontrol", "show", kind, name).ok().out)

    cluster.run("scontrol", "update", what, "CpuBind=core").ok()
    assert shown()[1] == "cores"
    cluster.run("scontrol", "update", what, "CpuBind=none").ok()
    assert all_allowed(cluster) == all_of_them
    assert all_allowed(cluster, "--cpu-bind=threads") == each_its_own
    cluster.run("scontrol", "update", what, "CpuBind=off").ok()
    assert shown() is None and all_allowed(cluster) == each_its_own
    assert "Invalid input CpuBind=bogus" in cluster.run("scontrol", "update", what, "CpuBind=bogus").err
