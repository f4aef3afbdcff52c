"""t5: encoder and decoder with RMS norms before, scores that are not scaled, and relative positions in buckets."""

import math

import torch

from operations import ACTIVATIONS, attention, causal, linear, put_answer, rms_norm, split_heads

PROJECTIONS = {"relu": "relu", "gated-gelu": "gelu_new", "gated-silu": "silu"}


def make(draw):
    heads, dim, vocabulary, hidden = draw.heads(), draw.dim(), draw.vocabulary(), draw.hidden()
    width = draw.between(6, 12) if draw.tiny else draw.between(3, 30)
    tokens, tokens2 = draw.text(vocabulary, 30), draw.text(vocabulary, 20)
    layers = draw.layers() if draw.tiny else draw.between(1, 3)
    config = {
        "model_type": "t5", "vocab_size": vocabulary, "d_model": width, "d_kv": dim, "d_ff": hidden,
        "num_layers": layers, "num_decoder_layers": draw.of(layers, draw.layers()), "num_heads": heads,
        "relative_attention_num_buckets": draw.of(8, 12, 32), "relative_attention_max_distance": draw.of(20, 50, 128),
        "feed_forward_proj": draw.of(*PROJECTIONS), "layer_norm_epsilon": draw.of(1e-6, 1e-3),
        "tie_word_embeddings": draw.chance(0.6), "is_encoder_decoder": True,
    }
    draw.table("shared", vocabulary, width)
    for part in ("encoder", "decoder"):
        draw_part(draw, config, part)
    if not config["tie_word_embeddings"]:
        draw.linear("lm_head", vocabulary, width, bias=False)
    defaults = {"num_decoder_layers": layers, "relative_attention_num_buckets": 32, "tie_word_embeddings": True,
                "relative_attention_max_distance": 128, "feed_forward_proj": "relu", "layer_norm_epsilon": 1e-6}
    return draw.model(draw.some_defaults_left_out(config, defaults), tokens, tokens2)


def draw_part(draw, config, part):
    width, inner, hidden = config["d_model"], config["num_heads"] * config["d_kv"], config["d_ff"]
    blocks = ("SelfAttention", "EncDecAttention") if part == "decoder" else ("SelfAttention",)
    if draw.chance():
        draw.unread(part + ".embed_tokens.weight", draw.tensors["shared.weight"])
    for number in range(config["num_layers" if part == "encoder" else "num_decoder_layers"]):
        layer = f"{part}.block.{number}.layer."
        for place, block in enumerate(blocks):
            draw.linear(f"{layer}{place}.{block}.q", inner, width, bias=False, scale=1 / math.sqrt(config["d_kv"]))
            draw.linear(f"{layer}{place}.{block}.k", inner, width, bias=False)
            draw.linear(f"{layer}{place}.{block}.v", inner, width, bias=False)
            draw.linear(f"{layer}{place}.{block}.o", width, inner, bias=False)
            if number == 0 and (place == 0 or draw.chance(0.3)):  # old files have an unread one in the other block
                table = f"{layer}{place}.{block}.relative_attention_bias"
                draw.table(table, config["relative_attention_num_buckets"], config["num_heads"])
            draw.norm(f"{layer}{place}.layer_norm", width, bias=False)
        mlp = f"{layer}{len(blocks)}."
        gated = config["feed_forward_proj"].startswith("gated")
        for name in ("wi_0", "wi_1") if gated else ("wi",):
            draw.linear(f"{mlp}DenseReluDense.{name}", hidden, width, bias=False)
        draw.linear(mlp + "DenseReluDense.wo", width, hidden, bias=False)
        draw.norm(mlp + "layer_norm", width, bias=False)
    draw.norm(part + ".final_layer_norm", width, bias=False)


