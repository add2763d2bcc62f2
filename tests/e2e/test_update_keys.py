"""scontrol update: keys about the requests of jobs and nodes, and values that are refused."""
import pytest

CLUSTER = dict(nodes=3, conf="PartitionName=alone Nodes=n3 ExclusiveUser=YES State=UP\n")


@pytest.fixture
def held(cluster):
    return cluster.sbatch("-H", "-n2", "-t10", "--gres=gpu:1", "--mem=10", "--wrap", "sleep 100")


def update(cluster, job, *words):
    return cluster.run("scontrol", "update", f"jobid={job}", *words)


@pytest.mark.parametrize("setting, key, value", [
    ("ReqSockets=1", "Socks/Node", "1"),
    ("ReqCores=2", "ReqB:S:C:T", "0:0:2:*"),
    ("ReqThreads=1", "ReqB:S:C:T", "0:0:*:1"),
    ("TasksPerNode=2", "NtasksPerN:B:S:C", "2:0:*:*"),
    ("StartTime=now", "StartTime", "Unknown"),
    ("SiteFactor=10", "JobState", "PENDING"),
    ("ResetAccrueTime", "JobState", "PENDING"),
])
def test_keys_of_a_waiting_job(cluster, held, setting, key, value):
    update(cluster, held, setting).ok()
    assert cluster.job(held)[key] == value


@pytest.mark.ours
@pytest.mark.parametrize("setting, key, value", [
    ("TresPerJob=gpu:2", "TresPerJob", "gres:gpu:2"),
    ("TresPerTask=gpu:v100:1", "TresPerTask", "gres:gpu:v100:1"),
    ("TresPerSocket=gpu:1", "TresPerSocket", "gres:gpu:1"),
    ("CpusPerTres=gpu:2", "CpusPerTres", "gres:gpu:2"),
    ("MemPerTres=gpu:20", "MemPerTres", "gres:gpu:20"),
    ("CPUsPerTask=0", "NumCPUs", "2"),
])
def test_gpus_of_a_waiting_job(cluster, held, setting, key, value):
    update(cluster, held, setting).ok()
    assert cluster.job(held)[key] == value


@pytest.mark.parametrize("setting, said", [
    ("NumTasks=0", "Task count specification invalid for job {}"),
    ("NumTasks=x", "scontrol: error: Invalid NumTasks value: x"),
    ("CPUsPerTask=x", "scontrol: error: Invalid CPUsPerTask value: x"),
    ("ReqCores=2-3", "scontrol: error: Invalid ReqCores value: 2-3"),
    ("NumNodes=3-1", "Node count specification invalid for job {}"),
    ("Contiguous=maybe", "scontrol: error: Invalid Contiguous value: maybe"),
    ("Shared=maybe", "scontrol: error: Invalid OverSubscribe value: maybe"),
    ("TimeMin=x", "scontrol: error: Invalid TimeMin value"),
    ("DelayBoot=x", "scontrol: error: Invalid DelayBoot value"),
    ("StartTime=x", "Invalid time specification (pos=0): x\nNo changes specified"),
    ("MailType=nope", "Invalid MailType: nope"),
    ("CoreSpec=1", "Access/permission denied for job {}"),
    ("ThreadSpec=1", "Access/permission denied for job {}"),
    ("foo", "Invalid input: foo\nRequest aborted"),
    ("ResetAccrueTime=1", "Update of this parameter is not supported: ResetAccrueTime=1\nRequest aborted"),
])
def test_values_that_are_refused(cluster, held, setting, said):
    refused = update(cluster, held, setting)
    assert refused.code == 1
    assert (refused.err + refused.out).strip() == said.format(held)


def test_user_id_says_whose_jobs_of_a_name(cluster):
    job = cluster.sbatch("-H", "-J", "shared_name", "--wrap", "true")
    by_name = lambda uid: cluster.run("scontrol", "update", "jobname=shared_name", f"userid={uid}", "comment=changed")
    by_name(4711)
    assert "Comment" not in cluster.job(job)
    by_name(0).ok()
    assert cluster.job(job)["Comment"] == "changed"


def node(cluster, name):
    text = cluster.run("scontrol", "show", "node", name).ok().out
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


@pytest.mark.as_root
@pytest.mark.parametrize("options, name", [(("--exclusive=user", "-w", "n1"), "n1"), (("-p", "alone"), "n3")])
def test_a_node_names_the_user_who_has_it_alone(cluster, options, name):
    assert node(cluster, name)["Owner"] == "N/A"
    job = cluster.sbatch(*options, "--mem=10", "--wrap", "sleep 100")
    cluster.wait_state(job, "RUNNING")
    assert node(cluster, name)["Owner"] == "root(0)"
    cluster.cancel_all()
    assert node(cluster, name)["Owner"] == "N/A"


def test_features_that_become_available_are_active(cluster):
    change = lambda *words: cluster.run("scontrol", "update", "nodename=n2", *words)
    features = lambda: (node(cluster, "n2")["AvailableFeatures"], node(cluster, "n2")["ActiveFeatures"])
    before = features()[0]
    change(f"AvailableFeatures={before},fresh").ok()
    assert features() == (f"{before},fresh",) * 2
    change(f"AvailableFeatures={before},fresh", f"ActiveFeatures={before}").ok()
    assert features() == (f"{before},fresh", before)
    refused = change("AvailableFeatures=fresh")
    assert refused.code == 1 and "Active features not subset of available features" in refused.err
