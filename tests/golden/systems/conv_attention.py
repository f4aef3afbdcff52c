"""The system "conv-attention": heads over the pixels of images, with 1×1 convolutions for layers and features before
tokens."""

import functools
import math

import torch
from torch import nn

from systems import experiments, images
from systems.experiments import holes
from systems.images import COLUMN, PIXEL, ROW, SMALL
from systems.trace import Trace

SYSTEM = "conv-attention"

DEFAULTS = {"batch": 1, "channels": 32, "height": 16, "width": 16, "heads": 4, "head_dim": 32}

SLIM = {**SMALL, "head_dim": 5}
SIX_TOKENS = {**SMALL, "height": 2, "width": 3, "head_dim": 3}
ONE_OF_EACH = {"channels": 1, "heads": 1, "head_dim": 1}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(SLIM),
    _experiment({**SMALL, "batch": 1}, seed=0),
    _experiment({**SLIM, "heads": 1}, seed=7, discard=7),
    _experiment({**SLIM, "heads": 8, "head_dim": 1}),
    _experiment({**SLIM, "heads": 3}),  # which does not divide the channels and need not
    _experiment({**SLIM, "batch": 1}, discard=1),
    _experiment({**SLIM, "batch": 4, "heads": 2}, seed=2**32 + 7),
    _experiment({**SLIM, "channels": 1}),
    _experiment({**SLIM, "channels": 7, "height": 5, "width": 3}, seed=2**64 - 1),
    _experiment({**SLIM, **ROW}),
    _experiment({**SLIM, **COLUMN}),
    _experiment({**SLIM, **PIXEL}),
    _experiment({"batch": 1, **PIXEL, **ONE_OF_EACH}),
    _experiment({"batch": 1, "channels": 2, "height": 2, "width": 3, "heads": 2, "head_dim": 4}, seed=3),
    _experiment({"batch": 1, "channels": 32, "height": 3, "width": 3, "head_dim": 4}),
    _experiment({**SLIM, "mask": "causal"}),
    _experiment({**SLIM, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**SLIM, "mask": "padding:5"}),
    _experiment({**SLIM, "mask": "padding:0,9", "masked_fill": "-inf"}),
    _experiment({**SLIM, "mask": "padding:3,7", "masked_fill": -1.0}),
    _experiment({**SIX_TOKENS, "mask": holes(6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 4, 6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(1, 4, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 1, 6, 6), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({**SLIM, "temperature": 0.1}, seed=123456789, discard=1000),
    _experiment({**SLIM, "temperature": 10.0, "mask": "causal", "masked_fill": "-inf"}),
    *(_experiment({**SLIM, **params}, **rest) for params, rest in images.PICTURES),
    _experiment({**SLIM, "picture": "stripes", "weights_stay": "yes"}),
]


def random_experiment(rng):
    heads = rng.randint(1, 6)
    params = {
        **images.random_size(rng),
        "channels": rng.randint(1, 16),
        "heads": heads,
        "head_dim": rng.randint(1, 12),
        "weights_stay": rng.choice(["no", "yes"]),
    }
    tokens = images.tokens_of(params)
    experiment = experiments.make_random(rng, SYSTEM, params, tokens, tokens, params["batch"], heads)
    return images.with_random_picture(rng, experiment)


@torch.no_grad()
def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    channels, height, width, heads, dim = (
        params[name] for name in ("channels", "height", "width", "heads", "head_dim")
    )
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    x = images.draw(trace, params, precision, experiment.get("picture"))
    experiments.begin_weights(experiment)
    to_qkv = nn.Conv2d(channels, 3 * heads * dim, 1, bias=False).to(precision)
    to_out = nn.Conv2d(heads * dim, channels, 1).to(precision)
    trace.keep_layer("qkv", "part·head·dim,channel", to_qkv)
    trace.keep_layer("out", "channel,head·dim", to_out)

    qkv = trace.keep("qkv", "batch,part·head·dim,row,column", to_qkv(x))
    parts = qkv.flatten(2).unflatten(1, (3, heads, dim)).unbind(1)
    q, k, v = (trace.keep(name, "batch,head,dim,token", part) for name, part in zip("qkv", parts, strict=True))

    scaled_q = trace.keep("scaled_q", "batch,head,dim,token", q / math.sqrt(dim))
    scores = scaled_q.transpose(-2, -1) @ k
    _, head_outputs = trace.attention(scores, v.transpose(-2, -1), params, "batch,head,")
    merged = head_outputs.transpose(-2, -1).flatten(1, 2).unflatten(-1, (height, width))
    trace.keep("merged", "batch,head·dim,row,column", merged)
    trace.keep("out", "batch,channel,row,column", to_out(merged))
    return trace
