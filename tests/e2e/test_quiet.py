"""-Q of srun and salloc: only errors are printed."""
import signal

import pytest

from muster import wait_for

CLUSTER = dict(nodes=1)


@pytest.mark.parametrize("program", ["srun", "salloc"])
def test_a_job_that_waits_is_not_told_of(cluster, program):
    with cluster.start(program, "-Q", "-H", "--mem=100", "true") as waits:
        wait_for(lambda: cluster.run("squeue", "-h", "-t", "PD").out, "the job to wait")
        waits.send_signal(signal.SIGINT)
        _, err = waits.communicate(timeout=30)
    assert (waits.returncode, err) == (1, "")


def test_an_interrupt_shows_nothing(cluster):
    with cluster.start("srun", "-Q", "--mem=100", "bash", "-c", "trap : USR1; echo up; sleep 1; echo end") as step:
        assert step.stdout.readline() == "up\n"
        step.send_signal(signal.SIGINT)
        out, err = step.communicate(timeout=30)
    assert (out, err) == ("end\n", "")


def test_a_program_that_cannot_be_sent_ends_srun(cluster):
    done = cluster.run("srun", "--mem=100", "--bcast=/no/dir/x", "/bin/echo", "hi")
    assert done.code == 1
    assert done.err == ("srun: error: REQUEST_FILE_BCAST(n1): No such file or directory\n"
                        "srun: fatal: Failed to broadcast '/bin/echo'. Step launch aborted.\n")
    missing = cluster.run("srun", "--mem=100", "--bcast=/tmp/x", "/no/such")
    assert missing.err == "srun: fatal: Can not execute /no/such\n"
