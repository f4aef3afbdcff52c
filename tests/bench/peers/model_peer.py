"""A GPT-2 reading a text: attnscope beside PyTorch.

    python3 tests/bench/peers/model_peer.py build/release/attnscope MODEL [--length N]... [--rounds N]

MODEL is the folder of a GPT-2 with its weights in model.safetensors, in F32. Both have the weights in memory and compute the
logits of every position; attnscope keeps every tensor. The rounds take turns, and the best of each counts.
"""

import argparse
import json
import pathlib
import subprocess

import torch
from gpt2_in_torch import Gpt2, seconds


def ours(program, model, length, threads):
    command = [program, "bench", "--model", model, "--length", str(length), "--threads", str(threads), "--seconds", "1", "--json"]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return next(row["best_ms"] for row in done["rows"] if row["work"] == "model") / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--length", type=int, action="append")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    model = Gpt2(given.model)
    for length in given.length or [64, 512, 1024]:
        ids = [i % 1000 for i in range(length)]
        best = {"ours": float("inf"), "torch": float("inf")}
        with torch.no_grad():
            for _ in range(given.rounds):
                best["ours"] = min(best["ours"], ours(given.program, given.model, length, given.threads))
                best["torch"] = min(best["torch"], *(seconds(lambda: model.logits(ids)) for _ in range(2)))
        print(f"{length:5} tokens: attnscope {best['ours']:7.3f} s   PyTorch {best['torch']:7.3f} s   "
              f"{best['torch'] / best['ours']:5.2f} times")


if __name__ == "__main__":
    main()
