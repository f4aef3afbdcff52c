"""Packed multi-head attention: attnscope's system packed-multihead in PyTorch.

PyTorch's nn.MultiheadAttention on the pixels of a picture, with the weights averaged over the
heads.

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
heads = 8

torch.manual_seed(42)
x = torch.randn(batch, channels, height, width)
layer = nn.MultiheadAttention(channels, heads, batch_first=True)

# The layer, step by step.
head_dim = channels // heads
tokens = x.flatten(2).transpose(1, 2)  # [batch, token, channel]
qkv = nn.functional.linear(tokens, layer.in_proj_weight, layer.in_proj_bias)
# Rows of the packed projection: all of q, then all of k, then all of v.
q, k, v = qkv.unflatten(-1, (3, heads, head_dim)).permute(2, 0, 3, 1, 4)

scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v
mean_weights = weights.mean(dim=1)

merged = head_outputs.transpose(1, 2).flatten(2)
projected = layer.out_proj(merged)
out = tokens + projected

# The layer itself gives the same result.
torch.testing.assert_close(layer(tokens, tokens, tokens), (projected, mean_weights))

tensors = {
    "x": x,
    "w_out": layer.out_proj.weight,
    "w_qkv": layer.in_proj_weight,
    "b_qkv": layer.in_proj_bias,
    "b_out": layer.out_proj.bias,
    "tokens": tokens,
    "qkv": qkv,
    "q": q,
    "k": k,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
    "mean_weights": mean_weights,
    "merged": merged,
    "projected": projected,
    "out": out,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.detach().numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:12}  {list(tensor.shape)}")
    print(out.detach())
