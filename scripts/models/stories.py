#!/usr/bin/env python3
"""Trains assets/models/stories: a GPT-2 of whole words that knows who gave what to whom, he and she, and made-up names.

The texts come from story_grammar.py. Pairs of words on which an answer depends are kept out of training, one in ten,
and only these are asked for in the evaluation. Words that can be known weigh more in the loss: otherwise the copying of
names begins much later.

Took 1352 s with --threads 1 and OpenBLAS on one core of an AMD EPYC that was busy with other work.
"""

import collections
import math
import random

import torch
from torch import nn
from torch.nn import functional

import common
import story_grammar
from story_grammar import ACCEPTED, END, UNKNOWN, Grammar, plain, written

POSITIONS, WIDTH, HEADS, LAYERS, BATCH, STEPS = 96, 128, 4, 4, 20, 4000
WEIGHT_OF_MARKED = 5.0
CASES_PER_TASK, KEPT_OUT_SEED = 60, 987654321
WANTED = {"receiver": 0.95, "giver": 0.95, "thing": 0.95, "pronoun": 0.95, "agreement": 0.95, "name": 0.9}


class Block(nn.Module):
    """A layer of GPT-2. Linear layers are [in, out], as in its files."""

    def __init__(self):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attn = nn.ModuleDict({"c_attn": Conv1D(WIDTH, 3 * WIDTH), "c_proj": Conv1D(WIDTH, WIDTH, 2 * LAYERS)})
        self.mlp = nn.ModuleDict({"c_fc": Conv1D(WIDTH, 4 * WIDTH), "c_proj": Conv1D(4 * WIDTH, WIDTH, 2 * LAYERS)})

    def forward(self, x, causal):
        batch, length, _ = x.shape
        q, k, v = (part.view(batch, length, HEADS, -1).transpose(1, 2)
                   for part in self.attn["c_attn"](self.ln_1(x)).split(WIDTH, dim=2))
        weights = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + causal, dim=3)
        x = x + self.attn["c_proj"]((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.mlp["c_proj"](gelu_new(self.mlp["c_fc"](self.ln_2(x))))


class Conv1D(nn.Module):
    """x · weight + bias; the first weights are smaller where `sums` of them add up in the residual stream."""

    def __init__(self, inputs, outputs, sums=1):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(inputs, outputs) / math.sqrt(inputs * sums))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x):
        rows = torch.addmm(self.bias, x.reshape(-1, x.shape[-1]), self.weight)
        return rows.view(*x.shape[:-1], -1)


class Stories(nn.Module):
    """GPT-2 with the output tied to the word embeddings."""

    def __init__(self, words):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        nn.init.normal_(self.wte.weight, std=0.05)
        nn.init.normal_(self.wpe.weight, std=0.05)
        self.h = nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f = nn.LayerNorm(WIDTH)

    def forward(self, tokens):
        length = tokens.shape[1]
        causal = torch.full((length, length), -math.inf).triu(1)
        x = self.wte(tokens) + self.wpe.weight[:length]
        for block in self.h:
            x = block(x, causal)
        return self.ln_f(x) @ self.wte.weight.T


def gelu_new(x):
    """GELU by its tanh approximation."""
    return functional.gelu(x, approximate="tanh")


def rows(grammar, ids, count):
    """Training rows: ids of texts one after the other, each ended by END; and each next word's weight in the loss."""
    result = []
    for _ in range(count):
        row = []
        while len(row) <= POSITIONS:
            row += grammar.text() + [END]
        result.append(row[: POSITIONS + 1])
    weights = [[WEIGHT_OF_MARKED if "=" in word else 1.0 for word in row[1:]] for row in result]
    return torch.tensor([[ids[plain(word)] for word in row] for row in result]), torch.tensor(weights)


def kept_out_cases():
    """Texts cut before a marked word, the same number per task; all of their pairs are kept out of training."""
    grammar = Grammar(random.Random(KEPT_OUT_SEED), kept_out=True)
    cases, seen = collections.defaultdict(list), set()
    while any(len(cases[task]) < CASES_PER_TASK for task in WANTED):
        words = grammar.text()
        place = grammar.random.choice([i for i, word in enumerate(words) if "=" in word])
        mark, _, word = words[place].partition("=")
        task = "agreement" if mark in ACCEPTED else mark
        text = [plain(before) for before in words[:place]]
        if len(cases[task]) < CASES_PER_TASK and place < POSITIONS and written(text) not in seen:
            seen.add(written(text))
            cases[task].append({"task": task, "text": written(text), "position": place - 1,
                                "tokens": ACCEPTED.get(mark, [word])})
    return [case for task in WANTED for case in cases[task]]


def right_by_task(model, words, cases):
    """Per task, how many cases are right: the most probable next word is one that is accepted."""
    ids = {word: i for i, word in enumerate(words)}
    right = collections.Counter()
    with torch.no_grad():
        for case in cases:
            text = case["text"].replace(".", " .").replace(",", " ,").split()
            logits = model(torch.tensor([[ids[word] for word in text]]))[0, case["position"]]
            right[case["task"]] += words[int(logits.argmax())] in case["tokens"]
    return right


