"""Options of srun: for a job of its own, and for a step inside of a job."""
import re

import pytest

from muster import USER, wait_for

CLUSTER = dict(nodes=2)
SHOW = "bash -c 'echo $SLURM_PROCID@$SLURMD_NODENAME/$SLURM_CPUS_ON_NODE/$CUDA_VISIBLE_DEVICES'"


def job(cluster, *args, body):
    number = cluster.sbatch("--mem=400", *args, cluster.script("job.sh", body))
    cluster.wait_end(number)
    return cluster.output(number).splitlines()


def shown(cluster, *args):
    """The job's record as its task sees it."""
    return cluster.run("srun", "--mem=100", *args, "bash", "-c", "scontrol show job $SLURM_JOB_ID").ok().out


@pytest.mark.parametrize("options, line", [
    (["--cpu-freq=low"], "CPU_max_freq=Low"),
    (["--cpu-freq=1000000-2000000:ondemand"], "CPU_min_freq=1000000 CPU_max_freq=2000000 Governor=OnDemand"),
    (["--gpu-freq=low"], "TresFreq=gpu:low"),
    (["--network=foo"], "Network=foo"),
    (["--mcs-label=foo"], "MCS_label=foo"),
    (["--power=level"], "Power=LEVEL"),
    (["--exclusive=user"], "OverSubscribe=USER"),
    (["--exclusive=mcs"], "OverSubscribe=MCS"),
    (["--hint=nomultithread"], "ReqB:S:C:T=0:0:*:1"),
    (["--hint=memory_bound"], "ReqB:S:C:T=0:0:1:1"),
    (["--ntasks-per-gpu=2", "--gpus=1"], "NtasksPerTRES=2"),
    (["--comment=c", "--nice=5"], "Nice=5"),
])
def test_options_of_a_job_are_kept_with_the_job_of_srun(cluster, options, line):
    assert line in shown(cluster, *options)


@pytest.mark.parametrize("options, code, text", [
    (["--hint=foo"], 1, 'unrecognized --hint argument "foo", see --hint=help'),
    (["--cpu-freq=foo"], 255, 'unrecognized --cpu-freq argument "foo"'),
    (["--cpu-freq=high-low"], 255, "min cpu-frec (high) must be < max cpu-freq (low)"),
    (["--gpu-freq=foo"], 255, "Invalid --gpu-freq argument: gpu:foo"),
    (["--accel-bind=z"], 255, "Invalid --accel-bind specification"),
    (["--send-libs=foo"], 255, "Invalid --send-libs specification"),
    (["-B", "1:x"], 1, 'Invalid numeric value "x" for second arg of -B.'),
    (["--ntasks-per-gpu=1"], 1, "--ntasks-per-tres needs either a GRES GPU specification"),
    (["--gpus-per-socket=1"], 1, "--gpus-per-socket option requires --sockets-per-node specification"),
    (["-G1", "-c1", "--cpus-per-gpu=1"], 1, "--cpus-per-gpu is mutually exclusive with --cpus-per-task"),
    (["-n1", "--gpus-per-task=1", "--ntasks-per-gpu=1"], 1, "--gpus-per-task is mutually exclusive with"),
    (["--time-min=10", "-t5"], 1, "Invalid time-min specification (exceeds job's time or other limits)"),
    (["-M", "nosuch"], 1, "'nosuch' can't be reached now, or it is an invalid entry for --cluster."),
])
def test_bad_values_are_refused_with_the_references_words(cluster, options, code, text):
    done = cluster.run("srun", *options, "true")
    assert done.code == code and text in done.err


def test_a_step_ignores_what_only_a_job_can_have(cluster):
    options = """--bb=x --contiguous --deadline=now+1hour --dependency=afterok:99 --licenses=nope --mail-type=ALL
        --mincpus=99 --nice=5 --power=level --prefer=nope --priority=5 --profile=task --qos=nope --reboot --account=x
        --reservation=nope --signal=USR1@5 --spread-job --switches=1 --time-min=1 --tmp=99999 --use-min-nodes --wckey=x
        --partition=nope --no-kill --exclusive=user --cluster-constraint=x --network=x --mcs-label=x --delay-boot=3
        --sockets-per-node=9 --cores-per-socket=9 --hold""".split()
    lines = job(cluster, "-n1", body="".join(f"srun {option} echo {option}\n" for option in options))
    assert lines == options


def test_a_step_says_that_its_begin_is_ignored(cluster):
    lines = job(cluster, "-n1", body="srun --begin=now+1hour echo ran\n")
    assert sorted(lines) == ["ran", "srun: error: --begin is ignored because nodes are already allocated."]


