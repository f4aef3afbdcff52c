#!/usr/bin/env python3
"""Makes the models that are committed: make_models.py [--check]

Two tiny ones per family, data/FAMILY-1/ and data/FAMILY-2/. With --check, they are made again in a temporary folder
and compared: the same files, the same tensors within 1e-6 of their largest magnitude.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np
import torch

import model_files
from random_models import FAMILIES, write_folder

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from make_golden import largest_difference  # noqa: E402

DATA = pathlib.Path(__file__).resolve().parent / "data"
SEEDS = {  # such that the two of a family differ in as many choices as possible
    "attention-only": (58, 60),
    "gpt2": (49, 52),
    "gpt_neox": (29, 58),
    "llama": (24, 35),
    "mistral": (13, 18),
    "qwen2": (23, 50),
    "qwen3": (21, 37),
    "bert": (9, 53),
    "roberta": (49, 50),
    "distilbert": (46, 57),
    "vit": (50, 55),
    "bart": (50, 51),
    "marian": (50, 55),
    "t5": (55, 60),
}
TOLERANCE = 1e-6


def write_all(directory):
    for family in FAMILIES:
        for number, seed in enumerate(SEEDS[family], start=1):
            write_folder(family, seed, directory / f"{family}-{number}", tiny=True)


def difference_of_files(old, new):
    """How far two files are apart; infinitely, unless they hold the same things."""
    if old.suffix == ".safetensors":
        before, after = model_files.read(old), model_files.read(new)
        if list(before) != list(after):
            return np.inf
        return max((largest_difference(before[name], after[name]) for name in after), default=0.0)
    if old.suffix == ".json":
        same = json.loads(old.read_text()) == json.loads(new.read_text())
    else:
        same = np.array_equal(model_files.read_png(old), model_files.read_png(new))
    return 0.0 if same else np.inf


def check(directory):
    """Prints what differs and by how much at most; returns whether that is within the tolerance."""
    with tempfile.TemporaryDirectory() as fresh:
        fresh = pathlib.Path(fresh)
        write_all(fresh)
        names = {path.relative_to(root) for root in (fresh, directory) for path in root.rglob("*") if path.is_file()}
        worst = 0.0
        for name in sorted(names):
            if not (fresh / name).exists() or not (directory / name).exists():
                print(f"{name}: {'no longer made' if (directory / name).exists() else 'missing'}")
                difference = np.inf
            else:
                difference = difference_of_files(directory / name, fresh / name)
                if not difference <= TOLERANCE:
                    print(f"{name}: differs by {difference:.1e}")
            worst = max(worst, difference)
    print(f"{len(names)} files, largest difference {worst:.3g}")
    return bool(names) and worst <= TOLERANCE


def main():
    parser = argparse.ArgumentParser(description="Makes the models that the tests read.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the same sums in the same order on every machine
    if arguments.check:
        return 0 if check(DATA) else 1
    shutil.rmtree(DATA, ignore_errors=True)
    write_all(DATA)
    return 0


if __name__ == "__main__":
    sys.exit(main())
