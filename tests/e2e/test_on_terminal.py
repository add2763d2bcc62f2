"""What only people see: hints and colours on a terminal, and completion in shells. Programs get Slurm's text alone."""
import os
import pty
import re
import shutil
import subprocess

import pytest

import muster
from embedded import Embedded
from muster import wait_for

pytestmark = pytest.mark.ours


@pytest.fixture(scope="module")
def cluster():
    cluster = Embedded()
    cluster.environment["TERM"] = "xterm"
    cluster.up("--nodes=2", "--feature=fast")
    yield cluster
    cluster.end()


def on_terminal(cluster, *args, **settings):
    """Exit code and all that a command prints on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(args, env={**cluster.environment, **settings}, cwd=cluster.home,
                               stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        text += piece
    os.close(ours)
    return process.wait(muster.LIMIT), text.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("option, hints", [
    ("--partition=gpu", ["there is no partition gpu; there is main", "`muster up` with --partition=gpu"]),
    ("--partition=mian", ["did you mean main?"]),
    ("--gres=gpu:1", ["this cluster has no GPUs", "`muster up` with --gpus=1"]),
    ("--gpus=v100:8", ["this cluster has no GPUs", "`muster up` with --gpus=v100:8"]),
    ("--constraint=a100", ["there is no node with the feature a100; there is fast", "`muster up` with --feature=a100"]),
    ("--nodelist=node9", ["there is no node node9; there are node[1-2]"]),
    ("--cpus-per-task=99", ["no node has 99 CPUs", "`muster up` with --cpus=99"]),
    ("--mem=900G", ["MB of memory", "`muster up` with --memory=900G"]),
])
def test_a_refusal_says_what_would_fit(cluster, option, hints):
    command = "sbatch", option, "--wrap", "true"
    code, text = on_terminal(cluster, *command)
    piped = cluster.run(*command)
    assert code == piped.returncode == 1
    assert text.startswith(piped.stderr) and piped.stderr.count("\n") <= 2  # Slurm's text comes first, and is all for programs
    for hint in hints:
        assert hint in text and hint not in piped.stderr, text


def test_a_mistyped_option_is_corrected(cluster):
    for command, hint in ((("sbatch", "--partiton=main", "x"), "did you mean --partition?"),
                          (("squeue", "--stat=R,PD", "--usre=me"), "did you mean --user?"),
                          (("srun", "--ntask-per-node=1", "true"), "did you mean --ntasks-per-node?")):
        code, text = on_terminal(cluster, *command)
        piped = cluster.run(*command)
        assert code == piped.returncode != 0
        assert hint in text and hint not in piped.stderr, text


def test_a_wrong_line_of_a_script_is_named(cluster):
    for line in "#SBATCH --time=soon", "#SBATCH --job-nmae=x", "#SBATCH word":
        (cluster.home / "bad.sh").write_text(f"#!/bin/bash\n#SBATCH -n1\n{line}\ntrue\n")
        code, text = on_terminal(cluster, "sbatch", "bad.sh")
        piped = cluster.run("sbatch", "bad.sh")
        assert code == piped.returncode == 255
        assert f"bad.sh:3: {line}" in text and "bad.sh:3" not in piped.stderr, text


def test_states_have_colours_on_a_terminal_only(cluster):
    job = cluster.submit("-H", "-J", "a\x1b[31mb", "--wrap", "true")
    green, yellow, plain = "\x1b[32m", "\x1b[33m", "\x1b[0m"
    _, text = on_terminal(cluster, "sinfo")
    assert f"{green}  idle{plain} node[1-2]" in text, text
    _, text = on_terminal(cluster, "squeue")
    assert f"{yellow}PD{plain}" in text and "a?[31mb" in text, text
    assert green in on_terminal(cluster, "muster", "status")[1]
    assert "\x1b" not in on_terminal(cluster, "sinfo", NO_COLOR="1")[1]
    assert "\x1b" not in on_terminal(cluster, "sinfo", TERM="dumb")[1]
    assert "\x1b" not in on_terminal(cluster, "sinfo", "--color=never")[1]
    assert "\x1b" not in cluster.run("sinfo").stdout
    always = cluster.run("sinfo", "--color=always").stdout
    assert re.sub(r"\x1b\[\d+m", "", always) == cluster.run("sinfo").stdout and green in always
    assert cluster.run("squeue", "--color=sometimes").returncode == 1
    cluster.run("scancel", job)
    wait_for(lambda: "CANCELLED" in cluster.run("sacct", "-n", "-X", "-j", job, "-o", "State").stdout, "the record")
    assert "\x1b[35mCANCELLED" in on_terminal(cluster, "sacct", "-X", "-j", job)[1]


def completed(cluster, *words):
    done = cluster.run("muster", "complete", str(len(words) - 1), *words)
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


def test_words_are_completed(cluster):
    job = cluster.submit("-H", "--wrap", "true")
    assert completed(cluster, "sbatch", "--partit") == ["--partition"]
    assert completed(cluster, "sbatch", "--partition", "m") == ["main"]
    assert completed(cluster, "sbatch", "--partition=main,m") == ["--partition=main,main"]
    assert completed(cluster, "squeue", "-w", "") == ["node1", "node2"]
    assert completed(cluster, "sbatch", "--nodes", "") == []
    assert completed(cluster, "sbatch", "-C", "f") == ["fast"]
    assert completed(cluster, "sbatch", "-A", "ro") == ["root"]
    assert completed(cluster, "sinfo", "--color", "=", "n") == ["never"]
    for words in ("scancel", ""), ("muster", "explain", ""), ("scontrol", "show", "job", ""), ("scontrol", "release", ""):
        assert completed(cluster, *words) == [job], words
    assert "requeue" in completed(cluster, "scontrol", "re")
    assert completed(cluster, "scontrol", "show", "par") == ["partition"]
    assert completed(cluster, "muster", "st") == ["status"]
    cluster.run("scancel", job)


def test_bash_asks_for_completions(cluster):
    script = 'eval "$(muster completion bash)"; COMP_WORDS=(sbatch --partition = m); COMP_CWORD=3; _muster_complete; echo "${COMPREPLY[@]}"'
    assert cluster.run("bash", "-c", script).stdout == "main\n"
    assert cluster.run("bash", "-c", 'eval "$(muster completion bash)"; complete -p squeue').stdout.count("_muster_complete") == 1


def test_fish_and_zsh_understand_their_scripts(cluster):
    for shell in "fish", "zsh":
        script = cluster.run("muster", "completion", shell)
        assert script.returncode == 0 and "muster complete" in script.stdout
        if shutil.which(shell):
            (cluster.home / "script").write_text(script.stdout)
            assert cluster.run(shell, "-n", "script").returncode == 0
    if shutil.which("fish"):
        done = cluster.run("fish", "--no-config", "-c", "muster completion fish | source; complete -C 'sbatch --partition '")
        assert "main" in done.stdout.split(), done.stderr
    assert cluster.run("muster", "completion", "tcsh").returncode == 1


def explain(cluster, job):
    return cluster.run("muster", "explain", job).stdout


def test_explain_names_what_keeps_a_job_waiting(cluster):
    large = cluster.submit("-N5", "--wrap", "true")
    wait_for(lambda: "It asks for 5 nodes; a job in partition main can have 2" in explain(cluster, large),
             lambda: explain(cluster, large))
    held = cluster.submit("-H", "--wrap", "true")
    behind = cluster.submit(f"--dependency=afterok:{held}", "--kill-on-invalid-dep=no", "--wrap", "true")
    cluster.run("scancel", held)
    wait_for(lambda: f"scancel {behind} removes it" in explain(cluster, behind), lambda: explain(cluster, behind))
    endless = cluster.submit("-N2", "--exclusive", "--time=UNLIMITED", "--wrap", "sleep 1000")
    cluster.wait_running(endless)
    waits = cluster.submit("-N2", "--time=5", "--wrap", "true")
    wait_for(lambda: "no time can be said" in explain(cluster, waits), lambda: explain(cluster, waits))
    assert f"Job {endless} runs without a time limit." in explain(cluster, waits)
    cluster.run("scancel", endless)
    cluster.run("scontrol", "update", "nodename=node2", "state=drain", "reason=new disk")
    whole = cluster.submit("-N2", "--wrap", "true")
    wait_for(lambda: "Out of service: node2 (drained: new disk)." in explain(cluster, whole), lambda: explain(cluster, whole))
    cluster.run("scontrol", "update", "nodename=node2", "state=resume")
    cluster.run("scancel", large, behind, waits, whole)


def test_explain_shows_how_a_job_failed_and_sums_up_arrays(cluster):
    failed = cluster.submit("--wrap", "echo no such data; exit 3")
    wait_for(lambda: "FAILED" in explain(cluster, failed), lambda: explain(cluster, failed))
    text = explain(cluster, failed)
    assert "exit code 3:0" in text and f"slurm-{failed}.out" in text and "no such data" in text
    array = cluster.submit("--array=0-11", "--wrap", "exit $((SLURM_ARRAY_TASK_ID == 7))")
    wait_for(lambda: "11 COMPLETED" in explain(cluster, array), lambda: explain(cluster, array))
    text = explain(cluster, array)
    assert "is an array of 12 tasks" in text and f"1 FAILED: {array}_7" in text and len(text.splitlines()) == 3


def test_sim_has_its_own_help():
    done = subprocess.run([muster.BIN / "muster", "sim", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--policy" in done.stdout
