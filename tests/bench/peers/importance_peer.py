"""The importance of every head of a GPT-2: attnscope beside PyTorch, which runs the model once for each head.

    python3 tests/bench/peers/importance_peer.py build/release/attnscope MODEL [--tokens N] [--rounds N]

MODEL is the folder of a GPT-2 with its weights in model.safetensors, in F32. attnscope is measured from outside, with the
start of the program and the reading of the weights, and computes the MLPs as well; PyTorch's weights are in memory before
the clock starts. Prints the seconds of each round, and how many times faster attnscope is.
"""

import argparse
import json
import math
import pathlib
import struct
import subprocess
import tempfile
import time

import numpy as np
import torch


def read_weights(file):
    data = file.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    weights = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        numbers = np.frombuffer(data, "<f4", (end - begin) // 4, 8 + length + begin).reshape(entry["shape"])
        weights[name.removeprefix("transformer.")] = torch.from_numpy(numbers.copy())
    return weights


class Gpt2:
    def __init__(self, folder):
        self.config = json.loads((folder / "config.json").read_text())
        self.w = read_weights(folder / "model.safetensors")
        self.layers, self.heads = self.config["n_layer"], self.config["n_head"]

    def norm(self, x, name):
        return torch.nn.functional.layer_norm(x, x.shape[-1:], self.w[name + ".weight"], self.w[name + ".bias"], 1e-5)

    def linear(self, x, name):
        return torch.addmm(self.w[name + ".bias"], x, self.w[name + ".weight"])

    def log_probabilities(self, ids, off=None):
        """At the last position, with head `off` = (layer, head) switched off."""
        n = len(ids)
        x = self.w["wte.weight"][ids] + self.w["wpe.weight"][:n]
        hidden = torch.ones(n, n, dtype=torch.bool).triu(1)
        for layer in range(self.layers):
            name = f"h.{layer}."
            qkv = self.linear(self.norm(x, name + "ln_1"), name + "attn.c_attn")
            q, k, v = (part.view(n, self.heads, -1).transpose(0, 1) for part in qkv.chunk(3, -1))
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])
            outputs = torch.bmm(torch.softmax(scores.masked_fill(hidden, -torch.inf), -1), v)
            if off is not None and off[0] == layer:
                outputs[off[1]] = 0
            x = x + self.linear(outputs.transpose(0, 1).reshape(n, -1), name + "attn.c_proj")
            middle = torch.nn.functional.gelu(self.linear(self.norm(x, name + "ln_2"), name + "mlp.c_fc"), approximate="tanh")
            x = x + self.linear(middle, name + "mlp.c_proj")
        return torch.log_softmax(self.norm(x[-1:], "ln_f") @ self.w["wte.weight"].T, -1)[0]

    def importance(self, ids):
        before = self.log_probabilities(ids)
        answer = int(before.argmax())
        return torch.tensor(
            [[float(self.log_probabilities(ids, (layer, head))[answer] - before[answer]) for head in range(self.heads)]
             for layer in range(self.layers)]
        )


def seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


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
        ratios = []
        for _ in range(given.rounds):
            ours = seconds(lambda: subprocess.run(command, check=True, capture_output=True))
            theirs = seconds(lambda: model.importance(ids))
            ratios.append(theirs / ours)
            print(f"attnscope {ours:6.2f} s   PyTorch {theirs:6.2f} s   {ratios[-1]:5.2f} times")
        print(f"best of {given.rounds}: {max(ratios):.2f} times")


if __name__ == "__main__":
    main()
