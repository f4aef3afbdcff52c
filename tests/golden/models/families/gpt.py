"""attention-only, gpt2 and gpt_neox: decoders with LayerNorm, or with none at all."""

import math

import numpy as np
import torch

from operations import ACTIVATIONS, attention, causal, put_answer, rotary_frequencies, rotate, split_heads


def unread_masks(draw, name, positions):
    """The buffers that old files have beside the weights of an attention."""
    mask = np.tril(np.ones((1, 1, positions, positions)))
    draw.unread(name + ".bias", mask.astype(draw.of(np.bool_, np.uint8, np.float32)))
    draw.unread(name + ".masked_bias", np.array(-1e4, np.float32))


def make_attention_only(draw):
    heads, layers, vocabulary = draw.heads(), draw.layers(), draw.vocabulary()
    width = heads * draw.dim()
    tokens = draw.text(vocabulary)
    positions = len(tokens) + draw.between(0, 3)
    draw.table("embed", vocabulary, width)
    draw.table("positions", positions, width, 0.5)
    for layer in range(layers):
        for name in "qkvo":
            draw.linear(f"layers.{layer}.{name}", width, width, bias=False)
    draw.linear("unembed", vocabulary, width, bias=False)
    config = {"model_type": "attention-only", "vocab_size": vocabulary, "n_positions": positions, "n_embd": width,
              "n_layer": layers, "n_head": heads}
    return draw.model(config, tokens)


