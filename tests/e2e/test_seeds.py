"""Scripts from tutorials of several sites run as they are printed on `muster up --nodes 4 --gpus 4`.

What a site would have is provided: partitions and a larger node in the settings of one's own, commands such as
`module`, `conda` and `horovodrun`, and the programs that the scripts run.
"""
import re
import shutil
from pathlib import Path

import pytest

from embedded import Embedded
from muster import wait_for

pytestmark = pytest.mark.ours

SETTINGS = """\
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=standard Nodes=ALL
PartitionName=low Nodes=ALL PriorityTier=1 GraceTime=120
PartitionName=high Nodes=ALL PriorityTier=10
NodeName=big Sockets=1 CoresPerSocket=48 CPUs=48 RealMemory=384000 Gres=gpu:v100:8 Feature=cpu_intel_platinum_8260
PartitionName=batch Nodes=big
"""

COMMANDS = {
    "module": 'echo "module $*"',
    "conda": 'echo "conda $*"',
    "nvidia-smi": 'echo "gpus $CUDA_VISIBLE_DEVICES"; exec /bin/sleep 60',
    "rsync": 'exec cp -a "$2." "$3/"',
    "sleep": "exec /bin/sleep 0.1",  # the script sleeps for ten minutes
    "python": 'echo "python $* gpu=$CUDA_VISIBLE_DEVICES cpus=$SLURM_CPUS_PER_TASK rank=$SLURM_PROCID"',
    "horovodrun": 'echo "horovodrun $*"; for last; do :; done; echo weights > "${last%/tensorboard}/checkpoints/one"; '
                  'echo events > "$last/events"; exec /bin/sleep 1',
}


@pytest.fixture(scope="module")
def site():
    cluster = Embedded()
    etc, bin_directory = cluster.base / "etc", cluster.home / "bin"
    for directory in (etc, bin_directory):
        directory.mkdir(parents=True)
    (etc / "settings.conf").write_text(SETTINGS)
    for name, body in COMMANDS.items():
        (bin_directory / name).write_text(f"#!/bin/bash\n{body}\n")
        (bin_directory / name).chmod(0o755)
    (cluster.home / ".bash_profile").write_text(f"PATH={bin_directory}:$PATH\n")
    cluster.environment["PATH"] = f"{bin_directory}:{cluster.environment['PATH']}"
    cluster.up("--nodes", "4", "--gpus", "4")
    yield cluster
    cluster.end()


@pytest.fixture
def place(site, request):
    """A directory for the test's script, from which it is submitted."""
    directory = site.home / request.node.name
    directory.mkdir()
    return directory


def submit(site, place, script, *options):
    (place / "job.sh").write_text(script)
    done = site.run("env", "-C", str(place), "sbatch", "--parsable", *options, "job.sh")
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def state_of(site, job):
    return site.run("squeue", "-h", "-t", "all", "-j", job, "-o", "%T").stdout.split()


