"""Where a job's output goes: names, patterns, modes."""
import os
import pwd
import socket

import pytest

USER = pwd.getpwuid(os.geteuid()).pw_name
HOST = socket.gethostname().split(".")[0]


def test_patterns_are_filled_in(cluster):
    job = cluster.sbatch("-J", "nm", "-o", "o-%j-%x-%u-%N-%n-%t-%J-%%-%8j.txt", "--wrap", "echo hi")
    cluster.wait_end(job)
    assert [f.name for f in cluster.work.glob("o-*")] == [
        f"o-{job}-nm-{USER}-{HOST}-0-0-{job}-%-{int(job):08d}.txt"]


def test_array_patterns_are_filled_in(cluster):
    job = cluster.sbatch("--array=7", "-o", "arr-%A-%a-%4a-%j.txt", "--wrap", "echo hi")
    cluster.wait_end(f"{job}_7")
    assert (cluster.work / f"arr-{job}-7-0007-{job}.txt").read_text() == "hi\n"
    plain = cluster.sbatch("-o", "plain-%A-%a.txt", "--wrap", "echo hi")
    cluster.wait_end(plain)
    assert (cluster.work / f"plain-{plain}-4294967294.txt").exists()
    unnamed = cluster.sbatch("--array=2", "--wrap", "echo hi")
    cluster.wait_end(f"{unnamed}_2")
    assert (cluster.work / f"slurm-{unnamed}_2.out").exists()


def test_output_and_error_share_a_file_unless_told_otherwise(cluster):
    both = cluster.sbatch("--wrap", "echo o; echo e >&2")
    apart = cluster.sbatch("-o", "z.out", "-e", "z.err", "--wrap", "echo o; echo e >&2")
    assert cluster.output(both) == "o\ne\n"
    assert cluster.output(apart, "z.out") == "o\n"
    assert (cluster.work / "z.err").read_text() == "e\n"


def test_a_file_is_truncated_unless_append_is_asked_for(cluster):
    for name in ("truncated", "appended"):
        (cluster.work / name).write_text("old\n")
    first = cluster.sbatch("-o", "truncated", "--wrap", "echo new")
    second = cluster.sbatch("-o", "appended", "--open-mode=append", "--wrap", "echo new")
    assert cluster.output(first, "truncated") == "new\n"
    assert cluster.output(second, "appended") == "old\nnew\n"


def test_a_relative_name_is_below_the_working_directory(cluster):
    (cluster.work / "sub/logs").mkdir(parents=True)
    job = cluster.sbatch("-D", cluster.work / "sub", "-o", "logs/%j.txt", "--wrap", "echo hi")
    assert cluster.output(job, "sub/logs/{}.txt") == "hi\n"


@pytest.mark.ours
def test_missing_directories_of_output_files_are_made(cluster):
    job = cluster.sbatch("-o", "new/%x/%j.txt", "-e", "errors/%j/e.txt", "-J", "deep", "--wrap", "echo o; echo e >&2")
    assert cluster.output(job, "new/deep/{}.txt") == "o\n"
    assert (cluster.work / f"errors/{job}/e.txt").read_text() == "e\n"


def test_a_missing_working_directory_falls_back_to_tmp(cluster):
    job = cluster.sbatch("-D", "/no/such/place", "-o", cluster.work / "out", "--wrap", "pwd")
    text = cluster.output(job, "out")
    assert "couldn't chdir to `/no/such/place': No such file or directory: going to /tmp instead" in text
    assert text.endswith("/tmp\n")


def test_files_of_the_nodes_have_labels(cluster):
    cluster.run("srun", "--mem=100", "-n2", "-l", "-o", "label.%t", "bash", "-c",
                "echo out $SLURM_PROCID; echo err >&2; printf open").ok()
    for rank in range(2):
        lines = (cluster.work / f"label.{rank}").read_text().splitlines()
        assert sorted(lines) == [f"{rank}: err", f"{rank}: open", f"{rank}: out {rank}"]
