"""Measures of heads, written a second time as array expressions: metrics.safetensors.

Each case NN has `NN.weights` [query, key] and `NN.measures` in the order of MEASURES, NaN where one does not apply, and
as metadata `case:NN`: whether the mask is causal, the tokens (null: unknown) and the pixels in a row (0: no picture).
Copying needs more than the weights: each circuit NN has the maps `circuit.NN.w_q`, `w_k`, `w_v`, `w_o` of a head, its
`copying`, NaN where there is none, and its `composition` with circuit 00 through queries, keys and values.
Each pair NN has `pair.NN.a`, `pair.NN.b` and `pair.NN.distance`, their Jensen–Shannon divergence summed over queries.
"""

import json

import numpy as np

MEASURES = [
    "entropy",
    "entropy_share",
    "max_weight",
    "diagonal",
    "previous_token",
    "next_token",
    "first_token",
    "duplicate_token",
    "induction",
    "distance",
    "effective_rank",
    "copying",
]


def _softmax(scores):
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def _random_case(rng, number):
    queries = int(rng.integers(1, 24))
    square = number % 4 != 3
    keys = queries if square else int(rng.integers(1, 24))
    causal = square and number % 2 == 1
    scores = rng.normal(0, float(rng.uniform(0.1, 4)), (queries, keys))
    if causal:
        scores = np.where(np.tri(queries, dtype=bool), scores, -np.inf)
    tokens = rng.integers(0, 4, queries).tolist() if square and number % 3 != 2 else None
    return _softmax(scores), causal, tokens, 0


def _hand_made():
    """Heads that do one thing: exact rows of zeros and ones, or equal shares."""
    n = 8
    words = [0, 1, 2, 3, 0, 1, 2, 3]
    eye = np.eye(n)
    previous = np.vstack([eye[:1], eye[:-1]])
    first = np.tile(eye[0], (n, 1))
    duplicate = np.vstack([eye[[0] * 4], eye[:4]])
    induction = np.vstack([eye[[0] * 4], eye[1:5]])
    window = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1
    return [
        (previous, False, words, 0),
        (first, False, words, 0),
        (duplicate, False, words, 0),
        (induction, False, words, 0),
        (eye, False, words, 0),
        (np.full((n, n), 1 / n), False, words, 0),
        (np.tri(n) / np.arange(1, n + 1)[:, None], True, words, 0),
        (window / window.sum(axis=1, keepdims=True), False, words, 0),
        (np.full((12, 12), 1 / 12), False, None, 4),
        (_softmax(np.random.default_rng(5).normal(0, 2, (12, 12))), False, None, 3),
    ]


def _entropies(weights):
    return -np.sum(weights * np.log(np.where(weights > 0, weights, 1)), axis=1)


