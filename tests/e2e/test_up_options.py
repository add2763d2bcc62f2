"""muster up --gpus, --cpus, --memory, --feature, --partition, --edit: a cluster that pretends to be larger, and settings that last."""
import pytest

from embedded import Embedded

pytestmark = pytest.mark.ours


@pytest.fixture(scope="module")
def cluster():
    cluster = Embedded()
    cluster.said = cluster.up("--nodes=2", "--gpus", "a100:2", "--feature=fast,nvlink", "--partition", "batch,dev")
    yield cluster
    cluster.end()


def edit(cluster, command, *options):
    """muster up --edit, with a command of the shell as the editor."""
    (cluster.home / "editor").write_text(f'#!/bin/sh\n{command}\n')
    (cluster.home / "editor").chmod(0o755)
    return cluster.run("muster", "up", "--edit", *options, EDITOR=str(cluster.home / "editor"))


def test_nodes_have_what_was_asked_for(cluster):
    assert "2 pretend nodes with 12 CPUs, 65536 MB of memory, gpu:a100:2 each" in cluster.said
    assert "is only pretended" in cluster.said
    nodes = cluster.run("sinfo", "-h", "-p", "main", "-o", "%D %c %m %G %f").stdout
    assert nodes == "2 12 65536 gpu:a100:2 fast,nvlink\n"
    assert cluster.run("sinfo", "-h", "-o", "%P %L").stdout.split() == ["main*", "1:00:00", "batch", "1:00:00", "dev", "1:00:00"]
    assert "no effect" not in (cluster.base / "log/slurmctld.log").read_text()


def test_pretended_gpus_are_allocated_like_gpus(cluster):
    done = cluster.run("srun", "-N2", "--gpus-per-node=2", "-l", "printenv", "CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS")
    assert sorted(done.stdout.splitlines()) == sorted(f"{task}: 0,1" for task in (0, 0, 1, 1)), done.stderr
    refused = cluster.run("sbatch", "--gres=gpu:3", "--wrap", "true")
    assert refused.returncode == 1 and "node configuration is not available" in refused.stderr
    assert cluster.run("sbatch", "--gres=gpu:v100:1", "--wrap", "true").returncode == 1


def test_a_job_that_takes_more_memory_than_it_asked_for_is_ended(cluster):
    done = cluster.run("sbatch", "--wait", "-o", "greedy", "--mem=50M", "--wrap",
                       "python3 -c 'x = bytearray(200 << 20); import time; time.sleep(100)'")
    assert done.returncode != 0
    assert cluster.run("squeue", "-h", "-t", "all", "-n", "wrap", "-o", "%T").stdout.split()[-1] == "OUT_OF_MEMORY"
    assert "exceeded memory limit" in (cluster.home / "greedy").read_text()


def test_scripts_with_a_login_shell_find_the_commands(cluster):
    (cluster.home / "login.sh").write_text("#!/bin/bash -l\n#SBATCH -o login.out\nsrun printenv SLURM_STEP_ID\n"
                                           "echo ${BASH_ENV-none}\n")
    cluster.run("sbatch", "--wait", "login.sh")
    assert (cluster.home / "login.out").read_text() == "0\nnone\n"


def test_edited_settings_are_in_force_at_once_and_last(cluster):
    done = edit(cluster, 'echo "PartitionName=night Nodes=ALL MaxTime=5" >> "$1"; '
                         'echo "NodeName=big Sockets=1 CoresPerSocket=4 CPUs=4 Gres=gpu:v100:8" >> "$1"')
    assert done.returncode == 0 and "with its new settings" in done.stdout, done.stderr
    assert cluster.run("sinfo", "-h", "-p", "night", "-o", "%l %D").stdout.split() == ["5:00", "3"]
    assert cluster.run("srun", "-w", "big", "--gpus=v100:8", "printenv", "CUDA_VISIBLE_DEVICES").stdout == "0,1,2,3,4,5,6,7\n"

    wrong = edit(cluster, 'echo "PartitionName=x Nods=ALL" >> "$1"')
    assert wrong.returncode == 1 and "Nods: not a key" in wrong.stderr and "nothing was changed" in wrong.stderr
    assert cluster.run("sinfo", "-h", "-p", "night", "-o", "%l").stdout == "5:00\n"
    again = edit(cluster, "sed -i '/Nods/d; /=big/d' \"$1\"")  # the text of before is there
    assert again.returncode == 0, again.stderr
    assert cluster.run("sinfo", "-h", "-p", "night", "-o", "%D").stdout == "2\n"

    other = cluster.run("muster", "up", "--gpus", "4")
    assert other.returncode == 1 and "--gpus=a100:2" in other.stderr and "muster down" in other.stderr
    assert "already" in cluster.up()
    cluster.run("muster", "down", "--force")
    cluster.up("--nodes=2", "--gpus=1")
    assert cluster.run("sinfo", "-h", "-p", "night", "-o", "%D %G").stdout == "2 gpu:1\n"


def test_after_a_crash_the_options_are_those_of_before(cluster):
    job = cluster.submit("-H", "--gpus=1", "--wrap", "true")
    cluster.crash()
    cluster.up()
    assert cluster.queue() == [f"{job} PENDING"]
    assert cluster.run("sinfo", "-h", "-p", "main", "-o", "%D %G").stdout == "2 gpu:1\n"
    cluster.run("scancel", job)


@pytest.mark.parametrize("option, word", [
    ("--gpus=x", "from 0 to"), ("--gpus=:2", "type:number"), ("--cpus=0", "from 1 to"), ("--memory=x", "64G"),
    ("--feature=a#b", "letters"), ("--partition=", "letters"), ("--gpu=1", "--gpus")])
def test_a_wrong_option_is_refused(cluster, option, word):
    done = cluster.run("muster", "up", option)
    assert done.returncode == 1 and done.stdout == "" and word in done.stderr
