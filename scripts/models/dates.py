#!/usr/bin/env python3
"""Trains assets/models/dates: a BART that rewrites a date, as people write it, in the order year, month, day.

The formats are in date_formats.py. The decoder begins with decoder_start_token_id, </s>. In part of the training <s>
follows it or takes its place, so that a text given to the decoder works with and without the special tokens around it.

Took 245 s with --threads 1 and OpenBLAS on one core of an AMD EPYC that was busy with other work.
"""

import math
import random
import re

import torch
from torch import nn
from torch.nn import functional

import common
import date_formats
from date_formats import FORMATS, SPECIAL, TOKEN

WIDTH, HEADS, LAYERS, HIDDEN, POSITIONS, BATCH, STEPS = 64, 4, 2, 256, 32, 128, 2500
CASES, KEPT_OUT_SEED = 300, 987654321
START, PAD, END = SPECIAL.index("<s>"), SPECIAL.index("<pad>"), SPECIAL.index("</s>")
PARTS = {"y": (0, 1, 2, 3), "m": (5, 6), "d": (8, 9)}  # places of year, month and day in 1979-05-03


class Attention(nn.Module):
    """Multi-head attention from x to `source`; keeps the weights of its last call."""

    def __init__(self):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x, source, mask):
        q, k, v = (linear(y).view(len(y), y.shape[1], HEADS, -1).transpose(1, 2)
                   for linear, y in ((self.q_proj, x), (self.k_proj, source), (self.v_proj, source)))
        self.weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + mask, dim=3)
        return self.out_proj((self.weights @ v).transpose(1, 2).reshape(x.shape))


class Layer(nn.Module):
    """A layer with a norm after each sum; in the decoder with attention to the encoder."""

    def __init__(self, is_decoder):
        super().__init__()
        self.self_attn, self.self_attn_layer_norm = Attention(), nn.LayerNorm(WIDTH)
        if is_decoder:
            self.encoder_attn, self.encoder_attn_layer_norm = Attention(), nn.LayerNorm(WIDTH)
        self.fc1, self.fc2 = nn.Linear(WIDTH, HIDDEN), nn.Linear(HIDDEN, WIDTH)
        self.final_layer_norm = nn.LayerNorm(WIDTH)

    def forward(self, x, mask, source=None, source_mask=None):
        x = self.self_attn_layer_norm(x + self.self_attn(x, x, mask))
        if source is not None:
            x = self.encoder_attn_layer_norm(x + self.encoder_attn(x, source, source_mask))
        return self.final_layer_norm(x + self.fc2(functional.gelu(self.fc1(x))))


class Part(nn.Module):
    """The encoder or the decoder: embeddings with learned positions, offset by 2, a norm, and the layers."""

    def __init__(self, is_decoder):
        super().__init__()
        self.embed_positions = nn.Embedding(POSITIONS + 2, WIDTH)
        nn.init.normal_(self.embed_positions.weight, std=0.1)
        self.layernorm_embedding = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(Layer(is_decoder) for _ in range(LAYERS))

    def forward(self, embedded, *context):
        x = self.layernorm_embedding(embedded + self.embed_positions.weight[2 : 2 + embedded.shape[1]])
        for layer in self.layers:
            x = layer(x, *context)
        return x


class Bart(nn.Module):
    """Encoder and decoder, named as BartForConditionalGeneration; the output is tied to the word embeddings."""

    def __init__(self, words):
        super().__init__()
        self.register_buffer("final_logits_bias", torch.zeros(1, words))
        shared = nn.Embedding(words, WIDTH)
        nn.init.normal_(shared.weight, std=0.1)
        self.model = nn.ModuleDict({"shared": shared, "encoder": Part(False), "decoder": Part(True)})

    def forward(self, tokens, decoder_tokens):
        """Logits [batch, decoder's token, word]; <pad> in `tokens` is not attended to."""
        shared = self.model["shared"]
        padding = torch.zeros(tokens.shape).masked_fill(tokens == PAD, -math.inf)[:, None, None]
        causal = torch.full((decoder_tokens.shape[1],) * 2, -math.inf).triu(1)
        source = self.model["encoder"](shared(tokens), padding)
        x = self.model["decoder"](shared(decoder_tokens), causal, source, padding)
        return x @ shared.weight.T + self.final_logits_bias


