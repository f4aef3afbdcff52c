"""bart and marian: encoder and decoder with cross-attention, norms after the sums."""

import math

import numpy as np
import torch

from operations import ACTIVATIONS, attention, causal, put_answer, split_heads

EPSILON = 1e-5


def make(family):
    def make_it(draw):
        dim, multiple = draw.dim(), draw.between(1, 2)
        heads = [draw.between(1, 3) * multiple for _ in range(2)]
        width, vocabulary = dim * math.lcm(*heads), draw.vocabulary()
        if width > 40 or draw.tiny:
            heads, width = [2, 2] if not draw.chance() else [2, 1], 2 * dim
        tokens, tokens2 = draw.text(vocabulary), draw.text(vocabulary, 9)
        config = {
            "model_type": family, "vocab_size": vocabulary, "d_model": width, "pad_token_id": 1,
            "max_position_embeddings": max(len(tokens), len(tokens2)) + draw.between(0, 3),
            "activation_function": draw.of("gelu", "relu", "swish", "gelu_new"), "scale_embedding": draw.chance(),
            "tie_word_embeddings": draw.chance(0.75), "is_encoder_decoder": True,
        }
        for part, count in zip(("encoder", "decoder"), heads):
            config[part + "_layers"] = draw.layers() if draw.tiny else draw.between(1, 3)
            config[part + "_attention_heads"] = count
            config[part + "_ffn_dim"] = draw.hidden()
        bare = config["tie_word_embeddings"] and family == "bart" and draw.chance(0.3)
        prefix = "" if bare else "model."
        draw.table(prefix + "shared", vocabulary, width, 1 / math.sqrt(width) if config["scale_embedding"] else 1)
        for part in ("encoder", "decoder"):
            draw_part(draw, family, config, prefix, part)
        if prefix and draw.chance(0.8):
            draw.put("final_logits_bias", (1, vocabulary), 0.3)
        if not config["tie_word_embeddings"]:
            draw.linear("lm_head", vocabulary, width, bias=False)
        elif prefix and draw.chance(0.3):
            draw.unread("lm_head.weight", draw.tensors[prefix + "shared.weight"])
        defaults = {"activation_function": "gelu", "scale_embedding": False, "tie_word_embeddings": True}
        return draw.model(draw.some_defaults_left_out(config, defaults), tokens, tokens2)

    return make_it


def draw_part(draw, family, config, prefix, part):
    width, hidden = config["d_model"], config[part + "_ffn_dim"]
    name = f"{prefix}{part}."
    if draw.chance():
        draw.unread(name + "embed_tokens.weight", draw.tensors[prefix + "shared.weight"])
    if family == "bart":
        draw.table(name + "embed_positions", config["max_position_embeddings"] + 2, width, 0.5)
        draw.norm(name + "layernorm_embedding", width)
    elif draw.chance():
        table = sinusoids(config["max_position_embeddings"], width)
        draw.unread(name + "embed_positions.weight", table.numpy().astype(np.float32))
    for number in range(config[part + "_layers"]):
        layer = f"{name}layers.{number}."
        for block in ("self_attn", "encoder_attn") if part == "decoder" else ("self_attn",):
            for projection in ("k_proj", "v_proj", "q_proj", "out_proj"):
                draw.linear(f"{layer}{block}.{projection}", width, width)
            draw.norm(f"{layer}{block}_layer_norm", width)
        draw.linear(layer + "fc1", hidden, width)
        draw.linear(layer + "fc2", width, hidden)
        draw.norm(layer + "final_layer_norm", width)


def sinusoids(count, width):
    """Sines of falling frequencies in the first half of the features, cosines in the second."""
    frequencies = 10000.0 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(count, dtype=torch.float64)[:, None] * frequencies
    return torch.cat([torch.sin(angles), torch.cos(angles)[:, : width // 2]], -1)


def embed(config, weights, part, ids, trace):
    """What enters the part's layer 1."""
    trace.put("token_ids", ids)
    its, width = weights.inside(part), config["d_model"]
    scale = math.sqrt(width) if config.get("scale_embedding", False) else 1
    words = weights["shared.weight"][ids] * scale
    if config["model_type"] == "bart":
        summed = words + its["embed_positions.weight"][2 : 2 + len(ids)]
        return trace.put("embedded", its.layer_norm("layernorm_embedding", summed, EPSILON))
    stored = its.get("embed_positions.weight")
    return trace.put("embedded", words + (sinusoids(len(ids), width) if stored is None else stored[: len(ids)]))


def attend(layer, its, block, x, read, heads, seen=None, prefix=""):
    """From a block's projections to its norm."""
    its_block = its.inside(block)
    q = layer.put(prefix + "q", split_heads(its_block.linear("q_proj", x), heads))
    k = layer.put(prefix + "k", split_heads(its_block.linear("k_proj", read), heads))
    v = layer.put(prefix + "v", split_heads(its_block.linear("v_proj", read), heads))
    merged = attention(layer, q, k, v, 1 / math.sqrt(q.shape[-1]), seen, prefix=prefix)
    after = x + layer.put(prefix + "attention_out", its_block.linear("out_proj", merged))
    return layer.put(prefix + "middle", its.layer_norm(block + "_layer_norm", after, EPSILON))


def run_part(config, weights, part, x, trace, encoded=None):
    heads = config[part + "_attention_heads"]
    activation = ACTIVATIONS[config.get("activation_function", "gelu")]
    seen = None if encoded is None else causal(len(x))
    for number in range(config[part + "_layers"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"{part}.layers.{number}")
        x = attend(layer, its, "self_attn", x, x, heads, seen)
        if encoded is not None:
            x = attend(layer, its, "encoder_attn", x, encoded, heads, prefix="cross_")
        hidden = layer.put("mlp_hidden", its.linear("fc1", x))
        activated = layer.put("mlp_activated", activation(hidden))
        after = x + layer.put("mlp_out", its.linear("fc2", activated))
        x = layer.put("out", its.layer_norm("final_layer_norm", after, EPSILON))
    return x


def run(config, weights, inputs, trace):
    top = weights
    if "model.shared.weight" in weights:
        weights = weights.inside("model")
    ids, ids2 = torch.tensor(inputs["tokens"]), torch.tensor(inputs["tokens2"])
    encoder, decoder = trace.inside("encoder"), trace.inside("decoder")
    encoded = run_part(config, weights, "encoder", embed(config, weights, "encoder", ids, encoder), encoder)
    x = run_part(config, weights, "decoder", embed(config, weights, "decoder", ids2, decoder), decoder, encoded)
    tied = config.get("tie_word_embeddings", True)
    logits = x @ (weights["shared.weight"] if tied else top["lm_head.weight"]).T
    bias = top.get("final_logits_bias")
    put_answer(trace, logits if bias is None else logits + bias)


FAMILIES = {family: (make(family), run) for family in ("bart", "marian")}
