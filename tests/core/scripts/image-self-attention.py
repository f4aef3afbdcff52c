"""Self-attention over pixels: attnscope's system image-self-attention in PyTorch.

Every pixel attends to every pixel: normalization, projections, a single head and a residual
connection.

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

torch.manual_seed(42)
x = torch.randn(batch, channels, height, width)
to_q = nn.Linear(channels, channels)
to_k = nn.Linear(channels, channels)
to_v = nn.Linear(channels, channels)
proj = nn.Linear(channels, channels)

normed = nn.GroupNorm(1, channels)(x)
tokens = normed.flatten(2).transpose(1, 2)  # [batch, token, channel]
q = to_q(tokens)
k = to_k(tokens)
v = to_v(tokens)

scores = q @ k.transpose(-2, -1) / math.sqrt(channels)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v

projected = proj(head_outputs)
projected_image = projected.transpose(1, 2).reshape(x.shape)
out = x + projected_image

tensors = {
    "x": x,
    "w_q": to_q.weight,
    "b_q": to_q.bias,
    "w_k": to_k.weight,
    "b_k": to_k.bias,
    "w_v": to_v.weight,
    "b_v": to_v.bias,
    "w_proj": proj.weight,
    "b_proj": proj.bias,
    "normed": normed,
    "tokens": tokens,
    "q": q,
    "k": k,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
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
