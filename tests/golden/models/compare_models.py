#!/usr/bin/env python3
"""Runs the program on random models and compares every tensor with the reference.

    compare_models.py PROGRAM [COUNT [SEED [FAMILY...]]]

Makes COUNT models per family in a temporary folder, from seeds that begin at SEED, and compares what
`PROGRAM trace FOLDER --tokens ... -o OUT.safetensors` writes, and what the script of `PROGRAM script FOLDER ...` saves,
with the reference. Exits with 1 when a tensor is missing, surplus, or further from the reference than 1e-4 of its
largest magnitude.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import torch

import model_files
from random_models import FAMILIES, write_folder

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from compare_scripts import run_script  # noqa: E402
from make_golden import largest_difference  # noqa: E402

TOLERANCE = 1e-4
# Steps of the program between those that the reference names: projections before they are split into heads, sums before
# a norm, and the like.
BETWEEN = re.compile(
    r"(^|\.)(cross_)?(projected_[qkv]|qkv|repeated_[kv]|both|attention_sum|mlp_sum|mlp_gate_activated|embedding_sum.*"
    r"|(token|position|type)_embeddings|cropped_pixels|patch_pixels|w_patches_flat|class_token|tokens|final_class_token"
    r"|b_logits_row)$"
)


class ProgramError(Exception):
    """What the program says when it fails."""


def input_options(folder):
    """The inputs of a folder as options of the command line."""
    inputs = json.loads((folder / "inputs.json").read_text())
    options = []
    for name in ("tokens", "tokens2"):
        if inputs[name] is not None:
            options += ["--" + name, ",".join(map(str, inputs[name]))]
    if inputs["picture"]:
        options += ["--picture", str(folder / inputs["picture"])]
    return options


def run_program(program, command, folder, *options):
    """What the command prints."""
    done = subprocess.run([program, command, folder, *input_options(folder), *options], capture_output=True, text=True)
    if done.returncode != 0:
        raise ProgramError(" ".join(done.stderr.split()) or f"ends with {done.returncode}")
    return done.stdout


def traced_with(program, folder, work, options):
    output = work / "trace.safetensors"
    run_program(program, "trace", folder, "-o", output, *options)
    return {name: tensor.numpy() for name, tensor in model_files.read(output).items()}


def traced(program, folder, work):
    return traced_with(program, folder, work, [])


def scripted_with(program, folder, work, options):
    tensors, _ = run_script(run_program(program, "script", folder, *options), work)
    return tensors


def scripted(program, folder, work):
    return scripted_with(program, folder, work, [])


def compare(tensors, expected):
    """The largest difference, as a share of a tensor's largest magnitude, and what is wrong."""
    wrong = [f"{name} is missing" for name in expected if name not in tensors]
    wrong += [f"{name} is surplus" for name in tensors if name not in expected and not BETWEEN.search(name)]
    worst = 0.0
    for name in expected:
        if name not in tensors:
            continue
        if tensors[name].shape != tuple(expected[name].shape):
            wrong.append(f"{name} is {list(tensors[name].shape)} instead of {list(expected[name].shape)}")
            continue
        difference = largest_difference(tensors[name], expected[name])
        worst = max(worst, difference)
        if not difference <= TOLERANCE:
            wrong.append(f"{name} differs by {difference:.1e}")
    return worst, wrong


def compare_model(program, family, seed, work):
    """The same over the program's trace and its script."""
    folder = work / f"{family}-{seed}"
    write_folder(family, seed, folder)
    expected = {name: tensor.numpy() for name, tensor in model_files.read(folder / "reference.safetensors").items()}
    worst, wrong = 0.0, []
    for what, run in (("trace", traced), ("script", scripted)):
        try:
            difference, mistakes = compare(run(program, folder, work), expected)
        except (Exception, SystemExit) as error:  # whatever a script does, the next model is compared too
            difference, mistakes = 0.0, [f"{type(error).__name__}: {error}"]
        worst = max(worst, difference)
        wrong += [f"{what}: {mistake}" for mistake in mistakes]
    shutil.rmtree(folder)
    return worst, wrong


def summary(mistakes):
    more = f", and {len(mistakes) - 3} more" if len(mistakes) > 3 else ""
    return " · ".join(mistakes[:3]) + more


def main(program, count=10, seed=1, *families):
    torch.set_num_threads(1)
    worst, number, failures = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as work:
        for family in families or FAMILIES:
            for each in range(int(seed), int(seed) + int(count)):
                difference, mistakes = compare_model(program, family, each, pathlib.Path(work))
                worst, number = max(worst, difference), number + 1
                if mistakes:
                    failures += 1
                    print(f"{family} {each}: {summary(mistakes)}", flush=True)
    print(f"{number} models, worst relative difference {worst:.1e}")
    return 1 if failures or not number else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
