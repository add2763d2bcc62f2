"""Core files of tasks: whether there are any says the limit of the one who submits, where they go the
task's directory and the kernel's core_pattern."""
import pathlib
import resource

import pytest

from muster import wait_for

PATTERN = pathlib.Path("/proc/sys/kernel/core_pattern").read_text().strip()
IN_THE_DIRECTORY = not PATTERN.startswith(("|", "/"))
HARD = resource.getrlimit(resource.RLIMIT_CORE)[1]
pytestmark = pytest.mark.skipif(HARD != resource.RLIM_INFINITY, reason="core files are forbidden here")

CRASH = "ulimit -c; kill -SEGV $$"


def cores(directory):
    return [path for path in directory.iterdir() if path.name.startswith("core")]


@pytest.fixture(params=[None, pytest.param("alice", marks=pytest.mark.as_root)], ids=lambda user: user or "me")
def user(request):
    return request.param and request.getfixturevalue(request.param)


@pytest.fixture
def place(cluster, user):
    directory = cluster.work / "place"
    directory.mkdir()
    directory.chmod(0o777)
    return directory


@pytest.mark.parametrize("limit, has_core", [("unlimited", True), ("0", False)])
def test_a_task_leaves_a_core_file_where_the_submitter_could(cluster, user, place, limit, has_core):
    done = cluster.run("bash", "-c", f"ulimit -S -c {limit}; exec srun --mem=100 bash -c '{CRASH}'", user=user, cwd=place)
    assert (done.code, done.out) == (139, f"{limit}\n")
    told = "Segmentation fault (core dumped)" if has_core else "Segmentation fault"
    assert done.err.endswith(f": task 0: {told}\n")
    if IN_THE_DIRECTORY:
        assert bool(cores(place)) == has_core
        assert all(core.owner() == (user or core.owner()) for core in cores(place))


@pytest.mark.parametrize("limit, has_core", [("unlimited", True), ("0", False)])
def test_a_batch_script_leaves_a_core_file_in_its_directory(cluster, user, place, limit, has_core):
    done = cluster.run("bash", "-c", f"ulimit -S -c {limit}; exec sbatch --parsable --mem=100 -o out --wrap '{CRASH}'",
                       user=user, cwd=place).ok()
    job = done.out.strip()
    cluster.wait_state(job, "FAILED")
    assert cluster.job(job)["ExitCode"] == "0:11"
    wait_for(lambda: (place / "out").read_text() == f"{limit}\n", "the output")
    if IN_THE_DIRECTORY:
        assert bool(cores(place)) == has_core


def test_a_script_sets_the_limit_of_its_steps(cluster, user, place):
    script = cluster.script("limits", "for limit in 0 2048; do ulimit -S -c $limit; srun bash -c 'ulimit -c'; done\n")
    job = cluster.sbatch("-o", "out", script, user=user, cwd=place)
    cluster.wait_state(job, "COMPLETED")
    wait_for(lambda: (place / "out").read_text() == "0\n2048\n", "the output")
