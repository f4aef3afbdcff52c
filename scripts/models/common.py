"""What the scripts that train the bundled models share: arguments, files as on a model hub, the loop and its rate.

A .safetensors file is an 8-byte little-endian length, that many bytes of JSON, and the numbers. The JSON maps each
tensor's name to its dtype, shape and place in the data. It is padded with spaces, so that the numbers are aligned.
"""

import argparse
import json
import math
import pathlib
import struct
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = {"F32": (torch.float32, torch.int32), "F16": (torch.float16, torch.int16),
         "BF16": (torch.bfloat16, torch.int16)}


def arguments(name, description, steps, **own):
    """The command line of a training script, with its own options. Sets PyTorch's number of threads and its seed."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0],
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "assets/models" / name, help="the model's folder")
    parser.add_argument("--kept-out", type=pathlib.Path, default=ROOT / "tests/golden/kept_out" / f"{name}.json",
                        help="where the cases kept out of training are written")
    parser.add_argument("--steps", type=int, default=steps, help="training steps")
    parser.add_argument("--threads", type=int, default=0, help="threads of PyTorch; 0: as many as it chooses")
    parser.add_argument("--seed", type=int, default=1, help="seed of the weights and of the training data")
    for option, settings in own.items():
        parser.add_argument(f"--{option}", **settings)
    chosen = parser.parse_args()
    if chosen.threads > 0:
        torch.set_num_threads(chosen.threads)
    torch.set_flush_denormal(True)
    torch.manual_seed(chosen.seed)
    chosen.out.mkdir(parents=True, exist_ok=True)
    chosen.kept_out.parent.mkdir(parents=True, exist_ok=True)
    return chosen


def write_safetensors(path, tensors, kind="F16"):
    """tensors: name -> tensor, stored in the order of the dictionary as `kind`, a key of KINDS."""
    dtype, same_size = KINDS[kind]
    header = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, tensor in tensors.items():
        begin = len(data)
        data += tensor.detach().contiguous().to(dtype).view(same_size).numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [begin, len(data)]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """name -> float32 tensor of a file that write_safetensors made."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        dtype, same_size = KINDS[entry["dtype"]]
        numbers = torch.frombuffer(bytearray(content[begin:end]), dtype=same_size).view(dtype)
        tensors[name] = numbers.float().reshape(entry["shape"])
    return tensors


def write_json(path, value, indent=2):
    """Writes `value` as JSON with a line break at its end."""
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=False) + "\n", encoding="utf-8")


def write_cases(path, model, about, cases):
    """Writes cases kept out of training, one per line so that a difference of two files reads well."""
    head = json.dumps({"model": model, "about": about}, ensure_ascii=False)[:-1]
    lines = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in cases)
    path.write_text(f'{head}, "cases": [\n{lines}\n]}}\n', encoding="utf-8")


def write_tokenizer(folder, words, special, pre_tokenizer, unknown, post_processor=None, **config):
    """tokenizer.json with one id per word, in the order of `words`, and tokenizer_config.json with `config`."""
    added = [{"id": words.index(token), "content": token, "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": False, "special": True} for token in special]
    write_json(folder / "tokenizer.json", {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(words)}, "unk_token": unknown}})
    write_json(folder / "tokenizer_config.json",
               {"tokenizer_class": "PreTrainedTokenizerFast", "model_input_names": ["input_ids", "attention_mask"],
                "unk_token": unknown, **config})


def rate(step, steps, peak, warm_up=100):
    """Learning rate of a step: up in a straight line, then down along a cosine to a tenth of the peak."""
    if step < warm_up:
        return peak * (step + 1) / warm_up
    done = (step - warm_up) / max(1, steps - warm_up)
    return peak * (0.55 + 0.45 * math.cos(math.pi * min(1.0, done)))


def train(parameters, steps, loss_of, rate_of, after_step=lambda step, loss: None, log_every=50):
    """Minimizes loss_of(step) with AdamW. Calls after_step with the number of steps done and returns the seconds."""
    parameters = list(parameters)
    optimizer = torch.optim.AdamW(parameters, betas=(0.9, 0.98), weight_decay=0.01)
    begin = time.monotonic()
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        loss = loss_of(step)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        after_step(step + 1, loss.item())
        if (step + 1) % log_every == 0:
            print(f"step {step + 1}: loss {loss.item():.4f}, {time.monotonic() - begin:.0f} s", flush=True)
    return time.monotonic() - begin


def count(model):
    """How many parameters a model has."""
    return sum(parameter.numel() for parameter in model.parameters())


def percent(right, cases):
    """A share as it is printed in a model card."""
    return f"{100 * right / cases:.1f} %"
