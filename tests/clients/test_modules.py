"""Environment modules: `module load` in a login script and with --get-user-env, with both programs that Debian has."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import muster

KINDS = {"environment-modules": "usr/share/modules/init/bash", "lmod": "usr/share/lmod/lmod/init/bash"}


@pytest.fixture(params=KINDS)
def home(request, as_client):
    """A user whose profile sets modules up, and a module to load."""
    where = os.environ.get("MUSTER_MODULES")
    if not where:
        pytest.skip("fetch_modules has not run")
    start = Path(where) / request.param / KINDS[request.param]
    assert start.exists()
    home = as_client.work / request.param
    modules = home / "modulefiles/hello"
    modules.mkdir(parents=True, exist_ok=True)
    (modules / "1.0").write_text("#%Module1.0\nsetenv HELLO world\nprepend-path PATH /opt/hello/bin\n")
    (home / ".bash_profile").write_text(f". {start}\nmodule use {home}/modulefiles\n")
    return home


def run(as_client, home, script, *options):
    done = as_client.run("sbatch", "--parsable", "--mem=100", *options, script, env={"HOME": str(home)}).ok()
    job = done.out.strip()
    as_client.wait_end(job)
    return as_client.output(job)


def test_module_load_in_a_login_script(as_client, home):
    script = as_client.script("login.sh", "module load hello\necho $HELLO ${PATH%%:*}\n", "#!/bin/bash -l")
    assert run(as_client, home, script) == "world /opt/hello/bin\n"


def test_a_loaded_module_reaches_the_steps(as_client, home):
    # By its path, because the machine's profile sets PATH and may find another srun.
    script = as_client.script("step.sh", f"module load hello\n{muster.BIN}/srun -n2 sh -c 'echo $HELLO'\n", "#!/bin/bash -l")
    assert run(as_client, home, script, "-n2") == "world\nworld\n"


def test_module_is_there_without_the_callers_environment(as_client, home):
    script = as_client.script("none.sh", "module load hello\necho $HELLO\n", "#!/bin/bash -l")
    assert run(as_client, home, script, "--export=HOME") == "world\n"


def test_module_is_a_function_after_get_user_env(as_client, home):
    if os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("needs a user of its own")
    name = f"mods{os.getpid()}"
    subprocess.run(["useradd", "-M", "-d", home, "-s", "/bin/bash", name], check=True)
    try:
        script = as_client.script("get.sh", "module load hello\necho $HELLO\n")
        as_client.work.chmod(0o777)
        done = as_client.run("sbatch", "--parsable", "--mem=100", "--get-user-env", "--export=NONE", script, user=name)
        job = done.ok().out.strip()
        as_client.wait_end(job)
        assert as_client.output(job) == "world\n"
    finally:
        subprocess.run(["userdel", name], check=True)
