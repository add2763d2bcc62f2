"""The variables of a batch job, and --export."""
import os
import pwd

import pytest

PLAIN = """ENVIRONMENT SLURMD_NODENAME SLURM_CLUSTER_NAME SLURM_CONF SLURM_CPUS_ON_NODE SLURM_GTIDS SLURM_JOBID
SLURM_JOB_CPUS_PER_NODE SLURM_JOB_GID SLURM_JOB_ID SLURM_JOB_NAME SLURM_JOB_NODELIST SLURM_JOB_NUM_NODES
SLURM_JOB_PARTITION SLURM_JOB_UID SLURM_JOB_USER SLURM_LOCALID SLURM_MEM_PER_NODE SLURM_NNODES SLURM_NODEID
SLURM_NODELIST SLURM_NODE_ALIASES SLURM_PRIO_PROCESS SLURM_PROCID SLURM_SUBMIT_DIR SLURM_SUBMIT_HOST
SLURM_TASKS_PER_NODE SLURM_TASK_PID SLURM_TOPOLOGY_ADDR SLURM_TOPOLOGY_ADDR_PATTERN""".split()
BY_OPTION = """SLURM_NTASKS SLURM_NPROCS SLURM_CPUS_PER_TASK SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID
CUDA_VISIBLE_DEVICES SLURM_RESTART_COUNT SLURM_MEM_PER_CPU SLURM_GPUS""".split()


def environment_of(cluster, *args, **options):
    job = cluster.sbatch(*args, "-o", "env.%j", "--wrap", "env", **options)
    text = cluster.output(job, "env.{}")
    return job, dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def test_a_plain_job_has_all_its_variables_and_no_others(cluster):
    job, env = environment_of(cluster)
    assert not [name for name in PLAIN if name not in env]
    assert not [name for name in BY_OPTION if name in env]
    me = pwd.getpwuid(os.geteuid())
    expected = {"SLURM_JOB_ID": job, "SLURM_JOBID": job, "SLURM_JOB_NAME": "wrap", "SLURM_JOB_NUM_NODES": "1",
                "SLURM_NNODES": "1", "SLURM_JOB_PARTITION": "batch", "SLURM_SUBMIT_DIR": str(cluster.work),
                "SLURM_JOB_CPUS_PER_NODE": "1", "SLURM_CPUS_ON_NODE": "1", "SLURM_MEM_PER_NODE": "100",
                "SLURM_JOB_UID": str(me.pw_uid), "SLURM_JOB_USER": me.pw_name, "SLURM_JOB_GID": str(me.pw_gid),
                "SLURM_PROCID": "0", "SLURM_NODEID": "0", "SLURM_LOCALID": "0", "SLURM_GTIDS": "0",
                "ENVIRONMENT": "BATCH", "SLURM_CLUSTER_NAME": "e2e", "SLURM_NODE_ALIASES": "(null)",
                "SLURM_TOPOLOGY_ADDR_PATTERN": "node", "SLURM_TASKS_PER_NODE": "1"}
    assert {k: env[k] for k in expected} == expected
    assert env["HOSTNAME"] == env["SLURMD_NODENAME"] == env["SLURM_JOB_NODELIST"]


@pytest.mark.accounting
def test_account_and_qos_are_set(cluster):
    _, env = environment_of(cluster)
    assert env["SLURM_JOB_QOS"] == "normal"
    assert env["SLURM_JOB_ACCOUNT"] == "root"


def test_options_add_their_variables(cluster):
    _, env = environment_of(cluster, "-N2", "-n4", "-c2", "--mem=1G", "--gres=gpu:2")
    expected = {"SLURM_NTASKS": "4", "SLURM_NPROCS": "4", "SLURM_CPUS_PER_TASK": "2", "SLURM_MEM_PER_NODE": "1024",
                "SLURM_GPUS_ON_NODE": "2", "SLURM_JOB_GPUS": "0,1", "CUDA_VISIBLE_DEVICES": "0,1",
                "SLURM_JOB_CPUS_PER_NODE": "6,2", "SLURM_TASKS_PER_NODE": "3,1",
                "SLURM_JOB_NODELIST": "n[1-2]", "SLURM_JOB_NUM_NODES": "2", "SLURMD_NODENAME": "n1"}
    assert {k: env.get(k) for k in expected} == expected


def test_repeated_counts_are_shortened(cluster):
    _, env = environment_of(cluster, "-N2", "--ntasks-per-node=2", "--mem-per-cpu=50")
    expected = {"SLURM_TASKS_PER_NODE": "2(x2)", "SLURM_JOB_CPUS_PER_NODE": "2(x2)", "SLURM_NTASKS_PER_NODE": "2",
                "SLURM_MEM_PER_CPU": "50"}
    assert {k: env.get(k) for k in expected} == expected


def test_export_chooses_what_the_job_sees(cluster):
    mine = {"FOO": "foo", "BAR": "bar", "BAZ": "a b"}
    show = 'echo "FOO=$FOO BAR=$BAR NEW=$NEW BAZ=$BAZ PATH=${PATH:+yes} ID=${SLURM_JOB_ID:+yes}"'
    cases = {
        None: "FOO=foo BAR=bar NEW= BAZ=a b PATH=yes ID=yes",
        "--export=NEW=1,FOO": "FOO=foo BAR= NEW=1 BAZ= PATH=yes ID=yes",
        "--export=NONE": "FOO= BAR= NEW= BAZ= PATH=yes ID=yes",
        "--export=ALL,NEW=2": "FOO=foo BAR=bar NEW=2 BAZ=a b PATH=yes ID=yes",
        "--export=NEW=/x/y": "FOO= BAR= NEW=/x/y BAZ= PATH=yes ID=yes",
    }
    jobs = {option: cluster.sbatch(*filter(None, [option]), "--wrap", show, env=mine) for option in cases}
    for option, expected in cases.items():
        assert cluster.output(jobs[option]) == expected + "\n", option


def test_exported_shell_functions_and_long_values_arrive(cluster):
    long = "x" * 100000
    job = cluster.sbatch("--wrap", "greet world; echo ${#LONG}",
                         env={"BASH_FUNC_greet%%": "() { echo hello $1; }", "LONG": long})
    # --wrap runs under sh, which does not import functions: ask bash.
    assert cluster.output(job).endswith("100000\n")
    script = cluster.script("job.sh", "greet world\n")
    job = cluster.sbatch(script, env={"BASH_FUNC_greet%%": "() { echo hello $1; }"})
    assert cluster.output(job) == "hello world\n"
