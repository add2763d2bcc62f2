"""--mail-type and --mail-user: which calls of MailProg a job's life makes."""
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from muster import wait_for

MAIL = Path(tempfile.mkdtemp(prefix="muster.mail.", dir="/tmp"))
MAIL.chmod(0o777)
CLUSTER = dict(nodes=1, conf=f"MailProg={MAIL}/program\nMailDomain=example.org\n")


def write_program(body=""):
    """Each call writes a file of its own: its arguments, then its variables."""
    (MAIL / "program").write_text(f"""#!/bin/bash
{body}
f=$(mktemp {MAIL}/call.XXXXXX)
{{ printf '%s\\n' "$@"; env; }} > $f; mv $f $f.done
""")
    (MAIL / "program").chmod(0o755)


@pytest.fixture(scope="module", autouse=True)
def directory():
    yield
    shutil.rmtree(MAIL)


@pytest.fixture(autouse=True)
def program():
    write_program()


def calls(job):
    """Only for this job: mails of earlier tests may still be on their way."""
    found = [file.read_text().splitlines() for file in MAIL.glob("call.*.done")]
    return [call for call in found if re.search(rf"Job_id={job}(_|\b)", call[1])]


def wait_mail(job, pattern):
    """The call whose subject matches."""
    return wait_for(lambda: next((c for c in calls(job) if re.search(pattern, c[1])), None), pattern)


def test_begin_and_end(cluster):
    job = cluster.sbatch("-J", "mj", "--mail-type=ALL", "--mail-user=me@x.org", "--wrap", "true")
    cluster.wait_end(job)
    end = wait_mail(job, "Ended")
    assert re.fullmatch(rf"Slurm Job_id={job} Name=mj Ended, Run time 00:00:0\d, COMPLETED, ExitCode 0", end[1])
    assert (end[0], end[2]) == ("-s", "me@x.org")
    assert {f"SLURM_JOB_ID={job}", "SLURM_JOB_MAIL_TYPE=Ended", "SLURM_JOB_STATE=COMPLETED",
            "SLURM_JOB_EXIT_CODE2=0:0"} <= set(end)
    began = wait_mail(job, "Began")
    assert re.fullmatch(rf"Slurm Job_id={job} Name=mj Began, Queued time 00:00:0\d", began[1])
    assert len(calls(job)) == 2


def test_without_an_address_it_goes_to_the_user_in_the_mail_domain(cluster):
    job = cluster.sbatch("--mail-type=END", "--wrap", "true")
    assert wait_mail(job, "Ended")[2].endswith("@example.org")


def test_the_domain_is_shown_with_the_user(cluster):
    user = cluster.job(cluster.sbatch("-H", "--mail-type=END", "--wrap", "true"))["MailUser"]
    assert user.endswith("@example.org")
    assert cluster.job(cluster.sbatch("-H", "--mail-type=END", "--mail-user=x", "--wrap", "true"))["MailUser"] == "x"


def test_a_failure_alone(cluster):
    good = cluster.sbatch("--mail-type=FAIL", "--wrap", "true")
    bad = cluster.sbatch("--mail-type=FAIL", "--wrap", "exit 7")
    assert wait_mail(bad, "Failed")[1].endswith("FAILED, ExitCode 7")
    cluster.wait_end(good)
    assert not calls(good)


def test_an_array_is_one_summary(cluster):
    job = cluster.sbatch("-J", "a", "--array=1-3", "--mail-type=END", "--wrap", "exit $((SLURM_ARRAY_TASK_ID - 1))")
    assert wait_mail(job, "Ended")[1] == f"Slurm Array Summary Job_id={job}_* ({job}) Name=a Ended, Mixed, ExitCode [0-2]"
    assert len(calls(job)) == 1


@pytest.mark.ours
def test_a_program_that_hangs_or_fails_harms_nothing(cluster):
    hangs = f"while [ -e {cluster.work} ]; do sleep 0.1; done"
    write_program(f"[[ $2 == *hangs* ]] && {{ {hangs}; }}; [[ $2 == *fails* ]] && exit 3")
    for name in ("hangs", "fails"):
        job = cluster.sbatch("-J", name, "--mail-type=BEGIN", "--wrap", "true")
        assert cluster.wait_end(job)["JobState"] == "COMPLETED"
    other = cluster.sbatch("-J", "other", "--mail-type=BEGIN", "--wrap", "true")
    wait_mail(other, "other")
    cluster.wait_text(cluster.directory / "log/slurmctld.log", "the mail was not sent: .*exit status 3:0")


@pytest.mark.ours
def test_a_restarted_controller_does_not_mail_again(cluster):
    job = cluster.sbatch("--mail-type=BEGIN,END", "--wrap", "sleep 1000")
    wait_mail(job, "Began")
    cluster.stop_controller()
    cluster.start_controller()
    cluster.run("scancel", job).ok()
    cluster.wait_end(job)
    wait_mail(job, "Ended")
    assert sorted(c[1].split(",")[0].split()[-1] for c in calls(job)) == ["Began", "Ended"]
