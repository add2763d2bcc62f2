"""GPUs of several types in one option, and what is shown of them."""
import re

import pytest
from muster import wait_for

CLUSTER = dict(nodes=2, gpus=2, gpu_type="v100:2,gpu:a100", gres="""\
NodeName=n[1-2] Name=gpu Type=v100 File=/dev/tty[20-21]
NodeName=n[1-2] Name=gpu Type=a100 File=/dev/tty[22-23]
""", conf="GresTypes=gpu,tape\n")


def allocate(cluster, *args, **kwargs):
    return cluster.run("salloc", "-I", "--no-shell", "--mem=10", *args, **kwargs)


def job_text(cluster, *args, **kwargs):
    result = allocate(cluster, *args, **kwargs).ok()
    job = re.search(r"Granted job allocation (\d+)", result.err)[1]
    return cluster.run("scontrol", "-d", "show", "job", job).ok().out


def devices(text):
    """Of each node, without those types of which it has none."""
    found = re.findall(r" Nodes=(\S+) CPU_IDs=\S+ Mem=\d+ GRES=(\S*)", text)
    return [(node, [g for g in gres.split(",gpu:") if ":0(" not in g]) for node, gres in found]


@pytest.mark.parametrize("args, shown, placed", [
    ("--gpus=v100:2,a100:1", "TresPerJob=gres:gpu:v100:2,gres:gpu:a100:1",
     [("n1", ["gpu:v100:2(IDX:0-1)", "a100:1(IDX:2)"])]),
    ("--gpus-per-node=a100:1,v100:1", "TresPerNode=gres:gpu:a100:1,gres:gpu:v100:1",
     [("n1", ["gpu:a100:1(IDX:2)", "v100:1(IDX:0)"])]),
    ("-n2 --gpus-per-task=v100:1,a100:1", "TresPerTask=gres:gpu:v100:1,gres:gpu:a100:1",
     [("n1", ["gpu:v100:2(IDX:0-1)", "a100:2(IDX:2-3)"])]),
    ("--sockets-per-node=1 --gpus-per-socket=v100:1,a100:2", "TresPerSocket=gres:gpu:v100:1,gres:gpu:a100:2",
     [("n1", ["gpu:v100:1(IDX:0)", "a100:2(IDX:2-3)"])]),
    ("-N2 --gpus=v100:3,a100:2", "TresPerJob=gres:gpu:v100:3,gres:gpu:a100:2",
     [("n1", ["gpu:v100:2(IDX:0-1)", "a100:1(IDX:2)"]), ("n2", ["gpu:v100:1(IDX:0)", "a100:1(IDX:2)"])]),
    ("--gpus-per-node=a100:1 --gres=gpu:v100:1", "TresPerNode=gres:gpu:a100:1,gres:gpu:v100:1",
     [("n1", ["gpu:a100:1(IDX:2)", "v100:1(IDX:0)"])]),
    ("--gpus=v100:1 --gpus-per-node=a100:1", "TresPerNode=gres:gpu:a100:1", None),
])
def test_each_type_is_counted(cluster, args, shown, placed):
    text = job_text(cluster, *args.split())
    assert f"   {shown}\n" in text
    if placed:
        assert devices(text) == placed


def test_types_that_are_counted_in_different_ways_add_up(cluster):
    text = job_text(cluster, "--gpus=v100:1", "--gpus-per-node=a100:1")
    assert "gpu:v100:1(IDX:0)" in text and "gpu:a100:1(IDX:2)" in text


@pytest.mark.parametrize("args, words", [
    ("--gpus=v100:1,2", "error: Invalid GRES specification (with and without type identification)"),
    ("--gpus=4 --gpus-per-node=v100:2", "error: Invalid GRES specification (with and without type identification)"),
    ("-N2 --gpus=v100:1,a100:2", "error: Failed to validate job spec, --gpus < -N"),
    ("--gpus=v100:2 --gpus-per-task=a100:1", "--gpus-per-task used without either --gpus or -n/--ntasks"),
    ("--gpus=v100:2,a100:4 --gpus-per-node=v100:1,a100:1", "required nodes (4) doesn't fall between"),
    ("--gpus=v100:5,a100:1", "Requested node configuration is not available"),
    ("--gpus-per-node=v100:1,h100:1", "Requested node configuration is not available"),
])
def test_what_cannot_be_is_refused(cluster, args, words):
    result = allocate(cluster, *args.split())
    assert result.code == 1 and words in result.err


