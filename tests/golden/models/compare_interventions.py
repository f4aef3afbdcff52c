#!/usr/bin/env python3
"""Intervenes in the stored models at random, and compares the program's tensors with those of the script that it writes.

    compare_interventions.py PROGRAM [COUNT [SEED]]

COUNT experiments for each model: heads, MLPs and layers that are off, at their mean or patched from another text, which may
be shorter or longer, everywhere or at one position; and keys of heads that are masked, for one query or for all. Exits with 1 when a tensor is missing, surplus, or further from PyTorch's
than 1e-5 of its largest magnitude.
"""

import pathlib
import random
import sys
import tempfile

import numpy

from compare_models import input_options, run_program, scripted_with, traced_with

TOLERANCE = 1e-5
LAST = {"head_outputs": "head", "cross_head_outputs": "cross_head", "mlp_out": "mlp", "out": "out"}


def parts_of(tensors, rng):
    """Every part as the command line names it, with one of its positions."""
    for name, tensor in tensors.items():
        layer, _, last = name.rpartition(".")
        if not layer.split(".")[-1].startswith("layer") or last not in LAST:
            continue
        heads = range(1, tensor.shape[0] + 1) if tensor.ndim == 3 else [""]
        for head in heads:
            yield f"{layer}.{LAST[last]}{head}", rng.randint(1, tensor.shape[-2])


def masked_keys(tensors, rng):
    """Some keys as the command line names them."""
    scores = [name for name in tensors if name.rpartition(".")[2] in ("scores", "cross_scores")]
    for name in rng.choices(scores, k=rng.randint(0, 4)):
        layer, _, last = name.rpartition(".")
        heads, queries, keys = tensors[name].shape
        query = rng.choice(["*", rng.randint(1, queries)])
        head = last.replace("scores", "head") + str(rng.randint(1, heads))
        yield f"{layer}.{head}@{query}:{rng.randint(1, keys)}"


def interventions(tensors, tokens, vocabulary, rng):
    """Options of the command line."""
    parts = list(parts_of(tensors, rng))
    options, patches = [], False
    for key in set(masked_keys(tensors, rng)):
        options += ["--masked", key]
    for part, position in rng.sample(parts, min(len(parts), rng.randint(1, 5))):
        kind = rng.choice(["--off", "--mean", "--patched"] if tokens else ["--off", "--mean"])
        patches = patches or kind == "--patched"
        options += [kind, part + (f"@{position}" if rng.random() < 0.4 else "")]
    if patches:
        count = max(1, tokens + rng.randint(-2, 0))
        options += ["--patch-tokens", ",".join(str(rng.randrange(vocabulary)) for _ in range(count))]
    return options


def difference(ours, theirs):
    """The largest, as a share of the tensor's largest magnitude."""
    finite = numpy.isfinite(ours)
    if ours.shape != theirs.shape or not (finite == numpy.isfinite(theirs)).all():
        return float("inf")
    if not finite.any():
        return 0.0
    apart = numpy.abs(ours[finite].astype(float) - theirs[finite].astype(float)).max()
    return apart / max(1e-6, numpy.abs(ours[finite]).max())


def main(program, count=1, seed=1):
    program, count, rng = pathlib.Path(program).absolute(), int(count), random.Random(int(seed))
    worst, failed, done = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for folder in sorted((pathlib.Path(__file__).parent / "data").iterdir()):
            plain = traced_with(program, folder, work, [])
            inputs = dict(zip(input_options(folder)[::2], input_options(folder)[1::2]))
            tokens = len(inputs["--tokens"].split(",")) if "--tokens" in inputs else 0
            for _ in range(count):
                options = interventions(plain, tokens, 5, rng)
                ours = traced_with(program, folder, work, options)
                theirs = scripted_with(program, folder, work, options)
                apart = {name: difference(ours[name], theirs[name]) for name in ours if name in theirs}
                wrong = [name for name, share in apart.items() if not share <= TOLERANCE]
                missing = [name for name in ours if "changed_" in name and name not in theirs]
                worst, done = max(worst, *apart.values()), done + 1
                if wrong or missing:
                    failed += 1
                    print(f"{folder.name} {' '.join(options)}: {', '.join((wrong + missing)[:5])}")
    print(f"{done} experiments with interventions: worst difference {worst:.1e}, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
