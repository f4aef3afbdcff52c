"""Runs the program on random experiments and compares every tensor with PyTorch's.

    compare_program.py PROGRAM [COUNT [SEED]]

Needs PyTorch and NumPy, as Debian has them. Exits with 1 when a tensor is further than 1e-5 of its largest magnitude from
PyTorch's, and prints the largest difference of each tensor.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy

from systems import worked_example

TOLERANCE = 1e-5


def random_experiment(rng):
    params = {
        "tokens": rng.randint(1, 16),
        "features": rng.randint(1, 32),
        "head_dim": rng.randint(1, 32),
        "heads": rng.randint(1, 10),
        "cross_queries": rng.randint(0, 10),
        "scale": rng.choice(["none", "sqrt_head_dim"]),
        "temperature": rng.choice([0.5, 1.0, 3.0]),
    }
    padding = f"padding:{rng.randint(1, params['tokens'])}"
    params["mask"] = rng.choice(["none", "none", "causal", f"window:{rng.randint(0, 4)}", padding])
    return {
        "format": "attnscope-experiment/1",
        "system": worked_example.SYSTEM,
        "seed": rng.getrandbits(64),
        "discard": rng.choice([0, 1, 1234]),
        "params": params,
    }


def differences(program, experiment, folder):
    """Name of a tensor -> largest difference as a share of its largest magnitude."""
    source, output = folder / "experiment.json", folder / "trace.npz"
    source.write_text(json.dumps(experiment))
    subprocess.run([program, "trace", source, "-o", output], check=True)
    ours = numpy.load(output)
    result = {}
    for name, (_, tensor) in worked_example.run(experiment).items():
        theirs = tensor.numpy()
        assert ours[name].shape == theirs.shape, (name, ours[name].shape, theirs.shape)
        scale = numpy.abs(theirs).max() or 1
        result[name] = float(numpy.abs(ours[name] - theirs).max() / scale)
    return result


def main(program, count=40, seed=1):
    rng = random.Random(int(seed))
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(int(count)):
            experiment = random_experiment(rng)
            for name, difference in differences(program, experiment, pathlib.Path(folder)).items():
                worst[name] = max(worst.get(name, 0), difference)
    for name, difference in sorted(worst.items(), key=lambda item: -item[1])[:8]:
        print(f"{name:28} {difference:.1e}")
    print(f"{len(worst)} tensors, {count} experiments, largest difference {max(worst.values()):.1e}")
    return 0 if max(worst.values()) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
