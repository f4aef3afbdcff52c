#!/usr/bin/env python3
"""Trains assets/models/induction: two layers of attention and nothing else, which continue what they saw before.

Each sequence has 64 random symbols, in which one segment of 6 to 24 symbols, at a random place, is repeated at a random
later place. A fixed distance would be learned as a distance; a random one leaves only the way by content: a head of
layer 1 that attends to the previous token, and heads of layer 2 that attend to the token after the last time.

    induction.py               the model, with checkpoints, and the cases kept out of training
    induction.py --layers 1 --out tests/golden/kept_out/induction-one-layer
                               the twin without a second layer, which cannot do it

Took 377 s with --threads 1 and OpenBLAS on one core of an AMD EPYC that was busy with other work; 0.08 s a step when it
is not. With the reference BLAS, products take ten times as long.
"""

import math
import string

import torch
from torch import nn
from torch.nn import functional

import common

SYMBOLS = list(string.ascii_lowercase + string.ascii_uppercase + string.digits + ".?")
POSITIONS, WIDTH, HEADS, BATCH = 64, 128, 4, 64
SHORTEST, LONGEST = 6, 24
CHECKPOINTS = [50, 100, 200, 400, 500, 550, 600, 650, 700, 800, 1000, 1400, 2000, 2700]
CASES, KEPT_OUT_SEED = 300, 987654321


