"""sbcast and srun --bcast: a file on all nodes of a job, as its owner."""
import os
import re
import stat
import subprocess

import pytest

CLUSTER = dict(nodes=3)


def in_job(cluster, *command, nodes=2, **options):
    return cluster.run("salloc", "-Q", "--mem=100", f"-N{nodes}", *command, **options)


@pytest.fixture
def source(cluster):
    path = cluster.work / "source"
    path.write_text("some text\n")
    path.chmod(0o750)
    return path


@pytest.fixture
def target(cluster):
    """All nodes are this machine, so each has a file name of its own."""
    folder = cluster.work / "nodes"
    folder.mkdir()
    return folder / "file"


def test_outside_of_a_job_one_has_to_be_named(cluster, source, target):
    done = cluster.run("sbcast", source, target)
    assert done.code == 1
    assert done.err == ("sbcast: error: Need a job id to run this command.  Run from within a Slurm job or use the "
                        "--jobid option.\n")


@pytest.mark.parametrize("words", [[], ["a"], ["a", "b", "c"]])
def test_two_names_are_needed(cluster, words):
    done = cluster.run("sbcast", *words)
    assert done.code == 1
    assert f"Need two file names, have {len(words)} names\n" in done.err


def test_an_unknown_job_is_an_error(cluster, source, target):
    done = cluster.run("sbcast", "-j", "99999", source, target)
    assert done.code == 255
    assert done.err == "sbcast: error: Slurm job 99999 lookup error: Invalid job id specified\n"


def test_the_file_arrives_with_its_mode(cluster, source, target):
    in_job(cluster, "sbcast", source, target, nodes=1).ok()
    assert target.read_text() == "some text\n"
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert [p.name for p in target.parent.iterdir()] == ["file"]


def test_what_is_there_is_kept_unless_forced(cluster, source, target):
    target.write_text("old")
    done = in_job(cluster, "sbcast", source, target, nodes=1)
    assert done.code == 17
    assert "sbcast: error: REQUEST_FILE_BCAST(n1): File exists\n" in done.err
    assert target.read_text() == "old"
    in_job(cluster, "sbcast", "-f", source, target, nodes=3).ok()
    assert target.read_text() == "some text\n"
    assert [p.name for p in target.parent.iterdir()] == ["file"]


def test_times_are_kept_on_demand(cluster, source, target):
    os.utime(source, (1_000_000_000, 1_100_000_000))
    in_job(cluster, "sbcast", "-p", source, target, nodes=1).ok()
    assert target.stat().st_mtime == 1_100_000_000


@pytest.mark.parametrize("words", [[], ["-C"], ["--compress=lz4", "-s", "64k"], ["-s", "100000", "-F", "1"]])
def test_large_files_arrive_whole(cluster, target, words):
    source = cluster.work / "large"
    content = os.urandom(3_000_000) + b"again and again " * 500_000
    source.write_bytes(content)
    in_job(cluster, "sbcast", "-f", *words, source, target, nodes=3).ok()
    assert target.read_bytes() == content


def test_a_relative_name_counts_from_here(cluster, source, target):
    in_job(cluster, "sbcast", "source", "nodes/file", nodes=1, cwd=cluster.work).ok()
    assert target.exists()


def test_what_cannot_be_written_is_said(cluster, source, target):
    done = in_job(cluster, "sbcast", source, "/no/such/place/file", nodes=1)
    assert done.code == 2
    assert "sbcast: error: REQUEST_FILE_BCAST(n1): No such file or directory\n" in done.err
    done = in_job(cluster, "sbcast", "-f", source, target.parent, nodes=1)
    assert done.code == 21
    done = in_job(cluster, "sbcast", "-f", source, f"{target.parent}/", nodes=1)
    assert (done.code, done.err) == (1, "sbcast: error: Target filename cannot be a directory.\n")


def test_a_source_that_is_not_there(cluster, target):
    done = in_job(cluster, "sbcast", "nothing", target, nodes=1)
    assert done.code == 255
    assert done.err == "sbcast: error: Can't open `nothing`: No such file or directory\n"


