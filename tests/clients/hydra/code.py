"""A program with the launchers of Hydra's submitit plug-in as a user configures them."""
import os
import signal

from hydra.conf import SweepDir
from hydra_plugins.hydra_submitit_launcher.config import LocalQueueConf, SlurmQueueConf
from hydra_zen import make_config, store


@store(name="submitit_tutorial")
def task_fn(params):
    if "IGNORE_SIGNALS" in os.environ:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        signal.signal(signal.SIGUSR2, signal.SIG_IGN)
        signal.signal(signal.SIGCONT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    names = ("SLURM_ARRAY_TASK_ID", "SLURM_JOB_NUM_NODES", "SLURM_PROCID", "CUDA_VISIBLE_DEVICES", "WANDB_MODE", "VIRTUAL_ENV")
    print("params", params, *(f"{name}={os.environ.get(name)}" for name in names), flush=True)
    with open(f"result.{os.environ.get('SLURM_PROCID', 'none')}", "w") as file:
        file.write(f"{params}\n")
    if os.path.exists(str(params)):  # a FIFO: whoever opens it lets the task end
        open(params).close()


store(
    SlurmQueueConf(
        gres="gpu:4",
        timeout_min=30,
        setup=[  # setup commands to run before the job starts
            "source venv/bin/activate",
            "export WANDB_MODE=offline",
        ],
    ),
    name="submitit_slurm_custom_gpu",
    group="hydra/launcher",
)

store(
    SlurmQueueConf(
        timeout_min=180,
        nodes=6,
        setup=[  # setup commands to run before the job starts
            "source venv/bin/activate",
            "export WANDB_MODE=offline",
        ],
    ),
    name="submitit_slurm_custom_batch",
    group="hydra/launcher",
)

store(LocalQueueConf(timeout_min=5), name="submitit_local_custom", group="hydra/launcher")

# exclude from hierarchical config by setting package to _global_
setup_store = store(group="setup", package="_global_")

# store itself is a dict of dicts, the None key is the main config and the inner dict has a single value
conf = list(store[None].values())[0]

store(
    SweepDir(dir=os.path.join("some", "new", "basedir", "${now:%Y-%m-%d}", "${now:%H-%M-%S}")),
    name="hpc",
    group="hydra/sweep",
)

setup_store(
    make_config(
        hydra_defaults=["_self_", {"/hydra/sweep": "hpc"}, {"override /hydra/launcher": "submitit_slurm_custom_gpu"}],
        bases=(conf,),  # has to inherit from the main config
    ),
    name="hpc_gpu",
)

setup_store(
    make_config(
        hydra_defaults=["_self_", {"/hydra/sweep": "hpc"}, {"override /hydra/launcher": "submitit_slurm_custom_batch"}],
        bases=(conf,),  # has to inherit from the main config
    ),
    name="hpc_batch",
)

store.add_to_hydra_store(overwrite_ok=True)  # overwrite required for callbacks

if __name__ == "__main__":
    from hydra_zen import zen

    zen(task_fn).hydra_main(
        config_name="submitit_tutorial",  # refers to the name of the main config
        version_base="1.1",
    )
