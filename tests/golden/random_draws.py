"""Random numbers as PyTorch draws them, for the tests of src/core/random/generator.

Every tensor is the concatenation of what a list of calls returns after torch.manual_seed(seed). The list is stored
beside it, as metadata "draws:NAME" = {"seed": 42, "calls": [["randn", 3], ["rand", 5]]}. The calls are

    raw N               N raw 32-bit numbers, each stored as two floats: its high and its low 16 bits
    rand N, randn N     torch.rand(N), torch.randn(N)
    uniform N A B       torch.empty(N).uniform_(A, B)
    discard N           N raw 32-bit numbers drawn and dropped; adds nothing to the tensor
    linear IN OUT BIAS  weight, then bias (if BIAS) of torch.nn.Linear
    conv IN OUT BIAS    the same of a 1×1 torch.nn.Conv2d
    xavier IN OUT       torch.nn.init.xavier_uniform_ of an OUT × IN matrix

A tensor with metadata "sample:NAME" holds the elements at those positions only; "statistics:NAME" has the sum, the mean
and the (population) standard deviation of all elements, computed in double precision.
"""

import json

import numpy as np
import torch

SEEDS = [0, 42, 2**32 + 7, 123456789, 2**64 - 1]
COUNTS = [1, 6, 15, 16, 17, 100]

SEQUENCES = [
    # The sine half of a small randn is kept for the next small randn, whatever is drawn in between.
    [["randn", 3], ["rand", 5], ["randn", 4], ["rand", 2], ["randn", 1], ["randn", 1], ["randn", 1]],
    [["randn", 1], ["discard", 3], ["randn", 1], ["rand", 1]],
    [["rand", 1], ["randn", 15], ["randn", 20], ["randn", 2], ["randn", 16], ["randn", 1], ["rand", 3]],
    [["randn", 5], ["linear", 4, 3, True], ["randn", 5], ["xavier", 4, 6], ["randn", 32], ["rand", 4]],
    [["uniform", 40, -1.0, 1.0], ["uniform", 40, 0.0, 3.7], ["uniform", 40, -0.1, 0.3], ["uniform", 10, 5.0, 5.5]],
    [["discard", 3168], ["rand", 6], ["raw", 4]],
    [["raw", 700], ["discard", 1], ["raw", 3]],  # past the 624 words of the Mersenne Twister's state
]

LAYERS = [
    ["linear", 1, 1, True], ["linear", 4, 8, True], ["linear", 9, 7, False], ["linear", 3, 5, True],
    ["linear", 32, 96, True], ["linear", 28, 9, False], ["linear", 100, 3, True],
    ["conv", 32, 12, False], ["conv", 7, 5, True],
    ["xavier", 32, 96], ["xavier", 16, 3], ["xavier", 1, 1], ["xavier", 5, 9],
]  # fmt: skip

LARGE_SHAPE = (64, 32, 16, 16)
LARGE_SEEDS = [42, 7]


def call(name, *arguments):
    """What one call returns, as a flat float32 array."""
    if name == "raw":
        # A 32-bit draw modulo 2^32 - 1 is the draw itself (but for the one value that the modulus would hide).
        raw = torch.empty(arguments[0], dtype=torch.int64).random_(0, 2**32 - 1).numpy()
        return np.stack([raw >> 16, raw & 0xFFFF], axis=1).astype(np.float32).ravel()
    if name == "discard":
        torch.rand(arguments[0])
        return np.empty(0, np.float32)
    if name == "rand":
        return torch.rand(arguments[0]).numpy()
    if name == "randn":
        return torch.randn(arguments[0]).numpy()
    if name == "uniform":
        count, low, high = arguments
        return torch.empty(count).uniform_(low, high).numpy()
    if name == "xavier":
        fan_in, fan_out = arguments
        return torch.nn.init.xavier_uniform_(torch.empty(fan_out, fan_in)).numpy().ravel()
    fan_in, fan_out, bias = arguments
    if name == "linear":
        layer = torch.nn.Linear(fan_in, fan_out, bias=bias)
    else:
        layer = torch.nn.Conv2d(fan_in, fan_out, 1, bias=bias)
    return np.concatenate([parameter.detach().numpy().ravel() for parameter in layer.parameters()])


def draw(seed, calls):
    torch.manual_seed(seed)
    return np.concatenate([call(*arguments) for arguments in calls])


def cases():
    """name -> (seed, calls)"""
    found = {}
    for seed in SEEDS:
        found[f"raw.{seed}"] = (seed, [["raw", 20]])
        for count in COUNTS:
            for name in ("rand", "randn"):
                found[f"{name}.{seed}.{count}"] = (seed, [[name, count]])
    for number, calls in enumerate(SEQUENCES):
        for seed in (42, 3):
            found[f"sequence.{number}.{seed}"] = (seed, calls)
    for layer in LAYERS:
        found["layer." + ".".join(str(argument) for argument in layer)] = (42, [layer])
    return found


def sample_positions(count):
    """The first 64, every 4096th and the last 64."""
    return sorted({*range(64), *range(0, count, 4096), *range(count - 64, count)})


def make():
    """The tensors and the metadata of generator.safetensors."""
    tensors, metadata = {}, {}
    for name, (seed, calls) in cases().items():
        tensors[name] = draw(seed, calls)
        metadata["draws:" + name] = json.dumps({"seed": seed, "calls": calls})
    for seed in LARGE_SEEDS:
        name = f"large.{seed}"
        torch.manual_seed(seed)
        values = torch.randn(LARGE_SHAPE).numpy().ravel()
        positions = sample_positions(values.size)
        exact = values.astype(np.float64)
        tensors[name] = values[positions]
        metadata["draws:" + name] = json.dumps({"seed": seed, "calls": [["randn", values.size]]})
        metadata["sample:" + name] = json.dumps(positions)
        statistics = {"sum": exact.sum(), "mean": exact.mean(), "std": exact.std()}
        metadata["statistics:" + name] = json.dumps(statistics)
    return tensors, metadata
