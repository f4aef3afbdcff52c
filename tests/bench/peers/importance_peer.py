"""The importance of every head of a GPT-2: attnscope beside PyTorch, which runs the model once for each head.

    python3 tests/bench/peers/importance_peer.py build/release/attnscope MODEL [--tokens N] [--rounds N]

MODEL is the folder of a GPT-2 with its weights in model.safetensors, in F32. attnscope is measured from outside, with the
start of the program and the reading of the weights, and computes the MLPs as well; PyTorch's weights are in memory before
the clock starts. Prints the seconds of each round, and how many times faster attnscope is.
"""

import argparse
import pathlib
import subprocess
import tempfile

import torch
from gpt2_in_torch import Gpt2, seconds


def importance(model, ids):
    before = model.log_probabilities(ids)
    answer = int(before.argmax())
    return [
        [float(model.log_probabilities(ids, (layer, head))[answer] - before[answer]) for head in range(model.heads)]
        for layer in range(model.layers)
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = Gpt2(given.model)
    ids = list(range(1, given.tokens + 1))
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        command = [given.program, "figure", given.model, "--tokens", ",".join(map(str, ids)), "--view", "importance",
                   "-o", pathlib.Path(folder) / "importance.svg"]
        times = []
        for _ in range(given.rounds):
            ours = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
            theirs = seconds(lambda: importance(model, ids))
            times.append((ours, theirs))
            print(f"attnscope {ours:6.2f} s   PyTorch {theirs:6.2f} s   {theirs / ours:5.2f} times")
        ours, theirs = map(min, zip(*times))
        print(f"best of {given.rounds} each: {theirs / ours:.2f} times")


if __name__ == "__main__":
    main()
