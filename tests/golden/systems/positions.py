"""How the tokens get their positions, as a paper's reader would write it: number by number, in double precision."""

import math

import torch

KINDS = ["none", "sinusoidal", "learned", "rotary", "alibi"]
RELATIVE = ["none", "rotary", "alibi"]


def draw(params):
    """The learned positions before any learning. They are drawn last."""
    if params["positions"] == "learned":
        return torch.randn(params["tokens"], params["features"])
    return None


def add(trace, x, learned, params):
    """The tokens with their positions."""
    if params["positions"] not in ("sinusoidal", "learned"):
        return x
    positions = learned
    if positions is None:
        tokens, features = params["tokens"], params["features"]
        positions = torch.empty(tokens, features, dtype=torch.double)
        for token in range(tokens):
            for i in range(features):
                angle = token / 10000 ** (2 * (i // 2) / features)
                positions[token, i] = math.cos(angle) if i % 2 else math.sin(angle)
        positions = positions.to(torch.float32)
    positions = trace.keep("positions", "token,feature", positions.to(x.dtype))
    axes = "token,feature" if x.ndim == 2 else "batch,token,feature"
    return trace.keep("positioned_x", axes, x + positions)


def rotate(rows):
    """Every pair of numbers as a complex number, times e^(i angle)."""
    dim = rows.shape[-1]
    pairs = dim // 2
    if pairs == 0:
        return rows.clone()
    speeds = torch.tensor([10000 ** (-2 * i / dim) for i in range(pairs)], dtype=torch.double)
    angles = torch.arange(rows.shape[-2], dtype=torch.double)[:, None] * speeds
    numbers = torch.view_as_complex(rows[..., : 2 * pairs].double().unflatten(-1, (pairs, 2)).contiguous())
    turned = torch.view_as_real(numbers * torch.polar(torch.ones_like(angles), angles)).flatten(-2)
    return torch.cat((turned.to(rows.dtype), rows[..., 2 * pairs :]), dim=-1)


def bias(scores):
    """ALiBi to both sides: [..., query, key] minus the distance, times 1/2^(8h/H) for head h of H."""
    heads = scores.shape[-3] if scores.ndim > 2 else 1
    out = scores.clone()
    for head in range(heads):
        slope = 1 / 2 ** (8 * (head + 1) / heads)
        for query in range(scores.shape[-2]):
            for key in range(scores.shape[-1]):
                at = (..., head, query, key) if scores.ndim > 2 else (query, key)
                out[at] = scores[at] - slope * abs(query - key)
    return out