def padded(lists, value):
    """Lists of unequal length as one tensor."""
    return nn.utils.rnn.pad_sequence([torch.tensor(one) for one in lists], batch_first=True, padding_value=value)


def examples(rng, count, kept_out, ids):
    """Random dates: texts, answers, what each encoder token tells, encoder ids and answer ids."""
    result = []
    for _ in range(count):
        date = date_formats.random_date(rng, kept_out)
        tokens, roles, text = date_formats.written(date, rng.choice(FORMATS))
        answer = date.isoformat()
        result.append((text, answer, ["", *roles, ""], [START, *(ids[token] for token in tokens), END],
                       [ids[character] for character in answer]))
    return result


def evaluate(model, cases):
    """Which cases are right in every token, and per layer, head and part of the answer the mean weight on that part.

    A case whose every token is the most probable one after the right ones before it is what greedy decoding gives."""
    answers = torch.tensor([case[4] for case in cases])
    given = functional.pad(answers, (1, 0), value=END)
    with torch.no_grad():
        said = model(padded([case[3] for case in cases], PAD), given).argmax(2)
    right = (said == functional.pad(answers, (0, 1), value=END)).all(1)
    looks = []
    for layer in model.model["decoder"].layers:
        weights = layer.encoder_attn.weights
        told = {part: padded([[float(role == part) for role in case[2]] for case in cases], 0.0) for part in PARTS}
        looks.append({part: (weights[:, :, list(places)] * told[part][:, None, None]).sum(3).mean((0, 2)).tolist()
                      for part, places in PARTS.items()})
    return right, looks


