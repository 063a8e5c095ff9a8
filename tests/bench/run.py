#!/usr/bin/env python3
"""What `nbscorep run` adds to a start under Score-P by hand, under the double of the bindings.

    run.py NBSCOREP [ROUNDS]

Rows: `nbscorep run NOTEBOOK`, and the same with --temporary, against `python3 -m scorep script.py`
of the same cells. Medians of runs that alternate, in one go.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from startup import PLAIN, notebook

LIMIT_MS = 20.0
DOUBLE = pathlib.Path(__file__).resolve().parents[1] / "double"


def milliseconds(command, folder, environment):
    start = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - start)


def compare(commands, folder, rounds):
    """The median of each command's times."""
    environment = os.environ | {
        "PYTHONPATH": str(DOUBLE), "PYTHON": sys.executable,
        "PATH": f"{DOUBLE}/bin:{os.environ['PATH']}",
        "SCOREP_ENABLE_PROFILING": "false", "SCOREP_EXPERIMENT_DIRECTORY": f"{folder}/experiment"}
    times = [[] for _ in commands]
    for _ in range(rounds):
        for command, found in zip(commands, times):
            found.append(milliseconds(command, folder, environment))
    return [statistics.median(t) for t in times]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binary = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "cells.ipynb").write_text(notebook(PLAIN))
        (folder / "pasted.py").write_text("\n".join(PLAIN) + "\n")
        subprocess.run([binary, "build", "-q", "cells.ipynb"], check=True, cwd=folder)
        (folder / "compiled.py").write_text((folder / "cells.py").read_text())
        by_hand, compiled, run, temporary = compare(
            [[sys.executable, "-m", "scorep", "pasted.py"],
             [sys.executable, "-m", "scorep", "compiled.py"], [binary, "run", "cells.ipynb"],
             [binary, "run", "--temporary", "cells.ipynb"]], folder, rounds)
    print(f"{'command':<30} {'ms':>8} {'more ms':>8} {'ratio':>6}")
    for row, found in (("python3 -m scorep pasted.py", by_hand),
                       ("python3 -m scorep compiled.py", compiled), ("nbscorep run", run),
                       ("nbscorep run --temporary", temporary)):
        print(f"{row:<30} {found:>8.2f} {found - by_hand:>8.2f} {found / by_hand:>6.2f}")
    print(f"nbscorep run: {run - by_hand:.2f} ms more (limit {LIMIT_MS} ms)")


if __name__ == "__main__":
    main()
