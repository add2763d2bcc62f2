#!/usr/bin/env python3
"""A training loop that may be stopped at any time: it saves on a notice, and goes on where it was.

With PyTorch, state["weight"] is {"model": model.state_dict(), "optimizer": optimizer.state_dict()},
and torch.save and torch.load take the place of json. Needs muster.py beside it (docs/stopping.md).
"""
import json
import os
import sys
from pathlib import Path

import muster

checkpoint, last = Path(sys.argv[1]), int(sys.argv[2])


def save(state):
    new = checkpoint.with_suffix(".new")
    with open(new, "w") as file:
        json.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(checkpoint)  # complete or absent, whatever happens


def train(state):
    """One step: any function of the state and the number of the step."""
    state["step"] += 1
    state["weight"] = (state["weight"] * 48271 + state["step"]) % 2147483647


state = {"step": 0, "weight": 1}
if checkpoint.exists():
    state = json.loads(checkpoint.read_text())
print("from step", state["step"], flush=True)
while state["step"] < last:
    train(state)
    if muster.should_stop():
        save(state)
        print("saved at step", state["step"], "because of", muster.notice().reason, flush=True)
        muster.requeue_me()
save(state)
print("done", state["weight"], flush=True)
