#!/usr/bin/env python3
"""Trains a small network on the XOR of two inputs, in plain Python.

It behaves like a real training run: it prints a line per epoch, writes a checkpoint after each, and
goes on from the checkpoint when it is started again, so a requeued job loses nothing.
"""
import argparse
import json
import math
import os
import random
from pathlib import Path

SAMPLES = [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((1, 1), 0)]
HIDDEN = 6


def fresh_network(seed):
    random.seed(seed)
    return {
        "hidden": [[random.uniform(-1, 1) for _ in range(3)] for _ in range(HIDDEN)],
        "output": [random.uniform(-1, 1) for _ in range(HIDDEN + 1)],
    }


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def forward(network, inputs):
    hidden = [sigmoid(w[0] * inputs[0] + w[1] * inputs[1] + w[2]) for w in network["hidden"]]
    weights = network["output"]
    return hidden, sigmoid(sum(w * h for w, h in zip(weights, hidden)) + weights[-1])


def train_epoch(network, steps, rate):
    loss = 0.0
    for _ in range(steps):
        inputs, wanted = random.choice(SAMPLES)
        hidden, guess = forward(network, inputs)
        loss += (guess - wanted) ** 2
        slope = (guess - wanted) * guess * (1 - guess)
        for i, h in enumerate(hidden):
            back = slope * network["output"][i] * h * (1 - h)
            network["output"][i] -= rate * slope * h
            for j, value in enumerate((*inputs, 1)):
                network["hidden"][i][j] -= rate * back * value
        network["output"][-1] -= rate * slope
    return loss / steps


def save(path, state):
    """Written under another name and renamed, so that a checkpoint is complete or absent."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(state))
    temporary.replace(path)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--epochs", type=int, default=8)
    options.add_argument("--steps", type=int, default=4000, help="samples per epoch")
    options.add_argument("--rate", type=float, default=0.7, help="learning rate")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--checkpoint", type=Path, default=Path("checkpoint.json"))
    args = options.parse_args()

    state = {"epoch": 0, "network": fresh_network(args.seed)}
    if args.checkpoint.exists():
        state = json.loads(args.checkpoint.read_text())
        print(f"going on after epoch {state['epoch']}")
    print(f"job {os.environ.get('SLURM_JOB_ID', '-')} on {os.environ.get('SLURMD_NODENAME', 'this machine')}, "
          f"{os.environ.get('SLURM_CPUS_ON_NODE', '?')} CPUs", flush=True)
    for epoch in range(state["epoch"] + 1, args.epochs + 1):
        loss = train_epoch(state["network"], args.steps, args.rate)
        state["epoch"] = epoch
        save(args.checkpoint, state)
        print(f"epoch {epoch}/{args.epochs}  loss {loss:.4f}", flush=True)
    right = sum(round(forward(state["network"], x)[1]) == y for x, y in SAMPLES)
    print(f"accuracy {right}/{len(SAMPLES)}, checkpoint in {args.checkpoint}")


if __name__ == "__main__":
    main()