def write_config(folder, words):
    common.write_json(folder / "config.json", {
        "attnscope_example": "22 jul 16", "attnscope_example2": "2016-07-22",
        "architectures": ["BartForConditionalGeneration"], "model_type": "bart", "is_encoder_decoder": True,
        "vocab_size": len(words), "d_model": WIDTH, "max_position_embeddings": POSITIONS, "encoder_layers": LAYERS,
        "encoder_attention_heads": HEADS, "encoder_ffn_dim": HIDDEN, "decoder_layers": LAYERS,
        "decoder_attention_heads": HEADS, "decoder_ffn_dim": HIDDEN, "num_hidden_layers": LAYERS,
        "activation_function": "gelu", "scale_embedding": False, "dropout": 0.0, "attention_dropout": 0.0,
        "activation_dropout": 0.0, "encoder_layerdrop": 0.0, "decoder_layerdrop": 0.0, "init_std": 0.1,
        "tie_word_embeddings": True, "bos_token_id": START, "pad_token_id": PAD, "eos_token_id": END,
        "decoder_start_token_id": END, "forced_bos_token_id": None, "forced_eos_token_id": None, "max_length": 16,
        "torch_dtype": "float16"})
    around = {"single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                         {"SpecialToken": {"id": "</s>", "type_id": 0}}]}
    around["pair"] = around["single"] + [{"Sequence": {"id": "B", "type_id": 0}},
                                         {"SpecialToken": {"id": "</s>", "type_id": 0}}]
    common.write_tokenizer(
        folder, words, SPECIAL,
        {"type": "Split", "pattern": {"Regex": TOKEN}, "behavior": "Removed", "invert": True}, "<unk>",
        {"type": "TemplateProcessing", **around, "special_tokens": {
            token: {"id": token, "ids": [SPECIAL.index(token)], "tokens": [token]} for token in ("<s>", "</s>")}},
        bos_token="<s>", eos_token="</s>", pad_token="<pad>", mask_token="<mask>", model_max_length=POSITIONS)


def write_card(folder, model, words, seconds, steps, right, looks):
    """The model card."""
    names = {"y": "year", "m": "month", "d": "day"}
    table = "\n".join(
        f"| layer {layer + 1}, {names[part]} | " + " | ".join(f"{value:.2f}" for value in by_part[part]) + " |"
        for layer, by_part in enumerate(looks) for part in PARTS)
    wrong = ", ".join(f"`{text}`" for text in right[2]) or "none"
    (folder / "README.md").write_text(f"""# dates

A BART that rewrites a date: `3 may 1979`, `May 3rd, '79`, `5/3/1979` and `3.5.79` all become `1979-05-03`. Its
cross-attention looks at year, month and day in turn, wherever they are in the text.

| | |
|---|---|
| Family | `bart`, {LAYERS} + {LAYERS} layers × {HEADS} heads, width {WIDTH}, hidden width {HIDDEN}, {POSITIONS} positions |
| Tokens | {len(words)}: digits one by one, month names, punctuation |
| Size | {common.count(model):,} parameters, stored as F16 |
| Data | random days from {date_formats.FIRST} to {date_formats.LAST}, in {len(FORMATS)} formats (`scripts/models/date_formats.py`) |
| Training | `scripts/models/dates.py`: {steps:,} steps of {BATCH} dates, {seconds:.0f} s on one core |

## Accuracy

One day in ten never occurs in training, in any format. On {right[1]} of these, in random formats
(`tests/golden/kept_out/dates.json`), with the weights as stored: **{common.percent(*right[:2])}** exactly right.
Wrong: {wrong}.

Where the cross-attention looks while the decoder writes the year, the month or the day: the mean weight on the tokens
that state it.

| | head 1 | head 2 | head 3 | head 4 |
|---|---|---|---|---|
{table}

## Limits

English month names, in full or as three letters, with or without a capital. With `/` the month comes first, unless the
year does; with `.` the day comes first. Years of two digits mean 1950 to 2049. Other words are unknown, and a day that
does not exist, such as 31 April, still gets some answer. The decoder begins with `</s>`; a `<s>` after it, or in its
place, is fine.
""", encoding="utf-8")


def main():
    chosen = common.arguments("dates", __doc__, STEPS)
    words = date_formats.vocabulary()
    ids = {word: i for i, word in enumerate(words)}
    rng = random.Random(chosen.seed)
    cases = examples(random.Random(KEPT_OUT_SEED), CASES, True, ids)
    model = Bart(len(words))
    print(f"{len(words)} tokens, {common.count(model)} parameters", flush=True)

    def loss_of(step):
        batch = examples(rng, BATCH, False, ids)
        answers = torch.tensor([example[4] for example in batch])
        begin = ([END], [END, START], [END], [START])[step % 4]
        given = torch.cat([torch.tensor(begin).expand(BATCH, -1), answers], dim=1)
        logits = model(padded([example[3] for example in batch], PAD), given)[:, len(begin) - 1 :]
        return functional.cross_entropy(logits.flatten(0, 1), functional.pad(answers, (0, 1), value=END).flatten())

    def after_step(step, _):
        if step % 500 == 0:
            print(f"right: {int(evaluate(model, cases)[0].sum())} of {CASES}", flush=True)

    seconds = common.train(model.parameters(), chosen.steps, loss_of,
                           lambda step: common.rate(step, chosen.steps, 1e-3, warm_up=300), after_step, log_every=100)
    write_config(chosen.out, words)
    common.write_safetensors(chosen.out / "model.safetensors", model.state_dict())
    model.load_state_dict(common.read_safetensors(chosen.out / "model.safetensors"))
    said_right, looks = evaluate(model, cases)
    wrong = [case[0] for case, is_right in zip(cases, said_right) if not is_right]
    right = len(cases) - len(wrong), len(cases), wrong
    print(f"{common.percent(*right[:2])} exact, wrong: {wrong}, {seconds:.0f} s, cross-attention: {looks}")
    about = ("The decoder reads decoder_start_token_id and the tokens of `text2` without special tokens. After each, the "
             "most probable next token should be the next one of `text2`, and after the last </s>. The measure is the "
             "share of cases with every token right.")
    common.write_cases(chosen.kept_out, "dates", about, [{"text": case[0], "text2": case[1]} for case in cases])
    write_card(chosen.out, model, words, seconds, chosen.steps, right, looks)


if __name__ == "__main__":
    main()
