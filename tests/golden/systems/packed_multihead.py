"""The system "packed-multihead": torch.nn.MultiheadAttention over the pixels of images, step by step."""

import functools
import math

import torch
from torch import nn

from systems import experiments, images
from systems.experiments import holes
from systems.images import COLUMN, PIXEL, ROW, SMALL
from systems.masks import keep_mask
from systems.trace import Trace

SYSTEM = "packed-multihead"

DEFAULTS = {"batch": 64, "channels": 32, "height": 16, "width": 16, "heads": 8}

FOUR_HEADS = {**SMALL, "heads": 4}
SIX_TOKENS = {**FOUR_HEADS, "height": 2, "width": 3}

_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(SMALL),  # one channel for each head
    _experiment(FOUR_HEADS, seed=7, discard=23136),
    _experiment({**SMALL, "heads": 1}, seed=0),
    _experiment({**SMALL, "heads": 2}),
    _experiment({**SMALL, "batch": 1}, discard=1),
    _experiment({**SMALL, "batch": 4, "heads": 2}, seed=2**32 + 7),
    _experiment({**SMALL, "channels": 1, "heads": 1}),
    _experiment({**SMALL, "channels": 9, "heads": 3, "height": 5, "width": 3}, seed=2**64 - 1),
    _experiment({**FOUR_HEADS, **ROW}),
    _experiment({**FOUR_HEADS, **COLUMN}),
    _experiment({**SMALL, **PIXEL}),
    _experiment({"batch": 1, "channels": 1, "heads": 1, **PIXEL}),
    _experiment({"batch": 1, "channels": 2, "height": 2, "width": 3, "heads": 2}, seed=3),  # fewer than 16 numbers
    _experiment({"batch": 1, "channels": 32, "height": 3, "width": 3}),
    _experiment({**FOUR_HEADS, "mask": "causal"}),
    _experiment({**FOUR_HEADS, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**FOUR_HEADS, "mask": "padding:5"}),
    _experiment({**FOUR_HEADS, "mask": "padding:0,9", "masked_fill": "-inf"}),
    _experiment({**FOUR_HEADS, "mask": "padding:3,7", "masked_fill": -1.0}),
    _experiment({**SIX_TOKENS, "mask": holes(6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 4, 6, 6)}),
    _experiment({**SIX_TOKENS, "mask": holes(1, 4, 6, 6), "masked_fill": "-inf"}),
    _experiment({**SIX_TOKENS, "mask": holes(2, 1, 6, 6), "masked_fill": 0.0, "temperature": 2.0}),
    _experiment({**FOUR_HEADS, "temperature": 0.1}, seed=123456789, discard=1000),
    _experiment({**FOUR_HEADS, "temperature": 10.0, "mask": "causal", "masked_fill": "-inf"}),
    *(_experiment({**FOUR_HEADS, **params}, **rest) for params, rest in images.PICTURES),
    _experiment({**FOUR_HEADS, "picture": "stripes", "weights_stay": "yes"}),
]


def random_experiment(rng):
    heads = rng.randint(1, 8)
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
    layer = nn.MultiheadAttention(channels, heads, batch_first=True).to(precision)
    trace.keep_layer("out", "channel,head·dim", layer.out_proj)
    w_qkv = trace.keep("w_qkv", "part·head·dim,channel", layer.in_proj_weight.detach())
    b_qkv = trace.keep("b_qkv", "part·head·dim", layer.in_proj_bias.detach())

    tokens = trace.keep("tokens", "batch,token,channel", images.to_tokens(x))
    qkv = trace.keep("qkv", "batch,token,part·head·dim", nn.functional.linear(tokens, w_qkv, b_qkv))
    parts = qkv.unflatten(-1, (3, heads, dim)).permute(2, 0, 3, 1, 4)
    q, k, v = (trace.keep(name, "batch,head,token,dim", part) for name, part in zip("qkv", parts, strict=True))

    scores = q @ k.transpose(-2, -1) / math.sqrt(dim)
    weights, head_outputs = trace.attention(scores, v, params, "batch,head,")
    mean_weights = trace.keep("mean_weights", "batch,query,key", weights.mean(dim=1))
    merged = trace.keep("merged", "batch,token,head·dim", head_outputs.transpose(1, 2).flatten(2))
    projected = trace.keep("projected", "batch,token,channel", layer.out_proj(merged))
    trace.keep("out", "batch,token,channel", tokens + projected)
    _check_against_layer(layer, tokens, params, projected, mean_weights)
    return trace


def _check_against_layer(layer, tokens, params, projected, mean_weights):
    """Where PyTorch's layer can do the same, it has to give the same. It knows no temperature, always fills with -inf
    and has no answer for rows without keys."""
    mask = keep_mask(params["mask"], *mean_weights.shape[1:])
    if params["temperature"] != 1 or (mask is not None and not mask.any(dim=-1).all()):
        return
    drop = None
    if mask is not None:
        if float(params["masked_fill"]) > -1e6:
            return
        drop = ~mask.expand(len(tokens), layer.num_heads, -1, -1).flatten(0, 1)
    theirs, their_weights = layer(tokens, tokens, tokens, attn_mask=drop)
    torch.testing.assert_close(projected, theirs, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(mean_weights, their_weights, rtol=1e-4, atol=1e-5)