def run_attention_only(config, weights, inputs, trace):
    ids, heads = torch.tensor(inputs["tokens"]), config["n_head"]
    dim = config["n_embd"] // heads
    trace.put("token_ids", ids)
    x = trace.put("embedded", weights["embed.weight"][ids] + weights["positions.weight"][: len(ids)])
    for number in range(config["n_layer"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"layers.{number}")
        q, k, v = (layer.put(name, split_heads(its.linear(name, x), heads)) for name in "qkv")
        merged = attention(layer, q, k, v, 1 / math.sqrt(dim), causal(len(ids)))
        x = layer.put("out", x + layer.put("attention_out", its.linear("o", merged)))
    put_answer(trace, weights.linear("unembed", x))


def make_gpt2(draw):
    heads, layers, vocabulary = draw.heads(), draw.layers(), draw.vocabulary()
    width = heads * draw.dim()
    tokens = draw.text(vocabulary)
    positions = len(tokens) + draw.between(0, 3)
    inner = draw.of(None, draw.hidden())
    tied = draw.chance(0.7)
    prefix = draw.of("transformer.", "") if tied else "transformer."
    buffers = draw.chance()
    draw.table(prefix + "wte", vocabulary, width)
    draw.table(prefix + "wpe", positions, width, 0.5)
    for number in range(layers):
        layer = f"{prefix}h.{number}."
        draw.norm(layer + "ln_1", width)
        if buffers:
            unread_masks(draw, layer + "attn", positions)
        draw.linear(layer + "attn.c_attn", 3 * width, width, transposed=True)
        draw.linear(layer + "attn.c_proj", width, width, transposed=True)
        draw.norm(layer + "ln_2", width)
        draw.linear(layer + "mlp.c_fc", inner or 4 * width, width, transposed=True)
        draw.linear(layer + "mlp.c_proj", width, inner or 4 * width, transposed=True)
    draw.norm(prefix + "ln_f", width)
    if not tied:
        draw.linear("lm_head", vocabulary, width, bias=False)
    elif prefix and draw.chance(0.3):
        draw.unread("lm_head.weight", draw.tensors[prefix + "wte.weight"])
    config = {
        "model_type": "gpt2", "vocab_size": vocabulary, "n_positions": positions, "n_embd": width, "n_layer": layers,
        "n_head": heads, "n_inner": inner, "tie_word_embeddings": tied, "layer_norm_epsilon": draw.of(1e-5, 1e-3),
        "activation_function": draw.of("gelu_new", "gelu_new", "gelu", "relu", "silu", "gelu_pytorch_tanh",
                                       "quick_gelu"),
        "scale_attn_weights": draw.chance(0.85), "scale_attn_by_inverse_layer_idx": draw.chance(0.3),
    }
    defaults = {"n_inner": None, "tie_word_embeddings": True, "layer_norm_epsilon": 1e-5, "scale_attn_weights": True,
                "activation_function": "gelu_new", "scale_attn_by_inverse_layer_idx": False}
    return draw.model(draw.some_defaults_left_out(config, defaults), tokens)


def conv1d(weights, name, x):
    """GPT-2 keeps these weights as [in, out]."""
    return x @ weights[name + ".weight"] + weights[name + ".bias"]


def run_gpt2(config, weights, inputs, trace):
    top = weights
    if "transformer.wte.weight" in weights:
        weights = weights.inside("transformer")
    ids, heads = torch.tensor(inputs["tokens"]), config["n_head"]
    epsilon = config.get("layer_norm_epsilon", 1e-5)
    activation = ACTIVATIONS[config.get("activation_function", "gelu_new")]
    trace.put("token_ids", ids)
    x = trace.put("embedded", weights["wte.weight"][ids] + weights["wpe.weight"][: len(ids)])
    for number in range(config["n_layer"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"h.{number}")
        normed = layer.put("normed", its.layer_norm("ln_1", x, epsilon))
        parts = conv1d(its, "attn.c_attn", normed).chunk(3, -1)
        q, k, v = (layer.put(name, split_heads(part, heads)) for name, part in zip("qkv", parts))
        scale = 1 / math.sqrt(q.shape[-1]) if config.get("scale_attn_weights", True) else 1
        if config.get("scale_attn_by_inverse_layer_idx", False):
            scale /= number + 1
        merged = attention(layer, q, k, v, scale, causal(len(ids)))
        x = layer.put("middle", x + layer.put("attention_out", conv1d(its, "attn.c_proj", merged)))
        normed = layer.put("mlp_normed", its.layer_norm("ln_2", x, epsilon))
        hidden = layer.put("mlp_hidden", conv1d(its, "mlp.c_fc", normed))
        activated = layer.put("mlp_activated", activation(hidden))
        x = layer.put("out", x + layer.put("mlp_out", conv1d(its, "mlp.c_proj", activated)))
    final = trace.put("final", weights.layer_norm("ln_f", x, epsilon))
    tied = config.get("tie_word_embeddings", True)
    put_answer(trace, final @ (weights["wte.weight"] if tied else top["lm_head.weight"]).T)


def make_gpt_neox(draw):
    heads, layers, vocabulary = draw.heads(), draw.layers(), draw.vocabulary()
    dim = draw.dim(even=True)
    width, hidden, tokens = heads * dim, draw.hidden(), draw.text(vocabulary)
    positions = len(tokens) + draw.between(0, 3)
    output = draw.of("untied", "untied", "tied", "none")
    prefix = draw.of("gpt_neox.", "") if output == "none" else "gpt_neox."
    biases, buffers = draw.chance(0.8), draw.chance()
    rotated = 2 * draw.between(1, dim // 2)
    draw.table(prefix + "embed_in", vocabulary, width)
    for number in range(layers):
        layer = f"{prefix}layers.{number}."
        draw.norm(layer + "input_layernorm", width)
        draw.norm(layer + "post_attention_layernorm", width)
        if buffers:
            unread_masks(draw, layer + "attention", positions)
            draw.unread(layer + "attention.rotary_emb.inv_freq", np.full(rotated // 2, 9, np.float32))
        draw.linear(layer + "attention.query_key_value", 3 * width, width, biases)
        draw.linear(layer + "attention.dense", width, width, biases)
        draw.linear(layer + "mlp.dense_h_to_4h", hidden, width)
        draw.linear(layer + "mlp.dense_4h_to_h", width, hidden)
    draw.norm(prefix + "final_layer_norm", width)
    if output == "untied":
        draw.linear("embed_out", vocabulary, width, bias=False)
    base, share = draw.of(10000, 10000, 500), (rotated + 0.001) / dim if rotated < dim else 1.0
    rotary = {"rotary_pct": share, "rotary_emb_base": base}
    if draw.chance(0.2):
        rotary = {"rope_parameters": {"rope_type": "default", "rope_theta": base, "partial_rotary_factor": share}}
    config = {
        "model_type": "gpt_neox", "vocab_size": vocabulary, "max_position_embeddings": positions, "hidden_size": width,
        "num_hidden_layers": layers, "num_attention_heads": heads, "intermediate_size": hidden,
        "hidden_act": draw.of("gelu", "gelu", "gelu_new", "relu"), "layer_norm_eps": draw.of(1e-5, 1e-3), **rotary,
        "use_parallel_residual": draw.chance(0.6), "tie_word_embeddings": output == "tied", "attention_bias": biases,
    }
    defaults = {"use_parallel_residual": True, "tie_word_embeddings": False, "attention_bias": True,
                "rotary_emb_base": 10000, "hidden_act": "gelu", "layer_norm_eps": 1e-5}
    return draw.model(draw.some_defaults_left_out(config, defaults), tokens)


def run_gpt_neox(config, weights, inputs, trace):
    top = weights
    if "gpt_neox.embed_in.weight" in weights:
        weights = weights.inside("gpt_neox")
    ids, heads = torch.tensor(inputs["tokens"]), config["num_attention_heads"]
    dim = config["hidden_size"] // heads
    epsilon = config.get("layer_norm_eps", 1e-5)
    activation = ACTIVATIONS[config.get("hidden_act", "gelu")]
    rope = config.get("rope_parameters", {})
    share = rope.get("partial_rotary_factor", config.get("rotary_pct", 0.25))
    base = rope.get("rope_theta", config.get("rotary_emb_base", 10000))
    frequencies = rotary_frequencies(int(dim * share), base)
    trace.put("token_ids", ids)
    x = trace.put("embedded", weights["embed_in.weight"][ids])
    for number in range(config["num_hidden_layers"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"layers.{number}")
        normed = layer.put("normed", its.layer_norm("input_layernorm", x, epsilon))
        parts = split_heads(its.linear("attention.query_key_value", normed), heads).split(dim, -1)
        q, k, v = (layer.put(name, part) for name, part in zip("qkv", parts))
        q, k = layer.put("rotated_q", rotate(q, frequencies)), layer.put("rotated_k", rotate(k, frequencies))
        merged = attention(layer, q, k, v, 1 / math.sqrt(dim), causal(len(ids)))
        after = x + layer.put("attention_out", its.linear("attention.dense", merged))
        parallel = config.get("use_parallel_residual", True)
        if not parallel:
            x = layer.put("middle", after)
        normed = layer.put("mlp_normed", its.layer_norm("post_attention_layernorm", x, epsilon))
        hidden = layer.put("mlp_hidden", its.linear("mlp.dense_h_to_4h", normed))
        activated = layer.put("mlp_activated", activation(hidden))
        x = layer.put("out", after + layer.put("mlp_out", its.linear("mlp.dense_4h_to_h", activated)))
    final = trace.put("final", weights.layer_norm("final_layer_norm", x, epsilon))
    if config.get("tie_word_embeddings", False):
        put_answer(trace, final @ weights["embed_in.weight"].T)
    elif "embed_out.weight" in top:
        put_answer(trace, top.linear("embed_out", final))


FAMILIES = {
    "attention-only": (make_attention_only, run_attention_only),
    "gpt2": (make_gpt2, run_gpt2),
    "gpt_neox": (make_gpt_neox, run_gpt_neox),
}
