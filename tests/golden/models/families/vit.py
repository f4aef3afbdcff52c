"""vit: a picture in patches, read by an encoder with norms before attention and MLP."""

import math

import numpy as np
import torch

from drawing import Model
from operations import ACTIVATIONS, attention, put_answer, split_heads


def make(draw):
    heads, layers, hidden = draw.heads(), draw.layers(), draw.hidden()
    width, channels = heads * draw.dim(), draw.of(3, 3, 1)
    patch = draw.between(2, 3) if draw.tiny else draw.between(1, 5)
    size = patch * (2 if draw.tiny else draw.between(1, 4)) + (draw.between(0, patch - 1) if draw.chance(0.3) else 0)
    head = draw.chance(0.7)
    config = {
        "model_type": "vit", "hidden_size": width, "num_hidden_layers": layers, "num_attention_heads": heads,
        "intermediate_size": hidden, "hidden_act": draw.of("gelu", "gelu", "relu", "gelu_new"), "image_size": size,
        "patch_size": patch, "num_channels": channels, "qkv_bias": draw.chance(0.7),
        "layer_norm_eps": draw.of(1e-12, 1e-6, 1e-3),
    }
    labels = draw.between(2, 9)
    if head:
        config["id2label"] = {str(label): f"thing {label}" for label in range(labels)}
    draw_tensors(draw, config, "vit." if head else draw.of("vit.", ""))
    if head:
        draw.linear("classifier", labels, width)
    defaults = {"hidden_act": "gelu", "num_channels": 3, "qkv_bias": True, "layer_norm_eps": 1e-12}
    picture = draw.rng.integers(256, size=(size, size, channels), dtype=np.uint8)
    inputs = {"tokens": None, "tokens2": None, "picture": "picture.png"}
    config = draw.some_defaults_left_out(config, defaults)
    return Model(config, draw.tensors, inputs, picture, preprocessor(draw, size, channels))


def preprocessor(draw, size, channels):
    """The file says how bytes become pixels; older ones do not speak of rescaling, which they always do."""
    entries = {
        "do_resize": True, "size": draw.of(size, {"height": size, "width": size}), "resample": 2,
        "do_normalize": draw.chance(0.8), "image_mean": [0.5] * channels, "image_std": [0.5] * channels,
    }
    if draw.chance():
        entries["image_mean"] = [0.485, 0.456, 0.406][:channels]
        entries["image_std"] = [0.229, 0.224, 0.225][:channels]
    if draw.chance(0.7):
        entries["do_rescale"], entries["rescale_factor"] = draw.chance(0.9), 1 / 255
        if not entries["do_rescale"]:  # otherwise pixels of 255 saturate everything
            entries.update(do_normalize=True, image_mean=[127.5] * channels, image_std=[127.5] * channels)
    return entries


def draw_tensors(draw, config, prefix):
    width, hidden, patch = config["hidden_size"], config["intermediate_size"], config["patch_size"]
    patches = (config["image_size"] // patch) ** 2
    draw.put(prefix + "embeddings.cls_token", (1, 1, width), 1)
    draw.put(prefix + "embeddings.position_embeddings", (1, patches + 1, width), 0.5)
    shape = (width, config["num_channels"], patch, patch)
    draw.put(prefix + "embeddings.patch_embeddings.projection.weight", shape, 1 / math.sqrt(np.prod(shape[1:])))
    draw.put(prefix + "embeddings.patch_embeddings.projection.bias", (width,), 0.3)
    for number in range(config["num_hidden_layers"]):
        layer = f"{prefix}encoder.layer.{number}."
        for name in ("query", "key", "value"):
            draw.linear(layer + "attention.attention." + name, width, width, config["qkv_bias"])
        draw.linear(layer + "attention.output.dense", width, width)
        draw.linear(layer + "intermediate.dense", hidden, width)
        draw.linear(layer + "output.dense", width, hidden)
        draw.norm(layer + "layernorm_before", width)
        draw.norm(layer + "layernorm_after", width)
    draw.norm(prefix + "layernorm", width)
    if draw.chance(0.4):
        draw.linear(prefix + "pooler.dense", width, width)


def pixels_of(picture, entries):
    """[channel, row, column]."""
    pixels = torch.from_numpy(picture.copy()).double().permute(2, 0, 1)
    if entries.get("do_rescale", True):
        pixels = pixels * entries.get("rescale_factor", 1 / 255)
    if entries.get("do_normalize", True):
        mean, std = (torch.tensor(entries[name], dtype=torch.float64) for name in ("image_mean", "image_std"))
        pixels = (pixels - mean[:, None, None]) / std[:, None, None]
    return pixels


def patches_of(pixels, weight, bias):
    """A convolution that steps as far as it is wide: every patch's numbers times the weights."""
    side = weight.shape[-1]
    count = pixels.shape[-1] // side
    squares = [pixels[:, row * side : (row + 1) * side, column * side : (column + 1) * side].reshape(-1)
               for row in range(count) for column in range(count)]
    return torch.stack(squares) @ weight.reshape(weight.shape[0], -1).T + bias


def run(config, weights, inputs, trace):
    top = weights
    if "vit.embeddings.cls_token" in weights:
        weights = weights.inside("vit")
    heads, epsilon = config["num_attention_heads"], config.get("layer_norm_eps", 1e-12)
    activation = ACTIVATIONS[config.get("hidden_act", "gelu")]
    pixels = trace.put("pixels", pixels_of(inputs["picture"], inputs["preprocessor"]))
    its = weights.inside("embeddings")
    projection = its.inside("patch_embeddings.projection")
    patches = trace.put("patches", patches_of(pixels, projection["weight"], projection["bias"]))
    x = trace.put("embedded", torch.cat([its["cls_token"][0], patches]) + its["position_embeddings"][0])
    for number in range(config["num_hidden_layers"]):
        layer, its = trace.inside(f"layer{number + 1}"), weights.inside(f"encoder.layer.{number}")
        normed = layer.put("normed", its.layer_norm("layernorm_before", x, epsilon))
        q, k, v = (layer.put(name, split_heads(its.linear("attention.attention." + where, normed), heads))
                   for name, where in zip("qkv", ("query", "key", "value")))
        merged = attention(layer, q, k, v, 1 / math.sqrt(q.shape[-1]))
        x = layer.put("middle", x + layer.put("attention_out", its.linear("attention.output.dense", merged)))
        normed = layer.put("mlp_normed", its.layer_norm("layernorm_after", x, epsilon))
        hidden = layer.put("mlp_hidden", its.linear("intermediate.dense", normed))
        activated = layer.put("mlp_activated", activation(hidden))
        x = layer.put("out", x + layer.put("mlp_out", its.linear("output.dense", activated)))
    final = trace.put("final", weights.layer_norm("layernorm", x, epsilon))
    if "classifier.weight" in top:
        put_answer(trace, top.linear("classifier", final[:1]))


FAMILIES = {"vit": (make, run)}
