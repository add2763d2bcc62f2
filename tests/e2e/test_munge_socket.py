"""AuthInfo=socket=: a separate munged for the cluster's daemons and commands."""
import pytest

import muster

pytestmark = pytest.mark.as_root


@pytest.fixture(scope="module")
def module_cluster():
    cluster = muster.Cluster(nodes=1)
    cluster.munge.start = cluster.munge._start_own  # with another key than the system's
    yield cluster.up()
    cluster.down()


def test_all_of_them_use_it(cluster):
    for socket in cluster.directory.glob("run/*.sock"):
        socket.unlink()  # from here on connections go over TCP
    cluster.stop_node("n1")
    cluster.start_node("n1")
    cluster.wait_nodes("idle")
    (cluster.directory / "run/slurmd.n1.sock").unlink(missing_ok=True)
    assert cluster.run("squeue").ok()
    assert cluster.run("srun", "--mem=50", "echo", "text").ok().out == "text\n"
    (cluster.work / "file").write_text("content")
    script = cluster.script("job.sh", f"sbcast file {cluster.work}/copy && srun cat {cluster.work}/copy")
    job = cluster.sbatch(script)
    cluster.wait_end(job)
    assert cluster.output(job) == "content"
