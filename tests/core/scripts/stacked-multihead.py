"""Stacked multi-head attention: attnscope's system stacked-multihead in PyTorch.

A transformer's self-attention: one stacked projection for all heads, and an output projection.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import math
import sys

import numpy as np
import torch
from torch import nn

batch = 1
tokens = 6
features = 16
embedding = 32
heads = 4

torch.manual_seed(42)
x = torch.randn(batch, tokens, features)
to_qkv = nn.Linear(features, 3 * embedding)
to_out = nn.Linear(embedding, embedding)
for layer in (to_qkv, to_out):
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)

head_dim = embedding // heads
qkv = to_qkv(x)
# Split into heads first; each head's slice is its q, k and v in turn.
q, k, v = qkv.unflatten(-1, (heads, 3 * head_dim)).transpose(1, 2).chunk(3, dim=-1)

scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v

merged = head_outputs.transpose(1, 2).flatten(2)
out = to_out(merged)

tensors = {
    "x": x,
    "w_qkv": to_qkv.weight,
    "b_qkv": to_qkv.bias,
    "w_out": to_out.weight,
    "b_out": to_out.bias,
    "qkv": qkv,
    "q": q,
    "k": k,
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
