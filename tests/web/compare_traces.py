#!/usr/bin/env python3
"""Compares traces of the program under Node.js with those of the native one: compare_traces.py NATIVE NODE_PROGRAM.js

Every system, every tensor: no number may differ by more than 1e-6 of the tensor's largest. The loops of both are the same
(ATTNSCOPE_KERNELS=baseline), but not the mathematical library that random numbers are made with.
"""
import array
import json
import os
import struct
import subprocess
import sys
import tempfile

LIMIT = 1e-6


def tensors(path):
    """Names and numbers of a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    for name, entry in header.items():
        if name != "__metadata__":
            numbers = array.array("f")
            numbers.frombytes(data[slice(*entry["data_offsets"])])
            yield name, (entry["shape"], numbers)


def difference(ours, theirs):
    """The largest difference as a share of the largest number; infinite where one of two numbers is not finite."""
    if ours == theirs:
        return 0.0
    largest = max((abs(x) for x in theirs if abs(x) < float("inf")), default=0) or 1
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a != b and not (a != a and b != b):
            d = abs(a - b)
            worst = max(worst, d / largest if d < float("inf") else float("inf"))
    return worst


def main():
    native, node = sys.argv[1:3]
    environment = dict(os.environ, ATTNSCOPE_KERNELS="baseline")
    listed = subprocess.check_output([native, "systems"], text=True).splitlines()
    systems = [line.split()[0] for line in listed if line.startswith("  ")]
    worst, wrong = ("", 0.0), []
    with tempfile.TemporaryDirectory() as folder:
        for system in systems:
            files = {}
            for name, program in ("native", [native]), ("web", ["node", node]):
                files[name] = os.path.join(folder, name + ".safetensors")
                subprocess.run([*program, "trace", system, "-o", files[name]], env=environment, check=True)
            ours, theirs = dict(tensors(files["web"])), dict(tensors(files["native"]))
            if ours.keys() != theirs.keys() or any(ours[name][0] != theirs[name][0] for name in ours):
                wrong.append(f"{system}: other tensors or shapes")
                continue
            for name in ours:
                share = difference(ours[name][1], theirs[name][1])
                worst = max(worst, (f"{system} {name}", share), key=lambda each: each[1])
                if not share <= LIMIT:
                    wrong.append(f"{system}: {name} differs by {share:.2g} of its largest number")
    print("\n".join(wrong) if wrong else f"{len(systems)} systems agree; the largest difference is {worst[1]:.2g} ({worst[0]})")
    return 1 if wrong or not systems else 0


if __name__ == "__main__":
    sys.exit(main())
