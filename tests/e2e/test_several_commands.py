"""`srun a : b` in an ordinary job: a step of several commands, each with files of its own."""
import pytest

from muster import wait_for

CLUSTER = dict(nodes=2)


def step(cluster, line, *options):
    """What a job with this srun prints; the files are in the work directory."""
    job = cluster.sbatch("-N2", "-n2", "-o", "job.out", *options, cluster.script("job.sh", line + "\n"))
    cluster.wait_end(job)
    return sorted((cluster.work / "job.out").read_text().splitlines())


def text(cluster, name):
    return sorted((cluster.work / name).read_text().splitlines())


def test_each_command_has_its_own_output(cluster):
    assert step(cluster, "srun -o X -n1 echo a : -o Y -n1 echo b") == []
    assert (text(cluster, "X"), text(cluster, "Y")) == (["a"], ["b"])


def test_an_output_counts_for_the_commands_behind_it(cluster):
    assert step(cluster, "srun -o X -n1 echo a : -n1 echo b") == []
    assert text(cluster, "X") == ["a", "b"]


def test_the_first_output_may_stay_with_srun(cluster):
    assert step(cluster, "srun -n1 echo a : -o Y -n1 echo b") == ["a"]
    assert text(cluster, "Y") == ["b"]


def test_errors_go_where_the_first_command_says_unless_the_second_does(cluster):
    step(cluster, "srun -o X -e E -n1 sh -c 'echo 1 >&2' : -o Y -n1 sh -c 'echo 2 >&2'")
    assert text(cluster, "E") == ["1", "2"]
    step(cluster, "srun -e E1 -n1 sh -c 'echo 1 >&2' : -e E2 -n1 sh -c 'echo 2 >&2'")
    assert (text(cluster, "E1"), text(cluster, "E2")) == (["1"], ["2"])


def test_each_command_has_its_own_input(cluster):
    (cluster.work / "one").write_text("1\n")
    (cluster.work / "two").write_text("2\n")
    assert step(cluster, "srun -i one -n1 cat : -i two -n1 cat") == ["1", "2"]


@pytest.mark.ours  # with Slurm the one that connected first gets it
def test_what_srun_reads_is_the_first_commands(cluster):
    assert step(cluster, "echo in | srun -l -n1 cat : -n1 cat") == ["0: in"]


def test_each_command_is_listed(cluster):
    job = cluster.sbatch("-N2", "-n2", cluster.script("job.sh", """
        srun -J AA -n1 sleep 1000 : -J BB -n1 sleep 1000 &
        wait"""))
    listed = lambda: cluster.run("squeue", "-h", "-s", "-j", job, "-o", "%i %j %A %N").lines
    wanted = [f"{job}.0+0 AA 1 n1", f"{job}.0+1 BB 1 n2"]
    wait_for(lambda: [line for line in listed() if ".0" in line] == wanted, listed)
    shown = cluster.run("scontrol", "show", "step").out
    assert f"StepId={job}.0+0 " in shown and "Tasks=1 Name=BB" in shown and "NodeList=n2" in shown


@pytest.mark.ours  # Slurm counts the tasks of each command from 0
def test_labels_count_through(cluster):
    assert step(cluster, "srun -l -n1 echo a : -n1 echo b") == ["0: a", "1: b"]
