#!/usr/bin/env python3
"""Makes a random small model folder with the reference of every tensor: random_models.py FAMILY SEED FOLDER [--tiny]

See README.md for what is in the folder. The same seed gives the same folder. The reference is computed from the values
as they are stored.
"""

import argparse
import json
import pathlib

import numpy as np
import torch

import model_files
from drawing import Draw
from families import bart, bert, gpt, llama, t5, vit
from operations import Trace, Weights

GROUPS = [gpt, llama, bert, vit, bart, t5]
FAMILIES = {family: functions for group in GROUPS for family, functions in group.FAMILIES.items()}


def kinds_of(draw):
    """How every tensor is stored: most files have one kind, some keep what is small in F32."""
    kind = draw.of("F32", "F32", "F16", "BF16")
    mixed = draw.chance(0.2)
    return {name: "F32" if mixed and array.ndim < 2 else kind for name, array in draw.tensors.items()}


def reference(folder):
    """Every tensor of a model folder, in float64, by name."""
    config = json.loads((folder / "config.json").read_text())
    inputs = json.loads((folder / "inputs.json").read_text())
    trace = Trace()
    _, run = FAMILIES[config["model_type"]]
    if inputs["picture"]:
        inputs["picture"] = model_files.read_png(folder / inputs["picture"])
        inputs["preprocessor"] = json.loads((folder / "preprocessor_config.json").read_text())
    run(config, Weights(model_files.read_weights(folder)), inputs, trace)
    return {name: tensor.double() for name, tensor in trace.tensors.items()}


def write_folder(family, seed, folder, tiny=False):
    """The model and its reference."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = Draw(family, seed, tiny)
    make, _ = FAMILIES[family]
    model = make(draw)
    model_files.write_json(folder / "config.json", model.config)
    (folder / "inputs.json").write_text(json.dumps(model.inputs) + "\n")
    model_files.write_weights(folder, model.tensors, kinds_of(draw), draw.between(1, 3))
    if model.picture is not None:
        model_files.write_png(folder / model.inputs["picture"], model.picture)
        model_files.write_json(folder / "preprocessor_config.json", model.preprocessor)
    tensors = {name: tensor.numpy().astype(np.float32) for name, tensor in reference(folder).items()}
    assert not any(np.isnan(tensor).any() for tensor in tensors.values())
    model_files.write(folder / "reference.safetensors", tensors)


def main():
    parser = argparse.ArgumentParser(description="Makes a random small model folder with its reference.")
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("seed", type=int)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tiny", action="store_true", help="as small as those that are committed")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    write_folder(arguments.family, arguments.seed, arguments.folder, arguments.tiny)


if __name__ == "__main__":
    main()
