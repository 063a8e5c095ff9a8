#!/usr/bin/env python3
"""A compiled script against one written by hand, under the double of the bindings.

    script.py NBSCOREP [ROUNDS]

Both do the same with the same regions around it; rows: calls of Python functions, and loops in one.
Each script times its own work. Medians of runs in random order, in one go; on
a machine with other work the ratio of the minima tells more.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

from startup import notebook

DOUBLE = pathlib.Path(__file__).resolve().parents[1] / "double"
FIRST = "import time\nbegin = time.perf_counter()"
LAST = "print(time.perf_counter() - begin)"
ROWS = {
    "calls": ["def f(n):\n    return n + 1", "total = 0\nfor i in range(400000):\n    total += f(i)"],
    "loops": ["def g(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total",
              "value = g(8000000)"],
    "cells": [f"x{i} = {i}" for i in range(2000)],
}


def by_hand(cells):
    """As somebody writes it who knows the bindings."""
    lines = ["import scorep.user"]
    for number, cell in enumerate(cells, 1):
        lines += [f'with scorep.user.region("cell {number}"):']
        lines += ["    " + line for line in cell.split("\n")]
    return "\n".join(lines) + "\n"


def seconds(script, folder):
    environment = os.environ | {
        "PYTHONPATH": str(DOUBLE), "PATH": f"{DOUBLE}/bin:{os.environ['PATH']}",
        "PYTHON": sys.executable, "SCOREP_EXPERIMENT_DIRECTORY": f"{folder}/experiment",
        "SCOREP_ENABLE_PROFILING": "false"}
    done = subprocess.run(script, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE)
    return float(done.stdout)


def compare(binary, cells, rounds):
    """The times of the script by hand and of the compiled one."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        cells = [FIRST, *cells, LAST]
        (folder / "hand.py").write_text(by_hand(cells))
        (folder / "cells.ipynb").write_text(notebook(cells))
        subprocess.run([binary, "build", "-q", "cells.ipynb"], check=True, cwd=folder)
        commands = [[sys.executable, "-m", "scorep", "hand.py"], ["./cells_run.sh"]]
        times = [[], []]
        for _ in range(rounds):
            for which in random.sample((0, 1), 2):  # machines have rhythms of their own
                times[which].append(seconds(commands[which], folder))
        return times


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    print(f"{'work':<8} {'by hand ms':>11} {'compiled ms':>12} {'ratio':>6} {'of minima':>10}")
    for name, cells in ROWS.items():
        times = compare(binary, cells, rounds)
        hand, compiled = map(statistics.median, times)
        fastest = min(times[1]) / min(times[0])
        print(f"{name:<8} {1000 * hand:>11.2f} {1000 * compiled:>12.2f} {compiled / hand:>6.2f} "
              f"{fastest:>10.2f}")


if __name__ == "__main__":
    main()
