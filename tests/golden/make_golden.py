#!/usr/bin/env python3
"""Makes the reference data of the tests with PyTorch.

    make_golden.py OUTDIR         writes generator.safetensors, metrics.safetensors, SYSTEM/NN.safetensors and
                                  tensor-files/
    make_golden.py --check DIR    computes everything again, compares with DIR and prints the largest difference;
                                  then whether the numbers of DIR/printed.json come out

Needs PyTorch and numpy, nothing of attnscope: what the tests compare with is written here a second time, the way a
notebook would. A system is one module in systems/ (SYSTEM, EXPERIMENTS, run) and one entry of SYSTEMS.

A file of a system holds every tensor of one experiment under its name and, as metadata,
    experiment       the experiment as JSON
    axes:NAME        the names of the tensor's axes, separated by commas
    rounding:NAME    how far the float32 tensor is from the same computation in float64, in units of the tensor's
                     largest magnitude. Large scores make a softmax sensitive, and numbers close to each other their
                     normalization: where this is near 1e-5, no float32 program can agree with another one to 1e-5.

printed.json is written by hand. It has the numbers that the sources of the systems print, as their digits: each entry
is an experiment with a tensor and either an index, of the leading axes, or a statistic (mean; std, with n - 1).
"""

import argparse
import json
import pathlib
import sys
import tempfile

import numpy as np
import torch

import head_measures
import random_draws
import safetensors_file
import tensor_files
from systems import (
    conv_attention,
    hand_made_heads,
    image_multihead,
    image_self_attention,
    packed_multihead,
    projected_multihead,
    scaled_dot_product,
    stacked_multihead,
    worked_example,
)

SYSTEMS = [
    scaled_dot_product,
    worked_example,
    image_self_attention,
    image_multihead,
    packed_multihead,
    conv_attention,
    projected_multihead,
    stacked_multihead,
    hand_made_heads,
]

TENSOR_FILES = "tensor-files"  # see tensor_files.py
MADE_ELSEWHERE = {"models", "kept_out", "tokenizers"}  # folders beside these, with their own makers
TOLERANCE = 1e-5  # of a tensor's largest magnitude


def largest_difference(a, b):
    """Largest |a - b| in units of the largest finite magnitude in b. NaN equals NaN and an infinity equals itself;
    against anything else they differ infinitely."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    if a.shape != b.shape:
        return np.inf
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return np.inf
    if not finite.any():
        return 0.0
    scale = np.abs(b[finite]).max()
    return float(np.abs(a[finite] - b[finite]).max() / (scale if scale > 0 else 1.0))


def write_experiment(path, module, experiment):
    trace = module.run(experiment)
    exact = module.run(experiment, torch.float64)
    tensors, metadata = {}, {"experiment": json.dumps(experiment)}
    for name, (axes, tensor) in trace.items():
        assert len(axes.split(",")) == tensor.dim(), name
        tensors[name] = tensor.numpy()
        metadata["axes:" + name] = axes
        metadata["rounding:" + name] = f"{largest_difference(tensor.numpy(), exact[name][1].numpy()):.1e}"
    safetensors_file.write(path, tensors, metadata)


def write_all(directory):
    directory.mkdir(parents=True, exist_ok=True)
    safetensors_file.write(directory / "generator.safetensors", *random_draws.make())
    safetensors_file.write(directory / "metrics.safetensors", *head_measures.make())
    tensor_files.write(directory / TENSOR_FILES)
    for module in SYSTEMS:
        folder = directory / module.SYSTEM
        folder.mkdir(exist_ok=True)
        for number, experiment in enumerate(module.EXPERIMENTS, start=1):
            write_experiment(folder / f"{number:02}.safetensors", module, experiment)


def check(directory):
    """Prints how far the files of `directory` are from fresh ones; returns whether that is within TOLERANCE, or, where
    float32 does not reach that, within what both are from float64: with another BLAS, sums come out otherwise."""
    with tempfile.TemporaryDirectory() as fresh:
        fresh = pathlib.Path(fresh)
        write_all(fresh)
        names = {path.relative_to(root) for root in (fresh, directory) for path in root.rglob("*.safetensors")}
        names = {name for name in names if name.parts[0] not in {TENSOR_FILES, *MADE_ELSEWHERE}}
        same_files = tensor_files.check(directory / TENSOR_FILES, fresh / TENSOR_FILES)
        worst, where, identical, too_far = 0.0, "", 0, False
        for name in sorted(names):
            if not (fresh / name).exists() or not (directory / name).exists():
                print(f"{name}: {'no longer made' if (directory / name).exists() else 'missing'}")
                worst = np.inf
                continue
            identical += (fresh / name).read_bytes() == (directory / name).read_bytes()
            old, old_metadata = safetensors_file.read(directory / name)
            new, new_metadata = safetensors_file.read(fresh / name)
            if list(old) != list(new) or _lasting(old_metadata) != _lasting(new_metadata):
                print(f"{name}: other tensors or other metadata")
                worst = np.inf
                continue
            for tensor in new:
                difference = largest_difference(old[tensor], new[tensor])
                roundings = (float(each.get("rounding:" + tensor, 0)) for each in (old_metadata, new_metadata))
                # They are written with two digits.
                if difference > max(TOLERANCE, 1.1 * sum(roundings)):
                    print(f"{name}: {tensor} differs by {difference:.1e}")
                    too_far = True
                if difference > worst:
                    worst, where = difference, f" ({name}, {tensor})"
    print(f"{len(names)} files, {identical} byte for byte the same; largest difference {worst:.3g}{where}")
    return np.isfinite(worst) and not too_far and same_files


def check_printed(path):
    """Prints which numbers of printed.json come out otherwise; returns whether all are right to the last digit."""
    entries = json.loads(path.read_text())
    wrong = 0
    for entry in entries:
        experiment = entry["experiment"]
        module = next(module for module in SYSTEMS if module.SYSTEM == experiment["system"])
        tensor = module.run(experiment)[entry["tensor"]][1]
        numbers = getattr(tensor, entry["statistic"])() if "statistic" in entry else tensor[tuple(entry["index"])]
        found = _digits(numbers.tolist(), entry["printed"])
        if found != entry["printed"]:
            wrong += 1
            print(f"{json.dumps(experiment)}: {entry['tensor']} is {found}, printed {entry['printed']}")
    print(f"{len(entries)} entries of {path.name}, {wrong} wrong")
    return wrong == 0


def _digits(numbers, printed):
    """`numbers` as strings, each with as many decimals as the one in its place in `printed`."""
    if isinstance(numbers, list):
        return [_digits(number, digits) for number, digits in zip(numbers, printed, strict=True)]
    return f"{numbers:.{len(printed.partition('.')[2])}f}"


def _lasting(metadata):
    """Without what depends on the machine's last digit."""
    return {key: value for key, value in metadata.items() if not key.startswith(("rounding:", "statistics:"))}


def main():
    parser = argparse.ArgumentParser(description="Makes the reference data of the tests with PyTorch.")
    parser.add_argument("directory", type=pathlib.Path, help="where the files are, or go")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the same sums in the same order on every machine
    if arguments.check:
        same = check(arguments.directory)
        right = check_printed(arguments.directory / "printed.json")
        return 0 if same and right else 1
    write_all(arguments.directory)
    return 0


if __name__ == "__main__":
    sys.exit(main())
