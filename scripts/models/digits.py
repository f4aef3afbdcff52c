#!/usr/bin/env python3
"""Trains assets/models/digits: a small vision transformer that reads handwritten digits of 8 × 8 pixels.

The pictures are the UCI set as scikit-learn has it. A quarter of them, with the same share of every digit, is kept out
of training. Training pictures are moved by up to one pixel, scaled in brightness and given a little noise.

Took 456 s with --threads 1 and OpenBLAS on one core of an AMD EPYC that was busy with other work.
"""

import json
import math
import struct
import zlib

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional

import common

SIDE, PATCH, WIDTH, HEADS, LAYERS, HIDDEN, BATCH = 8, 2, 64, 4, 4, 128, 128
PATCHES = (SIDE // PATCH) ** 2
EPSILON, SPLIT_SEED, STEPS = 1e-12, 20240229, 3000


class Layer(nn.Module):
    """A layer with its norms before the attention and before the MLP."""

    def __init__(self):
        super().__init__()
        self.layernorm_before = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.query, self.key, self.value, self.out = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.layernorm_after = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.intermediate, self.output = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        batch, length, _ = x.shape
        normed = self.layernorm_before(x)
        q, k, v = (linear(normed).view(batch, length, HEADS, -1).transpose(1, 2)
                   for linear in (self.query, self.key, self.value))
        weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS), dim=3)
        x = x + self.drop(self.out((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH)))
        return x + self.drop(self.output(functional.gelu(self.intermediate(self.layernorm_after(x)))))


class VisionTransformer(nn.Module):
    """Class token and patches with learned positions, the layers, a norm, and a classifier on the class token."""

    def __init__(self):
        super().__init__()
        self.cls_token = nn.Parameter(0.02 * torch.randn(1, 1, WIDTH))
        self.positions = nn.Parameter(0.02 * torch.randn(1, PATCHES + 1, WIDTH))
        self.projection = nn.Conv2d(1, WIDTH, PATCH, stride=PATCH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.layernorm = nn.LayerNorm(WIDTH, eps=EPSILON)
        self.classifier = nn.Linear(WIDTH, 10)

    def forward(self, pixels):
        patches = self.projection(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(pixels), -1, -1), patches], dim=1) + self.positions
        for layer in self.layers:
            x = layer(x)
        return self.classifier(self.layernorm(x)[:, 0])


def hub_name(name):
    """A parameter's name as ViTForImageClassification has it."""
    first, _, rest = name.partition(".")
    if first == "layers":
        number, _, rest = rest.partition(".")
        for own, hub in (("query", "attention.attention.query"), ("key", "attention.attention.key"),
                         ("value", "attention.attention.value"), ("out.", "attention.output.dense."),
                         ("intermediate", "intermediate.dense"), ("output", "output.dense")):
            if rest.startswith(own):
                rest = hub + rest[len(own):]
                break
        return f"vit.encoder.layer.{number}.{rest}"
    return {"cls_token": "vit.embeddings.cls_token", "positions": "vit.embeddings.position_embeddings",
            "projection": "vit.embeddings.patch_embeddings.projection." + rest, "layernorm": "vit.layernorm." + rest,
            "classifier": "classifier." + rest}[first]


def grey(pictures):
    """Pictures of 0 to 16 as 8-bit grey values, as a PNG file has them."""
    return np.rint(pictures * 255 / 16).astype(np.uint8).reshape(-1, SIDE, SIDE)


def normalized(pixels):
    """8-bit grey values as preprocessor_config.json says: rescaled to 0 to 1, mean 0.5, standard deviation 0.5."""
    return (torch.tensor(pixels[:, None], dtype=torch.float32) / 255 - 0.5) / 0.5


def varied(pixels, generator):
    """The pictures moved by up to one pixel, each in its own direction, in other brightness and with noise."""
    count = len(pixels)
    padded = functional.pad(pixels, (1, 1, 1, 1), value=-1.0)
    down, right = (torch.randint(3, (count, 1), generator=generator) for _ in range(2))
    rows = (down + torch.arange(SIDE))[:, :, None]
    columns = (right + torch.arange(SIDE))[:, None, :]
    moved = padded[torch.arange(count)[:, None, None], 0, rows, columns][:, None]
    brightness = 0.8 + 0.4 * torch.rand(count, 1, 1, 1, generator=generator)
    noise = 0.1 * torch.randn(moved.shape, generator=generator)
    return ((moved + 1) * brightness - 1 + noise).clamp(-1, 1)


