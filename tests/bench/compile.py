#!/usr/bin/env python3
"""What `nbscorep build` costs, beside programs that read the same file: one table.

Each command is started as a user would start it, reading the file counts, and files are in the page
cache. The commands of a case take turns in random order, and their medians are compared. Programs
that the machine does not have are left out.
"""
import argparse
import collections
import contextlib
import itertools
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import zlib

import notebooks

MB = 1_000_000
PEAK_MB = 16
LONG_MS = 1000  # what takes longer, runs in a few rounds only
FEW = 5
# What a command line is called, and what it is; {file} stands for one or more.
COMMANDS = {
    "true": ["true"],
    "cat": ["cat", "{file}"],
    "wc -l": ["wc", "-l", "{file}"],
    "simdjson": ["bench_simdjson", "{file}"],
    "jansson": ["bench_jansson", "{file}"],
    "jq": ["jq", ".nbformat", "{file}"],
    "nbscorep build --dry-run": ["nbscorep", "build", "-q", "--no-verify", "--dry-run", "{file}"],
    "nbscorep build": ["nbscorep", "build", "-q", "--no-verify", "--output-dir", "{out}", "{file}"],
    "nbscorep build again": ["nbscorep", "build", "-q", "--no-verify", "--output-dir", "{again}",
                             "{file}"],
    "nbscorep build to memory": ["nbscorep", "build", "-q", "--no-verify", "--output-dir",
                                 "{memory}", "{file}"],
    # With Python as a witness.
    "nbscorep build, verified": ["nbscorep", "build", "-q", "--verify", "--output-dir", "{out}",
                                 "{file}"],
    "cp -r of what it builds": ["cp", "-r", "{again}", "{out}"],
    "jupytext": ["jupytext", "--quiet", "--to", "py:percent", "--output", "-", "{file}"],
    "nbconvert": ["jupyter", "nbconvert", "--to", "script", "--output-dir", "{out}", "{file}"],
}
BUILD = "nbscorep build"
AGAIN = "nbscorep build again"
DRY = "nbscorep build --dry-run"
TO_MEMORY = "nbscorep build to memory"
VERIFIED = "nbscorep build, verified"
COPY = "cp -r of what it builds"  # after AGAIN has built it
MEMORY = "/dev/shm"

WORD = {True: "ok", False: "MISSED"}

Result = collections.namedtuple("Result", "ms least cpu peak")
# Shown at a row: `value` of the case's results, which may be at most, or at least, `limit`.
Goal = collections.namedtuple("Goal", "row text value limit at_least", defaults=[None, False])


class Case:
    """Rows that are measured together; `reference` is the row that the others are divided by."""

    def __init__(self, name, rounds, reference, one_core=False):
        self.name, self.rounds, self.reference = name, rounds, reference
        self.one_core = one_core
        self.rows = {}
        self.goals = []

    def add(self, bench, label, files, row=None):
        """A row, where the machine has the program."""
        command = bench.command(label, files)
        if command:
            self.rows[row or label] = command

    def at_most(self, row, limit):
        self.goals.append(Goal(row, "build takes {:.2f} times this", lambda r: r[BUILD].ms / r[row].ms, limit))

    def at_least(self, row, limit):
        self.goals.append(Goal(row, "build is {:.2f} times faster", lambda r: r[row].ms / r[BUILD].ms, limit, True))

    def peak(self, row=BUILD):
        self.goals.append(Goal(row, "{:.1f} MB", lambda r: r[row].peak, PEAK_MB))

    def linear(self, row, tenth):
        self.goals.append(Goal(row, "{:.1f} times a tenth of it", lambda r: r[row].ms / r[tenth].ms, 12))


