#!/usr/bin/env python3
"""How long seaborn takes to draw the heatmaps of four heads anew, as a notebook does after a parameter has changed.

Usage: seaborn_heatmaps.py [<milliseconds that attnscope takes>]

With the figure of `attnscope_bench --benchmark_filter=slider_to_picture` it prints the ratio as well. Where seaborn is
not installed it says so and succeeds.
"""

import statistics
import sys
import time

HEADS = 4
TOKENS = 6
ROUNDS = 15


def draw(seaborn, pyplot, numpy, seed):
    weights = numpy.random.default_rng(seed).random((HEADS, TOKENS, TOKENS))
    weights /= weights.sum(axis=-1, keepdims=True)
    figure, axes = pyplot.subplots(1, HEADS, figsize=(4 * HEADS, 4))
    for head in range(HEADS):
        seaborn.heatmap(weights[head], vmin=0, vmax=1, cmap="viridis", annot=True, fmt=".2f", ax=axes[head])
    figure.canvas.draw()
    pyplot.close(figure)


def main():
    try:
        import matplotlib

        matplotlib.use("Agg")
        import numpy
        import seaborn
        from matplotlib import pyplot
    except ImportError as missing:
        print(f"skipped: {missing.name} is not installed")
        return
    draw(seaborn, pyplot, numpy, 0)
    times = []
    for seed in range(1, ROUNDS + 1):
        start = time.perf_counter()
        draw(seaborn, pyplot, numpy, seed)
        times.append((time.perf_counter() - start) * 1e3)
    median = statistics.median(times)
    print(f"seaborn {seaborn.__version__}, {HEADS} heatmaps: {median:.0f} ms (median of {ROUNDS})")
    if len(sys.argv) > 1:
        print(f"attnscope is {median / float(sys.argv[1]):.0f} times faster")


if __name__ == "__main__":
    main()
