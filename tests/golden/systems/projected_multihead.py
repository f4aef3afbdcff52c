"""The system "projected-multihead": queries, keys and values each have their own projection; scores are scaled dot
products or additive."""

import functools
import math

import torch
from torch import nn

from systems import experiments, positions
from systems.experiments import holes
from systems.trace import Trace

SYSTEM = "projected-multihead"

DEFAULTS = {
    "batch": 1,
    "queries": 3,
    "keys": 5,
    "features": 4,
    "hidden": 32,
    "heads": 2,
    "out_features": 8,
    "input": "separate",
    "score": "scaled_dot",
    "positions": "none",
}

SELF = {"input": "self"}  # as many keys as queries, whatever `keys` says
ONES = {"input": "ones"}
ADDITIVE = {"score": "additive"}
TWO = {"batch": 2, "hidden": 12}
ONE_OF_EACH = {"queries": 1, "keys": 1, "features": 1, "hidden": 1, "heads": 1, "out_features": 1}
TALL = {"queries": 8, "keys": 3}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(),
    _experiment(ADDITIVE),
    _experiment(SELF),
    _experiment({**SELF, **ADDITIVE}, seed=7, discard=5),
    _experiment(ONES),
    _experiment({**ONES, **ADDITIVE}, discard=1),
    _experiment({**TWO, "batch": 4}, seed=0),
    _experiment({**TWO, **ADDITIVE}, seed=2**32 + 7),
    _experiment({**TWO, "heads": 12}),
    _experiment({**TWO, "heads": 12, **ADDITIVE}),
    _experiment({**TWO, "heads": 1, **ADDITIVE}),
    _experiment(ONE_OF_EACH),
    _experiment({**ONE_OF_EACH, **ADDITIVE}, seed=2**64 - 1),
    _experiment({**TWO, **TALL, "features": 9, "heads": 3, "out_features": 5}, seed=123456789, discard=1000),
    _experiment({**TWO, "features": 1, "out_features": 1}),
    _experiment({"queries": 16, "keys": 17, "features": 8}),
    _experiment({**TWO, "mask": "causal"}),  # more keys than queries: the last ones are never seen
    _experiment({**TWO, **TALL, "mask": "causal", "masked_fill": "-inf", **ADDITIVE}),
    _experiment({**TWO, **SELF, "queries": 7, "mask": "causal"}),
    _experiment({**TWO, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**TWO, **TALL, "mask": "window:1", "masked_fill": "-inf"}),  # the last queries have no key near them
    _experiment({**TWO, "mask": "padding:2", **ADDITIVE}),
    _experiment({**TWO, "mask": "padding:3,2"}),
    _experiment({**TWO, **ONES, "mask": "padding:3,0", "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": "padding:0,4", "masked_fill": -1.0, **ADDITIVE}),
    _experiment({**TWO, **TALL, "mask": holes(8, 3)}),
    _experiment({**TWO, **TALL, "mask": holes(2, 8, 3), "masked_fill": "-inf"}),
    _experiment({**TWO, **TALL, "mask": holes(2, 2, 8, 3), **ADDITIVE}),
    _experiment({**TWO, **TALL, "mask": holes(1, 2, 8, 3), "masked_fill": "-inf", **ADDITIVE}),
    _experiment({**TWO, **SELF, "queries": 4, "mask": holes(2, 1, 4, 4), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({**TWO, "temperature": 0.1}),
    _experiment({**TWO, **ADDITIVE, "temperature": 0.1, "mask": "causal", "masked_fill": "-inf"}),
    _experiment({**TWO, "positions": "rotary"}),
    _experiment({**TWO, **TALL, **ADDITIVE, "positions": "rotary"}, seed=3),
    _experiment({**TWO, "positions": "alibi", "mask": "causal"}),
    _experiment({**TWO, **SELF, **ADDITIVE, "positions": "alibi"}),
    _experiment({**TWO, **ADDITIVE, "weights_stay": "yes"}),
]


def random_experiment(rng):
    heads = rng.randint(1, 6)
    params = {
        "batch": rng.randint(1, 3),
        "queries": rng.randint(1, 12),
        "keys": rng.randint(1, 12),
        "features": rng.randint(1, 12),
        "hidden": heads * rng.randint(1, 8),
        "heads": heads,
        "out_features": rng.randint(1, 12),
        "input": rng.choice(["separate", "self", "ones"]),
        "score": rng.choice(["scaled_dot", "additive"]),
        "positions": rng.choice(positions.RELATIVE),
        "weights_stay": rng.choice(["no", "yes"]),
    }
    keys = params["keys"] if params["input"] == "separate" else params["queries"]
    return experiments.make_random(rng, SYSTEM, params, params["queries"], keys, params["batch"], heads)


@torch.no_grad()
def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    features, hidden, heads = (params[name] for name in ("features", "hidden", "heads"))
    dim = hidden // heads
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    inputs = [numbers.to(precision) for numbers in _inputs(params)]
    experiments.begin_weights(experiment)

    def layer(name, axes, fan_in, fan_out):
        return trace.keep_layer(name, axes, nn.Linear(fan_in, fan_out, bias=False).to(precision))

    projections = [layer(name, "head·dim,feature", features, hidden) for name in "qkv"]
    to_out = layer("o", "out_feature,head·dim", hidden, params["out_features"])

    split = []
    for name, axis, numbers, projection in zip("qkv", ("query", "key", "key"), inputs, projections, strict=True):
        trace.keep("x_" + name, f"batch,{axis},feature", numbers)
        projected = trace.keep("projected_" + name, f"batch,{axis},head·dim", projection(numbers))
        split.append(trace.keep(name, f"batch,head,{axis},dim", projected.unflatten(-1, (heads, dim)).transpose(1, 2)))
    q, k, v = split
    if params["positions"] == "rotary":
        q = trace.keep("rotated_q", "batch,head,query,dim", positions.rotate(q))
        k = trace.keep("rotated_k", "batch,head,key,dim", positions.rotate(k))

    if params["score"] == "scaled_dot":
        scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
    else:
        # All heads share these layers.
        additive_q = trace.keep("additive_q", "batch,head,query,unit", layer("a_q", "unit,dim", dim, dim)(q))
        additive_k = trace.keep("additive_k", "batch,head,key,unit", layer("a_k", "unit,dim", dim, dim)(k))
        additive = torch.tanh(additive_q[..., :, None, :] + additive_k[..., None, :, :])
        trace.keep("additive", "batch,head,query,key,unit", additive)
        scores = layer("a_v", "score,unit", dim, 1)(additive).squeeze(-1)
    _, head_outputs = trace.attention(scores, v, params, "batch,head,")
    merged = trace.keep("merged", "batch,query,head·dim", head_outputs.transpose(1, 2).flatten(2))
    trace.keep("out", "batch,query,out_feature", to_out(merged))
    return trace


def _inputs(params):
    """What queries, keys and values are made of."""
    batch, queries, keys, features = (params[name] for name in ("batch", "queries", "keys", "features"))
    if params["input"] == "separate":
        return [torch.randn(batch, tokens, features) for tokens in (queries, keys, keys)]
    make = torch.randn if params["input"] == "self" else torch.ones
    return [make(batch, queries, features)] * 3