def png(pixels):
    """The bytes of an 8-bit grey PNG file."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write_config(folder):
    labels = [str(digit) for digit in range(10)]
    common.write_json(folder / "config.json", {
        "architectures": ["ViTForImageClassification"], "model_type": "vit", "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "intermediate_size": HIDDEN, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "initializer_range": 0.02,
        "layer_norm_eps": EPSILON, "image_size": SIDE, "patch_size": PATCH, "num_channels": 1, "qkv_bias": True,
        "id2label": {label: label for label in labels}, "label2id": {label: int(label) for label in labels},
        "torch_dtype": "float16", "attnscope_example": "example.png"})
    common.write_json(folder / "preprocessor_config.json", {
        "image_processor_type": "ViTImageProcessor", "do_resize": True, "size": {"height": SIDE, "width": SIDE},
        "resample": 2, "do_rescale": True, "rescale_factor": 1 / 255, "do_normalize": True, "image_mean": [0.5],
        "image_std": [0.5]})


def write_card(folder, model, seconds, steps, right, confused, trained_on):
    """The model card."""
    wrong = "\n".join(f"- {digit}, read as {', '.join(map(str, others))}" for digit, others in sorted(confused.items()))
    (folder / "README.md").write_text(f"""# digits

A vision transformer that reads a handwritten digit of {SIDE} × {SIDE} grey pixels. With {PATCHES} patches of
{PATCH} × {PATCH} pixels and a class token, every weight can be seen.

| | |
|---|---|
| Family | `vit`, {LAYERS} layers × {HEADS} heads, width {WIDTH}, hidden width {HIDDEN} |
| Input | a picture, a light digit on a dark ground, scaled to {SIDE} × {SIDE}; one channel |
| Output | the digits 0 to 9, from the class token |
| Size | {common.count(model):,} parameters, stored as F16 |
| Data | {trained_on:,} pictures of the set below, moved by up to one pixel, varied in brightness, with a little noise |
| Training | `scripts/models/digits.py`: {steps:,} steps of {BATCH} pictures, {seconds:.0f} s on one core |

## Accuracy

On the quarter of the set kept out of training ({right[1]} pictures, the same share of every digit;
`tests/golden/kept_out/digits.json`), with the weights as stored: **{common.percent(*right)}** right. The wrong ones:

{wrong}

`example.png` is one of the kept-out pictures.

## Limits

The pictures of the set are centred and of one size, and the same 13 people wrote all of them, the kept-out quarter
included. A photograph, a digit in a corner or a dark digit on a light ground will be misread, and anything that is not
a digit is still called one.

## Licence of the data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning Repository (1998),
doi:10.24432/C50P49, licensed CC BY 4.0; the copy of its test part that scikit-learn distributes
(`sklearn.datasets.load_digits`). `example.png` and the kept-out cases are pictures of that set, scaled from 0–16 to
0–255.
""", encoding="utf-8")


def evaluate(chosen, pixels, digits, seconds, trained_on):
    """Measures the stored weights on the kept-out pictures, and writes these and the card."""
    names = {hub_name(name): name for name in VisionTransformer().state_dict()}
    stored = common.read_safetensors(chosen.out / "model.safetensors")
    model = VisionTransformer().eval()
    model.load_state_dict({names[name]: tensor for name, tensor in stored.items()})
    with torch.no_grad():
        said = model(normalized(pixels)).argmax(1).numpy()
    confused = {}
    for digit, other in zip(digits[said != digits].tolist(), said[said != digits].tolist()):
        confused.setdefault(digit, []).append(other)
    right = int((said == digits).sum()), len(digits)
    print(f"{common.percent(*right)} right, wrong: {json.dumps(confused)}, {seconds:.0f} s")
    cases = [{"pixels": picture.flatten().tolist(), "label": str(digit)} for picture, digit in zip(pixels, digits)]
    about = (f"`pixels` are the 8-bit grey values of a picture of {SIDE} x {SIDE}, row by row. The most probable label "
             "should be `label`. The measure is the share of right cases.")
    common.write_cases(chosen.kept_out, "digits", about, cases)
    (chosen.out / "example.png").write_bytes(png(pixels[digits.tolist().index(3)]))
    write_card(chosen.out, model, seconds, chosen.steps, right, confused, trained_on)


def main():
    chosen = common.arguments("digits", __doc__, STEPS)
    source = load_digits()
    pixels, kept_pixels, digits, kept_digits = train_test_split(
        grey(source.data), source.target, test_size=0.25, stratify=source.target, random_state=SPLIT_SEED)
    pictures, labels = normalized(pixels), torch.tensor(digits)
    generator = torch.Generator().manual_seed(chosen.seed)
    model = VisionTransformer()

    def loss_of(_):
        batch = torch.randint(len(pictures), (BATCH,), generator=generator)
        logits = model(varied(pictures[batch], generator))
        return functional.cross_entropy(logits, labels[batch], label_smoothing=0.05)

    seconds = common.train(model.parameters(), chosen.steps, loss_of,
                           lambda step: common.rate(step, chosen.steps, 1.5e-3), log_every=200)
    write_config(chosen.out)
    common.write_safetensors(chosen.out / "model.safetensors",
                             {hub_name(name): tensor for name, tensor in model.state_dict().items()})
    evaluate(chosen, kept_pixels, kept_digits, seconds, len(pictures))


if __name__ == "__main__":
    main()
