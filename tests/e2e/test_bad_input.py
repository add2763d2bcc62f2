"""What sbatch and other commands refuse: a clear message on stderr, nothing on stdout, the exit code."""
import re

import pytest

UNAVAILABLE = "Requested node configuration is not available"

REFUSED = [
    # arguments, exit code, what stderr holds
    (["-p", "nope"], 1, "invalid partition specified: nope\nsbatch: error: Batch job submission failed: "
                        "Invalid partition name specified"),
    (["-t", "bad"], 255, "Invalid --time specification"),
    (["-a", "5-1"], 1, "Batch job submission failed: Invalid job array specification"),
    (["-a", "abc"], 1, "Invalid job array specification"),
    (["-a", "0-200000"], 1, "Invalid job array specification"),
    (["--gres=foo:1"], 1, r"Invalid generic resource \(gres\) specification"),
    (["--gres=gpu:9"], 1, UNAVAILABLE),
    (["--gres=gpu:p100:1"], 1, UNAVAILABLE),
    (["--mem=99999999"], 1, "Memory specification can not be satisfied\nsbatch: error: "
                            f"Batch job submission failed: {UNAVAILABLE}"),
    (["--mem=xyz"], 255, "Invalid --mem specification"),
    (["-C", "nosuch"], 1, "Invalid feature specification"),
    (["-w", "n99"], 1, "Invalid node name specified"),
    (["-x", "n[1-4]"], 1, UNAVAILABLE),
    (["-d", "foo:1"], 1, "Job dependency problem"),
    (["--begin=xxx"], 255, "Invalid --begin specification"),
    (["--signal=FOO"], 255, "Invalid --signal specification"),
    (["--mail-type=XX"], 255, "Invalid --mail-type specification"),
    (["--nosuch"], 255, "unrecognized option '--nosuch'\nTry \"sbatch --help\" for more information"),
    (["-n", "0"], 1, 'Invalid numeric value "0" for --ntasks.'),
    (["-N", "3-2"], 255, "Maximum node count 2 is less than minimum node count 3"),
    (["--wrap", "true"], 1, "Script arguments not permitted with --wrap option"),
]


@pytest.mark.parametrize("args, code, text", REFUSED, ids=lambda v: " ".join(v) if isinstance(v, list) else None)
def test_sbatch_refuses(cluster, args, code, text):
    done = cluster.run("sbatch", *args, cluster.script("ok.sh", "true\n"))
    assert (done.code, done.out) == (code, "")
    assert re.search(rf"{text}\n?$", done.err), done.err


@pytest.mark.parametrize("content, code, text", [
    ("echo hello\n", 1, "This does not look like a batch script.  The first\n"
                        "sbatch: error: line must start with #! followed by the path to an interpreter.\n"
                        "sbatch: error: For instance: #!/bin/sh\n"),
    ("", 1, "Batch script is empty!\n"),
    ("#!/bin/bash\r\ntrue\r\n", 1, "Batch script contains DOS line breaks"),
    ("#!/bin/bash\n#SBATCH --nonsense\ntrue\n", 255, "unrecognized option '--nonsense'"),
], ids=["no interpreter", "empty", "dos", "bad directive"])
def test_sbatch_refuses_the_script(cluster, content, code, text):
    (cluster.work / "job.sh").write_bytes(content.encode())
    done = cluster.run("sbatch", "job.sh")
    assert (done.code, done.out) == (code, "")
    assert text in done.err


def test_sbatch_names_a_missing_file(cluster):
    done = cluster.run("sbatch", "missing.sh")
    assert (done.code, done.out, done.err) == (1, "", "sbatch: error: Unable to open file missing.sh\n")


@pytest.mark.ours
def test_a_script_that_opens_with_directives_runs_under_bash_with_a_warning(cluster):
    (cluster.work / "job.sh").write_text('#SBATCH --job-name=plain\necho "bash ${BASH_VERSION:+yes}"\n')
    done = cluster.run("sbatch", "--mem=100", "job.sh").ok()
    assert "warning" in done.err.lower()
    job = done.out.split()[-1]
    assert cluster.output(job) == "bash yes\n"
    assert cluster.job(job)["JobName"] == "plain"


def test_other_commands_refuse_unknown_ids(cluster):
    done = cluster.run("squeue", "-j", "99999")
    assert (done.code, done.err) == (1, "slurm_load_jobs error: Invalid job id specified\n")
    assert cluster.run("scancel", "99999").code == 0
    assert cluster.run("scancel", "abc").code == 1
    done = cluster.run("scontrol", "show", "job", "99999")
    assert done.code == 1
    assert "Invalid job id specified" in done.err + done.out


def test_unknown_partitions_and_nodes_list_nothing(cluster):
    done = cluster.run("squeue", "-p", "nope").ok()
    assert done.out == "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n"
    done = cluster.run("sinfo", "-p", "nope").ok()
    assert done.out == "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"


def test_an_unknown_key_of_an_update_is_refused(cluster):
    job = cluster.sbatch("-H", "--wrap", "true")
    done = cluster.run("scontrol", "update", f"jobid={job}", "Bogus=1")
    assert done.code == 1
    assert "Update of this parameter is not supported: Bogus=1" in done.out + done.err


def test_a_refused_partition_uses_up_no_id(cluster):
    first = cluster.sbatch("-H", "--wrap", "true")
    cluster.run("sbatch", "-p", "nope", "--wrap", "true")
    assert int(cluster.sbatch("-H", "--wrap", "true")) == int(first) + 1