class Bench:
    """Where things are, how big they are, and what has been measured."""

    def __init__(self, arguments, folder, outputs, memory):
        self.quick, self.rounds = arguments.quick, arguments.rounds
        binary = pathlib.Path(arguments.nbscorep).resolve()
        programs = arguments.programs or binary.parents[1] / "tests" / "bench"
        self.programs = {"nbscorep": str(binary)}
        for name in ("bench_measure", "bench_simdjson", "bench_jansson"):
            self.programs[name] = shutil.which(name, path=str(programs))
        if not self.programs["bench_measure"]:
            sys.exit(f"compile.py: no bench_measure in {programs}: build its target, or --programs")
        self.folder, self.outputs = folder, outputs
        self.out, self.again = outputs / "out", outputs / "again"
        self.again.mkdir()
        self.memory = memory and memory / "out"
        self.numbers = itertools.count()
        self.package = None
        self.made, self.missing = set(), set()
        self.version = zlib.crc32(pathlib.Path(notebooks.__file__).read_bytes())
        self.failures = 0

    def size(self, full, quick):
        return quick if self.quick else full

    def notebook(self, shape, size, seed=1):
        """The name of a notebook, which is made where it is missing."""
        path = self.folder / f"{shape}-{size}-{seed}-{self.version:08x}.ipynb"
        if not path.exists():
            part = self.outputs / path.name
            notebooks.write(part, shape, size, seed)
            part.rename(path)
        self.made.add(path)
        return str(path)

    def copy(self, path, number):
        """The name of a notebook's copy."""
        copy = self.folder / f"copy-{number}-{os.path.basename(path)}"
        shutil.copyfile(path, copy)
        self.made.add(copy)
        return str(copy)

    def remove_notebooks(self):
        for path in self.made:
            path.unlink()
        self.made = set()

    def command(self, label, files):
        """The command line, None where the program is missing."""
        if label == VERIFIED and not shutil.which("python3"):
            self.missing.add("python3")
            return None
        program, *words = COMMANDS[label]
        program = self.programs[program] if program in self.programs else shutil.which(program)
        if not program or (label == "nbconvert" and not shutil.which("jupyter-nbconvert")) or (
                label == TO_MEMORY and not self.memory):
            self.missing.add(label)
            return None
        places = {"{file}": files, "{out}": [str(self.out)], "{again}": [str(self.again)],
                  "{memory}": [str(self.memory)]}
        return [program] + [w for word in words for w in places.get(word, [word])]

    def measure(self, command):
        """Milliseconds, processor milliseconds and peak MB of one run; None when it fails.

        It writes into a folder of its own. On disk all stay until the end: ext4 makes files slowly,
        by a factor of ten and more, where many were removed in the last minutes.
        """
        self.out.mkdir()
        if self.package:  # as for all but the first notebook of a folder
            (self.out / self.package.name).symlink_to(self.package)
        if self.memory:
            self.memory.mkdir()
        done = subprocess.run([self.programs["bench_measure"], *command], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        self.out.rename(self.outputs / f"out-{next(self.numbers)}")
        if self.memory:
            shutil.rmtree(self.memory)
        wall, cpu, peak, status = map(int, (done.stdout or b"0 0 0 1").split())
        if status == 0:
            return wall / 1e6, cpu / 1e3, peak * 1024 / MB
        print(f"failed: {' '.join(command)[:200]}\n{done.stderr.decode()[-500:]}", file=sys.stderr)
        self.failures += 1
        return None

    @staticmethod
    def progress(text):
        if sys.stderr.isatty():
            print(f"\r{text:<40}\r", end="", file=sys.stderr, flush=True)

    def due(self, number, rounds, first):
        """Whether a row, whose first run took so much, is measured in a round."""
        if first[0] < LONG_MS:
            return True
        return not self.quick and number % max(1, rounds // FEW) == 0

    def times(self, case):
        """For each row what each of its runs took; a row that fails is left out.

        The first run brings into memory what it reads. It counts only where time does not.
        """
        if self.package is None:
            path = self.outputs / "package.ipynb"
            notebooks.write(path, "typical", 2000, 1)
            subprocess.run([self.programs["nbscorep"], "build", "-q", "--no-verify", path], check=False)
            self.package = next(self.outputs.glob("scorep_notebook_*"), None)
        rounds = self.rounds or (1 if self.quick else case.rounds)
        first = {row: self.measure(command) for row, command in case.rows.items()}
        found = {row: [took] if self.quick else [] for row, took in first.items() if took}
        for number in range(rounds):
            self.progress(f"{case.name}: {number + 1} of {rounds}")
            for row in random.sample(list(found), len(found)):
                if self.due(number, rounds, first[row]):
                    found[row].append(self.measure(case.rows[row]))
        self.progress("")
        return {row: runs for row, runs in found.items() if None not in runs}

    def results(self, case):
        cores = os.sched_getaffinity(0)
        if case.one_core:
            os.sched_setaffinity(0, {max(cores)})
        try:
            times = self.times(case)
        finally:
            os.sched_setaffinity(0, cores)
        found = {}
        for row, runs in times.items():
            wall, cpu, peak = zip(*runs)
            found[row] = Result(statistics.median(wall), min(wall), statistics.median(cpu), max(peak))
        return found


def small_case(bench):
    case = Case("small", 200, "cat")
    file = bench.notebook("small", 12_000)
    for label in ("true", "cat", "jansson", "jq", DRY, BUILD, AGAIN, VERIFIED, "jupytext", "nbconvert"):
        case.add(bench, label, [file])
    case.at_most("cat", 3)
    case.at_least("nbconvert", 200)
    case.peak()
    return case


def typical_case(bench):
    case = Case("typical", 60, "cat")
    file = bench.notebook("typical", 500_000)
    for label in ("cat", "wc -l", "simdjson", "jansson", "jq", DRY, BUILD, VERIFIED,
                  "jupytext", "nbconvert"):
        case.add(bench, label, [file])
    case.peak()
    return case


def heavy_case(bench):
    case = Case("heavy", 15, "wc -l")
    file = bench.notebook("heavy", bench.size(300, 3) * MB)
    for label in ("wc -l", "cat", "simdjson", "jq", "jansson", BUILD, "jupytext", "nbconvert"):
        case.add(bench, label, [file])
    case.at_most("wc -l", 3)
    case.at_least("simdjson", 4)
    case.at_least("jansson", 25)
    case.peak()
    return case


def code_case(bench):
    count = bench.size(50_000, 500)
    case = Case("code", 9, f"{BUILD}, {count // 10} cells")
    for cells in (count // 10, count):
        case.add(bench, BUILD, [bench.notebook("code", cells)], f"{BUILD}, {cells} cells")
    case.add(bench, "jansson", [bench.notebook("code", count)], f"jansson, {count} cells")
    case.linear(f"{BUILD}, {count} cells", f"{BUILD}, {count // 10} cells")
    return case


def many_case(bench):
    """Two files are made for each notebook, for which a file system takes now and then more time
    than all else does: beside it stand builds into memory, and `cp` of as many files.
    """
    count, different = bench.size(1000, 10), bench.size(20, 2)
    case = Case("many", 7, "cat", one_core=True)
    models = [bench.notebook("typical", 500_000, 1 + seed) for seed in range(different)]
    files = [bench.copy(models[number % different], number) for number in range(count)]
    for label in ("cat", "wc -l", DRY, BUILD, TO_MEMORY, AGAIN, COPY, VERIFIED):
        case.add(bench, label, files)
    for row in (BUILD, TO_MEMORY):
        case.goals.append(Goal(row, "{:.2f} ms for each", lambda r, row=row: r[row].ms / count, 1))
    case.peak()
    return case


def growth_case(bench):
    sizes = [bench.size(size, size / 100) for size in (1, 10, 100, 1000)]
    rows = [f"{BUILD}, {size:g} MB" for size in sizes]
    case = Case("growth", 7, rows[0])
    for row, size in zip(rows, sizes):
        case.add(bench, BUILD, [bench.notebook("heavy", int(size * MB))], row)
        case.peak(row)
    for row, tenth in zip(rows[1:], rows):
        case.linear(row, tenth)
    return case


def kind_case(shape):
    def make(bench):
        case = Case(f"only {shape}", 9, "wc -l")
        file = bench.notebook(shape, int(bench.size(30, .1) * MB))
        for label in ("wc -l", "cat", "simdjson", BUILD):
            case.add(bench, label, [file])
        size = os.path.getsize(file)
        case.goals.append(Goal(BUILD, "{:.2f} GB/s", lambda r: size / r[BUILD].ms / MB))
        case.peak()
        return case
    return make


CASES = {
    "small": small_case, "typical": typical_case, "heavy": heavy_case, "code": code_case,
    "many": many_case, "growth": growth_case,
    **{f"only-{shape}": kind_case(shape) for shape in notebooks.MIXES
       if shape not in ("small", "typical", "heavy")},
}


def verdict(goal, results):
    """What is said of it, and whether it is kept; None where a program is missing for it."""
    quickest = {row: result._replace(ms=result.least) for row, result in results.items()}
    try:
        value, least = goal.value(results), goal.value(quickest)
    except KeyError:
        return None, None
    text = goal.text.format(value)
    if least != value:
        text += f" ({least:.2f} by the fastest runs)"
    if goal.limit is None:
        return text, None
    kept = value >= goal.limit if goal.at_least else value <= goal.limit
    return f"{text}, at {'least' if goal.at_least else 'most'} {goal.limit}: {WORD[kept]}", kept


def print_case(case, results):
    """Prints the rows of one case; how many of its targets are kept and missed."""
    count = collections.Counter()
    for row, result in results.items():
        ratio = result.ms / results[case.reference].ms if case.reference in results else math.nan
        verdicts = [verdict(goal, results) for goal in case.goals if goal.row == row]
        count.update(kept for _, kept in verdicts)
        text = "; ".join(text for text, _ in verdicts if text)
        print(f"{case.name:<16} {row:<28} {result.ms:>10.2f} {result.least:>10.2f} "
              f"{result.cpu:>10.2f} {ratio:>8.2f} {result.peak:>8.1f}  {text}".rstrip(),
              flush=True)
    return count


def run(bench, names, keep):
    """Prints the table, case by case as they are measured."""
    print(f"{'case':<16} {'command':<28} {'median ms':>10} {'least ms':>10} {'cpu ms':>10} "
          f"{'ratio':>8} {'peak MB':>8}  verdict", flush=True)
    count = collections.Counter()
    for name in names:
        try:
            case = CASES[name](bench)
            count += print_case(case, bench.results(case))
        finally:
            if not keep:
                bench.remove_notebooks()
    print(f"{count[True]} targets kept, {count[False]} missed" +
          "".join(f"; no {label} here" for label in sorted(bench.missing)))


def arguments_of_user():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("nbscorep", help="the program, from a release build")
    parser.add_argument("--case", action="append", choices=CASES, help="only this one; repeatable")
    parser.add_argument("--rounds", type=int, help="so many for each case")
    parser.add_argument("--quick", action="store_true", help="small files, two runs at most")
    parser.add_argument("--programs", help="folder of bench_measure and the parsers")
    parser.add_argument("--work", help="folder for notebooks and what is built of them, whose "
                        "file system counts; a temporary one otherwise")
    parser.add_argument("--keep", action="store_true", help="leave the notebooks in --work")
    return parser.parse_args()


def main():
    arguments = arguments_of_user()
    if arguments.work:
        os.makedirs(arguments.work, exist_ok=True)
    with contextlib.ExitStack() as stack:
        def folder(place):
            return pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place))).resolve()

        temporary = folder(arguments.work)
        memory = folder(MEMORY) if os.access(MEMORY, os.W_OK) else None
        bench = Bench(arguments, temporary.parent if arguments.work else temporary, temporary, memory)
        run(bench, arguments.case or CASES, arguments.keep)
    sys.exit(bool(bench.failures))


if __name__ == "__main__":
    main()
