"""Concurrent steps in one job: each takes its own share, or waits for it."""
import re

import muster
import pytest

CLUSTER = dict(nodes=2)
SHOW = "bash -c 'echo $SLURM_CPUS_ON_NODE/$CUDA_VISIBLE_DEVICES'"


def job(cluster, *args, body):
    number = cluster.sbatch("--mem=400", *args, cluster.script("job.sh", body))
    cluster.wait_end(number)
    return cluster.output(number).splitlines()


def test_a_step_has_all_of_its_job_unless_it_asks_for_less(cluster):
    lines = job(cluster, "-n4", "--gres=gpu:4", body=f"""
srun -n1 {SHOW}
srun -n1 --exact {SHOW}
srun -n1 -c2 {SHOW}
srun -n1 --exclusive --gres=gpu:1 {SHOW}
srun -n1 --exact --gres=none {SHOW}
srun -n1 --exact --whole {SHOW}
""")
    assert lines == ["4/0,1,2,3", "1/0,1,2,3", "2/0,1,2,3", "1/0", "1/", "4/0,1,2,3"]


@pytest.mark.ours
def test_what_a_step_had_is_free_once_its_srun_has_returned(cluster):
    assert job(cluster, "-N2", "-n4", body="""
for i in $(seq 20); do
  srun -n4 --exact true
  squeue -h -s -j $SLURM_JOB_ID -o %i | grep -v -e batch -e extern
  srun -I -n4 --exact true || echo busy
done
""") == []


def test_four_steps_get_four_gpus_at_once(cluster):
    lines = job(cluster, "-n4", "--gres=gpu:4", body="""
for i in 1 2 3 4; do
  srun -n1 --exclusive --mem=100 --gres=gpu:1 bash -c 'echo $CUDA_VISIBLE_DEVICES
    touch here.$CUDA_VISIBLE_DEVICES; until [ -e here.0 -a -e here.1 -a -e here.2 -a -e here.3 ]; do sleep 0.05; done' &
done
wait
""")
    assert sorted(lines) == ["0", "1", "2", "3"]


def test_a_step_without_room_waits_and_says_so(cluster):
    lines = job(cluster, "-n2", body="""
srun -n2 --exact bash -c 'touch first; sleep 1.5; echo first' &
until [ -e first ]; do sleep 0.05; done
srun -n1 --exact echo second
wait
""")
    text = "\n".join(lines)
    assert "srun: Job " in text and "step creation temporarily disabled, retrying (Requested nodes are busy)" in text
    assert [line for line in lines if line in ("first", "second")][-1] == "second"
    assert re.search(r"srun: Step created for job \d+", text)


def test_overlapping_steps_run_at_once(cluster):
    lines = job(cluster, "-n1", body="""
srun -n1 bash -c 'until [ -e go ]; do sleep 0.05; done; echo whole' &
srun -n1 --overlap bash -c 'touch go; echo overlap'
wait
""")
    assert sorted(lines) == ["overlap", "whole"]


def test_a_step_in_a_hurry_does_not_wait(cluster):
    lines = job(cluster, "-n1", body="""
srun -n1 bash -c 'touch runs; until [ -e go ]; do sleep 0.05; done' &
until [ -e runs ]; do sleep 0.05; done
srun -n1 --immediate true; echo code $?
touch go; wait
""")
    assert any(re.search(r"srun: error: Unable to create step for job \d+: Requested nodes are busy", s) for s in lines)
    assert "code 1" in lines


@pytest.mark.parametrize("options, text", [
    ("-n9", "More processors requested than permitted"),
    ("-n1 -c9", "More processors requested than permitted"),
    ("-n1 --mem=5000", "Memory required by task is not available"),
    ("-n1 --gres=gpu:9", "Step requested gres_per_node=gpu:9 is more than the job's gres_per_node=gpu:2"),
    ("-N3", "Only allocated 1 nodes asked for 3"),
    ("-N1 -r1", "--relative and --nodes option incompatible with count of allocated nodes (1+1>1)"),
    ("-n1 --gpu-bind=foo", "Invalid --gpu-bind argument: gpu:foo"),
])
def test_what_can_never_run_is_refused(cluster, options, text):
    lines = job(cluster, "-n4", "--gres=gpu:2", body=f"srun {options} true; echo code $?\n")
    assert any(text in line for line in lines), lines
    assert lines[-1] != "code 0"


