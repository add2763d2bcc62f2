"""The example configuration: slurmctld runs as a user without rights, and jobs are confined."""
import re
import subprocess
from pathlib import Path

import muster
import pytest
from muster import wait_for

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
V1 = Path("/sys/fs/cgroup/memory/memory.limit_in_bytes").exists()
pytestmark = [pytest.mark.as_root, pytest.mark.ours, pytest.mark.skipif(not V1, reason="needs cgroup v1 with its controllers")]


@pytest.fixture
def example(alice):
    """A cluster from the files that are installed: other places and ports, alice instead of slurm, and this machine's kind of cgroups."""
    cluster = muster.Cluster(nodes=1)
    here, port = cluster.directory, cluster.ports.base
    text = (PACKAGING / "slurm.conf.example").read_text()
    for place in ("/var/lib", "/var/log", "/run"):
        text = re.sub(rf"={place}/", f"={here}{place}/", text)
    text = text.replace("SlurmUser=slurm", f"SlurmUser={alice}").replace("=6817", f"={port}").replace("=6818", f"={port + 1}")
    cluster.config_file.write_text(text)
    (here / "etc/cgroup.conf").write_text((PACKAGING / "cgroup.conf.example").read_text() + "CgroupPlugin=cgroup/v1\n")
    # As StateDirectory= and the like of the units do.
    for place, mode in {"var/lib/slurmctld": 0o700, "run/slurmctld": 0o755, "var/log/slurmctld": 0o750}.items():
        (here / place).mkdir(parents=True)
        (here / place).chmod(mode)
        subprocess.run(["chown", alice, here / place], check=True)
    for place in ("var/lib/slurmd", "run/slurmd", "var/log/slurmd"):
        (here / place).mkdir(parents=True)
    cluster.munge.start()
    controller = here / "run/slurmctld/slurmctld.pid"
    node = here / "run/slurmd/slurmd.pid"
    try:
        cluster.run(muster.SBIN / "slurmctld", "-f", cluster.config_file, user=alice).ok()
        wait_for(cluster.controller_is_up, "slurmctld to answer")
        cluster.run(muster.SBIN / "slurmd", "-N", "localhost", "-f", cluster.config_file).ok()
        wait_for(lambda: cluster.run("sinfo", "-h", "-o", "%T").out == "idle\n", "the node")
        yield cluster
    finally:
        for log in here.glob("var/log/*/*.log"):
            print(f"--- {log}", log.read_text(), sep="\n")
        for file in (node, controller):
            cluster._stop(file, muster.signal.SIGTERM)
        cluster.down()


def test_a_job_gets_what_it_asked_for_and_no_more(example, alice, bob):
    greedy = "python3 -c 'x = bytearray(300 << 20)'"
    record = example.wait_end(example.sbatch("--wrap", f"id -un; {greedy}", memory="50", user=bob))
    assert record["JobState"] == "OUT_OF_MEMORY"
    job = example.sbatch("--wrap", "id -un; grep -c /job_$SLURM_JOB_ID/ /proc/self/cgroup", memory="50", user=bob)
    name, groups = example.output(job).splitlines()
    assert name == bob and int(groups) > 0
    assert example.job(job)["JobState"] == "COMPLETED"
    pid = int((example.directory / "run/slurmctld/slurmctld.pid").read_text())
    status = Path(f"/proc/{pid}").stat()
    assert status.st_uid == muster.pwd.getpwnam(alice).pw_uid
