"""--mem-bind: where the memory of tasks comes from. Every machine has NUMA node 0."""
import re

import pytest

CLUSTER = dict(nodes=1, conf="TaskPlugin=task/affinity\n")
POLICY = "grep -m1 -o ' bind:[^ ]*\\| prefer:[^ ]*\\| default' /proc/self/numa_maps"


def srun(cluster, bind, script, tasks=1):
    return cluster.run("srun", "--mem=100", f"-n{tasks}", f"--mem-bind={bind}", "sh", "-c", script)


@pytest.mark.parametrize("bind, policy", [
    ("none", " default"), ("rank", " bind:0"), ("map_mem:0", " bind:0"), ("mask_mem:0x1", " bind:0"),
    ("prefer,map_mem:0", " prefer:0"), ("quiet", " default")])
def test_the_kernel_is_told(cluster, bind, policy):
    assert srun(cluster, bind, POLICY).ok().out == policy + "\n"


def test_local_memory_is_that_of_the_cpus(cluster):
    assert srun(cluster, "local", POLICY).ok().out.startswith(" bind:")


@pytest.mark.parametrize("bind, text", [
    ("verbose,map_mem:0", "mem-bind=MAP - {}: mask 0x1 set"), ("v,p,mask_mem:1", "mem-bind PREFER MASK - {}: mask 0x1 set"),
    ("v,rank", "mem-bind=RANK - {}: mask 0x1 set"), ("v,none", "mem-bind=NONE - {}: mask 0x[0-9A-F]+"),
    ("verbose", "mem-bind=NULL - {}: mask 0x[0-9A-F]+")])
def test_verbose_tells_what_was_done(cluster, bind, text):
    done = srun(cluster, bind, "true").ok()
    assert re.search("^" + text.format(r"\S+, task  0  0 \[\d+\]") + "$", done.err, re.M), done.err


@pytest.mark.parametrize("bind, values", [
    ("local", "quiet,local|quiet|local||"), ("v,p,mask_mem:0x1", "verbose,prefer,mask_mem:1|verbose|mask_mem:|1|prefer"),
    ("map_mem:0,0", "quiet,map_mem:0,0|quiet|map_mem:|0,0|"), ("quiet", "||||")])
def test_the_task_finds_it_in_its_variables(cluster, bind, values):
    names = ["", "_VERBOSE", "_TYPE", "_LIST", "_PREFER"]
    show = "echo \"" + "|".join(f"$SLURM_MEM_BIND{name}" for name in names) + "\""
    assert srun(cluster, bind, show).ok().out == values + "\n"


def test_a_node_that_is_not_there_is_an_error(cluster):
    done = srun(cluster, "map_mem:900", "true")
    assert done.code == 1
    assert "error: NUMA node 900 does not exist; cannot bind local task 0 to it (--mem-bind=map_mem)\n" in done.err


@pytest.mark.parametrize("bind, text", [
    ("foo", 'unrecognized --mem-bind argument "foo"'), ("map_mem", 'missing list for "--mem-bind=map_mem:<list>"')])
def test_what_it_does_not_know_is_refused(cluster, bind, text):
    done = srun(cluster, bind, "true")
    assert (done.code, done.err) == (255, f"srun: error: {text}\n")


def test_a_batch_job_hands_it_on_to_its_steps(cluster):
    job = cluster.sbatch("--mem-bind=map_mem:0", "--wrap", f"echo $SLURM_MEM_BIND; srun sh -c \"{POLICY}\"")
    cluster.wait_end(job)
    assert cluster.output(job).splitlines() == ["map_mem:0", " bind:0"]
