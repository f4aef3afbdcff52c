"""The system "image-multihead": several heads over the pixels of normalized images. A head's slice of the projection is
its q, k and v in turn."""

import functools
import math

import torch
from torch import nn

from systems import experiments, images
from systems.experiments import holes
from systems.images import COLUMN, PIXEL, ROW, SMALL
from systems.trace import Trace

SYSTEM = "image-multihead"

DEFAULTS = {"batch": 64, "channels": 32, "height": 16, "width": 16, "heads": 4}

SIX_TOKENS = {**SMALL, "height": 2, "width": 3}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(SMALL),
    _experiment({**SMALL, "heads": 1}, seed=7, discard=18912),
    _experiment({**SMALL, "heads": 2}, seed=0),
    _experiment({**SMALL, "heads": 8}),  # one channel for each head
    _experiment({**SMALL, "batch": 1}, discard=1),
    _experiment({**SMALL, "batch": 4}, seed=2**32 + 7),
    _experiment({**SMALL, "channels": 1, "heads": 1}),
    _experiment({**SMALL, "channels": 9, "heads": 3, "height": 5, "width": 3}, seed=2**64 - 1),
    _experiment({**SMALL, **ROW}),
    _experiment({**SMALL, **COLUMN}),
    _experiment({**SMALL, **PIXEL, "batch": 4}),
    _experiment({"batch": 1, "channels": 2, "height": 2, "width": 3, "heads": 2}, seed=3),  # fewer than 16 numbers
    _experiment({"batch": 1, "channels": 32, "height": 3, "width": 3}),
    _experiment({**SMALL, "mask": "causal"}),
    _experiment({**SMALL, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**SMALL, "mask": "padding:5"}),
    _experiment({**SMALL, "mask": "padding:0,9", "masked_fill": "-inf"}),
    _experiment({**SMALL, "mask": "padding:3,7", "masked_fill": -1.0}),
    _experiment({**SIX_TOKENS, "mask": holes(6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 4, 6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(1, 4, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 1, 6, 6), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({**SMALL, "temperature": 0.1}, seed=123456789, discard=1000),
    _experiment({**SMALL, "temperature": 10.0, "mask": "causal", "masked_fill": "-inf"}),
    *(_experiment({**SMALL, **params}, **rest) for params, rest in images.PICTURES),
    _experiment({**SMALL, "picture": "stripes", "weights_stay": "yes"}),
]


def random_experiment(rng):
    heads = rng.randint(1, 6)
    params = {
        **images.random_size(rng),
        "channels": heads * rng.randint(1, 5),
        "heads": heads,
        "weights_stay": rng.choice(["no", "yes"]),
    }
    tokens = images.tokens_of(params)
    experiment = experiments.make_random(rng, SYSTEM, params, tokens, tokens, params["batch"], heads)
    return images.with_random_picture(rng, experiment)


@torch.no_grad()
def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    channels, heads = params["channels"], params["heads"]
    dim = channels // heads
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    x = images.draw(trace, params, precision, experiment.get("picture"))
    experiments.begin_weights(experiment)
    to_qkv = trace.keep_layer("qkv", "head·part·dim,channel", nn.Linear(channels, 3 * channels).to(precision))
    proj = trace.keep_layer("proj", "channel,head·dim", nn.Linear(channels, channels).to(precision))

    normed = trace.keep("normed", "batch,channel,row,column", nn.BatchNorm2d(channels).to(precision)(x))
    tokens = trace.keep("tokens", "batch,token,channel", images.to_tokens(normed))
    qkv = trace.keep("qkv", "batch,token,head·part·dim", to_qkv(tokens))
    parts = qkv.unflatten(-1, (heads, 3 * dim)).transpose(1, 2).chunk(3, dim=-1)
    q, k, v = (trace.keep(name, "batch,head,token,dim", part) for name, part in zip("qkv", parts, strict=True))

    scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
    _, head_outputs = trace.attention(scores, v, params, "batch,head,")
    merged = trace.keep("merged", "batch,token,head·dim", head_outputs.transpose(1, 2).flatten(2))
    images.add_to_image(trace, proj(merged), x)
    return trace
