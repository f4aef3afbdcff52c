"""Masks as an experiment writes them, and the softmax that applies them."""

import math

import torch


def keep_mask(mask, queries, keys):
    """The boolean tensor [query, key], or with leading batch and head axes of the array that was given, that is true
    where a key is kept; None for "none". "padding:L1,L2,…" has one length per batch item and gives [batch, 1, query,
    key]; a single length gives [query, key]."""
    if isinstance(mask, list):
        return torch.tensor(mask, dtype=torch.bool)
    query = torch.arange(queries)[:, None]
    key = torch.arange(keys)[None, :]
    kind, _, argument = mask.partition(":")
    if kind == "none":
        return None
    if kind == "causal":
        return key <= query
    if kind == "window":
        return (query - key).abs() <= int(argument)
    if kind == "padding":
        lengths = [int(length) for length in argument.split(",")]
        kept = torch.stack([(key < length).expand(queries, keys) for length in lengths])
        return kept[0] if len(lengths) == 1 else kept[:, None]
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
