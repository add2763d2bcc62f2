"""A running job gives nodes back: scontrol update NumNodes=N."""
import pytest

import muster

CLUSTER = dict(nodes=4, cpus=4)


def of_job(cluster, job, letters):
    return cluster.run("squeue", "-h", "-j", job, "-o", letters).ok().out.strip()


def test_a_script_gives_nodes_back_and_goes_on_with_the_others(cluster):
    cluster.script("shrink.sh", """
scontrol update JobId=$SLURM_JOB_ID NumNodes=2 || exit 9
. ./slurm_job_${SLURM_JOB_ID}_resize.sh
echo $SLURM_NODELIST $SLURM_JOB_NODELIST $SLURM_NNODES $SLURM_JOB_NUM_NODES $SLURM_JOB_CPUS_PER_NODE
echo ${SLURM_NTASKS-none} ${SLURM_NPROCS-none} ${SLURM_TASKS_PER_NODE-none}
srun sh -c 'echo on $SLURMD_NODENAME'
""")
    job = cluster.sbatch("-N4", "-n4", "shrink.sh")
    cluster.wait_state(job, "COMPLETED")
    lines = cluster.output(job).splitlines()
    assert lines[:3] == ["To reset Slurm environment variables, execute",
                         f"  For bash or sh shells:  . ./slurm_job_{job}_resize.sh",
                         f"  For csh shells:         source ./slurm_job_{job}_resize.csh"]
    assert lines[3:5] == ["n[1-2] n[1-2] 2 2 1(x2)", "none none none"]
    assert sorted(lines[5:]) == ["on n1", "on n2"]
    csh = (cluster.work / f"slurm_job_{job}_resize.csh").read_text().splitlines()
    assert csh == ['setenv SLURM_NODELIST "n[1-2]"', 'setenv SLURM_JOB_NODELIST "n[1-2]"', "setenv SLURM_NNODES 2",
                   "setenv SLURM_JOB_NUM_NODES 2", 'setenv SLURM_JOB_CPUS_PER_NODE "1(x2)"',
                   "unsetenv SLURM_NPROCS", "unsetenv SLURM_NTASKS", "unsetenv SLURM_TASKS_PER_NODE"]


def test_the_nodes_are_free_and_what_ran_on_them_is_killed(cluster):
    job = cluster.sbatch("-N3", "--exclusive", "--wrap", "srun -N1 -n1 -w n3 sh -c 'echo begun > begun; sleep 1000'; echo step $? > ended; sleep 1000")
    cluster.wait_text("begun")
    changed = cluster.run("scontrol", "update", f"JobId={job}", "NumNodes=2").ok()
    assert changed.out == "", "no job of the caller's own has variables to be set anew"
    assert of_job(cluster, job, "%D %N %T") == "2 n[1-2] RUNNING"
    cluster.wait_text("ended", "step 137")
    shown = cluster.run("scontrol", "show", "job", job).ok().out
    assert "ResizeTime=" in shown and "NumNodes=2" in shown and "TRES=cpu=8,mem=200M,node=2" in shown
    other = cluster.sbatch("-N1", "-w", "n3", "--exclusive", "--wrap", "true")
    cluster.wait_state(other, "COMPLETED")


@pytest.mark.ours  # Slurm wants its database for a second change
def test_what_is_no_shrinking_is_refused(cluster):
    job = cluster.sbatch("-N2", "--wrap", "sleep 1000")
    cluster.wait_state(job, "RUNNING")
    more = cluster.run("scontrol", "update", f"JobId={job}", "NumNodes=3")
    assert more.code == 1 and "Requested node configuration is not available" in more.err
    cluster.run("scontrol", "update", f"JobId={job}", "NumNodes=1").ok()
    cluster.run("scontrol", "update", f"JobId={job}", "NumNodes=1").ok()
    assert of_job(cluster, job, "%D %N") == "1 n1"


@pytest.mark.ours
@pytest.mark.accounting
def test_accounting_knows_the_new_size(cluster):
    job = cluster.sbatch("-N2", "--wrap", "scontrol update JobId=$SLURM_JOB_ID NumNodes=1")
    cluster.wait_state(job, "COMPLETED")
    cluster.wait_sacct([r"1\|n1"], "-X", "-j", job, "-o", "NNodes,NodeList")