def test_gpus_are_bound_to_tasks(cluster):
    lines = job(cluster, "-n2", "--gres=gpu:4", body="""
show='bash -c "echo \\$SLURM_PROCID:\\$CUDA_VISIBLE_DEVICES:\\$SLURM_STEP_GPUS"'
eval srun -n2 --gpus-per-task=1 $show | sort
eval srun -n2 --gpus-per-node=2 --gpu-bind=single:1 $show | sort
eval srun -n2 --gpus-per-node=2 --gpu-bind=map_gpu:1,0 $show | sort
eval srun -n2 --gpus-per-node=2 --gpu-bind=closest $show | sort
""")
    assert lines == ["0:0:0", "1:1:1", "0:0:0", "1:1:1", "0:1:1", "1:0:0", "0:0,1:0,1", "1:0,1:0,1"]


@pytest.mark.parametrize("bind, told", [
    ("verbose,single:1", ["usable_gres=0x1; bit_alloc=0x3; local_inx=0; global_list=0; local_list=0",
                          "usable_gres=0x2; bit_alloc=0x3; local_inx=0; global_list=1; local_list=1"]),
    ("verbose,closest", ["usable_gres=0x3; bit_alloc=0x3; local_inx=0; global_list=0,1; local_list=0,1"] * 2),
    ("verbose,none", [])])
def test_tasks_tell_how_gpus_are_bound(cluster, bind, told):
    done = cluster.run("srun", "--mem=100", "-n2", "--gpus=2", f"--gpu-bind={bind}", "true").ok()
    assert sorted(done.err.splitlines()) == [f"gpu-bind: {line}" for line in told]


def test_ranks_are_laid_over_the_nodes(cluster):
    lines = job(cluster, "-N2", "-n8", "--ntasks-per-node=4", body="""
show() { srun -N2 -n4 "$@" bash -c 'echo $SLURM_PROCID:$SLURM_NODEID' | sort | tr '\\n' ' '; echo; }
show; show -m cyclic; show -m plane=1; show -m block,pack
srun -N1 -n1 -r1 bash -c 'echo $SLURMD_NODENAME'
srun -N1 -n1 -w n2 bash -c 'echo $SLURMD_NODENAME'
srun -N1 -n1 -x n1 bash -c 'echo $SLURMD_NODENAME'
""")
    assert [line.strip() for line in lines] == [
        "0:0 1:0 2:1 3:1", "0:0 1:1 2:0 3:1", "0:0 1:1 2:0 3:1", "0:0 1:0 2:0 3:1", "n2", "n2", "n2"]


@pytest.mark.ours
def test_a_program_given_to_multi_prog_runs_as_every_task(cluster):
    lines = job(cluster, "-n2", body="srun -n2 -l --multi-prog echo args1\n")
    assert sorted(lines)[:2] == ["0: args1", "1: args1"]
    assert sum("warning" in line for line in lines) == 1


PARTS = """bash -c 'echo $0 $SLURM_PROCID/$SLURM_NTASKS $SLURM_NODEID $SLURM_STEP_NODELIST $SLURM_STEP_ID' """


def test_several_commands_of_one_step_run_on_nodes_of_their_own(cluster):
    lines = job(cluster, "-N2", "-n12", body=f"srun -n1 {PARTS} a : -n2 {PARTS} b\n")
    assert sorted(lines) == ["a 0/3 0 n[1-2] 0", "b 1/3 1 n[1-2] 0", "b 2/3 1 n[1-2] 0"]


def test_several_commands_end_with_the_highest_code(cluster):
    lines = job(cluster, "-N2", "-n2", body="srun -n1 bash -c 'exit 3' : -n1 bash -c 'exit 5'; echo code $?\n")
    assert "code 5" in lines


def test_commands_that_find_no_node_left_are_refused(cluster):
    lines = job(cluster, "-N2", "-n2", body="srun true : true; echo code $?\n")
    assert "code 1" in lines
    assert any("already allocated 2 nodes to previous components." in line for line in lines)


def test_a_step_is_shown_with_its_layout_and_its_srun(cluster):
    for args, layout in ((["-N1", "-n2"], "Block"), (["-N2", "-n2"], "Cyclic"),
                         (["-N2", "-n4", "-m", "cyclic:block"], "CBlock")):
        srun = cluster.start("srun", "--mem=10", *args, "sleep", "100")
        shown = muster.wait_for(lambda: re.search("StepId.*[0-9]", cluster.run("scontrol", "-o", "show", "step").out),
                                "a step")[0]
        assert f" Dist={layout} " in shown
        assert re.search(rf" SrunHost:Pid=\S+:{srun.pid}$", shown)
        cluster.cancel_all()
        srun.communicate()
