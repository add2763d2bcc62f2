"""Fixtures of the end-to-end tests: one cluster per file, an empty queue and work directory per test.

A file says what cluster it needs with `CLUSTER = dict(nodes=..., conf="...")`. Marks: `ours` for what
Slurm does not do, `accounting` for what needs sacct, `as_root` for what needs a second user.
"""
import itertools
import pwd
import subprocess

import pytest

import databases
import muster


def pytest_configure(config):
    config.addinivalue_line("markers", "ours: behaviour that Slurm does not have")
    config.addinivalue_line("markers", "accounting: needs sacct (embedded accounting)")
    config.addinivalue_line("markers", "as_root: needs root, to act as another user")


def pytest_runtest_setup(item):
    if item.get_closest_marker("as_root") and not muster.IS_ROOT:
        pytest.skip("needs root")
    if any(map(item.get_closest_marker, ("ours", "accounting"))) and muster.is_reference():
        pytest.skip("not with Slurm")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.failed = report.failed


@pytest.fixture(scope="module")
def module_cluster(request):
    cluster = databases.usual_cluster(**getattr(request.module, "CLUSTER", {})).up()
    yield cluster
    cluster.down()


@pytest.fixture
def cluster(request, module_cluster):
    cluster = module_cluster
    places = (cluster.directory / f"work{n}" for n in itertools.count())
    cluster.work = next(p for p in places if not p.exists())
    cluster.work.mkdir()
    cluster.work.chmod(0o777)
    yield cluster
    if getattr(request.node, "failed", False):
        cluster.print_logs()
    if not cluster.controller_is_up():
        cluster.start_controller()
    cluster.cancel_all()
    unusable = cluster.run("sinfo", "-h", "-N", "-o", "%N %T").lines
    for node in sorted({r.split()[0] for r in unusable if "drain" in r or "down" in r or "fail" in r}):
        cluster.run("scontrol", "update", f"nodename={node}", "state=resume")
    cluster.wait_nodes("idle")


def user_named(name):
    """A second user, created if there is none."""
    try:
        pwd.getpwnam(name)
    except KeyError:
        subprocess.run(["useradd", "-m", name], check=True)
    return name


@pytest.fixture
def alice():
    return user_named("alice")


@pytest.fixture
def bob():
    """Another user, whom alice must not be able to harm."""
    return user_named("bob")
