#!/usr/bin/env python3
"""The work that attention_peers.py gives to a library, each in a process of its own.

Usage: workloads.py numpy|torch describe
       workloads.py numpy|torch forward TOKENS WIDTH HEADS none|causal SECONDS
       workloads.py numpy|torch update TOKENS FEATURES HEADS HEAD_DIM SECONDS

Prints JSON. All numbers are float32. Functions return every tensor that `attnscope systems` lists, so that none is
thrown away early.
"""

import contextlib
import importlib
import io
import json
import math
import sys
import time


class Numpy:
    def __init__(self):
        self.np = importlib.import_module("numpy")
        self.generator = None
        self.seed(0)

    def describe(self):
        config = io.StringIO()
        with contextlib.redirect_stdout(config):
            self.np.show_config()
        return self.np.__version__, config.getvalue()

    def seed(self, seed):
        self.generator = self.np.random.default_rng(seed)

    def draw(self, *shape):
        return self.generator.random(shape, dtype=self.np.float32)

    def zeros(self, *shape):
        return self.np.zeros(shape, self.np.float32)

    def lower_triangle(self, side):
        return self.np.tri(side, dtype=bool)

    def linear(self, x, weight, bias):
        out = x @ weight.T
        out += bias
        return out

    def turned(self, x):
        return x.swapaxes(-1, -2)

    def arranged(self, x, *order):
        return self.np.ascontiguousarray(x.transpose(order))

    def copied(self, x):
        return self.np.ascontiguousarray(x)

    def masked(self, scores, keep):
        return self.np.where(keep, scores, self.np.float32(-math.inf))

    def softmax(self, scores):
        weights = scores - scores.max(axis=-1, keepdims=True)
        self.np.exp(weights, out=weights)
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.torch.set_grad_enabled(False)

    def describe(self):
        return self.torch.__version__, self.torch.__config__.show()

    def seed(self, seed):
        self.torch.manual_seed(seed)

    def draw(self, *shape):
        return self.torch.rand(*shape)

    def zeros(self, *shape):
        return self.torch.zeros(*shape)

    def lower_triangle(self, side):
        return self.torch.ones(side, side, dtype=self.torch.bool).tril()

    def linear(self, x, weight, bias):
        return self.torch.nn.functional.linear(x, weight, bias)

    def turned(self, x):
        return x.transpose(-1, -2)

    def arranged(self, x, *order):
        return x.permute(order).contiguous()

    def copied(self, x):
        return x.contiguous()

    def masked(self, scores, keep):
        return scores.masked_fill(~keep, -math.inf)

    def softmax(self, scores):
        return self.torch.softmax(scores, -1)


LIBRARIES = {"numpy": Numpy, "torch": Torch}


def forward_pass(library, tokens, width, heads, mask):
    """A function that computes `stacked-multihead` from inputs and weights drawn here."""
    dim = width // heads
    x, w_qkv, w_out = library.draw(tokens, width), library.draw(3 * width, width), library.draw(width, width)
    b_qkv, b_out = library.zeros(3 * width), library.zeros(width)
    keep = library.lower_triangle(tokens) if mask == "causal" else None

    def run():
        qkv = library.linear(x, w_qkv, b_qkv)
        split = library.arranged(qkv.reshape(tokens, heads, 3 * dim), 1, 0, 2)
        q, k, v = (library.copied(split[:, :, part * dim : (part + 1) * dim]) for part in range(3))
        scores = q @ library.turned(k)
        scores /= math.sqrt(dim)
        masked = scores if keep is None else library.masked(scores, keep)
        weights = library.softmax(masked)
        outputs = weights @ v
        merged = library.arranged(outputs, 1, 0, 2).reshape(tokens, width)
        return qkv, split, q, k, v, scores, masked, weights, outputs, merged, library.linear(merged, w_out, b_out)

    return run


def attention(library, x, x2, w_k, w_q, w_v):
    """One head of `worked-example`, or all where the weights have a leading axis for them."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    scores = q @ library.turned(k)
    weights = library.softmax(scores)
    outputs = weights @ v
    weighted_values = weights[..., None] * v[..., None, :, :]
    cross_q = x2 @ w_q
    cross_scores = cross_q @ library.turned(k)
    cross_weights = library.softmax(cross_scores)
    cross_outputs = cross_weights @ v
    return outputs, (q, k, v, scores, weights, weighted_values, cross_q, cross_scores, cross_weights, cross_outputs)


def update(library, tokens, features, heads, head_dim):
    """A function that computes `worked-example` with three cross-attention queries and a new seed each time."""
    seed = 0

    def run():
        nonlocal seed
        seed += 1
        library.seed(seed)
        x, x2 = library.draw(tokens, features), library.draw(3, features)
        single_weights = [library.draw(features, head_dim) for _ in range(3)]
        several_weights = [library.draw(heads, features, head_dim) for _ in range(3)]
        w_out = library.draw(heads * head_dim, features)
        single = attention(library, x, x2, *single_weights)
        several = attention(library, x, x2, *several_weights)
        merged = library.arranged(several[0], 1, 0, 2).reshape(tokens, heads * head_dim)
        return x, x2, single_weights, several_weights, w_out, single, several, merged, merged @ w_out

    return run


def best_seconds(run, seconds):
    """The shortest of as many runs as fit into `seconds`, three at least, after one that does not count."""
    run()
    best, count, start = math.inf, 0, time.perf_counter()
    while count < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        kept = run()
        best = min(best, time.perf_counter() - before)
        count += 1
        del kept  # the next run may use its memory
    return best


def describe(library):
    """Version, build options, and which BLAS libraries a matrix product has brought into this process."""
    library.draw(8, 8) @ library.draw(8, 8)
    version, config = library.describe()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = {line.split()[-1] for line in maps}
    names = ("blas", "mkl_", "blis")
    return {
        "version": version,
        "config": config,
        "blas": sorted(path for path in files if any(name in path.rsplit("/", 1)[-1] for name in names)),
    }


def main():
    library = LIBRARIES[sys.argv[1]]()
    what, arguments = sys.argv[2], sys.argv[3:]
    if what == "describe":
        answer = describe(library)
    else:
        *sizes, seconds = arguments
        make = {"forward": forward_pass, "update": update}[what]
        run = make(library, *[size if size in ("none", "causal") else int(size) for size in sizes])
        answer = {"best_ms": best_seconds(run, float(seconds)) * 1e3}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
