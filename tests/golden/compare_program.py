"""Runs the program on random experiments and compares every tensor with PyTorch's.

    compare_program.py PROGRAM [COUNT [SEED [SYSTEM...]]]

Needs PyTorch and NumPy, as Debian has them. Makes COUNT experiments for every system, prints the largest differences
and exits with 1 when a tensor is further from PyTorch's than 1e-5 of its largest magnitude, or, where float32 does not
reach that, than four times what PyTorch's own float32 is from its float64, or what the rounding of the logits comes to
behind a softmax: PyTorch may come close to float64 by chance.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy
import torch

from make_golden import SYSTEMS, TOLERANCE, largest_difference

SLACK = 4


def run_program(program, command, experiment, folder, *options):
    """What the program's command prints for that experiment."""
    source = folder / "experiment.json"
    source.write_text(json.dumps(experiment))
    done = subprocess.run([program, command, source, *options], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stderr.strip()}\n{json.dumps(experiment)}")
    return done.stdout


def trace(program, experiment, folder):
    """Every tensor that the program computes, by name."""
    output = folder / "trace.npz"
    run_program(program, "trace", experiment, folder, "-o", output)
    tensors = dict(numpy.load(output))
    del tensors["__metadata__"]
    return tensors


def allowed_difference(tensor, exact):
    """How far float32 computations of the same may be apart, as a share of the largest magnitude: `tensor` is one of
    them, `exact` the same in float64."""
    return max(TOLERANCE, SLACK * largest_difference(tensor, exact))


def logit_rounding(logits, params):
    """How far weights may be apart because their logits are rounded to float32: a softmax makes relative differences of
    the absolute ones. Below 1e-5 where logits are of usual size."""
    finite = numpy.abs(numpy.asarray(logits, dtype=numpy.float64))
    fill = abs(float(params.get("masked_fill", 0)))
    finite = finite[numpy.isfinite(finite) & (finite != fill)]
    largest = finite.max() if finite.size else 0
    epsilon = numpy.finfo(numpy.float32).eps / 2
    return SLACK * epsilon * largest / float(params.get("temperature", 1))


def allowed_differences(module, experiment):
    """Name of a tensor -> (PyTorch's, how far float32 computations of it may be apart)."""
    theirs, exact = (module.run(experiment, precision) for precision in (torch.float32, torch.float64))
    result = {}
    rounding = 0
    for name, (_, tensor) in theirs.items():
        if "scores" in name:
            rounding = max(rounding, logit_rounding(exact[name][1], experiment.get("params", {})))
        # What is drawn or projected before the softmax has nothing of it.
        behind_softmax = any(word in name for word in ("weight", "output", "values", "merged", "out"))
        allowed = allowed_difference(tensor, exact[name][1])
        result[name] = (tensor, max(allowed, rounding) if behind_softmax else allowed)
    return result


def compare(program, module, experiment, folder):
    """Name of a tensor -> (largest difference, the difference allowed), both as shares of its largest magnitude."""
    ours = trace(program, experiment, folder)
    theirs = allowed_differences(module, experiment)
    assert set(ours) == set(theirs), set(ours) ^ set(theirs)
    return {name: (largest_difference(ours[name], tensor), allowed) for name, (tensor, allowed) in theirs.items()}


def compare_system(program, module, count, seed, folder):
    """Prints the tensors that differ most and every experiment that fails; returns whether none did."""
    rng = random.Random(seed)
    worst, failures = {}, 0
    for _ in range(count):
        experiment = module.random_experiment(rng)
        tensors = compare(program, module, experiment, folder)
        failed = [name for name, (difference, allowed) in tensors.items() if not difference <= allowed]
        if failed:
            failures += 1
            print(f"{', '.join(failed)}: too far from PyTorch's in {json.dumps(experiment)}")
        for name, (difference, _) in tensors.items():
            worst[name] = max(worst.get(name, 0), difference)
    print(f"{module.SYSTEM}: {count} experiments, {failures} failed, {len(worst)} tensors")
    for name, difference in sorted(worst.items(), key=lambda item: -item[1])[:5]:
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
