"""The system "worked-example": self-attention by example, one head, then several, then an output projection."""

import functools
import math

import torch

from systems import experiments, positions
from systems.trace import Trace

SYSTEM = "worked-example"

DEFAULTS = {
    "tokens": 6,
    "features": 9,
    "head_dim": 7,
    "heads": 4,
    "cross_queries": 3,
    "scale": "none",
    "positions": "none",
    "random_numbers": "positive",
    "same_label": "own_vector",
}
LABELS = ["the", "cat", "sat", "on", "the", "mat"]

# A row without a single key (the third) and a row that keeps only one (the last).
HOLES = [
    [True, True, False, True, False, True],
    [False, True, True, False, True, True],
    [False, False, False, False, False, False],
    [True, False, True, True, False, False],
    [True, True, True, True, True, True],
    [False, False, False, False, True, False],
]

SQRT = {"scale": "sqrt_head_dim"}
ONE_OF_EACH = {"tokens": 1, "features": 1, "head_dim": 1, "heads": 1, "cross_queries": 1}
FIRST_WINDOW = {**SQRT, "random_numbers": "signed", "same_label": "same_vector", "weights_stay": "yes"}
SENTENCE = ["the", "cat", "sat", "on", "the", "cat"]
LARGE = {"tokens": 16, "features": 32, "head_dim": 8, "heads": 8}


_experiment = functools.partial(experiments.make, SYSTEM)

# Their order is the numbering of the files: append, do not insert.
EXPERIMENTS = [
    _experiment(),
    _experiment(seed=0, discard=7),
    _experiment(SQRT, seed=2**32 + 7),
    _experiment({"mask": "causal"}),
    _experiment({"mask": "window:1"}, seed=7),
    _experiment({"mask": "padding:4", **SQRT}),
    _experiment({"mask": HOLES}),
    _experiment({"mask": HOLES, "masked_fill": "-inf", **SQRT}),
    _experiment({"mask": "causal", "masked_fill": "-inf"}, seed=1),
    _experiment({"temperature": 0.5, **SQRT}),
    _experiment({"temperature": 4.0}, discard=1),
    _experiment({"tokens": 1}),
    _experiment({"heads": 1}),
    _experiment({"features": 1}),
    _experiment({"head_dim": 1}),
    _experiment({"cross_queries": 0}),
    _experiment({**LARGE, **SQRT, "temperature": 20.0}),
    _experiment(ONE_OF_EACH, seed=2**64 - 1, discard=3),
    _experiment({**LARGE, **SQRT, "temperature": 8.0, "mask": "window:3", "masked_fill": "-inf", "cross_queries": 2}),
    _experiment({"cross_queries": 9, **SQRT}, seed=123456789, discard=1000),
    _experiment({"mask": "padding:2", "masked_fill": -5.0, "temperature": 2.0}, seed=11),
    _experiment({"mask": [HOLES], "masked_fill": 0.0, **SQRT}, seed=12),
    _experiment({"tokens": 3, "features": 4, "head_dim": 2, "heads": 2, "mask": "window:0", **SQRT}, seed=5),
    _experiment({**LARGE, **SQRT}, seed=99),
    _experiment({"positions": "sinusoidal", **SQRT}),
    _experiment({"positions": "learned", **SQRT}, seed=3, discard=2),
    _experiment({"positions": "rotary", "temperature": 4.0}),
    _experiment({"positions": "alibi", **SQRT}, seed=8),
    _experiment({"positions": "alibi", "mask": "causal", "heads": 3, **SQRT}),
    _experiment({"weights_stay": "yes"}, discard=3),
    _experiment({**FIRST_WINDOW, "tokens": 8}, seed=2**64 - 1, labels=SENTENCE),
    _experiment({**FIRST_WINDOW, "weights_stay": "no", "positions": "learned", "cross_queries": 0}, labels=SENTENCE),
]