def test_an_unknown_compression_is_none(cluster, source, target):
    done = in_job(cluster, "sbcast", "--compress=zlib", source, target, nodes=1).ok()
    assert "sbcast: error: Compression type 'zlib' unknown, disabling compression support.\n" in done.err
    assert target.exists()


@pytest.mark.as_root
def test_the_file_is_the_callers_and_written_with_his_rights(cluster, source, target):
    source.chmod(0o644)
    target.parent.chmod(0o777)
    in_job(cluster, "sbcast", source, target, nodes=1, user="nobody").ok()
    assert target.owner() == "nobody"
    target.parent.chmod(0o755)
    in_job(cluster, "sbcast", "-f", source, target, nodes=1, user="nobody").ok()
    done = in_job(cluster, "sbcast", "-f", source, f"{target}2", nodes=1, user="nobody")
    assert done.code == 13
    assert "Permission denied" in done.err


@pytest.mark.as_root
def test_another_users_job_is_not_for_oneself(cluster, source, target):
    job = cluster.sbatch("--wrap", "sleep 60")
    cluster.wait_state(job, "RUNNING")
    done = cluster.run("sbcast", "-j", job, source, target, user="nobody")
    assert done.code == 255
    assert not target.exists()


def libraries(program):
    """The libraries that ldd lists, by name."""
    told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return sorted(os.path.basename(file) for file in re.findall(r"(/\S+) \(0x", told))


def test_libraries_go_along_with_a_program(cluster, target):
    in_job(cluster, "sbcast", "--send-libs", "--exclude=NONE", "/bin/bash", target, nodes=1).ok()
    beside = target.with_name("file_libs")
    assert sorted(p.name for p in beside.iterdir()) == libraries("/bin/bash")
    assert stat.S_IMODE(beside.stat().st_mode) == 0o700


def test_libraries_of_the_system_stay_at_home(cluster, target):
    in_job(cluster, "sbcast", "--send-libs", "/bin/bash", target, nodes=1).ok()
    assert target.exists()
    assert not list(target.parent.glob("file_libs/*"))


def test_what_is_no_program_goes_without_libraries(cluster, source, target):
    done = in_job(cluster, "sbcast", "--send-libs=yes", source, target, nodes=1).ok()
    assert done.err == (f"sbcast: error: Cannot autodetect libraries for '{source}' with ldd command; "
                        "still sending the file but ignoring send_libs\n")
    assert target.exists()


def test_an_unknown_word_about_libraries_is_passed_over(cluster, source, target):
    done = in_job(cluster, "sbcast", "--send-libs=some", source, target, nodes=1).ok()
    assert done.err == "sbcast: error: Ignoring unrecognized --send-libs value 'some'\n"


def test_sruns_program_finds_its_libraries(cluster, target):
    done = cluster.run("srun", "--mem=100", "-n1", f"--bcast={target}", "--send-libs", "--bcast-exclude=NONE",
                       "/bin/bash", "-c", "echo $LD_LIBRARY_PATH; grep -o '/.*libc[.]so[^ ]*' /proc/$$/maps").ok()
    beside = target.with_name("file_libs")
    assert done.lines[0].split(":")[0] == str(beside)
    assert set(done.lines[1:]) == {f"{beside}/libc.so.6"}


def test_srun_knows_yes_and_no_only(cluster, target):
    done = cluster.run("srun", "--mem=100", f"--bcast={target}", "--send-libs=some", "true")
    assert (done.code, done.err) == (255, "srun: error: Invalid --send-libs specification\n")


def test_srun_takes_its_program_along(cluster, target):
    done = cluster.run("srun", "--mem=100", f"--bcast={target}", "-N2", "-n2", "cat", "/proc/self/cmdline").ok()
    assert done.out == f"{target}\0/proc/self/cmdline\0" * 2
    assert os.access(target, os.X_OK)


def test_a_program_that_is_not_there_is_not_sent(cluster, target):
    done = cluster.run("srun", "--mem=100", f"--bcast={target}", "nosuchprogram")
    assert (done.code, done.err) == (1, "srun: fatal: Can not execute nosuchprogram\n")
