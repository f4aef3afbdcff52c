"""A GPT-2 in PyTorch, from a folder with config.json and model.safetensors in F32, for the measurements beside attnscope."""

import json
import math
import struct
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
        return torch.log_softmax(self.logits(ids, off, last=True), -1)[0]

    def logits(self, ids, off=None, last=False):
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
        return self.norm(x[-1:] if last else x, "ln_f") @ self.w["wte.weight"].T


def seconds(action):
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
