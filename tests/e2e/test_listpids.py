"""scontrol listpids: the processes of steps on a node."""
import re

import pytest

from muster import wait_for

CLUSTER = dict(nodes=2)
HEADER = "PID      JOBID    STEPID   LOCALID GLOBALID\n"


@pytest.fixture
def job(cluster):
    """A batch job with a step of a task on each of two nodes, each with a child."""
    job = cluster.sbatch("-N2", "--wrap", "srun -N2 -n2 --overlap sh -c 'sleep 300 & touch up.$SLURM_PROCID; wait'")
    wait_for(lambda: all((cluster.work / f"up.{rank}").exists() for rank in (0, 1)), "the step")
    return job


def rows(done):
    assert done.out.startswith(HEADER)
    return [line.split() for line in done.out.splitlines()[1:]]


def test_a_step_has_its_tasks_and_their_children(cluster, job):
    leader, *others = rows(cluster.run("scontrol", "listpids", f"{job}.0", "n2").ok())
    assert leader[1:] == [job, "0", "0", "1"]
    assert [row[1:] for row in others] == [[job, "0", "-", "-"]] * len(others)
    commands = [open(f"/proc/{row[0]}/cmdline").read().replace("\0", " ").strip() for row in [leader, *others]]
    assert "sh -c" in commands[0] and "sleep 300" in commands[1:]


def test_a_job_has_its_batch_script_and_its_steps(cluster, job):
    found = rows(cluster.run("scontrol", "listpids", job, "n1").ok())
    leaders = [row[2:] for row in found if row[3] != "-"]
    assert sorted(leaders) == [["0", "0", "0"], ["batch", "0", "0"]]
    assert all(row[1] == job for row in found)


def test_columns_have_their_widths(cluster, job):
    done = cluster.run("scontrol", "listpids", f"{job}.0", "n1").ok()
    assert re.match(r"\d+ +$", done.out.splitlines()[1][:9])
    assert len(done.out.splitlines()[1]) == 9 + 9 + 9 + 8 + 8


def test_all_steps_of_the_own_node_are_the_default(cluster, job):
    every = rows(cluster.run("scontrol", "listpids", env={"SLURMD_NODENAME": "n1"}).ok())
    assert {row[1] for row in every} == {job}
    assert rows(cluster.run("scontrol", "listpids", "*", "n1").ok())


def test_what_is_not_there_is_said(cluster, job):
    for words, text in (([f"{job}.7", "n1"], f"StepId={job}.7 does not exist on node n1.\n"),
                        (["99999", "n1"], "There are no steps for job 99999 on node n1.\n")):
        done = cluster.run("scontrol", "listpids", *words)
        assert (done.code, done.out, done.err) == (1, HEADER, text)
    done = cluster.run("scontrol", "listpids", "abc", "n1")
    assert (done.code, done.out, done.err) == (1, "", '"abc" does not look like a jobid\n')


@pytest.mark.as_root
@pytest.mark.ours
def test_others_processes_are_not_shown(cluster, job):
    done = cluster.run("scontrol", "listpids", "*", "n1", user="nobody")
    assert (done.code, done.out) == (1, HEADER)