def test_tasks_of_a_gpu_share_it(cluster):
    lines = job(cluster, "-n4", "--gres=gpu:2", body=f"srun -n4 --ntasks-per-gpu=2 {SHOW}\n")
    assert sorted(line.rsplit("/", 1)[1] for line in lines) == ["0", "0", "1", "1"]


@pytest.mark.ours  # Slurm waits for ever
def test_a_step_runs_only_where_its_constraint_holds(cluster):
    lines = job(cluster, "-n1", body="srun -C nosuch echo ran; echo code $?\n")
    assert "code 1" in lines and "ran" not in lines


def test_only_a_test_starts_nothing_in_a_job_either(cluster):
    lines = job(cluster, "-n1", body="srun --test-only echo ran; echo code $?\n")
    assert "ran" not in lines
    assert any(re.search(r"Job \d+ to start at \S+ using \d+ processors on nodes n\d", line) for line in lines)


def test_a_trial_of_a_job_that_cannot_run_says_why(cluster):
    done = cluster.run("srun", "--test-only", "-p", "nowhere", "true")
    assert done.code == 1
    assert done.err == ("srun: error: invalid partition specified: nowhere\n"
                        "allocation failure: Invalid partition name specified\n")


def test_limits_of_the_caller_are_the_tasks(cluster):
    body = "ulimit -S -n 77; srun bash -c 'ulimit -n'; srun --propagate=NONE bash -c 'ulimit -n'; " \
           "srun --propagate=CORE bash -c 'ulimit -n'\n"
    first, none, other = job(cluster, "-n1", body=body)
    assert first == "77" and none != "77" and other != "77"


def test_variables_stand_for_options(cluster):
    def tasks(**variables):
        return cluster.run("srun", "--mem=100", "bash", "-c", "echo $SLURM_DISTRIBUTION $SLURM_DIST_PLANESIZE "
                           "$SLURM_CPU_FREQ_REQ", env=variables).ok().out.split()
    assert tasks(SLURM_NTASKS="1", SLURM_DISTRIBUTION="plane", SLURM_DIST_PLANESIZE="3",
                 SLURM_CPU_FREQ_REQ="low") == ["plane", "3", "Low"]


def test_counts_of_the_caller_stay_with_preserve_env(cluster):
    lines = job(cluster, "-n4", body="srun -n1 -E bash -c 'echo $SLURM_NTASKS'; srun -n1 bash -c 'echo $SLURM_NTASKS'\n")
    assert lines == ["4", "1"]


def test_an_hurry_has_an_exit_code_of_its_own(cluster):
    holder = cluster.start("srun", "--exclusive", "-N2", "bash", "-c", "echo ready; sleep 100")
    try:
        assert holder.stdout.readline() == "ready\n"
        done = cluster.run("srun", "-I", "--exclusive", "true", env={"SLURM_EXIT_IMMEDIATE": "9"})
        assert done.code == 9 and "Requested nodes are busy" in done.err
        assert cluster.run("srun", "-I2", "--exclusive", "true").code == 1
    finally:
        holder.terminate()
        holder.communicate()


def test_a_range_of_nodes_takes_as_many_as_there_are(cluster):
    assert cluster.run("srun", "--mem=100", "-N", "1-2", "bash", "-c", "echo $SLURM_NNODES").ok().lines == ["2", "2"]
    assert job(cluster, "-N2", body="srun -N1-2 bash -c 'echo $SLURM_NNODES'\n") == ["2", "2"]


@pytest.mark.parametrize("options, line", [
    (["-S1"], "Ignoring -S since it's not allowed by configuration (AllowSpecResourcesUsage = No)"),
    (["--thread-spec=1"], "Ignoring --thread-spec since it's not allowed by configuration (AllowSpecResourcesUsage = No)"),
])
def test_what_the_site_does_not_allow_is_ignored_aloud(cluster, options, line):
    done = cluster.run("srun", "--mem=100", *options, "echo", "ran").ok()
    assert done.out == "ran\n" and f"srun: error: {line}\n" in done.err


@pytest.mark.parametrize("words, text", [
    (["-r1", "true"], "srun: fatal: --relative option invalid for job allocation request\n"),
    (["-N0", "true"], "srun: error: Unable to allocate resources: Node count specification invalid\n"),
    (["--gres=foo", "true"], "srun: error: Invalid generic resource (gres) specification\n"),
])
def test_a_new_job_cannot_have_these(cluster, words, text):
    done = cluster.run("srun", *words)
    assert (done.code, done.err) == (1, text)


