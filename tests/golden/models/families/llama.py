"""llama, mistral, qwen2 and qwen3: RMS norm, rotary positions, grouped keys and values, gated MLP."""

import math

import numpy as np
import torch

from operations import ACTIVATIONS, attention, causal, put_answer, rms_norm, rotary_frequencies, rotate, \
    split_heads


def rope_entries(draw):
    """The keys of a config that say how rotary positions turn."""
    base = draw.of(10000.0, 500000.0, 1000.0, 1000000)
    scaling = draw.of(None, None, "linear", "llama3")
    entries = {}
    if scaling == "linear":
        entries = {"rope_type": "linear", "factor": draw.of(2.0, 4.0, 2.5)}
    elif scaling == "llama3":
        entries = {"rope_type": "llama3", "factor": draw.of(8.0, 32.0), "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                   "original_max_position_embeddings": draw.of(8192, 512, 64, 16)}
    if draw.chance(0.3):
        return {"rope_parameters": {"rope_type": "default", "rope_theta": base, **entries}}
    if entries and draw.chance(0.3):  # as older configs say it
        entries["type"] = entries.pop("rope_type")
    return {"rope_theta": base, "rope_scaling": entries or None}


def windows(draw, family, layers, tokens):
    """The keys of a config that say which layers look back how far."""
    window = draw.of(draw.between(1, max(1, len(tokens))), len(tokens) + 3)
    if family == "mistral":
        return {"sliding_window": draw.of(None, window, window)}
    if family in ("qwen2", "qwen3"):
        entries = {"use_sliding_window": draw.chance(0.4), "sliding_window": window,
                   "max_window_layers": draw.between(0, layers)}
        if draw.chance(0.3):
            sliding = entries["use_sliding_window"]
            entries["layer_types"] = [draw.of("full_attention", "sliding_attention") if sliding else "full_attention"
                                      for _ in range(layers)]
        return entries
    return {}


def biases_of(family, config):
    """Whether q, k and v, o, and the MLP have biases."""
    attention_bias = config.get("attention_bias", False) and family in ("llama", "qwen3")
    return attention_bias or family == "qwen2", attention_bias, config.get("mlp_bias", False) and family == "llama"


def make(family):
    def make_it(draw):
        key_heads, group, layers = draw.between(1, 2 if draw.tiny else 3), draw.between(1, 3), draw.layers()
        heads, vocabulary, dim = key_heads * group, draw.vocabulary(), draw.dim(even=True)
        own_dim = draw.chance(0.4) or family == "qwen3"
        width = draw.between(6, 13) if own_dim else heads * dim
        hidden, tokens = draw.hidden(), draw.text(vocabulary)
        output = draw.of("untied", "untied", "tied", "none")
        prefix = draw.of("model.", "") if output == "none" else "model."
        config = {
            "model_type": family, "vocab_size": vocabulary, "hidden_size": width, "intermediate_size": hidden,
            "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": key_heads,
            "head_dim": dim if own_dim else draw.of(dim, None), "rms_norm_eps": draw.of(1e-6, 1e-5, 1e-3),
            "max_position_embeddings": len(tokens) + draw.between(0, 3), "tie_word_embeddings": output == "tied",
            "hidden_act": draw.of("silu", "silu", "gelu", "gelu_pytorch_tanh", "relu"), **rope_entries(draw),
            **windows(draw, family, layers, tokens), "attention_bias": draw.chance(0.3),
        }
        if family == "llama":
            config["mlp_bias"] = draw.chance(0.3)
        if family in ("qwen2", "mistral"):
            del config["attention_bias"]
        draw_tensors(draw, family, config, prefix, dim)
        if output == "untied":
            draw.linear("lm_head", vocabulary, width, bias=False)
        elif output == "tied" and draw.chance(0.3):
            draw.unread("lm_head.weight", draw.tensors[prefix + "embed_tokens.weight"])
        defaults = {"head_dim": None, "tie_word_embeddings": False, "hidden_act": "silu", "rope_scaling": None,
                    "rope_theta": 10000.0, "attention_bias": False, "mlp_bias": False, "use_sliding_window": False}
        if family == "llama":
            defaults["num_key_value_heads"] = heads
        return draw.model(draw.some_defaults_left_out(config, defaults), tokens)

    return make_it


def draw_tensors(draw, family, config, prefix, dim):
    width, hidden = config["hidden_size"], config["intermediate_size"]
    queries, keys = config["num_attention_heads"] * dim, config["num_key_value_heads"] * dim
    read_bias, write_bias, mlp_bias = biases_of(family, config)
    buffers = draw.chance(0.4)
    draw.table(prefix + "embed_tokens", config["vocab_size"], width)
    for number in range(config["num_hidden_layers"]):
        layer = f"{prefix}layers.{number}."
        draw.linear(layer + "self_attn.q_proj", queries, width, read_bias)
        draw.linear(layer + "self_attn.k_proj", keys, width, read_bias)
        draw.linear(layer + "self_attn.v_proj", keys, width, read_bias)
        draw.linear(layer + "self_attn.o_proj", width, queries, write_bias)
        if family == "qwen3":
            draw.norm(layer + "self_attn.q_norm", dim, bias=False)
            draw.norm(layer + "self_attn.k_norm", dim, bias=False)
        if buffers:
            draw.unread(layer + "self_attn.rotary_emb.inv_freq", np.full(dim // 2, 9, np.float32))
        draw.linear(layer + "mlp.gate_proj", hidden, width, mlp_bias)
        draw.linear(layer + "mlp.up_proj", hidden, width, mlp_bias)
        draw.linear(layer + "mlp.down_proj", width, hidden, mlp_bias)
        draw.norm(layer + "input_layernorm", width, bias=False)
        draw.norm(layer + "post_attention_layernorm", width, bias=False)
    draw.norm(prefix + "norm", width, bias=False)


def window_of_layer(config, number):
    """How many tokens the layer (from 0) sees, itself included; None: all before."""
    window, family = config.get("sliding_window"), config["model_type"]
    if family == "mistral":
        return window
    if family == "llama" or not config.get("use_sliding_window", False):
        return None
    if config.get("layer_types"):
        return window if config["layer_types"][number] == "sliding_attention" else None
    return window if number >= config["max_window_layers"] else None


def frequencies_of(config, dim):
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    return rotary_frequencies(dim, rope.get("rope_theta", config.get("rope_theta", 10000.0)), rope)


def run(config, weights, inputs, trace):
    top = weights
    if "model.embed_tokens.weight" in weights:
        weights = weights.inside("model")
    ids, heads = torch.tensor(inputs["tokens"]), config["num_attention_heads"]
    key_heads = config.get("num_key_value_heads") or heads
    dim = config.get("head_dim") or config["hidden_size"] // heads
    epsilon = config["rms_norm_eps"]
    activation, frequencies = ACTIVATIONS[config.get("hidden_act", "silu")], frequencies_of(config, dim)
    trace.put("token_ids", ids)
    x = trace.put("embedded", weights["embed_tokens.weight"][ids])
    for number in range(config["num_hidden_layers"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"layers.{number}")
        normed = layer.put("normed", rms_norm(x, its["input_layernorm.weight"], epsilon))
        q = layer.put("q", split_heads(its.linear("self_attn.q_proj", normed), heads))
        k = layer.put("k", split_heads(its.linear("self_attn.k_proj", normed), key_heads))
        v = layer.put("v", split_heads(its.linear("self_attn.v_proj", normed), key_heads))
        if config["model_type"] == "qwen3":
            q = layer.put("normed_q", rms_norm(q, its["self_attn.q_norm.weight"], epsilon))
            k = layer.put("normed_k", rms_norm(k, its["self_attn.k_norm.weight"], epsilon))
        q, k = layer.put("rotated_q", rotate(q, frequencies)), layer.put("rotated_k", rotate(k, frequencies))
        merged = attention(layer, q, k, v, 1 / math.sqrt(dim), causal(len(ids), window_of_layer(config, number)))
        x = layer.put("middle", x + layer.put("attention_out", its.linear("self_attn.o_proj", merged)))
        normed = layer.put("mlp_normed", rms_norm(x, its["post_attention_layernorm.weight"], epsilon))
        gate = layer.put("mlp_gate", its.linear("mlp.gate_proj", normed))
        hidden = layer.put("mlp_hidden", its.linear("mlp.up_proj", normed))
        activated = layer.put("mlp_activated", activation(gate) * hidden)
        x = layer.put("out", x + layer.put("mlp_out", its.linear("mlp.down_proj", activated)))
    final = trace.put("final", rms_norm(x, weights["norm.weight"], epsilon))
    if config.get("tie_word_embeddings", False):
        put_answer(trace, final @ weights["embed_tokens.weight"].T)
    elif "lm_head.weight" in top:
        put_answer(trace, top.linear("lm_head", final))


FAMILIES = {family: (make(family), run) for family in ("llama", "mistral", "qwen2", "qwen3")}