def wait_completed(site, job, place):
    ended = {"COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "OUT_OF_MEMORY", "PREEMPTED"}
    wait_for(lambda: set(state_of(site, job)) <= ended, lambda: f"job {job} to end: {state_of(site, job)}")
    texts = {str(f): f.read_text() for f in place.rglob("*.out")}
    assert set(state_of(site, job)) == {"COMPLETED"}, texts


def test_a_script_for_machine_learning_with_modules(site, place):
    job = submit(site, place, """\
#!/bin/bash
#SBATCH --job-name=ml_task
#SBATCH --nodes=1
#SBATCH --time=01:00:00
#SBATCH --partition=standard
#SBATCH --gres=gpu:1

# Load necessary modules
module load python/3.8 tensorflow/2.4
module load cuda/11.0

python train_model.py
""")
    wait_completed(site, job, place)
    lines = (place / f"slurm-{job}.out").read_text().splitlines()
    assert lines[:2] == ["module load python/3.8 tensorflow/2.4", "module load cuda/11.0"]
    assert re.match(r"python train_model.py gpu=\d ", lines[2])


@pytest.mark.as_root
def test_an_array_in_login_shells_writes_below_a_path_that_is_not_there_yet(site, place):
    if Path("/some").exists():
        pytest.skip("/some is there already")
    (place / "venv/bin").mkdir(parents=True)
    (place / "venv/bin/activate").write_text("export VIRTUAL_ENV=venv\n")
    (place / "code.py").write_text("import os, sys\nprint(*(os.environ[n] for n in ('VIRTUAL_ENV', 'WANDB_MODE', "
                                   "'SLURM_STEP_ID', 'CUDA_VISIBLE_DEVICES')), *sys.argv[1:])\n")
    try:
        job = submit(site, place, """\
#!/bin/bash -l
#
# Parameters
#SBATCH --gres=gpu:1  # request one gpu
#SBATCH --time=03:00:00  # time limit 3 hours
#SBATCH --job-name=important_calculations
#SBATCH --array=0-14%15
#SBATCH --output=/some/complicated/path/%A_%a/output.log
#SBATCH --error=/some/complicated/path/%A_%a/error.log

# Setup
source venv/bin/activate
export WANDB_MODE=offline

# commands
srun --unbuffered python3 -u code.py params=value
""")
        wait_completed(site, job, place)
        for task in range(15):
            directory = Path(f"/some/complicated/path/{job}_{task}")
            error = (directory / "error.log").read_text()
            assert re.fullmatch(r"venv offline 0 \d params=value\n", (directory / "output.log").read_text()), error
    finally:
        shutil.rmtree("/some", ignore_errors=True)


HOROVOD = """\
#!/bin/bash --login
#SBATCH --nodes=1
#SBATCH --time=24:00:00
#SBATCH --mem=0
#SBATCH --ntasks=8
#SBATCH --tasks-per-node=8
#SBATCH --cpus-per-task=6
#SBATCH --gres=gpu:v100:8
#SBATCH --constraint=cpu_intel_platinum_8260
#SBATCH --partition=batch
#SBATCH --output=../results/%x/slurm-%j.out
#SBATCH --error=../results/%x/slurm-%j.err

# Need to define persistent storage for logging...
PERSISTENT_LOGGING_DIR=../results/$SLURM_JOB_NAME/logs
PERSISTENT_CHECKPOINTS_DIR=$PERSISTENT_LOGGING_DIR/checkpoints
PERSISTENT_TENSORBOARD_DIR=$PERSISTENT_LOGGING_DIR/tensorboard

# N.B. mkdir does not overwrite if these directories already exist
mkdir -p $PERSISTENT_CHECKPOINTS_DIR
mkdir -p $PERSISTENT_TENSORBOARD_DIR

# ...but for best performance write checkpoints and tensorboard logs to local storage
LOCAL_LOGGING_DIR=/tmp/$SLURM_JOB_NAME/$SLURM_JOB_ID/logs
LOCAL_CHECKPOINTS_DIR=$LOCAL_LOGGING_DIR/checkpoints
LOCAL_TENSORBOARD_DIR=$LOCAL_LOGGING_DIR/tensorboard
mkdir -p $LOCAL_CHECKPOINTS_DIR
mkdir -p $LOCAL_TENSORBOARD_DIR

# Load software stack
module load cuda/10.0.130
conda activate ../env

# start the nvidia-smi process in the background
NVIDIA_SMI_DELAY_SECONDS=60
nvidia-smi dmon --delay $NVIDIA_SMI_DELAY_SECONDS --options DT >> $PERSISTENT_LOGGING_DIR/nvidia-smi.log &
NVIDIA_SMI_PID=$!

# start the training process in the background
horovodrun -np $SLURM_NTASKS python $TRAINING_SCRIPT \\
    --data-dir $DATA_DIR \\
    --read-checkpoints-from $PERSISTENT_CHECKPOINTS_DIR \\
    --write-checkpoints-to  $LOCAL_CHECKPOINTS_DIR \\
    --tensorboard-logging-dir $LOCAL_TENSORBOARD_DIR &
HOROVODRUN_PID=$!

# asynchronous rsync of training logs between local and persistent storage
RSYNC_DELAY_SECONDS=600
HOROVODRUN_STATE=$(ps -h --pid $HOROVODRUN_PID -o state | head -n 1)
while [ "${HOROVODRUN_STATE}" != "" ]
    do
        rsync -a $LOCAL_CHECKPOINTS_DIR/ $PERSISTENT_CHECKPOINTS_DIR
        rsync -a $LOCAL_TENSORBOARD_DIR/ $PERSISTENT_TENSORBOARD_DIR
        sleep $RSYNC_DELAY_SECONDS
        HOROVODRUN_STATE=$(ps -h --pid $HOROVODRUN_PID -o state | head -n 1)
done

# make sure to get any new files written since last rsync
rsync -a $LOCAL_CHECKPOINTS_DIR/ $PERSISTENT_CHECKPOINTS_DIR
rsync -a $LOCAL_TENSORBOARD_DIR/ $PERSISTENT_TENSORBOARD_DIR

# kill off the nvidia-smi process
kill $NVIDIA_SMI_PID
"""


def test_a_training_on_eight_gpus_that_saves_checkpoints_aside(site, place):
    name = "horovod-keras-single-node-benchmark"
    here, results = place / "bin", place / "results" / name
    for directory in (here, results):
        directory.mkdir(parents=True)
    # --export names two variables only, so the job has the PATH of a login, without the site's commands.
    commands = site.home / "commands.sh"
    commands.write_text(f"PATH={site.home}/bin:$PATH\n")
    try:
        job = submit(site, here, HOROVOD, "--job-name", name, "--mail-user", "USER_EMAIL", "--mail-type=ALL",
                     "--export", f"SRC_DIR=../src,DATA_DIR=/local/reference,BASH_ENV={commands}")
        wait_completed(site, job, place)
        assert (results / "logs/checkpoints/one").read_text() == "weights\n"
        assert (results / "logs/tensorboard/events").read_text() == "events\n"
        assert (results / "logs/nvidia-smi.log").read_text() == "gpus 0,1,2,3,4,5,6,7\n"
        out = (results / f"slurm-{job}.out").read_text()
        assert "conda activate ../env" in out and "horovodrun -np 8 python --data-dir /local/reference" in out
    finally:
        shutil.rmtree(f"/tmp/{name}", ignore_errors=True)


def test_a_script_that_saves_itself_when_it_is_preempted(site, place):
    (place / "my_script").write_text("import pathlib, time\npathlib.Path('begun').touch()\ntime.sleep(300)\n")
    job = submit(site, place, """\
#SBATCH --ntasks=1

exit_script() {
    echo "Preemption signal, saving myself"
    trap - SIGTERM # clear the trap
    # Optional: sends SIGTERM to child/sub processes
    kill -- -$$
}

trap exit_script SIGTERM

# The main script part
python3 my_script
""", "--partition=low", "--exclusive", "--nodelist=node4")
    wait_for((place / "begun").exists, "the script to run")
    other = submit(site, place, "#!/bin/bash\ntrue\n", "--partition=high", "--exclusive", "--nodelist=node4")
    wait_completed(site, other, place)
    assert state_of(site, job) == ["PREEMPTED"]
    assert "Preemption signal, saving myself\n" in (place / f"slurm-{job}.out").read_text()


def test_two_processes_share_a_gpu(site, place):
    header = """\
#SBATCH --ntasks-per-node=2
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --ntasks=2
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=4
#SBATCH --mem=18G
"""
    job = submit(site, place, header + "srun -l --output=myjob_output_%t.out python script args\n")
    wait_completed(site, job, place)
    outputs = [(place / f"myjob_output_{task}.out").read_text() for task in (0, 1)]
    gpus = {re.fullmatch(rf"{task}: python script args gpu=(\d) cpus=4 rank={task}\n", text)[1]
            for task, text in enumerate(outputs)}
    assert len(gpus) == 1
    (place / "silly.conf").write_text("0  python script firstarg\n1  python script secondarg\n")
    job = submit(site, place, header + "srun -l --multi-prog silly.conf\n")
    wait_completed(site, job, place)
    lines = sorted((place / "myjob_output_wrapper.out").read_text().splitlines())
    assert [" ".join(line.split()[:4]) for line in lines] == ["0: python script firstarg", "1: python script secondarg"]


# All steps wait for each other, so they pass only if they run at the same time.
RANK = """\
#!/bin/bash
touch begun.$SLURM_STEP_ID.$SLURM_PROCID
until [ $(ls begun.* | wc -l) = $1 ]; do /bin/sleep 0.05; done
echo "gpu $CUDA_VISIBLE_DEVICES"
"""


def packed(site, place, script, tasks_of_a_step, config):
    (place / "rank.sh").write_text(RANK)
    (place / "rank.sh").chmod(0o755)
    last = tasks_of_a_step - 1
    (place / config).write_text(f"{'0' if last == 0 else f'0-{last}'} ./rank.sh {4 * tasks_of_a_step}\n")
    job = submit(site, place, script)
    wait_completed(site, job, place)
    return job


def test_four_steps_have_a_gpu_each(site, place):
    step = "srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive --multi-prog python script args{} &\n"
    job = packed(site, place, """\
#!/bin/bash
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=4
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=6
""" + "".join(step.format(n) for n in (1, 2, 3, 4)) + "wait\n", 1, "python")
    outputs = [(place / f"{job}-step-{step}.out").read_text() for step in range(4)]
    assert sorted(outputs) == [f"0: gpu {gpu}\n" for gpu in range(4)]


def test_four_steps_have_a_gpu_for_two_processes_each(site, place):
    step = "srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &\n"
    job = packed(site, place, """\
#!/bin/bash
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=8
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=3
""" + 4 * step + "wait\n", 2, "silly.conf")
    seen = set()
    for step in range(4):
        gpus = [(place / f"{job}-step-{step}-task-{task}.out").read_text().split(" gpu ")[1] for task in (0, 1)]
        assert gpus[0] == gpus[1]
        seen.add(gpus[0])
    assert len(seen) == 4
