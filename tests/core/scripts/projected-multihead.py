"""Projected multi-head attention: attnscope's system projected-multihead in PyTorch.

Queries, keys and values from separate inputs, scored by dot product or by a small network
(additive attention).

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import math
import sys

import numpy as np
import torch
from torch import nn

batch = 1
queries = 3
keys = 5
features = 4
hidden = 32
heads = 2
out_features = 8

torch.manual_seed(42)
x_q = torch.randn(batch, queries, features)
x_k = torch.randn(batch, keys, features)
x_v = torch.randn(batch, keys, features)
to_q = nn.Linear(features, hidden, bias=False)
to_k = nn.Linear(features, hidden, bias=False)
to_v = nn.Linear(features, hidden, bias=False)
to_out = nn.Linear(hidden, out_features, bias=False)

projected_q = to_q(x_q)
projected_k = to_k(x_k)
projected_v = to_v(x_v)

# Split into heads: [batch, head, token, dim].
head_dim = hidden // heads
q = projected_q.unflatten(-1, (heads, head_dim)).transpose(1, 2)
k = projected_k.unflatten(-1, (heads, head_dim)).transpose(1, 2)
v = projected_v.unflatten(-1, (heads, head_dim)).transpose(1, 2)

scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v

merged = head_outputs.transpose(1, 2).flatten(2)
out = to_out(merged)

tensors = {
    "x_q": x_q,
    "x_k": x_k,
    "x_v": x_v,
    "w_q": to_q.weight,
    "w_k": to_k.weight,
    "w_v": to_v.weight,
    "w_o": to_out.weight,
    "projected_q": projected_q,
    "q": q,
    "projected_k": projected_k,
    "k": k,
    "projected_v": projected_v,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
    "merged": merged,
    "out": out,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.detach().numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:12}  {list(tensor.shape)}")
    print(out.detach())
