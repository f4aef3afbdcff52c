"""Experiments as the systems' modules write, read and draw them."""

import random

import torch

EVERY_SYSTEM = {"mask": "none", "masked_fill": -9e15, "temperature": 1.0}


def make(system, params=None, **rest):
    """The experiment as in its file; `rest` is seed, discard and labels."""
    experiment = {"format": "attnscope-experiment/1", "system": system, "seed": 42, **rest}
    return {**experiment, "params": params} if params else experiment


def parameters(experiment, defaults):
    return {**EVERY_SYSTEM, **defaults, **experiment.get("params", {})}


def begin_weights(experiment):
    """Stands between the inputs and the weights, which have a seed of their own if they stay."""
    if experiment.get("params", {}).get("weights_stay", "no") == "yes":
        torch.manual_seed((experiment["seed"] + 1000) % 2**64)
    torch.rand(experiment.get("discard", 0))


def make_random(rng, system, params, queries, keys, batch=1, heads=1):
    """An experiment with these parameters of its system and random ones of those that every system takes. The sizes
    are those of the scores."""
    everywhere = {
        "mask": _random_mask(rng, queries, keys, batch, heads),
        "masked_fill": rng.choice([-9e15, "-inf", -5.0]),
        "temperature": rng.choice([0.5, 1.0, 3.0]),
    }
    return make(system, {**params, **everywhere}, seed=rng.getrandbits(64), discard=rng.choice([0, 1, 1234]))


def holes(*shape, rng=None):
    """A mask as an array of that shape, with some keys of most rows and no key at all of some rows; the same one every
    time when there is no generator."""
    rng = rng or random.Random(1)
    if len(shape) > 1:
        return [holes(*shape[1:], rng=rng) for _ in range(shape[0])]
    empty = rng.random() < 0.15
    return [not empty and rng.random() < 0.6 for _ in range(shape[0])]


def _random_mask(rng, queries, keys, batch, heads):
    def some(size):
        return rng.choice([1, size])

    kind = rng.choice(["none", "none", "causal", "window", "padding", "lengths", "rank 2", "rank 3", "rank 4"])
    if kind == "window":
        return f"window:{rng.randint(0, 4)}"
    if kind == "padding":
        return f"padding:{rng.randint(0, keys)}"
    if kind == "lengths":
        return "padding:" + ",".join(str(rng.randint(0, keys)) for _ in range(batch))
    if kind == "rank 2":
        return holes(queries, keys, rng=rng)
    if kind == "rank 3":
        return holes(some(batch), queries, keys, rng=rng)
    if kind == "rank 4":
        return holes(some(batch), some(heads), queries, keys, rng=rng)
    return kind