class AttentionOnly(nn.Module):
    """x = embedding + position; x += o(attention(q, k, v)) per layer; logits = unembed x. No norm, no bias, no MLP."""

    def __init__(self, layers):
        super().__init__()
        self.embed = nn.Embedding(len(SYMBOLS), WIDTH)
        self.positions = nn.Embedding(POSITIONS, WIDTH)
        self.layers = nn.ModuleList(
            nn.ModuleDict({name: nn.Linear(WIDTH, WIDTH, bias=False) for name in "qkvo"}) for _ in range(layers))
        self.unembed = nn.Linear(WIDTH, len(SYMBOLS), bias=False)
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=1 / math.sqrt(WIDTH))

    def forward(self, tokens, weights=None):
        """Logits [batch, token, symbol]; appends each layer's weights [batch, head, query, key] to `weights`."""
        batch, length = tokens.shape
        causal = torch.full((length, length), -math.inf).triu(1)
        x = self.embed(tokens) + self.positions.weight[:length]
        for layer in self.layers:
            q, k, v = (layer[name](x).view(batch, length, HEADS, -1).transpose(1, 2) for name in "qkv")
            attention = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + causal, dim=3)
            if weights is not None:
                weights.append(attention)
            x = x + layer["o"]((attention @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        return self.unembed(x)


def sequences(count, generator):
    """Symbols [count, position], and where a symbol follows from the segment's first copy: [count, position - 1]."""
    def between(low, high):
        return (low + torch.rand(count, generator=generator) * (high - low + 1)).long().clamp(max=high)

    tokens = torch.randint(len(SYMBOLS), (count, POSITIONS), generator=generator)
    length = between(torch.tensor(SHORTEST), torch.tensor(LONGEST))
    first = between(torch.zeros_like(length), POSITIONS - 2 * length)
    second = between(first + length, POSITIONS - length)
    places = torch.arange(POSITIONS).expand(count, POSITIONS)
    repeated = (places >= second[:, None]) & (places < (second + length)[:, None])
    source = torch.where(repeated, places - (second - first)[:, None], places)
    follows = repeated[:, 1:] & repeated[:, :-1]
    return tokens.gather(1, source), follows


def second_copy_right(model, tokens, follows):
    """The share of the second copy's symbols, after its first, that are the most probable next token."""
    with torch.no_grad():
        right = model(tokens)[:, :-1].argmax(2) == tokens[:, 1:]
    return right[follows].float().mean().item()


def repeated_symbols(count, generator):
    """The standard test of heads: random symbols without a double, and the same again."""
    half = torch.stack([torch.randperm(len(SYMBOLS), generator=generator)[: POSITIONS // 2] for _ in range(count)])
    return torch.cat([half, half], dim=1)


def head_measures(model, tokens):
    """Per layer and head: previous token, the mean of A[q, q - 1], and induction, the mean weight that the second copy
    puts on the token after the symbol's first time."""
    weights = []
    with torch.no_grad():
        model(tokens, weights)
    previous = [[round(value, 4) for value in layer.diagonal(-1, 2, 3).mean((0, 2)).tolist()] for layer in weights]
    induction = [[round(value, 4) for value in layer.diagonal(1 - POSITIONS // 2, 2, 3)[:, :, 1:].mean((0, 2)).tolist()]
                 for layer in weights]
    return {"previous_token": previous, "induction": induction}


def write_config(folder, layers):
    common.write_json(folder / "config.json", {
        "attnscope_example": "UKgqSoY6k4R0QwcSVa3PiYQmUKgqSoY6k4R0QwcS",
        "model_type": "attention-only", "vocab_size": len(SYMBOLS), "n_positions": POSITIONS, "n_embd": WIDTH,
        "n_layer": layers, "n_head": HEADS})


def write_kept_out(path, tokens, follows):
    cases = []
    for row, follow in zip(tokens.tolist(), follows):
        positions = follow.nonzero()[:, 0].tolist()
        cases.append({"text": "".join(SYMBOLS[token] for token in row), "from": positions[0], "to": positions[-1]})
    about = ("One token per character. At each position from `from` to `to`, counted from 0, the most probable next "
             "token should be the next character. The measure is the share of right positions of all cases.")
    common.write_cases(path, "induction", about, cases)


def write_card(folder, model, seconds, steps, right, measures):
    """The model card."""
    def row(name, values):
        return f"| {name} | " + " | ".join(f"{value:.2f}" for value in values) + " |\n"

    table = "".join(row(f"layer {layer + 1}, {name.replace('_', ' ')}", values[layer])
                    for name, values in measures.items() for layer in range(len(values)))
    (folder / "README.md").write_text(f"""# induction

Two layers of attention and nothing else: no norms, no biases, no MLP. It continues a sequence that it has seen before
in the same text. Type random letters, repeat them, and see which heads do it. The checkpoints show when they form.

| | |
|---|---|
| Family | `attention-only`, {len(model.layers)} layers × {HEADS} heads, width {WIDTH}, {POSITIONS} positions |
| Tokens | {len(SYMBOLS)} symbols of one character: `a`–`z`, `A`–`Z`, `0`–`9`, `.`, `?`; no spaces; others become `?` |
| Size | {common.count(model):,} parameters, stored as F16 |
| Data | random symbols, in which a segment of {SHORTEST} to {LONGEST} of them is repeated at a random later place |
| Training | `scripts/models/induction.py`: {steps:,} steps of {BATCH} sequences, {seconds:.0f} s on one core |

## Accuracy

On {CASES} sequences kept out of training (another seed; `tests/golden/kept_out/induction.json`), with the weights as
stored: **{100 * right:.1f} %** of the symbols of the second copy, from its second one on, are the most probable next
token. A twin with one layer, trained the same way (`induction.py --layers 1`), gets 10 %.

Heads on random symbols, all different, repeated once (mean weight):

| | head 1 | head 2 | head 3 | head 4 |
|---|---|---|---|---|
{table}
## Checkpoints

`checkpoints/step-NNNNNN/model.safetensors`, spaced by the logarithm of the step, and more densely where the
induction heads form. `training.json` has the step, the loss (mean of the steps since the last checkpoint), the
kept-out accuracy and both measures of each head. All checkpoints share this folder's `config.json` and
`tokenizer.json`.

## Limits

It knows nothing but repetition: what it says after symbols that are new in the text is noise. At most {POSITIONS} tokens.
A symbol that has occurred several times can mislead it.
""", encoding="utf-8")


def main():
    chosen = common.arguments("induction", __doc__, CHECKPOINTS[-1],
                              layers={"type": int, "default": 2, "choices": (1, 2), "help": "1: the twin"})
    model = AttentionOnly(chosen.layers)
    generator = torch.Generator().manual_seed(chosen.seed)
    kept_out = sequences(CASES, torch.Generator().manual_seed(KEPT_OUT_SEED))
    heads_test = repeated_symbols(64, torch.Generator().manual_seed(KEPT_OUT_SEED + 1))
    losses, history = [], []

    def loss_of(_):
        tokens, follows = sequences(BATCH, generator)
        return functional.cross_entropy(model(tokens)[:, :-1][follows], tokens[:, 1:][follows])

    def rate_of(step):
        return 2e-3 * min(1.0, (step + 1) / 100)

    def after_step(step, loss):
        losses.append(loss)
        if step not in CHECKPOINTS and step != chosen.steps:
            return
        history.append({"step": step, "loss": round(sum(losses) / len(losses), 4),
                        "second_copy_right": round(second_copy_right(model, *kept_out), 4),
                        **head_measures(model, heads_test)})
        losses.clear()
        print(history[-1], flush=True)
        if chosen.layers > 1:
            path = chosen.out / f"checkpoints/step-{step:06}/model.safetensors"
            common.write_safetensors(path, model.state_dict())

    seconds = common.train(model.parameters(), chosen.steps, loss_of, rate_of, after_step)
    write_config(chosen.out, chosen.layers)
    common.write_safetensors(chosen.out / "model.safetensors", model.state_dict())
    model.load_state_dict(common.read_safetensors(chosen.out / "model.safetensors"))
    right = second_copy_right(model, *kept_out)
    print(f"second copy right: {100 * right:.2f} %, {seconds:.0f} s")
    if chosen.layers == 1:
        return
    split = {"type": "Split", "pattern": {"Regex": "\\S"}, "behavior": "Removed", "invert": True}
    common.write_tokenizer(chosen.out, SYMBOLS, [], split, SYMBOLS[-1], model_max_length=POSITIONS)
    common.write_json(chosen.out / "training.json", {"seed": chosen.seed, "seconds": round(seconds), "steps": history})
    write_kept_out(chosen.kept_out, *kept_out)
    write_card(chosen.out, model, seconds, chosen.steps, right, head_measures(model, heads_test))


if __name__ == "__main__":
    main()
