"""Hand-made heads: attnscope's system hand-made-heads in PyTorch.

Heads whose hand-set weights each do exactly one thing, and an induction head in a second layer.
Nothing is random: the seed has no effect.

    python3 script.py               prints every tensor's shape and the result
    python3 script.py tensors.npz   saves every tensor under its attnscope name
"""

import sys

import numpy as np
import torch

tokens = 12
radius = 1
sharpness = 120

# Equal labels are the same token; positions without a label are distinct tokens.
labels = [
    "the", "cat", "sat", "on", "the", "mat", "and", "the", "cat", "sat", "on", "the",
]
labels += range(len(labels), tokens)
kinds = list(dict.fromkeys(labels))
kind = torch.tensor([kinds.index(label) for label in labels])

# One-hot token, one-hot position, and room for the previous token. The first token has no
# previous one: cancel what the previous-token head will add there, which is the token itself.
token, position = torch.eye(len(kinds))[kind], torch.eye(tokens)
previous = torch.zeros_like(token)
previous[0] = -token[0]
x = torch.cat([token, position, previous], dim=1)

# How strongly each head's query at one position selects the key at another.
query, key = torch.arange(tokens)[:, None], torch.arange(tokens)
wanted = [
    key == (query - 1).clamp(min=0),  # previous token
    (key == 0).expand(tokens, tokens),  # first token
    2 * (key < query) + (key == query),  # duplicate token: also of the same kind, see below
    key == query,  # self
    key == (query + 1).clamp(max=tokens - 1),  # next token
    torch.zeros(tokens, tokens),  # uniform
    (key - query).abs() <= radius,  # local window
]
heads, features, dim = len(wanted), x.shape[1], len(kinds) + tokens
w_q = torch.zeros(heads, features, dim)
w_q[:, len(kinds):dim, len(kinds):] = sharpness * torch.stack([each.float() for each in wanted])
w_q[2, :len(kinds), :len(kinds)] = 2 * sharpness * torch.eye(len(kinds))
w_k = torch.eye(features)[:, :dim].repeat(heads, 1, 1)
w_v = torch.eye(features)[:, :len(kinds)].repeat(heads, 1, 1)
# Only the previous-token head writes its output.
w_out = torch.zeros(heads * len(kinds), features)
w_out[:len(kinds), dim:] = torch.eye(len(kinds))

# The induction head selects keys whose previous token is its own token, otherwise the first.
layer2_w_q = torch.zeros(1, features, dim)
layer2_w_q[0, :len(kinds), :len(kinds)] = 2 * sharpness * torch.eye(len(kinds))
by_place = torch.where(key == 0, 3, 2 * (key <= query))
layer2_w_q[0, len(kinds):dim, len(kinds):] = sharpness * by_place
layer2_w_k = torch.zeros(1, features, dim)
layer2_w_k[0, dim:, :len(kinds)] = torch.eye(len(kinds))
layer2_w_k[0, len(kinds):dim, len(kinds):] = torch.eye(tokens)
layer2_w_v = w_v[:1]
layer2_w_out = torch.eye(features)[:len(kinds)]

q = x @ w_q
k = x @ w_k
v = x @ w_v
scores = q @ k.transpose(-2, -1)
weights = torch.softmax(scores, dim=-1)
head_outputs = weights @ v
merged = head_outputs.transpose(0, 1).flatten(1)
out = merged @ w_out

layer2_x = x + out
layer2_q = layer2_x @ layer2_w_q
layer2_k = layer2_x @ layer2_w_k
layer2_v = layer2_x @ layer2_w_v
layer2_scores = layer2_q @ layer2_k.transpose(-2, -1)
layer2_weights = torch.softmax(layer2_scores, dim=-1)
layer2_head_outputs = layer2_weights @ layer2_v
layer2_merged = layer2_head_outputs.transpose(0, 1).flatten(1)
layer2_out = layer2_merged @ layer2_w_out

tensors = {
    "x": x,
    "w_q": w_q,
    "w_k": w_k,
    "w_v": w_v,
    "w_out": w_out,
    "layer2.w_q": layer2_w_q,
    "layer2.w_k": layer2_w_k,
    "layer2.w_v": layer2_w_v,
    "layer2.w_out": layer2_w_out,
    "q": q,
    "k": k,
    "v": v,
    "scores": scores,
    "weights": weights,
    "head_outputs": head_outputs,
    "merged": merged,
    "out": out,
    "layer2.x": layer2_x,
    "layer2.q": layer2_q,
    "layer2.k": layer2_k,
    "layer2.v": layer2_v,
    "layer2.scores": layer2_scores,
    "layer2.weights": layer2_weights,
    "layer2.head_outputs": layer2_head_outputs,
    "layer2.merged": layer2_merged,
    "layer2.out": layer2_out,
}

if len(sys.argv) > 1:
    np.savez(sys.argv[1], **{name: tensor.numpy() for name, tensor in tensors.items()})
else:
    for name, tensor in tensors.items():
        print(f"{name:19}  {list(tensor.shape)}")
    print(layer2_out)