def bucket(distance, both_ways, buckets, farthest):
    """The row of the table for a key that is `distance` tokens after the query: one row each for the nearest, rows by
    the logarithm up to the farthest, and one for all beyond. Both ways: half of the rows are for later keys."""
    first = 0
    if both_ways:
        buckets //= 2
        first = buckets if distance > 0 else 0
        distance = abs(distance)
    else:
        distance = max(-distance, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    share = torch.log(torch.tensor(distance, dtype=torch.float32) / exact) / math.log(farthest / exact)
    return first + min(exact + int(share * (buckets - exact)), buckets - 1)


def position_bias(config, table, count, both_ways):
    """[head, query, key]."""
    buckets = config.get("relative_attention_num_buckets", 32)
    farthest = config.get("relative_attention_max_distance", 128)
    rows = [[bucket(key - query, both_ways, buckets, farthest) for key in range(count)] for query in range(count)]
    return table[torch.tensor(rows)].permute(2, 0, 1)


def attend(layer, its, block, x, encoded, config, seen, bias):
    """x with what the attention adds; it reads `encoded` where that is given, otherwise x itself."""
    prefix, heads = "" if encoded is None else "cross_", config["num_heads"]
    normed = layer.put(prefix + "normed", rms_norm(x, its["layer_norm.weight"], config.get("layer_norm_epsilon", 1e-6)))
    read, its_block = normed if encoded is None else encoded, its.inside(block)
    q = layer.put(prefix + "q", split_heads(its_block.linear("q", normed), heads))
    k = layer.put(prefix + "k", split_heads(its_block.linear("k", read), heads))
    v = layer.put(prefix + "v", split_heads(its_block.linear("v", read), heads))
    merged = attention(layer, q, k, v, 1, seen, bias, prefix)
    return layer.put(prefix + "middle", x + layer.put(prefix + "attention_out", its_block.linear("o", merged)))


def feed_forward(layer, its, x, config):
    kind = config.get("feed_forward_proj", "relu")
    activation, dense = ACTIVATIONS[PROJECTIONS[kind]], its.inside("DenseReluDense")
    normed = layer.put("mlp_normed", rms_norm(x, its["layer_norm.weight"], config.get("layer_norm_epsilon", 1e-6)))
    if kind.startswith("gated"):
        gate = layer.put("mlp_gate", dense.linear("wi_0", normed))
        activated = activation(gate) * layer.put("mlp_hidden", dense.linear("wi_1", normed))
    else:
        activated = activation(layer.put("mlp_hidden", dense.linear("wi", normed)))
    layer.put("mlp_activated", activated)
    return layer.put("out", x + layer.put("mlp_out", dense.linear("wo", activated)))


def run_part(config, weights, ids, trace, encoded=None):
    """The part's last tensor, normed; a decoder reads `encoded`."""
    is_decoder = encoded is not None
    its_part = weights.inside("decoder" if is_decoder else "encoder")
    layers = config["num_layers"]
    if is_decoder:
        layers = config.get("num_decoder_layers", layers)
    trace.put("token_ids", ids)
    x = trace.put("embedded", weights["shared.weight"][ids])
    table = its_part["block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    bias = trace.put("position_bias", position_bias(config, table, len(ids), not is_decoder))
    seen = causal(len(ids)) if is_decoder else None
    for number in range(layers):
        layer, its = trace.inside(f"layer{number + 1}"), its_part.inside(f"block.{number}.layer")
        x = attend(layer, its.inside("0"), "SelfAttention", x, None, config, seen, bias)
        if is_decoder:
            x = attend(layer, its.inside("1"), "EncDecAttention", x, encoded, config, None, None)
        x = feed_forward(layer, its.inside("2" if is_decoder else "1"), x, config)
    epsilon = config.get("layer_norm_epsilon", 1e-6)
    return trace.put("final", rms_norm(x, its_part["final_layer_norm.weight"], epsilon))


def run(config, weights, inputs, trace):
    encoded = run_part(config, weights, torch.tensor(inputs["tokens"]), trace.inside("encoder"))
    final = run_part(config, weights, torch.tensor(inputs["tokens2"]), trace.inside("decoder"), encoded)
    if config.get("tie_word_embeddings", True):
        put_answer(trace, linear(final * config["d_model"] ** -0.5, weights["shared.weight"]))
    else:
        put_answer(trace, weights.linear("lm_head", final))


FAMILIES = {"t5": (make, run)}
