"""job_submit.lua: what scripts of sites do, on Slurm and here."""
import pytest
import submit_lua
from submit_lua import hold, said


@pytest.fixture(scope="module")
def module_cluster():
    cluster = submit_lua.Cluster(nodes=1, conf="JobSubmitPlugins=lua\n", partitions=submit_lua.PARTITIONS).up()
    yield cluster
    cluster.down()


def accepted(done):
    assert done.code == 0, done.err
    return done.out.split()[-1]


def test_a_script_chooses_the_partition_of_gpu_jobs(cluster):
    assert cluster.job(accepted(hold(cluster, "--gres=gpu:1")))["Partition"] == "standard"
    assert cluster.job(accepted(hold(cluster, "--gpus=1")))["Partition"] == "standard"
    assert cluster.job(accepted(hold(cluster, "--gpus=1", "-pbatch")))["Partition"] == "batch"
    assert cluster.job(accepted(hold(cluster)))["Partition"] == "batch"


def test_a_refusal_tells_the_user_why(cluster):
    done = hold(cluster, "--comment=refuse")
    assert done.code == 1 and done.out == ""
    assert said(done) == ["error: no jobs today", "error: Batch job submission failed: Unspecified error"]


def test_a_number_has_slurms_text(cluster):
    assert said(hold(cluster, "--comment=code")) == [
        "error: too long",
        "error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)"]
    for number, text in [(2050, "Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"),
                         (2072, "Invalid generic resource (gres) specification"), (2066, "Invalid qos specification"),
                         (8000, "Time limit specification required, but not provided"),
                         (1234567, "Unknown error 1234567")]:
        assert said(hold(cluster, f"--comment={number}"))[-1] == f"error: Batch job submission failed: {text}"


def test_lines_for_the_user_come_with_the_number_of_the_job(cluster):
    done = hold(cluster, "--comment=greet")
    accepted(done)
    assert said(done) == [f"hello {submit_lua.muster.USER}", "welcome"]


def test_a_limit_is_given_to_jobs_without_one(cluster):
    assert cluster.job(accepted(hold(cluster, "--comment=limit")))["TimeLimit"] == "00:07:00"
    assert cluster.job(accepted(hold(cluster, "--comment=limit", "-t9")))["TimeLimit"] == "00:09:00"


def test_a_script_may_set_what_administrators_may(cluster):
    done = cluster.run("sbatch", "--mem=10", "--begin=now+1hour", "--comment=fields", "--wrap", "true")
    job = cluster.job(accepted(done))
    assert (job["JobName"], job["Priority"], job["Nice"]) == ("renamed", "77", "5")
    assert (job["MinMemoryNode"], job["MailType"], job["Features"]) == ("123M", "END,FAIL", "fast")
    assert "Comment=by the site" in cluster.run("scontrol", "show", "job", job["JobId"]).out


def test_variables_of_the_job_can_be_read_and_set(cluster):
    job = cluster.sbatch("--comment=environment", "--wrap", "echo got $FROM_SITE", env={"FROM_USER": "abc"})
    assert cluster.output(job) == "got abc!\n"


def test_an_unknown_field_is_only_logged(cluster):
    accepted(hold(cluster, "--comment=unknown"))
    submit_lua.muster.wait_for(lambda: "unrecognized field: nonsense" in cluster.log(), "the line of the log")


def test_what_is_not_given_is_nil_or_no_val(cluster):
    done = cluster.run("sbatch", "-H", "--comment=unset", "--wrap", "true")
    accepted(done)
    assert said(done) == ["nil nil true true true"]


def test_partitions_are_there_by_their_names(cluster):
    assert said(hold(cluster, "--comment=parts")) == ["1 10 staff"]


def test_an_array_is_asked_about_once(cluster):
    assert said(hold(cluster, "--comment=count", "--array=0-3%2")) == ["one call for 0-3%2"]


def test_each_component_is_asked_about(cluster):
    done = cluster.run("sbatch", "-H", "--comment=count", "--mem=10", ":", "--comment=greet", "--mem=10", "--wrap", "true")
    accepted(done)
    assert said(done)[0] == "0: one call for nil" and said(done)[-1] == "1: welcome"
    done = cluster.run("sbatch", "-H", "--mem=10", ":", "--comment=refuse", "--mem=10", "--wrap", "true")
    assert done.code == 1 and said(done)[0].endswith(": no jobs today")


def test_a_script_reads_the_batch_script(cluster):
    good, bad = cluster.script("good.sh", "true\n"), cluster.script("bad.sh", "echo forbidden\n")
    done = cluster.run("sbatch", "-H", "--comment=script", good, "one", "two")
    accepted(done)
    assert said(done) == ["3 arguments, first one"]
    assert cluster.run("sbatch", "-H", "--comment=script", bad).code == 1


def test_names_of_lua_5_1_are_there(cluster):
    assert said(hold(cluster, "--comment=old")) == ["3 3 old"]


def test_srun_and_salloc_are_asked_about(cluster):
    for command in (["srun", "-n1"], ["salloc", "-n1"]):
        done = cluster.run(*command, "--comment=refuse", "true")
        assert done.code == 1 and "error: no jobs today" in said(done)
        assert any(line.endswith(": Unspecified error") for line in said(done))
        done = cluster.run(*command, "--mem=10", "--comment=greet", "true")
        assert done.code == 0 and "welcome" in said(done)


def test_an_update_passes_slurm_job_modify(cluster):
    job = accepted(hold(cluster, "-t100"))
    done = cluster.run("scontrol", "update", f"jobid={job}", "comment=never")
    assert done.code == 1 and "Access/permission denied" in done.err
    cluster.run("scontrol", "update", f"jobid={job}", "comment=shorter").ok()
    assert cluster.job(job)["TimeLimit"] == "01:39:00"
    cluster.run("scontrol", "update", f"jobid={job}", "timelimit=1000").ok()
    assert cluster.job(job)["TimeLimit"] == "08:20:00"


@pytest.mark.ours  # Slurm sees a change only in another second than the last one
def test_a_changed_script_is_loaded_and_a_broken_one_is_not(cluster):
    try:
        cluster.write_lua(submit_lua.RULES.replace('"welcome"', '"bienvenue"'))
        assert said(hold(cluster, "--comment=greet"))[-1] == "bienvenue"
        cluster.write_lua("this is no Lua\n")
        assert said(hold(cluster, "--comment=greet"))[-1] == "bienvenue"
        submit_lua.muster.wait_for(lambda: "job_submit.lua:1: " in cluster.log(), "file and line in the log")
        cluster.lua.unlink()
        assert said(hold(cluster, "--comment=greet"))[-1] == "bienvenue"
    finally:
        cluster.write_lua(submit_lua.RULES)
    assert said(hold(cluster, "--comment=greet"))[-1] == "welcome"


@pytest.mark.ours
def test_modules_lie_beside_the_script(cluster):
    assert said(hold(cluster, "--comment=module")) == ["from a module"]


@pytest.mark.parametrize("text", [None, "this is no Lua\n", "function slurm_job_submit() end\n", "return 7\n"])
def test_slurmctld_does_not_start_without_a_good_script(cluster, text):
    cluster.stop_controller()
    try:
        cluster.lua.unlink() if text is None else cluster.write_lua(text)
        done = cluster.run(submit_lua.muster.SBIN / "slurmctld", "-D", "-f", cluster.config_file)
        assert done.code == 1 and "job_submit" in done.err
    finally:
        cluster.write_lua(submit_lua.RULES)
        cluster.start_controller()
