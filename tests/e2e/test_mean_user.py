"""What one user can do with the shipped commands to harm the others: nothing.

Each attack is followed by the same questions: the daemons are the same processes, another user's squeue answers, his job
runs, and the controller starts again. The raw client has its own file, test_raw_requests.py.
"""
import pytest

pytestmark = [pytest.mark.ours, pytest.mark.as_root]

CLUSTER = dict(nodes=2, cpus=4, conf="""\
MaxMemPerCPU=2000
SlurmctldParameters=max_components=20,max_dependencies=100
""")
TOO_LONG = "Pathname of a file, directory or other parameter too long: "


@pytest.fixture
def unharmed(cluster, bob):
    """Whatever alice does in the test, nobody else is harmed."""
    def pids():
        return [cluster.controller_pid, *map(cluster.node_pid, cluster.node_names)]
    before = pids()
    yield
    assert pids() == before
    cluster.run("squeue", user=bob, limit=60).ok()
    assert cluster.wait_end(cluster.sbatch("--wrap", "true", user=bob))["JobState"] == "COMPLETED"


def refused(cluster, alice, *options):
    done = cluster.run("sbatch", *options, "--wrap", "true", user=alice)
    assert done.code == 1, done
    return done.err.removeprefix("sbatch: error: Batch job submission failed: ").strip()


def test_parentheses(cluster, alice, unharmed):
    assert "max_constraint_size" in refused(cluster, alice, "-C", "(" * 100_000)
    assert refused(cluster, alice, "-C", "(" * 4000) == "Invalid feature specification"
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    for constraint in ("(" * 4000, "(" * 100_000):
        assert cluster.run("scontrol", "update", f"jobid={job}", f"features={constraint}", user=alice).code == 1
    script = cluster.script("deep.sh", "#SBATCH -C " + "(" * 1_000_000 + "\ntrue\n")
    assert cluster.run("sbatch", script, user=alice).code == 1


def test_memory_that_wraps(cluster, alice, unharmed):
    for options in (("--mem-per-cpu=8589934592000",),  # 2^32 times MaxMemPerCPU
                    ("-c", "4", "--mem-per-cpu=4611686018427387904"),  # times 4 is 2^64
                    ("--mem=18446744073709551615",), ("--mem-per-cpu=18446744073709551615", "-n", "8")):
        done = cluster.run("sbatch", *options, "--wrap", "true", user=alice)
        assert done.code == 1 and "Memory specification can not be satisfied" in done.err, (options, done)
    done = cluster.run("sbatch", "--mem-per-gpu=100", "--wrap", "true", user=alice)
    assert done.code == 1 and "Invalid generic resource (gres) specification" in done.err


def test_memory_of_a_step_that_wraps(cluster, alice, unharmed):
    done = cluster.run("srun", "-n1", "-c4", "--mem=100", "srun", "-n1", "-c4", "--mem-per-cpu=4611686018427387904",
                       "true", user=alice)
    assert done.code != 0 and "Memory required by task is not available" in done.err, done


def test_ranges_of_tasks(cluster, alice, bob, unharmed):
    hers = cluster.sbatch("-H", "-a", "0-9", "--wrap", "true", user=alice)
    his = cluster.sbatch("-H", "-a", "0-9", "--wrap", "true", user=bob)
    for range_ in ("[0-4294967280]", "[5-800000000]"):
        assert "permission denied" in cluster.run("scancel", f"{his}_{range_}", user=alice).err
        assert cluster.run("scontrol", "hold", f"{his}_{range_}", user=alice).code == 1
        assert cluster.run("scontrol", "update", f"jobid={his}_{range_}", "comment=x", user=alice).code == 1
    cluster.run("scontrol", "hold", f"{hers}_[2-4294967280]", user=alice)
    cluster.run("scontrol", "update", f"jobid={hers}_[2-4294967280]", "comment=x", user=alice)
    assert "Comment=x" in cluster.run("scontrol", "show", "job", f"{hers}_5").out
    for stride in ("[0-4294967280:2]", "[0-400000000:2]"):
        assert cluster.run("scancel", f"{hers}_{stride}", user=alice).code != 0
        assert refused(cluster, alice, "-d", f"afterok:{hers}_{stride}") == "Job dependency problem"
        assert refused(cluster, alice, "-a", stride[1:-1]) == "Invalid job array specification"
    cluster.run("scancel", f"{hers}_[1-4294967280]", user=alice).ok()
    waiting = cluster.run("squeue", "-h", "-r", "-o", "%i", "-u", alice, "-t", "PD").out.split()
    assert waiting == [f"{hers}_0"]


