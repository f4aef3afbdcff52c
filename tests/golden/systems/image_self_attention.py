"""The system "image-self-attention": one head over the pixels of normalized images, added to the images."""

import functools
import math

import torch
from torch import nn

from systems import experiments, images
from systems.experiments import holes
from systems.images import COLUMN, PIXEL, ROW, SMALL
from systems.trace import Trace

SYSTEM = "image-self-attention"

DEFAULTS = {"batch": 64, "channels": 32, "height": 16, "width": 16, "norm": "group", "projection": "separate"}

BATCH_NORM = {"norm": "batch"}
CHUNKED = {"projection": "chunked"}
SIX_TOKENS = {**SMALL, "height": 2, "width": 3}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(SMALL),
    _experiment({**SMALL, **CHUNKED}),
    _experiment({**SMALL, **BATCH_NORM}),
    _experiment({**SMALL, **BATCH_NORM, **CHUNKED}, seed=7, discard=14688),
    _experiment({**SMALL, "batch": 1}, seed=0, discard=3168),
    _experiment({**SMALL, "batch": 4, **CHUNKED}, seed=2**32 + 7),
    _experiment({**SMALL, "channels": 1, **BATCH_NORM}),
    _experiment({**SMALL, "channels": 5, "height": 5, "width": 3}, seed=2**64 - 1, discard=1),
    _experiment({**SMALL, **ROW, **BATCH_NORM}),
    _experiment({**SMALL, **COLUMN, **CHUNKED}),
    _experiment({**SMALL, **PIXEL}),
    _experiment({**SMALL, **PIXEL, "batch": 4, **BATCH_NORM, **CHUNKED}),
    _experiment({**SMALL, **PIXEL, "channels": 2}),
    _experiment({"batch": 1, "channels": 3, "height": 2, "width": 2}, seed=3),  # fewer than 16 numbers
    _experiment({"batch": 1, "channels": 32, "height": 4, "width": 4}),
    _experiment({**SMALL, "mask": "causal"}),
    _experiment({**SMALL, "mask": "window:2", "masked_fill": "-inf", **CHUNKED}),
    _experiment({**SMALL, "mask": "padding:5", **BATCH_NORM}),
    _experiment({**SMALL, "mask": "padding:12,0", "masked_fill": "-inf"}),
    _experiment({**SMALL, "mask": "padding:3,7", "masked_fill": -1.0, **CHUNKED}),
    _experiment({**SIX_TOKENS, "mask": holes(6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(1, 6, 6), **CHUNKED}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 1, 6, 6), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({**SMALL, "temperature": 0.1}, seed=123456789, discard=1000),
    _experiment({**SMALL, "temperature": 10.0, **BATCH_NORM, **CHUNKED}),
    *(_experiment({**SMALL, **params}, **rest) for params, rest in images.PICTURES),
    _experiment({**SMALL, "picture": "stripes", "weights_stay": "yes"}),
]


def random_experiment(rng):
    params = {
        **images.random_size(rng),
        "channels": rng.randint(1, 16),
        "norm": rng.choice(["group", "batch"]),
        "projection": rng.choice(["separate", "chunked"]),
        "weights_stay": rng.choice(["no", "yes"]),
    }
    tokens = images.tokens_of(params)
    experiment = experiments.make_random(rng, SYSTEM, params, tokens, tokens, params["batch"])
    return images.with_random_picture(rng, experiment)


@torch.no_grad()
def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    channels = params["channels"]
    trace = Trace()
    torch.manual_seed(experiment["seed"])
    x = images.draw(trace, params, precision, experiment.get("picture"))
    experiments.begin_weights(experiment)
    norm = nn.GroupNorm(1, channels) if params["norm"] == "group" else nn.BatchNorm2d(channels)
    normed = trace.keep("normed", "batch,channel,row,column", norm.to(precision)(x))
    tokens = trace.keep("tokens", "batch,token,channel", images.to_tokens(normed))

    if params["projection"] == "separate":
        layers = [trace.keep_layer(name, "dim,channel", nn.Linear(channels, channels).to(precision)) for name in "qkv"]
        parts = [layer(tokens) for layer in layers]
    else:
        to_qkv = trace.keep_layer("qkv", "part·dim,channel", nn.Linear(channels, 3 * channels).to(precision))
        parts = trace.keep("qkv", "batch,token,part·dim", to_qkv(tokens)).chunk(3, dim=-1)
    proj = trace.keep_layer("proj", "channel,dim", nn.Linear(channels, channels).to(precision))
    q, k, v = (trace.keep(name, "batch,token,dim", part) for name, part in zip("qkv", parts, strict=True))

    scores = q @ k.transpose(1, 2) / math.sqrt(channels)
    _, head_outputs = trace.attention(scores, v, params, "batch,")
    images.add_to_image(trace, proj(head_outputs), x)
    return trace
