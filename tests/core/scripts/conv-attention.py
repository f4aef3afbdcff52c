"""Convolutional attention: attnscope's system conv-attention in PyTorch.

The attention layer of a diffusion model: 1×1 convolutions, pixels as columns, queries scaled
before the product.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import math
import sys

import numpy as np
import torch
from torch import nn

batch = 1
channels = 32
height = 16
width = 16
heads = 4
head_dim = 32

torch.manual_seed(42)
x = torch.randn(batch, channels, height, width)
to_qkv = nn.Conv2d(channels, 3 * heads * head_dim, 1, bias=False)
to_out = nn.Conv2d(heads * head_dim, channels, 1)

qkv = to_qkv(x)
# [batch, head, dim, token]: columns are pixels.
q, k, v = qkv.flatten(2).unflatten(1, (3, heads, head_dim)).unbind(1)

scaled_q = q / math.sqrt(head_dim)
scores = torch.einsum("bhdi,bhdj->bhij", scaled_q, k)
weights = torch.softmax(scores, dim=-1)
head_outputs = torch.einsum("bhij,bhdj->bhid", weights, v)

merged = head_outputs.transpose(2, 3).reshape(batch, heads * head_dim, height, width)
out = to_out(merged)

tensors = {
    "x": x,
    "w_qkv": to_qkv.weight.flatten(1),
    "w_out": to_out.weight.flatten(1),
    "b_out": to_out.bias,
    "qkv": qkv,
    "q": q,
    "k": k,
    "v": v,
    "scaled_q": scaled_q,
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
