"""What every distributed training does first: joins the others and sums a tensor over all ranks."""
import os
import sys

import torch
import torch.distributed as distributed

if "lightning" in sys.argv:
    from lightning_fabric.plugins.environments import SLURMEnvironment

    assert SLURMEnvironment.detect()
    environment = SLURMEnvironment()
    assert environment.creates_processes_externally
    os.environ["MASTER_ADDR"] = os.environ.get("MAIN_ADDRESS", environment.main_address)
    os.environ["MASTER_PORT"] = str(environment.main_port)
    print(f"job {environment.job_id()} {environment.job_name()} node {environment.node_rank()} local {environment.local_rank()}")
    rank, world = environment.global_rank(), environment.world_size()
    distributed.init_process_group("gloo", rank=rank, world_size=world)
else:
    distributed.init_process_group("gloo")
total = torch.tensor([float(distributed.get_rank())])
distributed.all_reduce(total)
print(f"rank {distributed.get_rank()} of {distributed.get_world_size()}: {total.item():g}", flush=True)
distributed.barrier()
distributed.destroy_process_group()
