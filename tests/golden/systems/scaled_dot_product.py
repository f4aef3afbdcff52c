"""The system "scaled-dot-product": queries, keys and values are drawn as they are."""

import functools
import math

import torch

from systems import experiments, positions
from systems.experiments import holes
from systems.trace import Trace

SYSTEM = "scaled-dot-product"

DEFAULTS = {"queries": 3, "keys": 3, "head_dim": 2, "positions": "none"}

ONE = {"queries": 1, "keys": 1, "head_dim": 1}
WIDE = {"queries": 5, "keys": 9, "head_dim": 4}
TALL = {"queries": 9, "keys": 4, "head_dim": 7}
LARGE = {"queries": 33, "keys": 31, "head_dim": 64}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(),
    _experiment(seed=0, discard=11),  # there is nothing behind the inputs that discarding could change
    _experiment(ONE, seed=7),
    _experiment({**ONE, "mask": "padding:0", "masked_fill": "-inf"}),
    _experiment(WIDE),
    _experiment(TALL, seed=2**32 + 7),
    _experiment(LARGE, seed=2**64 - 1),
    _experiment({"queries": 1}),
    _experiment({"keys": 1}),
    _experiment({"head_dim": 1}),
    _experiment({"queries": 5, "head_dim": 3, "keys": 16}),  # q is a small draw that leaves half a pair, k a large one
    _experiment({"queries": 4, "head_dim": 4, "keys": 5}),  # q is one whole block, k and v overlap theirs
    _experiment({"mask": "causal"}, seed=1),
    _experiment({**WIDE, "mask": "causal", "masked_fill": "-inf"}),
    _experiment({**TALL, "mask": "causal"}),
    _experiment({**WIDE, "mask": "window:1"}),
    _experiment({**TALL, "mask": "window:0", "masked_fill": "-inf"}),
    _experiment({**WIDE, "mask": "padding:4", "masked_fill": -2.0}),
    _experiment({**WIDE, "mask": "padding:0"}),
    _experiment({**TALL, "mask": holes(9, 4)}),
    _experiment({**TALL, "mask": holes(1, 9, 4), "masked_fill": "-inf"}),
    _experiment({**TALL, "mask": holes(1, 1, 9, 4), "masked_fill": -0.5, "temperature": 3.0}),
    _experiment({**LARGE, "temperature": 0.05}),
    _experiment({**LARGE, "temperature": 100.0, "mask": "window:8"}),
    _experiment({**WIDE, "positions": "rotary"}),
    _experiment({**TALL, "positions": "rotary", "mask": "causal"}),
    _experiment({**WIDE, "positions": "alibi"}, seed=9),
]


def random_experiment(rng):
    queries, keys = rng.randint(1, 20), rng.randint(1, 20)
    params = {"queries": queries, "keys": keys, "head_dim": rng.randint(1, 40)}
    params["positions"] = rng.choice(positions.RELATIVE)
    return experiments.make_random(rng, SYSTEM, params, queries, keys)


def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    queries, keys, dim = (params[name] for name in ("queries", "keys", "head_dim"))
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    q = trace.keep("q", "query,dim", torch.randn(queries, dim).to(precision))
    k = trace.keep("k", "key,dim", torch.randn(keys, dim).to(precision))
    v = trace.keep("v", "key,dim", torch.randn(keys, dim).to(precision))
    if params["positions"] == "rotary":
        q = trace.keep("rotated_q", "query,dim", positions.rotate(q))
        k = trace.keep("rotated_k", "key,dim", positions.rotate(k))
    trace.attention(q @ k.T / math.sqrt(dim), v, params)
    return trace
