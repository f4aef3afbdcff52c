"""The system "stacked-multihead": one stacked projection, of which a head's slice is its q, k and v in turn."""

import functools
import math

import torch
from torch import nn

from systems import experiments, positions
from systems.experiments import holes
from systems.trace import Trace

SYSTEM = "stacked-multihead"

DEFAULTS = {"batch": 1, "tokens": 6, "features": 16, "embedding": 32, "heads": 4, "positions": "none"}

TWO = {"batch": 2, "features": 5, "embedding": 8}
ONE_OF_EACH = {"tokens": 1, "features": 1, "embedding": 1, "heads": 1}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(),
    _experiment(TWO, seed=7, discard=5),
    _experiment({"heads": 1}, seed=0),
    _experiment({"heads": 32}),
    _experiment({**TWO, "heads": 8}),
    _experiment({**TWO, "batch": 1}, discard=1),
    _experiment({**TWO, "batch": 4, "heads": 2}, seed=2**32 + 7),
    _experiment(ONE_OF_EACH, seed=2**64 - 1),
    _experiment({**ONE_OF_EACH, "batch": 4}),
    _experiment({**TWO, "tokens": 1}),
    _experiment({"tokens": 2, "features": 7, "embedding": 9, "heads": 3}, seed=3),  # fewer than 16 numbers
    _experiment({**TWO, "features": 1}),
    _experiment({**TWO, "features": 32}),
    _experiment({"tokens": 17, "features": 8, "embedding": 6, "heads": 2}, seed=123456789, discard=1000),
    _experiment({**TWO, "mask": "causal"}),
    _experiment({**TWO, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": "padding:4"}),
    _experiment({**TWO, "mask": "padding:0,5", "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": "padding:3,6", "masked_fill": -1.0}),
    _experiment({**TWO, "mask": "padding:0"}),
    _experiment({**TWO, "mask": holes(6, 6)}),
    _experiment({**TWO, "mask": holes(2, 6, 6), "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": holes(1, 6, 6), "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": holes(2, 4, 6, 6)}),
    _experiment({**TWO, "mask": holes(1, 4, 6, 6), "masked_fill": "-inf"}),
    _experiment({**TWO, "mask": holes(2, 1, 6, 6), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({"temperature": 0.1}),
    _experiment({"temperature": 10.0, "mask": "causal", "masked_fill": "-inf"}),
    _experiment({**TWO, "positions": "sinusoidal"}),
    _experiment({**TWO, "positions": "learned"}, seed=5, discard=3),
    _experiment({"embedding": 20, "positions": "rotary"}),
    _experiment({**TWO, "heads": 8, "positions": "rotary", "mask": "causal"}),
    _experiment({**TWO, "positions": "alibi", "mask": "padding:3,6"}),
    _experiment({**TWO, "positions": "learned", "weights_stay": "yes"}, discard=3),
]


def random_experiment(rng):
    heads, tokens, batch = rng.randint(1, 6), rng.randint(1, 16), rng.randint(1, 3)
    params = {
        "batch": batch,
        "tokens": tokens,
        "features": rng.randint(1, 24),
        "embedding": heads * rng.randint(1, 8),
        "heads": heads,
        "positions": rng.choice(positions.KINDS),
        "weights_stay": rng.choice(["no", "yes"]),
    }
    return experiments.make_random(rng, SYSTEM, params, tokens, tokens, batch, heads)


@torch.no_grad()
def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    features, embedding, heads = (params[name] for name in ("features", "embedding", "heads"))
    dim = embedding // heads
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    x = torch.randn(params["batch"], params["tokens"], features).to(precision)
    trace.keep("x", "batch,token,feature", x)
    experiments.begin_weights(experiment)
    to_qkv, to_out = nn.Linear(features, 3 * embedding), nn.Linear(embedding, embedding)
    for layer in (to_qkv, to_out):
        nn.init.xavier_uniform_(layer.weight)
        nn.init.zeros_(layer.bias)
    trace.keep_layer("qkv", "head·part·dim,feature", to_qkv.to(precision))
    trace.keep_layer("out", "embedding,head·dim", to_out.to(precision))

    learned = positions.draw(params)
    qkv = trace.keep("qkv", "batch,token,head·part·dim", to_qkv(positions.add(trace, x, learned, params)))
    parts = qkv.unflatten(-1, (heads, 3 * dim)).transpose(1, 2).chunk(3, dim=-1)
    q, k, v = (trace.keep(name, "batch,head,token,dim", part) for name, part in zip("qkv", parts, strict=True))

    if params["positions"] == "rotary":
        q = trace.keep("rotated_q", "batch,head,token,dim", positions.rotate(q))
        k = trace.keep("rotated_k", "batch,head,token,dim", positions.rotate(k))
    scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
    _, head_outputs = trace.attention(scores, v, params, "batch,head,")
    merged = trace.keep("merged", "batch,token,head·dim", head_outputs.transpose(1, 2).flatten(2))
    trace.keep("out", "batch,token,embedding", to_out(merged))
    return trace
