"""Runs the scripts that the program writes, and compares every tensor they save with the program's own.

    compare_scripts.py PROGRAM [COUNT [SEED [SYSTEM...]]]

Needs PyTorch and NumPy, as Debian has them. Takes the stored experiments, some that are hard on a script, and COUNT
random ones for every system. Prints the largest differences and exits with 1 when a tensor is further from the
program's than compare_program.py allows, or when a script does not save the program's tensors and no others.
"""

import contextlib
import io
import json
import pathlib
import random
import runpy
import subprocess
import sys
import tempfile

import numpy

from compare_program import allowed_differences, run_program, trace
from make_golden import SYSTEMS, TOLERANCE, largest_difference
from systems.experiments import holes, make

# For every system: (parameters, seed and discard).
EVERYWHERE = [
    ({"dropout": 0.5}, {}),
    ({"dropout": 0.5, "mask": "padding:0", "masked_fill": "-inf", "temperature": 0.25}, {"seed": 2**64 - 1}),
    ({"mask": "padding:0", "masked_fill": -3.4e38, "temperature": 0.001}, {"seed": 2**32, "discard": 1}),
    ({"mask": "window:0", "masked_fill": -1e-7, "temperature": 1000}, {}),
]

# What PyTorch's layers refuse, masks that are wider than a line, and more discarded numbers than one tensor should hold.
PIXEL = {"batch": 1, "height": 1, "width": 1}
LENGTHS = "padding:" + ",".join(["1", "3"] * 32)
PARTICULAR = {
    "image-self-attention": [
        ({**PIXEL, "channels": 1}, {}),
        ({**PIXEL, "channels": 3}, {}),
        ({**PIXEL, "channels": 3, "norm": "batch"}, {}),
        ({"batch": 64, "height": 2, "width": 2, "mask": LENGTHS}, {}),
    ],
    "image-multihead": [({**PIXEL, "channels": 4}, {})],
    "conv-attention": [({"batch": 64, "height": 2, "width": 2, "mask": LENGTHS}, {})],
    "projected-multihead": [({"keys": 230, "mask": holes(3, 230), "masked_fill": "-inf"}, {})],
    "stacked-multihead": [({}, {"discard": 250_000_000}), ({}, {"discard": 100_000_000})],
}


def with_edits(program, experiment, folder):
    """The experiment with a number put by hand into the middle of every tensor that is drawn."""
    source = folder / "edited.json"
    edits = []
    for name, tensor in trace(program, experiment, folder).items():
        edit = {"tensor": name, "index": [size // 2 for size in tensor.shape], "value": 1.25}
        source.write_text(json.dumps({**experiment, "edits": [edit]}))
        done = subprocess.run([program, "script", source], capture_output=True, text=True)
        if done.returncode == 0:
            edits.append(edit)
        else:
            assert "is computed, not random" in done.stderr, done.stderr
    return {**experiment, "edits": edits}


def with_heads_off(program, experiment, folder):
    """The experiment with every second head switched off, where heads are merged."""
    heads = trace(program, experiment, folder)
    if "merged" not in heads:
        return []
    axis = 0 if heads["head_outputs"].ndim == 3 else 1
    count = heads["head_outputs"].shape[axis]
    return [{**experiment, "heads_off": list(range(0, count, 2))}]


def experiments(program, module, count, rng, folder):
    yield from module.EXPERIMENTS
    small = module.EXPERIMENTS[0].get("params", {})
    given_pictures = [experiment for experiment in module.EXPERIMENTS if "picture" in experiment]
    for experiment in module.EXPERIMENTS[:3] + given_pictures[:1]:
        yield with_edits(program, experiment, folder)
        yield from with_heads_off(program, experiment, folder)
    for params, rest in EVERYWHERE:
        yield make(module.SYSTEM, {**small, **params}, **rest)
    for params, rest in PARTICULAR.get(module.SYSTEM, []):
        yield make(module.SYSTEM, params, **rest)
    for _ in range(count):
        yield module.random_experiment(rng)


def run_script(script, folder):
    """The tensors that the script saves, and what it prints when it does not save them."""
    source, output = folder / "script.py", folder / "tensors.npz"
    source.write_text(script)
    arguments, printed = sys.argv, io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            sys.argv = [str(source)]
            runpy.run_path(str(source), run_name="__main__")
        sys.argv = [str(source), str(output)]
        runpy.run_path(str(source), run_name="__main__")
    finally:
        sys.argv = arguments
    return dict(numpy.load(output)), printed.getvalue()


def allowed_from_reference(module, experiment):
    """Name of a tensor -> the difference allowed, where float32 does not reach the tolerance."""
    if experiment.get("edits") or experiment.get("heads_off"):  # the reference knows nothing of them
        return {}
    try:
        return {name: allowed for name, (_, allowed) in allowed_differences(module, experiment).items()}
    except ValueError:  # PyTorch's own layers refuse to norm a single number
        return {}


def comparable(program, experiment, ours, folder):
    """The names of the tensors that do not depend on dropout, which is random in another way here than there."""
    if not experiment.get("params", {}).get("dropout"):
        return list(ours)
    params = {**experiment["params"], "dropout": 0}
    without = trace(program, {**experiment, "params": params}, folder)
    return [name for name in ours if name in without and numpy.array_equal(ours[name], without[name])]


def compare(program, module, experiment, folder):
    """Name of a tensor -> (largest difference, the difference allowed), both as shares of its largest magnitude."""
    ours = trace(program, experiment, folder)
    theirs, printed = run_script(run_program(program, "script", experiment, folder), folder)
    assert set(ours) == set(theirs), f"{json.dumps(experiment)}: {set(ours) ^ set(theirs)}"
    lines = [line.split(maxsplit=1) for line in printed.splitlines()[: len(ours)]]
    assert {name: shape for name, shape in lines} == {name: str([*theirs[name].shape]) for name in theirs}, printed
    for name in ours:
        assert ours[name].shape == theirs[name].shape and theirs[name].dtype == numpy.float32, name
    allowed = allowed_from_reference(module, experiment)
    return {
        name: (largest_difference(theirs[name], ours[name]), allowed.get(name, TOLERANCE))
        for name in comparable(program, experiment, ours, folder)
    }


def compare_system(program, module, count, seed, folder):
    """Prints the tensors that differ most and every experiment that fails; returns whether none did."""
    worst, number, failures = {}, 0, 0
    for experiment in experiments(program, module, count, random.Random(seed), folder):
        tensors = compare(program, module, experiment, folder)
        failed = [name for name, (difference, allowed) in tensors.items() if not difference <= allowed]
        if failed:
            failures += 1
            print(f"{', '.join(failed)}: too far from the script's in {json.dumps(experiment)}")
        for name, (difference, _) in tensors.items():
            worst[name] = max(worst.get(name, 0), difference)
        number += 1
    print(f"{module.SYSTEM}: {number} scripts, {failures} failed, {len(worst)} tensors")
    for name, difference in sorted(worst.items(), key=lambda item: -item[1])[:3]:
        print(f"    {name:28} {difference:.1e}")
    return failures == 0


def main(program, count=40, seed=1, *systems):
    known = {module.SYSTEM: module for module in SYSTEMS}
    chosen = [known[system] for system in systems or known]
    with tempfile.TemporaryDirectory() as folder:
        good = [compare_system(program, module, int(count), int(seed), pathlib.Path(folder)) for module in chosen]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