def measure(weights, causal, tokens, across, positions):
    """The measures of one head in the order of MEASURES; `positions`: whether queries and keys are the same ones."""
    a = weights.astype(np.float64)
    queries, keys = a.shape
    kept = np.arange(1, queries + 1) if causal else np.full(queries, keys)
    choice = kept > 1
    singular = np.linalg.svd(a, compute_uv=False)
    shares = singular[singular > 0] / singular.sum()
    values = dict.fromkeys(MEASURES, np.nan)
    values["entropy"] = _entropies(a).mean()
    if choice.any():
        values["entropy_share"] = (_entropies(a)[choice] / np.log(kept[choice])).mean()
    values["max_weight"] = a.max(axis=1).mean()
    values["first_token"] = a[:, 0].mean()
    values["effective_rank"] = np.exp(-(shares * np.log(shares)).sum())
    if positions:
        values["diagonal"] = np.diagonal(a).mean()
        if queries > 1:
            values["previous_token"] = np.diagonal(a, -1).mean()
            values["next_token"] = np.diagonal(a, 1).mean()
        q, k = np.indices(a.shape)
        apart = np.hypot(q // across - k // across, q % across - k % across) if across else np.abs(q - k)
        values["distance"] = (a * apart).sum() / a.sum()
        if tokens is not None:
            token = np.array(tokens)
            same = token[:, None] == token[None, :]
            follows = np.zeros_like(same)
            follows[:, 1:] = same[:, :-1]
            values["duplicate_token"] = (a * (same & (k < q))).sum() / a.sum()
            values["induction"] = (a * (follows & (k <= q))).sum() / a.sum()
    return np.array([values[name] for name in MEASURES], dtype=np.float32)


def _divergence(a, b):
    mean = (a + b) / 2

    def to_mean(p):
        return np.sum(p * np.log(np.where(p > 0, p, 1) / np.where(p > 0, mean, 1)))

    return (to_mean(a) + to_mean(b)) / 2


def _copying(w_v, w_o):
    if w_v.shape[0] != w_o.shape[1]:
        return np.nan
    eigenvalues = np.linalg.eigvals(w_v @ w_o)  # of the large product
    return eigenvalues.sum().real / np.abs(eigenvalues).sum()


def _composition(earlier, later):
    written = earlier["w_v"] @ earlier["w_o"]
    asked = later["w_q"] @ later["w_k"].T
    shares = []
    for read in asked, asked.T, later["w_v"] @ later["w_o"]:
        if written.shape[1] != read.shape[0]:
            shares.append(np.nan)
            continue
        shares.append(np.linalg.norm(written @ read) / (np.linalg.norm(written) * np.linalg.norm(read)))
    return shares


def _circuits(rng):
    """Tensors of circuits: random ones of several sizes, one that copies, one that takes away."""
    circuits = []
    for features, dim, outputs in [(9, 3, 9), (9, 7, 9), (6, 6, 6), (9, 2, 5), (4, 7, 4), (9, 1, 9)]:
        names = ("w_q", "w_k", "w_v")
        circuit = {name: rng.normal(0, 1, (features, dim)) for name in names}
        circuit["w_o"] = rng.normal(0, 1, (dim, outputs))
        circuits.append(circuit)
    for sign in 1, -1:
        parts = np.linalg.qr(rng.normal(0, 1, (9, 4)))[0]
        circuits.append({"w_q": parts, "w_k": parts, "w_v": parts, "w_o": sign * parts.T})
    tensors = {}
    circuits = [{name: m.astype(np.float32).astype(np.float64) for name, m in c.items()} for c in circuits]
    for number, circuit in enumerate(circuits):
        name = f"circuit.{number:02}"
        tensors.update({f"{name}.{part}": matrix.astype(np.float32) for part, matrix in circuit.items()})
        tensors[f"{name}.copying"] = np.array([_copying(circuit["w_v"], circuit["w_o"])], dtype=np.float32)
        tensors[f"{name}.composition"] = np.array(_composition(circuits[0], circuit), dtype=np.float32)
    return tensors


def make():
    """The tensors and the metadata of metrics.safetensors."""
    rng = np.random.default_rng(20)
    cases = [_random_case(rng, number) for number in range(20)] + _hand_made()
    tensors, metadata = {}, {"measures": json.dumps(MEASURES)}
    for number, (weights, causal, tokens, across) in enumerate(cases):
        name = f"{number:02}"
        weights = weights.astype(np.float32)
        positions = tokens is not None or across > 0 or causal
        tensors[f"{name}.weights"] = weights
        tensors[f"{name}.measures"] = measure(weights, causal, tokens, across, positions)
        case = {"causal": bool(causal), "tokens": tokens, "across": across, "same_positions": bool(positions)}
        metadata[f"case:{name}"] = json.dumps(case)
    for number in range(4):
        shape = (int(rng.integers(1, 12)), int(rng.integers(1, 12)))
        a, b = (_softmax(rng.normal(0, 3, shape)).astype(np.float32) for _ in range(2))
        tensors[f"pair.{number:02}.a"] = a
        tensors[f"pair.{number:02}.b"] = b
        distance = _divergence(a.astype(np.float64), b.astype(np.float64))
        tensors[f"pair.{number:02}.distance"] = np.array([distance], dtype=np.float32)
    tensors.update(_circuits(np.random.default_rng(30)))
    return tensors, metadata