def random_experiment(rng):
    tokens, heads = rng.randint(1, 16), rng.randint(1, 10)
    params = {
        "tokens": tokens,
        "features": rng.randint(1, 32),
        "head_dim": rng.randint(1, 32),
        "heads": heads,
        "cross_queries": rng.randint(0, 10),
        "scale": rng.choice(["none", "sqrt_head_dim"]),
        "positions": rng.choice(positions.KINDS),
        "random_numbers": rng.choice(["positive", "signed"]),
        "same_label": rng.choice(["own_vector", "same_vector"]),
        "weights_stay": rng.choice(["no", "yes"]),
    }
    experiment = experiments.make_random(rng, SYSTEM, params, queries=tokens, keys=tokens, heads=heads)
    return {**experiment, "labels": [rng.choice("abc") for _ in range(rng.randint(0, 8))]}


def run(experiment, precision=torch.float32):
    """Every tensor of the experiment: name -> (names of the axes, tensor). Numbers are drawn in float32 whatever the
    precision of the computation that follows."""
    params = experiments.parameters(experiment, DEFAULTS)
    tokens, features, dim, heads = (params[name] for name in ("tokens", "features", "head_dim", "heads"))
    trace = Trace()
    keep = trace.keep

    least = -1 if params["random_numbers"] == "signed" else 0

    def rand(*shape):
        return torch.empty(*shape).uniform_(least, 1).to(precision)

    torch.manual_seed(experiment["seed"])
    x = rand(tokens, features)
    if params["same_label"] == "same_vector":
        labels = experiment.get("labels", LABELS)[:tokens]
        x = x[[labels.index(labels[i]) if i < len(labels) else i for i in range(tokens)]]
    x = keep("x", "token,feature", x)
    x2 = None
    if params["cross_queries"] > 0:
        x2 = keep("x2", "cross_query,feature", rand(params["cross_queries"], features))
    experiments.begin_weights(experiment)
    single = [rand(features, dim) for _ in range(3)]
    several = [rand(heads, features, dim) for _ in range(3)]
    w_out = rand(heads * dim, features)

    learned = positions.draw(params)
    x = positions.add(trace, x, None if learned is None else learned.to(precision), params)
    _attention(trace, "single.", "", x, x2, single, params)
    head_outputs = _attention(trace, "", "head,", x, x2, several, params)
    merged = keep("merged", "token,head·dim", torch.cat(list(head_outputs), dim=1))
    keep("w_out", "head·dim,feature", w_out)
    keep("out", "token,feature", merged @ w_out)
    return trace


def _attention(trace, prefix, head, x, x2, weights, params):
    """One head or, when the weights have a leading axis for them, all heads at once. `prefix` goes before every
    tensor's name and `head` before its axes. The draw order k, q, v is the source's."""
    keep = trace.keep
    w_k, w_q, w_v = (
        keep(prefix + name, head + "feature,dim", w) for name, w in zip(("w_k", "w_q", "w_v"), weights, strict=True)
    )
    divisor = math.sqrt(params["head_dim"]) if params["scale"] == "sqrt_head_dim" else 1.0
    q = keep(prefix + "q", head + "query,dim", x @ w_q)
    k = keep(prefix + "k", head + "key,dim", x @ w_k)
    v = keep(prefix + "v", head + "key,dim", x @ w_v)

    asked, offered = q, k
    if params["positions"] == "rotary":
        asked = keep(prefix + "rotated_q", head + "query,dim", positions.rotate(q))
        offered = keep(prefix + "rotated_k", head + "key,dim", positions.rotate(k))
    scores = asked @ offered.transpose(-2, -1) / divisor
    weights, head_outputs = trace.attention(scores, v, params, head, prefix)
    # What each key adds to each query's output; summed over keys it is head_outputs.
    weighted = v[..., :, None, :] * weights.transpose(-2, -1)[..., None]
    keep(prefix + "weighted_values", head + "key,query,dim", weighted)

    if x2 is not None:  # masks apply to self-attention only
        cross_q = keep(prefix + "cross_q", head + "cross_query,dim", x2 @ w_q)
        cross_scores = cross_q @ k.transpose(-2, -1) / divisor
        keep(prefix + "cross_scores", head + "cross_query,key", cross_scores)
        cross_weights = torch.softmax(cross_scores / params["temperature"], dim=-1)
        keep(prefix + "cross_weights", head + "cross_query,key", cross_weights)
        keep(prefix + "cross_head_outputs", head + "cross_query,dim", cross_weights @ v)
    return head_outputs
