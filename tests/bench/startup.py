#!/usr/bin/env python3
"""What a compiled script's start costs, against the same cells pasted together.

    startup.py NBSCOREP [ROUNDS]

Rows: cells without any magic, and with magics; without Score-P's bindings.
Medians of runs that alternate, in one go; the difference is what frames and the runtime package cost.
"""
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT_MS = 5.0
PLAIN = ["import json\nx = 1", "def f(a):\n    return a + 1", "y = f(x)", "json.dumps([x, y])"]
MAGIC = PLAIN + ["%%time\nz = f(y)", "%cd -q .", "v = %env HOME"]


def notebook(cells):
    return json.dumps({
        "nbformat": 4, "nbformat_minor": 5, "metadata": {"language_info": {"name": "python"}},
        "cells": [{"cell_type": "code", "id": f"c{i}", "metadata": {}, "outputs": [],
                   "execution_count": None, "source": text} for i, text in enumerate(cells)]})


def seconds(script):
    start = time.perf_counter()
    subprocess.run([sys.executable, script], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def compare(binary, folder, name, cells, rounds):
    """Medians in ms: pasted, compiled."""
    (folder / f"{name}.ipynb").write_text(notebook(cells))
    subprocess.run([binary, "build", "-q", folder / f"{name}.ipynb"], check=True)
    pasted = folder / f"{name}_pasted.py"
    pasted.write_text("\n".join(c for c in cells if c[0] not in "%!" and "%" not in c) + "\n")
    scripts = pasted, folder / f"{name}.py"
    times = [[], []]
    for _ in range(rounds):
        for script, found in zip(scripts, times):
            found.append(seconds(script))
    return [1000 * statistics.median(t) for t in times]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    print(f"{'cells':<20} {'pasted ms':>10} {'compiled ms':>12} {'more ms':>8} {'ratio':>6}")
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, cells in (("plain", PLAIN), ("magic", MAGIC)):
            pasted, compiled = compare(sys.argv[1], pathlib.Path(folder), name, cells, rounds)
            print(f"{name:<20} {pasted:>10.2f} {compiled:>12.2f} {compiled - pasted:>8.2f} "
                  f"{compiled / pasted:>6.2f}")
            worst = max(worst, compiled - pasted if name == "plain" else 0)
    print(f"start-up of a notebook without magics: {worst:.2f} ms more (limit {LIMIT_MS} ms)")


if __name__ == "__main__":
    main()
