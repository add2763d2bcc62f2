"""--prefer and --batch: features that a job prefers, and features of the node of its script."""
import pytest

CLUSTER = dict(nodes=4)
NOT_A_SUBSET = "Job --batch option is invalid or not a subset of --constraints"


@pytest.fixture
def cluster(cluster):
    for node, features in {"n[1-2]": "a,x", "n[3-4]": "b,x"}.items():
        cluster.run("scontrol", "update", f"nodename={node}", f"availablefeatures={features}",
                    f"activefeatures={features}").ok()
    return cluster


def nodes_of(cluster, *options):
    job = cluster.sbatch(*options, "-o", "nodes.out", "--wrap", "echo $SLURMD_NODENAME $SLURM_JOB_NODELIST")
    cluster.wait_end(job)
    return job, (cluster.work / "nodes.out").read_text().split()


@pytest.mark.parametrize("options, batch, nodes", [
    (["-N2", "-C", "[a*1&b*1]", "--batch=b"], "n3", "n[1,3]"),
    (["-N3", "-C", "a|b", "--batch=b"], "n3", "n[1-3]"),
    (["-N3", "-C", "a|b", "--batch=a"], "n1", "n[1-3]"),
])
def test_the_script_runs_where_batch_says(cluster, options, batch, nodes):
    job, seen = nodes_of(cluster, *options)
    assert seen == [batch, nodes]
    assert f"BatchFeatures={options[-1][-1]} BatchHost={batch}" in cluster.run("scontrol", "show", "job", job).out


@pytest.mark.parametrize("options", [["--batch=b"], ["--batch=b", "-C", "a"], ["--batch=nosuch", "-C", "a"]])
def test_batch_is_part_of_the_constraint(cluster, options):
    done = cluster.run("sbatch", *options, "--wrap", "true")
    assert (done.code, done.err) == (1, f"sbatch: error: Batch job submission failed: {NOT_A_SUBSET}\n")


@pytest.mark.parametrize("options, node", [(["--prefer=b"], "n3"), (["--prefer=b", "-C", "a"], "n3"), ([], "n1")])
def test_preferred_features_come_first(cluster, options, node):
    job, seen = nodes_of(cluster, *options)
    assert seen == [node, node]
    features = options[0][-1] if options else "(null)"
    assert cluster.job(job)["Features"] == features


def test_a_job_that_waits_shows_what_it_prefers(cluster):
    job = cluster.sbatch("-H", "--prefer=b", "-C", "x", "--wrap", "true")
    shown = cluster.run("scontrol", "show", "job", job).out
    assert "   Features=x DelayBoot=00:00:00\n   Prefer=b\n" in shown
    assert cluster.run("squeue", "-h", "-j", job, "-O", "prefer,feature").out.split() == ["b", "x"]


def test_an_unknown_preference_is_refused(cluster):
    done = cluster.run("sbatch", "--prefer=nosuch", "--wrap", "true")
    assert (done.code, done.err) == (
        1, "sbatch: error: Batch job submission failed: Invalid preferred feature specification\n")


@pytest.mark.ours  # Slurm refuses what does not fit on preferred nodes alone
def test_a_job_starts_elsewhere_where_preferred_nodes_do_not_suffice(cluster):
    job, seen = nodes_of(cluster, "--prefer=b", "-N3")
    assert seen == ["n1", "n[1-3]"] and cluster.job(job)["Features"] == "(null)"


@pytest.mark.ours  # with Slurm scontrol knows no such key for a node of the configuration file
def test_features_that_an_administrator_gave_can_be_asked_for(cluster):
    cluster.run("scontrol", "update", "nodename=n2", "availablefeatures=a,x,fresh",
                "activefeatures=a,x,fresh").ok()
    job, seen = nodes_of(cluster, "-C", "fresh")
    assert seen == ["n2", "n2"]
