"""scontrol write config: the configuration in force, as a usable file."""
import shutil

import pytest

CLUSTER = dict(nodes=2, conf="""
KillWait=7
DefCpuPerGPU=2
Prolog=/bin/true
SchedulerParameters=bf_interval=5,defer
PartitionName=odd Nodes=n2 MaxTime=90 DefaultTime=10 PriorityTier=4 AllowGroups=root GraceTime=5 OverSubscribe=FORCE:2 MaxNodes=1 LLN=YES
""")


def written(cluster, *words):
    """The path that scontrol prints."""
    out = cluster.run("scontrol", "write", "config", *words).ok().out
    assert out.startswith("Slurm config saved to ")
    return out.removeprefix("Slurm config saved to ").strip()


def test_the_file_has_the_time_in_its_name(cluster):
    path = written(cluster, str(cluster.work / "saved"))
    assert path.startswith(str(cluster.work / "saved") + ".20")
    lines = open(path).read().splitlines()
    assert lines[1].startswith("#  Configuration file for Slurm - 20")
    assert {"KillWait=7", "#Epilog=", "Prolog=/bin/true", "SchedulerParameters=bf_interval=5,defer"} <= set(lines)
    odd = next(line for line in lines if line.startswith("PartitionName=odd")).split()
    assert {"AllowGroups=root", "DefaultTime=00:10:00", "GraceTime=5", "LLN=YES", "MaxNodes=1", "MaxTime=01:30:00",
            "Nodes=n2", "OverSubscribe=FORCE:2", "PriorityTier=4", "State=UP"} <= set(odd)
    assert any(line.startswith("NodeName=n1 ") and "RealMemory=" in line for line in lines)


def test_words_that_cannot_be(cluster):
    refused = cluster.run("scontrol", "write", "config", "a", "b")
    assert (refused.code, refused.err) == (1, "too many arguments for keyword:write\n")
    nowhere = cluster.directory / "no" / "such" / "x"
    refused = cluster.run("scontrol", "write", "config", nowhere)
    assert refused.err.startswith(f"Could not create file {nowhere}.20")
    assert refused.err.endswith(": No such file or directory\n")


@pytest.mark.ours
def test_the_controller_takes_the_file_for_its_own(cluster):
    def shown():
        skipped = ("Configuration data as of", "BOOT_TIME", "NEXT_JOB_ID")
        config = cluster.run("scontrol", "show", "config").ok().lines
        nodes = [line.split("|") for line in cluster.run("sinfo", "-N", "-o", "%all").ok().lines]
        measured = [nodes[0].index(column) for column in ("CPU_LOAD", "FREE_MEM")]  # with each heartbeat anew
        nodes = [[value for column, value in enumerate(row) if column not in measured] for row in nodes]
        return [line for line in config if not line.startswith(skipped)], cluster.run("scontrol", "show", "partition").ok().out, nodes

    before = shown()
    path = written(cluster, str(cluster.work / "saved"))
    conf = cluster.environment["SLURM_CONF"]
    shutil.copy(conf, cluster.work / "old.conf")
    shutil.copy(path, conf)
    try:
        cluster.run("scontrol", "reconfigure").ok()
        assert shown() == before
    finally:
        shutil.copy(cluster.work / "old.conf", conf)
        cluster.run("scontrol", "reconfigure").ok()