def test_names_of_nodes(cluster, alice, unharmed):
    for names in ("a[0-999999]", "a" * 2000 + "[0-999999]", "a" * 100_000 + "[0-999999]", f"n[{'0' * 300}1-900000]",
                  "n[1-2],a[0-999]b[0-999]c[0-999]"):
        assert refused(cluster, alice, "-x", names) == "Invalid node name specified"
        assert cluster.run("sacct", "-N", names, user=alice, limit=60).out.count("\n") <= 2
    assert refused(cluster, alice, "-x", "n1," * 40_000) == "Invalid node name specified"  # so many tasks nobody has
    assert cluster.run("srun", "-x", "a[0-999999]", "true", user=alice).code == 1


def test_tasks_without_end(cluster, alice, unharmed):
    for tasks in (513, 100_000, 2_000_000, 20_000_000, 2_000_000_000):
        done = cluster.run("srun", "-O", "-N1", "-n", tasks, "true", user=alice)
        assert done.code == 1 and "Task count specification invalid" in done.err, done
    done = cluster.run("salloc", "-N1", "srun", "-O", "-n", "600", "true", user=alice)
    assert done.code == 1 and "Task count specification invalid" in done.err, done
    cluster.run("srun", "-O", "-N1", "-n", "40", "true", user=alice).ok()


def test_components_without_end(cluster, alice, unharmed):
    script = cluster.script("het.sh", "#SBATCH -n1\n" + "#SBATCH hetjob\n#SBATCH -n1\n" * 2000 + "true\n")
    done = cluster.run("sbatch", "-H", script, user=alice)
    assert done.code == 1 and "2001 components: at most 20 are allowed (max_components)" in done.err, done
    few = cluster.script("few.sh", "#SBATCH -n1 --mem=10\n" + "#SBATCH hetjob\n#SBATCH -n1 --mem=10\n" * 19 + "true\n")
    cluster.run("sbatch", "-H", few, user=alice).ok()


def test_texts(cluster, alice, unharmed):
    comment = "#SBATCH --comment=" + "x" * 200_000
    done = cluster.run("sbatch", cluster.script("long.sh", comment + "\ntrue\n"), user=alice)
    assert done.err == ("sbatch: error: Batch job submission failed: " + TOO_LONG +
                        "comment of 200000 bytes, at most 65536 are allowed (max_text_size)\n")
    depends = "afterany:" + ":".join(map(str, range(1, 102)))
    assert "(max_name_size)" in refused(cluster, alice, "-J", "x" * 1025)
    assert "101 dependencies: at most 100 are allowed" in refused(
        cluster, alice, "-d", depends)
    job = cluster.sbatch("-H", "--wrap", "true", user=alice)
    for key, value in (("comment", "x" * 100_000), ("name", "x" * 2000), ("dependency", depends)):
        done = cluster.run("scontrol", "update", f"jobid={job}", f"{key}={value}", user=alice)
        assert done.code == 1, key
    assert cluster.job(job)["JobName"] == "wrap"


def test_a_long_command_line_is_cut(cluster, alice, unharmed):
    job = cluster.sbatch("--wrap", "echo done #" + "x" * 100_000, user=alice)
    assert cluster.output(job) == "done\n"


def test_all_of_it_survives_a_restart(cluster, alice, bob):
    """After everything above."""
    cluster.stop_controller()
    cluster.start_controller()
    cluster.wait_nodes("idle")
    assert cluster.wait_end(cluster.sbatch("--wrap", "true", user=bob))["JobState"] == "COMPLETED"
