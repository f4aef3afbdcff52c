#!/usr/bin/env python3
"""attnscope beside numpy and PyTorch at the same attention, in turns on the same machine.

Usage: attention_peers.py [--attnscope build/release/attnscope] [--size TOKENS,WIDTH,HEADS]... [--rounds N] [--busy]
       attention_peers.py --tables docs/performance.md

Forward passes of one layer (stacked projection, heads, scores, softmax, weights · v, output layer) from given inputs and
weights, and whole updates of `worked-example` with its random draws; every intermediate is held. Everybody has the same
number of threads. In each round everybody has a turn, whose best time counts; the median of all rounds is printed. Ratios
are theirs divided by attnscope's, so that above 1 attnscope is faster. --tables writes all of it into the tables of that
file.

numpy and PyTorch run with malloc as it is and tuned to keep the memory that it was given back, as attnscope does. With
reference BLAS, which is what Debian installs first, their times say nothing: OpenBLAS is used where it is installed,
switched to by LD_LIBRARY_PATH, or from the folder that --openblas names. What is not there is skipped.
"""

import argparse
import datetime
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys

from workloads import LIBRARIES

SIZES = ["256,256,4", "512,512,8", "1024,768,12", "2048,768,12", "4096,1024,16"]
MASKS = ["none", "causal"]
# Tokens, embedding size, heads and head size, as in `attnscope bench`.
UPDATES = [(6, 9, 4, 7), (16, 32, 8, 32)]

# Without mmap, whose threshold cannot be set above 32 MB, all memory comes from one heap that is never made smaller.
TUNED_MALLOC = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(1 << 40), "MALLOC_TOP_PAD_": str(64 << 20)}


class Peer:
    """A library with the environment that it runs in."""

    def __init__(self, library, openblas, tuned, threads):
        self.library = library
        self.name = library + (", malloc tuned" if tuned else "")
        self.environment = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        if openblas:
            self.environment["LD_LIBRARY_PATH"] = openblas
        if tuned:
            self.environment |= TUNED_MALLOC

    def ask(self, *question):
        """What a fresh process answers; nothing where the library is missing."""
        worker = pathlib.Path(__file__).with_name("workloads.py")
        command = [sys.executable, str(worker), self.library, *map(str, question)]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            last_line = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            print(f"skipped: {self.name}: {last_line}")
            return None
        return json.loads(done.stdout)


def is_fast(blas):
    return any(word in path.lower() for path in blas for word in ("openblas", "mkl", "blis"))


def openblas_folder(given):
    """The folder of a libblas.so.3 that is OpenBLAS, if there is one."""
    found = [given] if given else sorted(glob.glob("/usr/lib/*/openblas-*/"))
    return next((folder for folder in found if pathlib.Path(folder, "libblas.so.3").exists()), None)


def find_peers(options):
    """The libraries that are there, on a BLAS that is worth comparing with."""
    peers = []
    folder = openblas_folder(options.openblas)
    for library in LIBRARIES:
        for openblas in [folder] if options.openblas else [None, folder]:
            found = Peer(library, openblas, False, options.threads).ask("describe")
            if found is None:
                break
            print(f"{library} {found['version']} on {', '.join(found['blas']) or 'a BLAS of its own'}")
            if options.show_config:
                print(found["config"])
            if is_fast(found["blas"]) or options.any_blas:
                peers += [Peer(library, openblas, tuned, options.threads) for tuned in (False, True)]
                break
            print("  That is reference BLAS, many times slower than OpenBLAS.")
            if folder is None:
                print(f"skipped: {library}: install libopenblas0-pthread, or name its folder with --openblas;"
                      " --any-blas compares all the same")
                break
    return peers


def run_attnscope(options, sizes, mask):
    command = [options.attnscope, "bench", "--json", "--threads", options.threads, "--seconds", str(options.seconds)]
    for size in sizes:
        command += ["--size", size]
    done = subprocess.run(command + ["--mask", mask], capture_output=True, text=True, check=False)
    if done.stderr:
        print(done.stderr, end="")
    done.check_returncode()
    return json.loads(done.stdout)["rows"]


def workloads(options):
    """Title, what attnscope bench is asked for, how to tell the row of its answer, and what the peers are asked for."""
    for size in options.size or SIZES:
        for mask in MASKS:
            yield f"forward {size} {mask}", size, mask, "forward", ["forward", *size.split(","), mask]
    for update in UPDATES:
        tokens, features, heads, _ = update
        yield f"update {tokens},{features},{heads}", "8,8,1", "none", ("new seed", tokens), ["update", *update]


