"""One batch job from submission to its output."""
import re

import pytest


def test_sbatch_prints_the_id_and_ids_go_on(cluster):
    script = cluster.script("hello.sh", 'echo "args:$1,$2 n=$#"\n')
    first = cluster.run("sbatch", script, "x", "y z").ok()
    assert re.fullmatch(r"Submitted batch job \d+\n", first.out)
    assert first.err == ""
    job = int(first.out.split()[-1])
    second = cluster.run("sbatch", "--parsable", "--wrap", "true").ok()
    assert second.out == f"{job + 1}\n"
    assert cluster.output(job) == "args:x,y z n=2\n"


def test_quiet_prints_nothing(cluster):
    done = cluster.run("sbatch", "-Q", "--wrap", "true").ok()
    assert (done.out, done.err) == ("", "")


def test_a_script_on_stdin_is_named_sbatch(cluster):
    done = cluster.run("sbatch", input="#!/bin/bash\necho from stdin\n").ok()
    job = done.out.split()[-1]
    assert cluster.output(job) == "from stdin\n"
    assert cluster.job(job)["JobName"] == "sbatch"


def test_the_default_name_is_the_scripts_or_wrap(cluster):
    named = cluster.sbatch("-H", cluster.script("train.sh", "true\n"))
    wrapped = cluster.sbatch("-H", "--wrap", "true")
    assert cluster.job(named)["JobName"] == "train.sh"
    assert cluster.job(wrapped)["JobName"] == "wrap"


def test_the_script_is_copied_at_submission(cluster):
    script = cluster.script("job.sh", "echo first\n")
    job = cluster.sbatch("-H", script)
    script.write_text("#!/bin/bash\necho second\n")
    cluster.run("scontrol", "release", job).ok()
    assert cluster.output(job) == "first\n"


def test_the_interpreter_line_is_honoured(cluster):
    job = cluster.sbatch(cluster.script("job.py", "import sys; print(sys.version_info[0])\n", "#!/usr/bin/python3"))
    assert cluster.output(job) == "3\n"


def test_a_login_shell_reads_the_profile(cluster):
    home = cluster.work / "home"
    home.mkdir()
    (home / ".bash_profile").write_text('module() { echo "module $*"; }\n')
    script = cluster.script("job.sh", "module load cuda\n", "#!/bin/bash -l")
    job = cluster.sbatch(script, env={"HOME": str(home)})
    assert cluster.output(job) == "module load cuda\n"


def test_exit_codes_and_signals_become_the_jobs_state(cluster):
    jobs = {
        cluster.sbatch("--wrap", "exit 0"): ("COMPLETED", "0:0", "None"),
        cluster.sbatch("--wrap", "exit 3"): ("FAILED", "3:0", "NonZeroExitCode"),
        cluster.sbatch("--wrap", "kill -9 $$"): ("FAILED", "0:9", None),
    }
    for job, (state, code, reason) in jobs.items():
        record = cluster.wait_end(job)
        assert (record["JobState"], record["ExitCode"]) == (state, code)
        if reason:
            assert record["Reason"] == reason


def test_wait_ends_with_the_jobs_exit_code(cluster):
    assert cluster.run("sbatch", "-W", "--mem=100", "--wrap", "exit 9").code == 9
    assert cluster.run("sbatch", "--wait", "--mem=100", "--wrap", "true").code == 0


def test_test_only_tells_a_time_for_jobs_that_would_wait_for_other_things(cluster):
    running = cluster.sbatch("--mem=100", "--wrap", "sleep 100")
    for option in ("--begin=2037-01-02T03:04:05", f"--dependency=afterok:{running}", "--hold"):
        done = cluster.run("sbatch", "--test-only", "--mem=100", option, "--wrap", "true").ok()
        assert re.search(r"Job \d+ to start at \S+ using 1 processors on nodes n\d in partition", done.err), option


def test_test_only_submits_nothing(cluster):
    done = cluster.run("sbatch", "--test-only", "--mem=100", "--wrap", "true")
    assert done.code == 0
    assert re.search(r"sbatch: Job \d+ to start at 20\S+ using 1 processors on nodes n\d in partition batch", done.err)
    assert cluster.queue_is_empty()


def test_the_job_runs_in_the_submission_directory_or_the_one_asked_for(cluster):
    other = cluster.work / "other"
    other.mkdir()
    here = cluster.sbatch("--wrap", "pwd")
    there = cluster.sbatch("-D", other, "--wrap", "pwd; umask")
    assert cluster.output(here) == f"{cluster.work}\n"
    assert cluster.output(there, "other/slurm-{}.out").startswith(f"{other}\n")


def test_the_umask_of_the_submitter_arrives(cluster):
    job = cluster.run("bash", "-c", "umask 027; sbatch --parsable --mem=100 --wrap umask").ok().out.strip()
    assert cluster.output(job) == "0027\n"
    assert (cluster.work / f"slurm-{job}.out").stat().st_mode & 0o777 == 0o640


def test_stdin_of_a_job_is_empty_unless_a_file_is_given(cluster):
    (cluster.work / "input").write_text("some text\n")
    empty = cluster.sbatch("--wrap", "cat; echo end")
    given = cluster.sbatch("-i", "input", "--wrap", "cat")
    assert cluster.output(empty) == "end\n"
    assert cluster.output(given) == "some text\n"


def test_a_job_and_its_children_are_a_group_of_their_own_in_slurmstepds_session(cluster):
    job = cluster.sbatch("--wrap", "ps -o pgid=,sid= -p $$; ps -o sid= -p $PPID; echo $$")
    group, session, above, shell = cluster.output(job).split()
    assert group == shell
    assert session == above


def test_a_hundred_thousand_lines_arrive_whole(cluster):
    job = cluster.sbatch("--wrap", "seq 1 100000")
    assert cluster.output(job) == "".join(f"{i}\n" for i in range(1, 100001))
