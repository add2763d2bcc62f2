"""The examples of docs/cookbook.md run as they are printed there, on `muster up --nodes 4 --gpus 4`."""
import re
import urllib.request
from pathlib import Path

import pytest

from embedded import Embedded
from muster import wait_for

pytestmark = pytest.mark.ours

COOKBOOK = Path(__file__).resolve().parents[2] / "docs/cookbook.md"

# What the example uses of PyTorch, over a plain socket.
TORCH = """\
class tensor(float):
    def __new__(cls, value):
        made = float.__new__(cls, value)
        made.value = value
        return made
    def item(self):
        return self.value

class cuda:
    is_available = staticmethod(lambda: False)
"""
DISTRIBUTED = """\
import os, socket, time

def get_rank():
    return int(os.environ["RANK"])

def get_world_size():
    return int(os.environ["WORLD_SIZE"])

def init_process_group(backend):
    assert backend == "gloo"

def all_reduce(tensor):
    where = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    if get_rank() > 0:
        while True:
            try:
                link = socket.create_connection(where)
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        link.sendall(f"{tensor.value}\\n".encode())
        tensor.value = float(link.makefile().readline())
        return
    server = socket.create_server(where)
    links = [server.accept()[0] for _ in range(get_world_size() - 1)]
    tensor.value += sum(float(link.makefile().readline()) for link in links)
    for link in links:
        link.sendall(f"{tensor.value}\\n".encode())

def destroy_process_group():
    pass
"""
JUPYTER = """\
#!/bin/bash
[[ "$1 $2 $3" == "lab --no-browser --ip=localhost" ]] && exec python3 -m http.server --bind localhost "${4#--port=}"
"""


def files():
    """The indented blocks of the cookbook by the names above them."""
    text = COOKBOOK.read_text()
    found = {}
    for name, block in re.findall(r"^`([\w.]+)`:\n\n((?:(?:    .*)?\n)+)", text, re.M):
        found[name] = re.sub(r"^    ", "", block, flags=re.M).rstrip() + "\n"
    return found


@pytest.fixture(scope="module")
def cluster():
    cluster = Embedded()
    for name, text in files().items():
        (cluster.home / name).write_text(text)
    (cluster.home / "torch").mkdir()
    (cluster.home / "torch/__init__.py").write_text(TORCH)
    (cluster.home / "torch/distributed.py").write_text(DISTRIBUTED)
    (cluster.home / "bin").mkdir()
    (cluster.home / "bin/jupyter").write_text(JUPYTER)
    (cluster.home / "bin/jupyter").chmod(0o755)
    cluster.environment["PATH"] = f"{cluster.home}/bin:{cluster.environment['PATH']}"
    cluster.up("--nodes", "4", "--gpus", "4")
    yield cluster
    cluster.end()


def states(cluster, job):
    return cluster.run("squeue", "-h", "-t", "all", "-r", "-j", job, "-o", "%T").stdout.split()


def wait_completed(cluster, job):
    over = {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "OUT_OF_MEMORY"}
    wait_for(lambda: states(cluster, job) and set(states(cluster, job)) <= over,
             lambda: f"job {job} to end: {states(cluster, job)}")
    texts = [file.read_text() for file in cluster.home.glob(f"*{job}*.out")]
    assert set(states(cluster, job)) == {"COMPLETED"}, texts


def output(cluster, script, *options):
    job = cluster.submit(*options, script)
    wait_completed(cluster, job)
    return "".join(f.read_text() for f in sorted(cluster.home.glob(f"{Path(script).stem}-{job}*.out")))


def test_a_first_job(cluster):
    assert re.fullmatch(r"job \d+ on node\d with 2 CPUs\n", output(cluster, "first.sh"))


def test_an_array(cluster):
    lines = output(cluster, "array.sh").splitlines()
    assert lines == [f"task {task} works on {letter}" for task, letter in enumerate("abcdef")]


def test_gpus_of_a_job_and_of_its_steps(cluster):
    assert re.fullmatch(r"GPUs \d,\d of node\d\n", output(cluster, "gpu.sh"))
    seen = dict(re.findall(r"seed (\d) on GPU (\d)\n", output(cluster, "steps.sh")))
    assert set(seen) == {"1", "2"} and seen["1"] != seen["2"]


def test_pytorch_on_two_nodes(cluster):
    lines = sorted(output(cluster, "ddp.sh").splitlines())
    assert lines == [f"{rank}: rank {rank} of 4: the ranks add up to 6" for rank in range(4)]


def test_a_job_saves_goes_back_to_the_queue_and_goes_on(cluster):
    job = cluster.submit("long.sh")
    out = cluster.home / f"long-{job}.out"
    wait_for(lambda: out.exists() and "begins at epoch 0" in out.read_text(), "the first run")
    assert cluster.run("scancel", "--signal=USR1", "--batch", job).returncode == 0
    wait_for(lambda: "saved at" in out.read_text(), "the checkpoint")
    epoch = re.search(r"saved at epoch (\d+)", out.read_text())[1]
    wait_for(lambda: "trained\n" in out.read_text(), lambda: f"the second run: {out.read_text()}")
    wait_completed(cluster, job)
    assert f"begins at epoch {epoch}\n" in out.read_text()


def test_a_sweep_and_the_job_that_collects(cluster):
    sweep = cluster.submit("sweep.sh")
    collected = output(cluster, "collect.sh", f"--dependency=afterok:{sweep}")
    assert collected == "--rate 0.1 --width 64: loss 0.1\n"
    assert states(cluster, sweep) == ["COMPLETED"] * 3


def test_a_notebook(cluster):
    job = cluster.submit("notebook.sh")
    out = cluster.home / f"notebook-{job}.out"
    wait_for(lambda: out.exists() and "ssh" in out.read_text(), "the job to say its port")
    port, node = re.search(r"-L (\d+):localhost:\d+ (\S+)", out.read_text()).groups()
    assert node.startswith("node")

    def answers():
        try:
            with urllib.request.urlopen(f"http://localhost:{port}/", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    wait_for(answers, "the notebook to answer")
    cluster.run("scancel", job)
    wait_for(lambda: not answers(), "the notebook to end")
