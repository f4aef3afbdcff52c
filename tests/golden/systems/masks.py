"""Masks as an experiment writes them, and the softmax that applies them."""

import math

import torch


def keep_mask(mask, queries, keys):
    """The boolean tensor [batch, head, query, key] that is true where a key is kept, its batch and head axes of size 1
    where all share it; None for "none". An array of rank 3 is [batch, query, key]; "padding:L1,L2,…" has one length per
    batch item."""
    if isinstance(mask, list):
        array = torch.tensor(mask, dtype=torch.bool)
        return array[:, None] if array.dim() == 3 else array.reshape((1,) * (4 - array.dim()) + array.shape)
    query = torch.arange(queries)[:, None]
    key = torch.arange(keys)[None, :]
    kind, _, argument = mask.partition(":")
    if kind == "none":
        return None
    if kind == "causal":
        return (key <= query)[None, None]
    if kind == "window":
        return ((query - key).abs() <= int(argument))[None, None]
    if kind == "padding":
        lengths = torch.tensor([int(length) for length in argument.split(",")])
        return (key < lengths[:, None, None, None]).expand(-1, 1, queries, keys)
    raise ValueError(f"no mask {mask!r}")


def attend(scores, mask, masked_fill, temperature):
    """(masked scores or None, weights). A row without keys has weight 0 everywhere when the fill is -inf; softmax alone
    would give NaN."""
    masked = None
    if mask is not None:
        masked = scores.masked_fill(~mask, float(masked_fill))
    weights = torch.softmax((scores if masked is None else masked) / temperature, dim=-1)
    if mask is not None and float(masked_fill) == -math.inf:
        weights = weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)
    return masked, weights
