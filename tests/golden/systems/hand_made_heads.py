"""The system "hand-made-heads": heads that each do one thing, and an induction head on top of a previous-token head.

Nothing is drawn. The weights are filled in one cell after the other, from what each head is to look at.
"""

import functools

import torch

from systems import experiments
from systems.experiments import holes
from systems.trace import Trace

SYSTEM = "hand-made-heads"

DEFAULTS = {"tokens": 12, "radius": 1, "sharpness": 120.0}
LABELS = "the cat sat on the mat and the cat sat on the".split()
PREVIOUS, FIRST, DUPLICATE, DIAGONAL, NEXT, UNIFORM, WINDOW = range(7)

_experiment = functools.partial(experiments.make, SYSTEM)

FIVE = {"tokens": 5}

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(),
    _experiment({"tokens": 8}, seed=7, discard=5),
    _experiment({"tokens": 1}),
    _experiment({"tokens": 2, "radius": 0}, labels=["a", "a"]),
    _experiment(FIVE, labels=[]),
    _experiment({"tokens": 6}, labels=["a", "b", "a"]),
    _experiment({"tokens": 7}, labels=list("aaaaaaa")),
    _experiment({"tokens": 9}, labels=list("abcabcabcabc")),
    _experiment({"tokens": 8}, labels=list("aabaabab")),
    _experiment({**FIVE, "radius": 0}),
    _experiment({"tokens": 6, "radius": 2}),
    _experiment({"tokens": 6, "radius": 2147483647}),
    _experiment({**FIVE, "sharpness": 0}),
    _experiment({"tokens": 6, "sharpness": 1.3}),
    _experiment({"tokens": 6, "sharpness": 0.3, "temperature": 2.0}),
    _experiment({"tokens": 6, "sharpness": 20000}),
    _experiment({"tokens": 8, "mask": "causal"}),
    _experiment({"tokens": 8, "mask": "causal", "masked_fill": "-inf", "sharpness": 2}),
    _experiment({**FIVE, "mask": "window:1", "masked_fill": "-inf"}),
    _experiment({**FIVE, "mask": "padding:3", "temperature": 100.0}),
    _experiment({**FIVE, "mask": "padding:0", "masked_fill": "-inf"}),
    _experiment({"tokens": 6, "mask": holes(6, 6), "sharpness": 3}),
    _experiment({"tokens": 6, "mask": holes(1, 6, 6), "masked_fill": "-inf"}),
    _experiment({"tokens": 6, "mask": holes(1, 7, 6, 6), "masked_fill": "-inf", "sharpness": 4}),
    _experiment({"tokens": 7}, labels=["\u00e4", "", " ", "\u00e4", "", 'q"\\', "\n"]),
]


def random_experiment(rng):
    tokens = rng.randint(1, 16)
    params = {
        "tokens": tokens,
        "radius": rng.randint(0, 5),
        "sharpness": rng.choice([0.0, 0.5, 3.0, 120.0, 1000.0]),
    }
    labels = [rng.choice("abcde") for _ in range(rng.randint(0, 20))]
    experiment = experiments.make_random(rng, SYSTEM, params, tokens, tokens, heads=7)
    if isinstance(experiment["params"].get("mask"), list):
        # Shares as thirds, which no float32 has, go into the second layer: sharpness multiplies how they were rounded.
        experiment["params"]["sharpness"] = min(params["sharpness"], 3.0)
    return {**experiment, "labels": labels}


def _kinds(labels, tokens):
    """A number for each token, the same for equal labels, in the order in which they first come."""
    numbers = {}
    return [numbers.setdefault(labels[t] if t < len(labels) else (t,), len(numbers)) for t in range(tokens)]


def _wanted_places(head, query, tokens, radius):
    """Position -> how many times the sharpness a query at that position wants it."""
    everywhere = range(tokens)
    return {
        PREVIOUS: {max(query - 1, 0): 1},
        FIRST: {0: 1},
        DUPLICATE: {**dict.fromkeys(range(query), 2), query: 1},
        DIAGONAL: {query: 1},
        NEXT: {min(query + 1, tokens - 1): 1},
        UNIFORM: {},
        WINDOW: {key: 1 for key in everywhere if abs(key - query) <= radius},
    }[head]


def run(experiment, precision=torch.float32):
    params = experiments.parameters(experiment, DEFAULTS)
    tokens, sharpness = params["tokens"], params["sharpness"]
    kinds = _kinds(experiment.get("labels", LABELS), tokens)
    count = max(kinds) + 1
    place, before = count, count + tokens  # where the features begin that say the position, and the previous token
    features = before + count
    trace = Trace()

    def empty(*shape):
        return torch.zeros(*shape, dtype=precision)

    x = empty(tokens, features)
    for token, kind in enumerate(kinds):
        x[token, kind] = 1
        x[token, place + token] = 1
    x[0, before + kinds[0]] = -1
    trace.keep("x", "token,feature", x)

    w_q, w_k, w_v = empty(7, features, before), empty(7, features, before), empty(7, features, count)
    w_out = empty(7 * count, features)
    for head in range(7):
        for query in range(tokens):
            for key, times in _wanted_places(head, query, tokens, params["radius"]).items():
                w_q[head, place + query, place + key] = times * sharpness
        for feature in range(before):
            w_k[head, feature, feature] = 1
        for kind in range(count):
            w_v[head, kind, kind] = 1
    for kind in range(count):
        w_q[DUPLICATE, kind, kind] = 2 * sharpness
        w_out[PREVIOUS * count + kind, before + kind] = 1
    out = _layer(trace, "", x, w_q, w_k, w_v, w_out, params)

    w_q, w_k, w_v = empty(1, features, before), empty(1, features, before), empty(1, features, count)
    w_out = empty(count, features)
    for query in range(tokens):
        w_k[0, place + query, place + query] = 1
        w_q[0, place + query, place] = 3 * sharpness
        for key in range(1, query + 1):
            w_q[0, place + query, place + key] = 2 * sharpness
    for kind in range(count):
        w_q[0, kind, kind] = 2 * sharpness
        w_k[0, before + kind, kind] = 1
        w_v[0, kind, kind] = 1
        w_out[kind, kind] = 1
    x = trace.keep("layer2.x", "token,feature", x + out)
    if torch.tensor(params["mask"] if isinstance(params["mask"], list) else 0).dim() == 4:
        params = {**params, "mask": [params["mask"][0][:1]]}  # the induction head has that of the first one
    _layer(trace, "layer2.", x, w_q, w_k, w_v, w_out, params)
    return trace


def _layer(trace, prefix, x, w_q, w_k, w_v, w_out, params):
    """All heads of a layer; returns what it adds to the tokens."""
    keep = trace.keep
    for name, w in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v)):
        keep(prefix + name, "head,feature,dim", w)
    keep(prefix + "w_out", "head·dim,feature", w_out)
    q = keep(prefix + "q", "head,query,dim", x @ w_q)
    k = keep(prefix + "k", "head,key,dim", x @ w_k)
    v = keep(prefix + "v", "head,key,dim", x @ w_v)
    _, head_outputs = trace.attention(q @ k.transpose(-2, -1), v, params, "head,", prefix)
    merged = keep(prefix + "merged", "token,head·dim", torch.cat(list(head_outputs), dim=1))
    return keep(prefix + "out", "token,feature", merged @ w_out)
