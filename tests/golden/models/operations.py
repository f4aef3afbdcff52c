"""What the families are made of, in float64, and the names under which results are kept."""

import math

import torch

ACTIVATIONS = {
    "gelu": lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
    "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "quick_gelu": lambda x: x * torch.sigmoid(1.702 * x),
    "silu": lambda x: x * torch.sigmoid(x),
    "relu": lambda x: x.clamp(min=0),
}
ACTIVATIONS["gelu_pytorch_tanh"] = ACTIVATIONS["gelu_new"]
ACTIVATIONS["swish"] = ACTIVATIONS["silu"]


class Trace:
    """Tensors by name; what is inside a part or a layer has its name in front."""

    def __init__(self, tensors=None, prefix=""):
        self.tensors = {} if tensors is None else tensors
        self.prefix = prefix

    def inside(self, name):
        return Trace(self.tensors, f"{self.prefix}{name}.")

    def put(self, name, tensor):
        name = self.prefix + name
        assert name not in self.tensors, name
        self.tensors[name] = tensor
        return tensor


class Weights:
    """Tensors of a file in float64, found by what comes after a prefix."""

    def __init__(self, tensors, prefix=""):
        self.tensors = tensors
        self.prefix = prefix

    def inside(self, name):
        return Weights(self.tensors, f"{self.prefix}{name}.")

    def __contains__(self, name):
        return self.prefix + name in self.tensors

    def __getitem__(self, name):
        return self.tensors[self.prefix + name]

    def get(self, name):
        return self.tensors.get(self.prefix + name)

    def linear(self, name, x):
        """x · weightᵀ + bias, the bias where there is one."""
        return linear(x, self[name + ".weight"], self.get(name + ".bias"))

    def layer_norm(self, name, x, epsilon):
        """Older files say gamma and beta."""
        weight = self[name + ".weight"] if name + ".weight" in self else self[name + ".gamma"]
        bias = self[name + ".bias"] if name + ".bias" in self else self[name + ".beta"]
        return layer_norm(x, weight, bias, epsilon)


def linear(x, weight, bias=None):
    return x @ weight.T if bias is None else x @ weight.T + bias


def layer_norm(x, weight, bias, epsilon):
    centered = x - x.mean(-1, keepdim=True)
    return centered / torch.sqrt((centered**2).mean(-1, keepdim=True) + epsilon) * weight + bias


def rms_norm(x, weight, epsilon):
    return x / torch.sqrt((x**2).mean(-1, keepdim=True) + epsilon) * weight


def softmax(x):
    exponentials = torch.exp(x - x.max(-1, keepdim=True).values)
    return exponentials / exponentials.sum(-1, keepdim=True)


def split_heads(x, heads):
    """[token, head·dim] -> [head, token, dim]."""
    return x.reshape(x.shape[0], heads, -1).transpose(0, 1)


def causal(count, window=None):
    """[query, key]: whether the query may see the key, itself included, and `window` tokens at most."""
    distance = torch.arange(count)[:, None] - torch.arange(count)[None, :]
    seen = distance >= 0
    return seen if window is None else seen & (distance < window)


def attention(trace, q, k, v, scale, seen=None, bias=None, prefix=""):
    """The merged heads. Queries share heads of keys where there are fewer of these; `seen` is the mask."""
    group = q.shape[0] // k.shape[0]
    keys, values = k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)
    scores = trace.put(prefix + "scores", q @ keys.transpose(1, 2) * scale)
    if bias is not None:
        scores = trace.put(prefix + "biased_scores", scores + bias)
    if seen is not None:
        scores = trace.put(prefix + "masked_scores", scores.masked_fill(~seen, -math.inf))
    weights = trace.put(prefix + "weights", softmax(scores))
    outputs = trace.put(prefix + "head_outputs", weights @ values)
    return trace.put(prefix + "merged", outputs.transpose(0, 1).reshape(q.shape[1], -1))


def rotary_frequencies(dim, base, scaling=None):
    """One frequency for each pair of numbers; `scaling` is the config's dictionary."""
    frequencies = 1 / base ** (torch.arange(0, dim, 2, dtype=torch.float64) / dim)
    kind = (scaling or {}).get("rope_type", (scaling or {}).get("type", "default"))
    if kind == "linear":
        return frequencies / scaling["factor"]
    if kind == "llama3":
        return _llama3(frequencies, scaling)
    assert kind == "default", kind
    return frequencies


def _llama3(frequencies, scaling):
    """Short wavelengths stay, long ones are stretched by the factor, those between are interpolated."""
    low, high, factor = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["factor"]
    periods = scaling["original_max_position_embeddings"] * frequencies / (2 * math.pi)  # in the original context
    share = ((periods - low) / (high - low)).clamp(0, 1)
    return frequencies * (share + (1 - share) / factor)


def rotate(x, frequencies):
    """[head, token, dim]: turns number i with number i + half of the first 2·len(frequencies), the rest stays."""
    half = len(frequencies)
    angles = torch.arange(x.shape[1], dtype=torch.float64)[:, None] * frequencies
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return torch.cat([first * cos - second * sin, second * cos + first * sin, rest], -1)


def put_answer(trace, logits):
    trace.put("logits", logits)
    trace.put("probabilities", softmax(logits))
