"""bert, roberta and distilbert: encoders whose norms follow the sums, with a head that guesses masked words."""

import dataclasses
import math

import numpy as np
import torch

from operations import ACTIVATIONS, attention, put_answer, split_heads

EPSILONS = (1e-12, 1e-12, 1e-5, 1e-3)


@dataclasses.dataclass
class Names:
    """What a family calls the same things in its config and its file."""

    width: str
    layers: str
    heads: str
    hidden: str
    activation: str
    layer: str  # of layer N
    q: str
    k: str
    v: str
    out: str
    middle_norm: str
    into: str
    back: str
    out_norm: str
    head: tuple  # dense, norm, output and the output's bias


ROBERTA_LAYER = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act",
                 "encoder.layer.", "attention.self.query", "attention.self.key", "attention.self.value",
                 "attention.output.dense", "attention.output.LayerNorm", "intermediate.dense", "output.dense",
                 "output.LayerNorm")
NAMES = {
    "bert": Names(*ROBERTA_LAYER, ("cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm",
                                   "cls.predictions.decoder", "cls.predictions.bias")),
    "roberta": Names(*ROBERTA_LAYER, ("lm_head.dense", "lm_head.layer_norm", "lm_head.decoder", "lm_head.bias")),
    "distilbert": Names("dim", "n_layers", "n_heads", "hidden_dim", "activation", "transformer.layer.",
                        "attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm",
                        "ffn.lin1", "ffn.lin2", "output_layer_norm",
                        ("vocab_transform", "vocab_layer_norm", "vocab_projector", "vocab_projector.bias")),
}


def make(family):
    names = NAMES[family]

    def make_it(draw):
        heads, layers, vocabulary, hidden = draw.heads(), draw.layers(), draw.vocabulary(), draw.hidden()
        width, tokens = heads * draw.dim(), draw.text(vocabulary)
        tokens2 = draw.text(vocabulary, 6) if draw.chance() else None
        padding = draw.of(0, 1, 1)
        positions = len(tokens) + len(tokens2 or []) + draw.between(0, 3) + (padding + 1 if family == "roberta" else 0)
        config = {
            "model_type": family, "vocab_size": vocabulary, names.width: width, names.layers: layers,
            names.heads: heads, names.hidden: hidden, "max_position_embeddings": positions, "pad_token_id": padding,
            names.activation: draw.of("gelu", "gelu", "gelu_new", "relu", "silu"), "tie_word_embeddings": True,
        }
        if family == "distilbert":
            config["sinusoidal_pos_embds"] = draw.chance()
        else:
            config["layer_norm_eps"] = draw.of(*EPSILONS)
            config["type_vocab_size"] = 1 if family == "roberta" else draw.of(2, 2, 2, 1)
        head = draw.chance(0.7)
        if head:
            config["tie_word_embeddings"] = draw.chance(0.75)
        draw_encoder(draw, family, config, family + "." if head else draw.of(family + ".", ""))
        if head:
            draw_head(draw, family, config)
        defaults = {"tie_word_embeddings": True, names.activation: "gelu", "layer_norm_eps": 1e-12}
        return draw.model(draw.some_defaults_left_out(config, defaults), tokens, tokens2)

    return make_it


def norm_words(draw, family):
    """Files that were converted from TensorFlow say gamma and beta."""
    return ("gamma", "beta") if family == "bert" and draw.chance(0.3) else ("weight", "bias")


def draw_encoder(draw, family, config, prefix):
    names = NAMES[family]
    width, positions, words = config[names.width], config["max_position_embeddings"], norm_words(draw, family)
    if draw.chance():
        draw.unread(prefix + "embeddings.position_ids", np.arange(positions)[None, :])
    draw.table(prefix + "embeddings.word_embeddings", config["vocab_size"], width)
    draw.table(prefix + "embeddings.position_embeddings", positions, width, 0.5)
    if family != "distilbert":
        draw.table(prefix + "embeddings.token_type_embeddings", config["type_vocab_size"], width, 0.5)
    draw.norm(prefix + "embeddings.LayerNorm", width, words=words)
    for number in range(config[names.layers]):
        layer = f"{prefix}{names.layer}{number}."
        for name in (names.q, names.k, names.v, names.out):
            draw.linear(layer + name, width, width)
        draw.norm(layer + names.middle_norm, width, words=words)
        draw.linear(layer + names.into, config[names.hidden], width)
        draw.linear(layer + names.back, width, config[names.hidden])
        draw.norm(layer + names.out_norm, width, words=words)
    if family != "distilbert" and draw.chance():
        draw.linear(prefix + "pooler.dense", width, width)


