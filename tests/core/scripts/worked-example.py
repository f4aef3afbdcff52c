"""Worked example: attnscope's system worked-example in PyTorch.

Random tokens through a single head, then multiple heads, with cross-attention and an output
projection.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import sys

import numpy as np
import torch

tokens = 6
features = 9
head_dim = 7
heads = 4
cross_queries = 3

torch.manual_seed(42)
x = torch.rand(tokens, features)
x2 = torch.rand(cross_queries, features)
# Both stages: w_k, w_q and w_v, in this order.
single_weights = torch.rand(3, features, head_dim)
multi_weights = torch.rand(3, heads, features, head_dim)
w_out = torch.rand(heads * head_dim, features)


def attention(w_k, w_q, w_v):
    """One head, or all heads at once if the weights have a leading head axis."""
    q = x @ w_q
    k = x @ w_k
    v = x @ w_v

    scores = q @ k.transpose(-2, -1)
    weights = torch.softmax(scores, dim=-1)
    head_outputs = weights @ v
    # Contribution of each key to each query's output; their sum over the keys is head_outputs.
    weighted_values = torch.einsum("...qk,...kd->...kqd", weights, v)

    cross_q = x2 @ w_q
    cross_scores = cross_q @ k.transpose(-2, -1)
    cross_weights = torch.softmax(cross_scores, dim=-1)
    cross_head_outputs = cross_weights @ v

    return {
        "w_k": w_k,
        "w_q": w_q,
        "w_v": w_v,
        "q": q,
        "k": k,
        "v": v,
        "scores": scores,
        "weights": weights,
        "head_outputs": head_outputs,
        "weighted_values": weighted_values,
        "cross_q": cross_q,
        "cross_scores": cross_scores,
        "cross_weights": cross_weights,
        "cross_head_outputs": cross_head_outputs,
    }


single = attention(*single_weights)
multi = attention(*multi_weights)
merged = multi["head_outputs"].transpose(0, 1).flatten(1)
out = merged @ w_out

tensors = {
    "x": x,
    "x2": x2,
    **{f"single.{name}": tensor for name, tensor in single.items()},
    **multi,
    "w_out": w_out,
    "merged": merged,
    "out": out,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:25}  {list(tensor.shape)}")
    print(out)