def test_they_are_read_from_scripts_and_variables(cluster):
    script = cluster.script("types.sh", "#SBATCH --gpus=a100:1,v100:1\necho $SLURM_GPUS $SLURM_JOB_GPUS\n")
    job = cluster.sbatch(script, memory="10")
    cluster.wait_end(job)
    assert cluster.output(job) == "a100:1,v100:1 0,2\n"
    text = job_text(cluster, env={"SALLOC_GPUS_PER_NODE": "v100:1,a100:2"})
    assert devices(text) == [("n1", ["gpu:v100:1(IDX:0)", "a100:2(IDX:2-3)"])]


def test_steps_take_their_part_of_each_type(cluster):
    script = ("srun --exact -n1 --gpus=v100:1,a100:1 printenv SLURM_STEP_GPUS\n"
              "srun --exact -n1 --gpus=v100:3 true")
    job = cluster.sbatch("--gpus=v100:2,a100:1", "--wrap", script, memory="10")
    cluster.wait_end(job)
    assert cluster.output(job).splitlines()[0] == "0,2"
    assert "Invalid generic resource (gres) specification" in cluster.output(job)


def test_a_waiting_job_can_be_changed(cluster):
    job = cluster.sbatch("-H", "--gpus=v100:1", "--wrap", "true", memory="10")
    cluster.run("scontrol", "update", f"jobid={job}", "TresPerJob=gres:gpu:a100:1,gres:gpu:v100:2").ok()
    assert cluster.job(job)["TresPerJob"] == "gres:gpu:a100:1,gres:gpu:v100:2"
    cluster.run("scancel", job).ok()
    job = cluster.sbatch("-H", "--gpus-per-node=v100:1", "--wrap", "true", memory="10")
    cluster.run("scontrol", "update", f"jobid={job}", "TresPerNode=gres:gpu:a100:1,gres:gpu:v100:2").ok()
    assert cluster.job(job)["TresPerNode"] == "gres:gpu:a100:1,gres:gpu:v100:2"


def test_the_binding_and_the_frequency_are_shown(cluster):
    job = cluster.sbatch("--gpus=v100:2", "--gpu-bind=single:1", "--gpu-freq=high",
                         "--wrap", "srun sleep 100", memory="10")
    wait_for(lambda: f"{job}.0" in cluster.run("squeue", "-h", "-s", "-o", "%i").out.split(), "the step")
    assert cluster.job(job)["TresBind"] == "gpu:single:1"
    assert cluster.job(job)["TresFreq"] == "gpu:high"
    assert cluster.run("squeue", "-h", "-j", job, "-O", "tres-bind:20,tres-freq:20").ok().out.split() == [
        "gpu:single:1", "gpu:high"]
    step = cluster.run("scontrol", "show", "step", f"{job}.0").ok().out
    for words in ("TresBind=gpu:single:1", "TresFreq=gpu:high", "TresPerStep=cpu:1,gres:gpu:v100:2"):
        assert f"   {words}\n" in step


def gres_of(cluster, node):
    return re.search(r"\n   Gres=(\S+)", cluster.run("scontrol", "show", "node", node).ok().out)[1]


def change_gres(cluster, gres):
    return cluster.run("scontrol", "update", "nodename=n2", f"Gres={gres}")


def test_what_is_only_counted_can_be_changed_on_a_node(cluster):
    gpus = "gpu:v100:2,gpu:a100:2"
    assert allocate(cluster, "-w", "n2", "--gres=tape:2").code == 1
    change_gres(cluster, f"{gpus},tape:3").ok()
    assert gres_of(cluster, "n2") == f"{gpus},tape:3"
    assert "GRES=tape:2\n" in job_text(cluster, "-w", "n2", "--gres=tape:2")
    assert allocate(cluster, "-w", "n2", "--gres=tape:2").code == 1
    for bad in (f"gpu:v100:3,{gpus}", "gpu:v100:1,gpu:a100:2", "gpu:h100:1"):
        refused = change_gres(cluster, bad)
        assert (refused.code, refused.err) == (1, "slurm_update error: Invalid generic resource (gres) specification\n")


@pytest.mark.ours
def test_devices_that_were_taken_from_a_node_can_come_back(cluster):
    job_text(cluster, "-w", "n2", "--gpus=v100:1")
    assert "Requested nodes are busy" in change_gres(cluster, "none").err
    cluster.cancel_all()
    change_gres(cluster, "none").ok()
    assert gres_of(cluster, "n2") == "(null)"
    assert allocate(cluster, "-w", "n2", "--gpus=v100:1").code == 1
    change_gres(cluster, "gpu:4").ok()
    assert gres_of(cluster, "n2") == "gpu:v100:2,gpu:a100:2"
    job_text(cluster, "-w", "n2", "--gpus=v100:1")