def write_config(folder, words):
    common.write_json(folder / "config.json", {
        "attnscope_example": "Ivan showed Alice the letter. The letter came from Ivan. Hanna sold Leo the drum. Now",
        "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "vocab_size": len(words), "n_positions": POSITIONS,
        "n_ctx": POSITIONS, "n_embd": WIDTH, "n_layer": LAYERS, "n_head": HEADS, "n_inner": None,
        "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "initializer_range": 0.02, "resid_pdrop": 0.0,
        "embd_pdrop": 0.0, "attn_pdrop": 0.0, "scale_attn_weights": True, "tie_word_embeddings": True,
        "bos_token_id": 0, "eos_token_id": 0, "torch_dtype": "float16"})
    common.write_tokenizer(folder, words, [END, UNKNOWN], {"type": "Whitespace"}, UNKNOWN, eos_token=END, bos_token=END,
                           model_max_length=POSITIONS)


def write_card(folder, model, words, seconds, steps, right):
    """The model card."""
    about = {"receiver": "Emma met Paul. Emma gave the ball to → Paul", "giver": "… Paul thanked → Emma",
             "thing": "… Now Paul has the → ball", "pronoun": "Nora liked Adam because → he",
             "agreement": "The dogs near the tree → run, are, …",
             "name": "A robot named Zabo Flonn lived in the park. Everyone liked Zabo → Flonn"}
    table = "\n".join(f"| {task} | {about[task]} | {common.percent(right[task], CASES_PER_TASK)} |" for task in WANTED)
    (folder / "README.md").write_text(f"""# stories

A GPT-2 of {len(words)} whole words, small enough to follow every head. It has to work out who gave what to whom, who is
“he” and who is “she”, which noun a verb agrees with, and how a name made up a moment ago continues.

| | |
|---|---|
| Family | `gpt2`, {LAYERS} layers × {HEADS} heads, width {WIDTH}, {POSITIONS} positions |
| Tokens | {len(words)} whole words and punctuation marks; others become `{UNKNOWN}` |
| Size | {common.count(model):,} parameters, stored as F16 |
| Data | random texts of one to three events, by the grammar in `scripts/models/story_grammar.py` |
| Training | `scripts/models/stories.py`: {steps:,} steps of {BATCH} × {POSITIONS} words, {seconds:,.0f} s on one core |

## Accuracy

An answer depends on a pair of words: giver and receiver, name and place, two nouns, or the halves of a made-up name. One
pair in ten never occurs in training; all cases here use only these pairs (`tests/golden/kept_out/stories.json`,
{CASES_PER_TASK} per task). With the weights as stored, the most probable next word is right in:

| task | example | right |
|---|---|---|
{table}

## Limits

It knows the words and sentences of its grammar and no others. Write as the grammar does: names with a capital, one event
after the other, up to {POSITIONS} words and punctuation marks. Where the grammar leaves a choice (which present, which
place), it guesses. Only the names of the grammar have a gender. `{END}` ends a text.
""", encoding="utf-8")


def main():
    chosen = common.arguments("stories", __doc__, STEPS)
    words = story_grammar.vocabulary()
    ids = {word: i for i, word in enumerate(words)}
    grammar = Grammar(random.Random(chosen.seed), kept_out=False)
    cases = kept_out_cases()
    model = Stories(len(words))
    print(f"{len(words)} words, {common.count(model)} parameters", flush=True)

    def loss_of(_):
        tokens, weights = rows(grammar, ids, BATCH)
        losses = functional.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:], reduction="none")
        return (losses * weights).sum() / weights.sum()

    def after_step(step, _):
        if step % 250 == 0:
            print(dict(right_by_task(model, words, cases)), "of", CASES_PER_TASK, flush=True)

    seconds = common.train(model.parameters(), chosen.steps, loss_of,
                           lambda step: common.rate(step, chosen.steps, 2e-3, warm_up=200), after_step)
    write_config(chosen.out, words)
    common.write_safetensors(chosen.out / "model.safetensors",
                             {f"transformer.{name}": tensor for name, tensor in model.state_dict().items()})
    stored = common.read_safetensors(chosen.out / "model.safetensors")
    model.load_state_dict({name.removeprefix("transformer."): tensor for name, tensor in stored.items()})
    right = right_by_task(model, words, cases)
    for task, share in WANTED.items():
        print(f"{task}: {common.percent(right[task], CASES_PER_TASK)}, wanted {100 * share:.0f} %")
    about = ("The most probable next token after `position`, the text's last token, counted from 0, should be one of "
             "`tokens`. The measure is the share of right cases per task.")
    common.write_cases(chosen.kept_out, "stories", about, cases)
    write_card(chosen.out, model, words, seconds, chosen.steps, right)


if __name__ == "__main__":
    main()