def draw_head(draw, family, config):
    dense, norm, output, bias = NAMES[family].head
    width, vocabulary = config[NAMES[family].width], config["vocab_size"]
    draw.linear(dense, width, width)
    draw.norm(norm, width, words=norm_words(draw, family))
    draw.put(bias, (vocabulary,), 0.3)
    if not config["tie_word_embeddings"]:
        draw.linear(output, vocabulary, width, bias=False)
    elif draw.chance(0.4):
        words = "embeddings.word_embeddings.weight"
        draw.unread(output + ".weight", draw.tensors[f"{family}.{words}"])
        draw.unread(output + ".bias", draw.tensors[bias])
    if family == "bert" and draw.chance(0.4):
        draw.linear("cls.seq_relationship", 2, width)


def positions_of(config, ids):
    if config["model_type"] != "roberta":
        return torch.arange(len(ids))
    padding = config["pad_token_id"]
    real = ids != padding
    return torch.where(real, torch.cumsum(real, 0), 0) + padding


def embed(config, weights, inputs, ids):
    its = weights.inside("embeddings")
    x = its["word_embeddings.weight"][ids] + its["position_embeddings.weight"][positions_of(config, ids)]
    if config["model_type"] != "distilbert":
        types = torch.zeros_like(ids)
        if config["model_type"] == "bert" and config["type_vocab_size"] > 1:
            types[len(inputs["tokens"]) :] = 1
        x = x + its["token_type_embeddings.weight"][types]
    return its.layer_norm("LayerNorm", x, config.get("layer_norm_eps", 1e-12))


def run(config, weights, inputs, trace):
    family = config["model_type"]
    names, top = NAMES[family], weights
    if family + ".embeddings.word_embeddings.weight" in weights:
        weights = weights.inside(family)
    ids, heads = torch.tensor(inputs["tokens"] + (inputs["tokens2"] or [])), config[names.heads]
    epsilon = config.get("layer_norm_eps", 1e-12)
    activation = ACTIVATIONS[config.get(names.activation, "gelu")]
    trace.put("token_ids", ids)
    x = trace.put("embedded", embed(config, weights, inputs, ids))
    for number in range(config[names.layers]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"{names.layer}{number}")
        q, k, v = (layer.put(name, split_heads(its.linear(where, x), heads))
                   for name, where in zip("qkv", (names.q, names.k, names.v)))
        merged = attention(layer, q, k, v, 1 / math.sqrt(q.shape[-1]))
        after = x + layer.put("attention_out", its.linear(names.out, merged))
        x = layer.put("middle", its.layer_norm(names.middle_norm, after, epsilon))
        hidden = layer.put("mlp_hidden", its.linear(names.into, x))
        activated = layer.put("mlp_activated", activation(hidden))
        after = x + layer.put("mlp_out", its.linear(names.back, activated))
        x = layer.put("out", its.layer_norm(names.out_norm, after, epsilon))
    dense, norm, output, bias = names.head
    if dense + ".weight" not in top:
        return
    in_head = ACTIVATIONS["gelu"] if family == "roberta" else activation
    activated = trace.put("head_activated", in_head(trace.put("head_hidden", top.linear(dense, x))))
    normed = trace.put("head_normed", top.layer_norm(norm, activated, epsilon))
    tied = config.get("tie_word_embeddings", True)
    table = weights["embeddings.word_embeddings.weight"] if tied else top[output + ".weight"]
    put_answer(trace, normed @ table.T + top[bias])


FAMILIES = {family: (make(family), run) for family in NAMES}