def find_row(rows, wanted):
    if wanted == "forward":
        return next((row for row in rows if row["work"] == "forward"), None)
    return next(row for row in rows if (row["work"], row["tokens"]) == wanted)


def in_turns(options, peers, size, mask, wanted, question):
    """The times of everybody, by name, and a row of attnscope's own; nothing where it has none."""
    times, row = {"attnscope": []}, None
    for _ in range(options.rounds):
        row = find_row(run_attnscope(options, [size], mask), wanted)
        if row is None:
            return None
        times["attnscope"].append(row["best_ms"])
        for peer in peers:
            answer = peer.ask(*question, options.seconds)
            if answer is not None:
                times.setdefault(peer.name, []).append(answer["best_ms"])
    return {name: statistics.median(each) for name, each in times.items()}, row


def compare(options, peers):
    """Prints a line for each workload; its cells in a table."""
    rows = []
    for title, size, mask, wanted, question in workloads(options):
        measured = in_turns(options, peers, size, mask, wanted, question)
        if measured is None:
            continue
        times, row = measured
        ours = times.pop("attnscope")
        line = f"{title:28} attnscope {ours:9.4g} ms"
        cells = [title, f"{row['limit_ms']:.3g}", f"{ours:.3g}", f"{100 * row['limit_ms'] / ours:.0f} %"]
        for peer in peers:
            time = times.get(peer.name)
            cells.append("" if time is None else f"{time:.3g} ({time / ours:.2f} ×)")
            if time is not None:
                line += f" | {peer.name} {time:9.4g} ms = {time / ours:5.2f}"
        print(line, flush=True)
        rows.append(cells)
    return rows


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return "an unknown processor"


def write_tables(options, peers, rows):
    """Puts the table between the two marks of the file."""
    file = pathlib.Path(options.tables)
    before, begin, rest = file.read_text(encoding="utf-8").partition("<!-- attention_peers -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not begin or not end:
        sys.exit(f"{file}: the marks of the tables are not there")
    limits = json.loads(
        subprocess.run(
            [options.attnscope, "bench", "--json", "--threads", options.threads, "--size", "8,8,1"],
            capture_output=True, check=True,
        ).stdout
    )
    head = ["work", "limit, ms", "attnscope, ms", "of the limit", *(f"{peer.name}, ms" for peer in peers)]
    table = [
        f"{datetime.date.today()}, {processor()}, {options.threads} threads, instruction set {limits['instructions']}, "
        f"{limits['limits']['gflops']:.0f} GFLOP/s multiply-adds; {options.rounds} rounds.\n",
        "| " + " | ".join(head) + " |",
        "|---" + "|---:" * (len(head) - 1) + "|",
        *("| " + " | ".join(cells) + " |" for cells in rows),
    ]
    file.write_text(before + begin + "\n".join(table) + "\n" + end + after, encoding="utf-8")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attnscope", default="build/release/attnscope", help="the program (build/release/attnscope)")
    parser.add_argument("--size", action="append", metavar="TOKENS,WIDTH,HEADS", help="may be repeated")
    parser.add_argument("--rounds", type=int, default=5, help="how often each has its turn (5)")
    parser.add_argument("--seconds", type=float, default=0.3, help="how long a turn is; three runs at least (0.3)")
    parser.add_argument("--threads", default="2", help="for everybody (2)")
    parser.add_argument("--openblas", metavar="FOLDER", help="where an OpenBLAS libblas.so.3 is")
    parser.add_argument("--any-blas", action="store_true", help="compare with reference BLAS, too")
    parser.add_argument("--show-config", action="store_true", help="how numpy and PyTorch were built")
    parser.add_argument("--tables", metavar="FILE", help="write the results into the tables of that file")
    parser.add_argument("--busy", action="store_true", help="beside another program that keeps one processor busy")
    return parser.parse_args()


def main():
    options = parse_options()
    peers = find_peers(options)
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if options.busy else None
    try:
        print(f"load average {os.getloadavg()[0]:.2f}" + (", one processor kept busy" if busy else ""), flush=True)
        rows = compare(options, peers)
        if options.tables:
            write_tables(options, peers, rows)
    finally:
        if busy:
            busy.kill()
            busy.wait()


if __name__ == "__main__":
    main()
