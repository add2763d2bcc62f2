"""CompleteWait: nothing starts while a completing job cleans up."""
from muster import is_alive

CLUSTER = dict(nodes=2, conf="CompleteWait=30\n")


def test_the_next_job_starts_when_the_last_one_has_left(cluster):
    stubborn = cluster.sbatch("-w", "n1", cluster.script(
        "stubborn.sh", "trap : TERM\necho $$ > pid\nwhile :; do sleep 0.1; done\n"))
    pid = int(cluster.wait_text("pid", r"\d+\n"))
    cluster.run("scancel", stubborn).ok()
    cluster.wait_state(stubborn, "COMPLETING")
    job = cluster.sbatch("-w", "n2", "--wrap", "sleep 100")
    assert cluster.state(job) == "PENDING"
    cluster.wait_state(job, "RUNNING")
    assert not is_alive(pid)
