"""sprio: how weighted factors are rounded, and how fixed priorities are shown."""
import pytest

CLUSTER = dict(nodes=4, conf="""
PriorityType=priority/multifactor
PriorityWeightJobSize=1000
PriorityWeightPartition=1000
""")


@pytest.fixture(autouse=True)
def full(cluster):
    cluster.wait_state(cluster.sbatch("-N4", "--exclusive", "--wrap", "sleep 100"), "RUNNING")


def factors(cluster, *options):
    job = cluster.sbatch(*options, "-o", "/dev/null", "--wrap", "true")
    return cluster.run("sprio", "-h", "-j", job, "-o", "%Y %J %P").ok().out.split()


def test_factors_are_rounded_and_their_sum_is_cut(cluster):
    assert factors(cluster, "-n1") == ["1140", "141", "1000"]
    assert factors(cluster, "-n2") == ["1156", "156", "1000"]
    assert factors(cluster, "-n3") == ["1171", "172", "1000"]


def test_rows_are_ordered_as_asked(cluster):
    few, many = (cluster.sbatch(size, "-o", "/dev/null", "--wrap", "true") for size in ("-n1", "-n3"))

    def order(*options):
        return cluster.run("sprio", "-h", "-o", "%i", *options).ok().lines

    assert order() == order("-S", "i") == order("--sort=+Y,i") == order("-S", "r,i") == [few, many]
    assert order("-S", "-i") == order("-S", "-j") == order("--sort=-y") == [many, few]
    refused = cluster.run("sprio", "-S", "z")
    assert refused.code == 1 and refused.err == "sprio: error: Invalid sort specification: z\n"


@pytest.mark.as_root
def test_a_fixed_priority_has_no_factors(cluster):
    assert factors(cluster, "--priority=500") == ["500", "0", "0"]
    assert "500.00000000000000" in cluster.run("sprio", "-h", "-o", "%y").ok().lines


def test_the_weights_are_told_for_plain_factors_too(cluster):
    columns = cluster.run("sprio", "-h", "-w", "-n").ok().out.split()
    assert columns == ["Weights", "1000", "1000"]
    unknown = cluster.run("sprio", "-h", "-u", "nosuchuser")
    assert unknown.err.rstrip() == "sprio: error: Invalid user: nosuchuser"