@pytest.mark.parametrize("how", ["pack", "nopack", "cyclic,pack"])
def test_tasks_may_be_packed(cluster, how):
    assert cluster.run("srun", "--mem=100", "-m", how, "echo", "ran").ok().out == "ran\n"


@pytest.mark.parametrize("how", ["plane", "plane=0", "plane=x"])
def test_a_plane_has_a_size(cluster, how):
    done = cluster.run("srun", "-m", how, "true")
    assert done.code == 255 and done.err == ("srun: error: Invalid plane size or size not specified\n"
                                             "srun: error: Invalid --distribution specification\n")


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_the_generic_resources_are_listed(cluster, command):
    assert cluster.run(command, "--gres=help", "true").ok().out == "Valid gres options are:\ngpu[[:type]:count]\n"


def test_the_generic_resources_are_listed_without_a_script(cluster):
    assert cluster.run("sbatch", "--gres=help").ok().out == "Valid gres options are:\ngpu[[:type]:count]\n"


def test_none_of_an_unknown_device_is_no_wish(cluster):
    assert cluster.job(cluster.sbatch("-H", "--gres=craynetwork:0", "--wrap", "true"))["TresPerNode"] == "gres:craynetwork:0"
    cluster.run("srun", "--mem=100", "--gres=craynetwork:0", "true").ok()
    refused = cluster.run("sbatch", "--gres=craynetwork:1", "--wrap", "true")
    assert refused.code == 1 and "Invalid generic resource (gres) specification" in refused.err


def test_a_task_epilog_that_takes_too_long_is_killed(cluster):
    epilog = cluster.script("epilog.sh", "echo x >> began; sleep 1000\n")
    done = cluster.run("srun", "--mem=100", "-n2", f"--task-epilog={epilog}", "true").ok()
    assert len(re.findall(r"slurmstepd\S*: error: TaskEpilog failed status=9\n", done.err)) == 2
    assert (cluster.work / "began").read_text() == "x\nx\n"


def test_verbose_names_the_job_and_what_it_has(cluster):
    done = cluster.run("srun", "-v", "--mem=100", "-N2", "true").ok()
    assert re.search(r"^srun: jobid \d+: nodes\(2\):`\S+', cpu counts: 1\(x2\)$", done.err, re.M)
    assert done.err.index("jobid") < done.err.index("launching")


def test_verbose_tells_times_as_they_are_understood(cluster):
    for given, understood in (("3", "00:03:00"), ("1:30", "00:02:00"), ("1-2", "1-02:00:00")):
        told = cluster.run("sbatch", "-H", "-v", "-t", given, "--time-min=1", "--wrap", "true").ok().err
        assert re.search(rf"^sbatch: time +: {understood}$", told, re.M) and re.search("^sbatch: time-min +: 00:01:00$", told, re.M)


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_a_job_that_cannot_start_now_is_told_why(cluster, command):
    def first_line(*options):
        waiting = cluster.start(command, *options, "true")
        line = waiting.stderr.readline()
        cluster.run("scancel", "-u", USER)
        waiting.wait()
        return line
    cluster.run("scontrol", "update", "partitionname=short", "state=down").ok()
    assert first_line("-p", "short") == f"{command}: Partition in DOWN state\n"
    cluster.run("scontrol", "update", "partitionname=short", "state=up").ok()
    cluster.run("scontrol", "update", "nodename=n1", "state=drain", "reason=x").ok()
    assert first_line("-w", "n1") == f"{command}: Required node not available (down, drained or reserved)\n"


def test_a_task_epilog_that_fails_is_named(cluster):
    done = cluster.run("srun", "--mem=100", "--task-epilog=/bin/false", "true").ok()
    assert re.search(r"slurmstepd\S*: error: TaskEpilog failed status=256\n", done.err)


def test_more_nodes_than_there_are_wait_with_a_word(cluster):
    waiting = cluster.start("srun", "-N100", "-J", "many", "true")
    wait_for(lambda: cluster.run("squeue", "-h", "-n", "many", "-o", "%i").out.strip(), "the job")
    cluster.run("scancel", "-n", "many").ok()
    assert waiting.communicate(timeout=30)[1].startswith("srun: Requested partition configuration not available now\n")


@pytest.mark.parametrize("option", ["--hint=help", "--cpu-bind=help", "--mem-bind=help"])
@pytest.mark.ours  # with Slurm they end with a failure
def test_help_about_values(cluster, option):
    assert option.split("=")[0] in cluster.run("srun", option, "true").ok().out
