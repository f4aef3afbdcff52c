"""Multi-head attention over pixels: attnscope's system image-multihead in PyTorch.

Pixels attend to each other in multiple heads; the projection is split into heads before queries,
keys and values.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import math
import sys

import numpy as np
import torch
from torch import nn

batch = 64
channels = 32
height = 16
width = 16
heads = 4

torch.manual_seed(42)
x = torch.randn(batch, channels, height, width)
to_qkv = nn.Linear(channels, 3 * channels)
proj = nn.Linear(channels, channels)

head_dim = channels // heads
normed = nn.BatchNorm2d(channels)(x)
tokens = normed.flatten(2).transpose(1, 2)  # [batch, token, channel]
qkv = to_qkv(tokens)
# Split into heads first; each head's slice is its q, k and v in turn.
q, k, v = qkv.unflatten(-1, (heads, 3 * head_dim)).transpose(1, 2).chunk(3, dim=-1)

scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v

merged = head_outputs.transpose(1, 2).flatten(2)
projected = proj(merged)
projected_image = projected.transpose(1, 2).reshape(x.shape)
out = x + projected_image

tensors = {
    "x": x,
    "w_qkv": to_qkv.weight,
    "b_qkv": to_qkv.bias,
    "w_proj": proj.weight,
    "b_proj": proj.bias,
    "normed": normed,
    "tokens": tokens,
    "qkv": qkv,
    "q": q,
    "k": k,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
    "merged": merged,
    "projected": projected,
    "projected_image": projected_image,
    "out": out,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.detach().numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:15}  {list(tensor.shape)}")
    print(out.detach())
