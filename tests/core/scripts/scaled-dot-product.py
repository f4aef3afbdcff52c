"""Scaled dot-product attention: attnscope's system scaled-dot-product in PyTorch.

Random queries, keys and values and the attention between them: the core of all other systems.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import math
import sys

import numpy as np
import torch

queries = 3
keys = 3
head_dim = 2

torch.manual_seed(42)
q = torch.randn(queries, head_dim)
k = torch.randn(keys, head_dim)
v = torch.randn(keys, head_dim)

scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v

tensors = {
    "q": q,
    "k": k,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:12}  {list(tensor.shape)}")
    print(head_outputs)
