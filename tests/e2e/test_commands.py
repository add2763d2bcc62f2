"""What every command answers without a cluster, and how daemons refuse to start."""
import re
import subprocess

import pytest

import muster

COMMANDS = "sbatch sbcast srun salloc sattach sstat sshare scancel squeue sinfo sprio sdiag strigger sacct seff scontrol".split()
DAEMONS = "slurmctld slurmd".split()

pytestmark = pytest.mark.ours


def run(name, *args, **options):
    return subprocess.run([muster.BIN / name, *args], capture_output=True, text=True, timeout=30, **options)


@pytest.mark.parametrize("name", COMMANDS + ["muster"])
def test_every_command_explains_itself(name):
    help, usage, version = run(name, "--help"), run(name, "--usage"), run(name, "-V")
    assert (help.returncode, usage.returncode, version.returncode) == (0, 0, 0)
    assert help.stdout.lower().startswith(f"usage: {name}") and help.stdout.count("\n") > 5
    assert usage.stdout.lower().startswith(f"usage: {name}")
    assert version.stdout.startswith("slurm 22.05.8 (Muster ")


def test_words_that_tools_look_for():
    for name in "srun", "sbatch", "salloc":
        help = run(name, "--help").stdout
        assert help.startswith(f"Usage: {name} [OPTIONS] ")
        for words in ("Help options:", "Parallel run options:", "Constraint options:", "Consumable resources", "-N, --nodes=N", "--qos=qos", "--gpus=n"):
            assert words in help, (name, words)
    for name in "srun", "sbatch":
        assert run(name, "--usage").stdout.endswith("executable [args...]\n")
    for name in "sattach", "sbcast", "sstat":
        assert run(name, "--usage").stdout.count("\n") == 1
    assert not re.search(r"\[[^]]*\[", run("squeue", "--usage").stdout)
    help = run("scontrol", "--help").stdout
    for words in ("Valid <OPTION> values are:", "Valid <COMMAND> values are:", "show <ENTITY> [<ID>]"):
        assert words in help


@pytest.mark.parametrize("name", DAEMONS)
def test_every_daemon_explains_itself(name):
    help, version = run(name, "-h"), run(name, "-V")
    assert (help.returncode, version.returncode) == (0, 0)
    assert name in help.stdout + help.stderr
    assert version.stdout.startswith("slurm 22.05.8 (Muster ")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_without_a_cluster_says_so(name, tmp_path):
    args = {"sbatch": ["--wrap", "true"], "srun": ["true"], "scancel": ["1"], "seff": ["1"],
            "scontrol": ["show", "job"], "sattach": ["1.0"], "sstat": ["-j", "1"], "salloc": ["true"],
            "sbcast": ["-j", "1", "/etc/passwd", "/tmp/x"], "strigger": ["--get"]}
    env = {"PATH": "/usr/bin:/bin", "SLURM_CONF": str(tmp_path / "missing.conf"), "HOME": str(tmp_path)}
    done = run(name, *args.get(name, []), env=env)
    assert done.returncode != 0
    assert "missing.conf" in done.stderr


BAD = {
    "unknown key": ("NoSuchKey=1", "NoSuchKey"),
    "bad value": ("KillWait=soon", "KillWait"),
    "duplicate node": ("NodeName=n1 CPUs=1", "n1"),
    "unknown node in a partition": ("PartitionName=p Nodes=other", "other"),
}


@pytest.mark.parametrize("line, text", BAD.values(), ids=BAD.keys())
def test_a_bad_configuration_stops_the_daemon_with_file_and_line(tmp_path, line, text):
    conf = tmp_path / "slurm.conf"
    good = (f"ClusterName=c\nSlurmctldHost=localhost\nStateSaveLocation={tmp_path}\nSlurmctldPidFile={tmp_path}/pid\n"
            "NodeName=n1 CPUs=1\nPartitionName=batch Nodes=n1\n")
    conf.write_text(f"{good}{line}\n")
    done = run("slurmctld", "-D", "-f", str(conf))
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert f"{conf}:{good.count(chr(10)) + 1}" in said
    assert text in said


def test_slurmd_prints_this_machines_line():
    line = run("slurmd", "-C").stdout.splitlines()[0]
    assert line.startswith("NodeName=")
    for key in ("CPUs=", "Boards=", "SocketsPerBoard=", "CoresPerSocket=", "ThreadsPerCore=", "RealMemory="):
        assert f" {key}" in line


def test_slurmd_prints_the_generic_resources_of_its_node(tmp_path):
    conf = tmp_path / "slurm.conf"
    conf.write_text(f"""ClusterName=c
SlurmctldHost=localhost
AuthType=auth/unix
SlurmUser={muster.USER}
GresTypes=gpu,fpga,shard
SelectType=select/cons_tres
NodeName=n1 CPUs=4 CoresPerSocket=4 Gres=gpu:v100:2,gpu:a100:1,fpga:3,shard:4
NodeName=n2 CPUs=4
""")
    (tmp_path / "gres.conf").write_text("""\
NodeName=n1 Name=gpu Type=v100 File=/dev/tty[20-21] Cores=0-1
NodeName=n1 Name=gpu Type=a100 File=/dev/no-such-device
NodeName=n1 Name=fpga Count=3
NodeName=n1 Name=shard Count=4
""")

    def resources(node):
        done = run("slurmd", "-G", "-N", node, "-f", conf)
        assert (done.returncode, done.stdout) == (0, "")
        return sorted(done.stderr.splitlines())
    assert resources("n2") == []
    assert resources("n1") == [
        "slurmd-n1: Gres Name=fpga Type=(null) Count=3 ID=1634168934",
        "slurmd-n1: Gres Name=gpu Type=a100 Count=1 Index=2 ID=7696487 File=/dev/no-such-device",
        "slurmd-n1: Gres Name=gpu Type=v100 Count=1 Index=0 ID=7696487 File=/dev/tty20 Cores=0-1 CoreCnt=4",
        "slurmd-n1: Gres Name=gpu Type=v100 Count=1 Index=1 ID=7696487 File=/dev/tty21 Cores=0-1 CoreCnt=4",
        "slurmd-n1: Gres Name=shard Type=(null) Count=1 Index=1 ID=1918986455",
        "slurmd-n1: Gres Name=shard Type=(null) Count=1 Index=2 ID=1918986455",
        "slurmd-n1: Gres Name=shard Type=(null) Count=2 Index=0 ID=1918986455",
        "slurmd-n1: error: /dev/no-such-device is not there"]
