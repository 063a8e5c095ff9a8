#!/usr/bin/env python3
"""Python's own library as notebooks: what nbscorep makes of the cells has the same AST, and each
node is in the line that the source map and the run script say.

    library.py [options] NBSCOREP

Each file that ast.parse() accepts is a cell, and is split into cells at its top-level statements;
both plain and instrumented, and the split ones as a multicell block, too. script.py says what may
differ.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import sysconfig
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
import harness  # noqa: E402,F401  it sets the environment

try:
    import cells
except ImportError as error:  # IPython
    print(f"skipped: {error}")
    sys.exit(77)
import script

CHUNK = 24  # files in one call
MARK = "%%execute_with_scorep\n"
FORMS = "whole", "whole, marked", "split", "split, marked", "group"
COMPILED = "whole", "group"  # the others differ from these in nothing that a compiler minds
SHOWN = 20


def library_files():
    """Of the Python that runs this; what is installed besides stays out."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return files_below(sorted(folders))


def files_below(folders):
    found = set()
    for folder in map(pathlib.Path, folders):
        found.update(path for path in ([folder] if folder.is_file() else folder.rglob("*.py"))
                     if not {"site-packages", "dist-packages"} & set(path.parts))
    return sorted(found)


class Book:
    """A notebook of the cells of a file, in one of the forms below."""

    def __init__(self, path, form, split):
        self.path = path
        self.form = form
        self.cells = split
        self.group = form == "group"
        self.marked = form in ("group", "whole, marked", "split, marked")
        self.head = int(self.marked and not self.group)

    def sources(self):
        sources = [MARK * self.head + cell.text for cell in self.cells]
        if self.group:
            sources = ["%%enable_multicellmode", *sources, "%%finalize_multicellmode"]
        return sources

    def write(self, file):
        made = [{"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
                 "source": source} for source in self.sources()]
        self.file = file
        file.write_text(json.dumps({
            "cells": made, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 4}))

    def check(self):
        """Its cells came out as they are."""
        text = self.file.with_suffix(".py").read_bytes()
        if self.form in COMPILED and cells.compiles(self.path.read_bytes()):
            cells.compile_quietly(text)
        found = script.Script(text,
                              json.loads(self.file.with_suffix(".map.json").read_text()),
                              self.marked, self.head)
        futures = [a.name for cell in self.cells for s in cells.futures(cell.statements)
                   for a in s.names]
        script.expect(found.future_names() == list(dict.fromkeys(futures)), futures, "became",
                      found.future_names())
        if self.group:
            found.take_group(f"cells 1-{len(self.cells) + 2}")
        for number, cell in enumerate(self.cells, 1 + self.group):
            found.check_cell(number, cell)
        found.check_end(self.cells)


def books_of(path):
    """The notebooks of a file."""
    text, tree = cells.read(path)
    for form in FORMS:
        split = [cells.cleaned(cell) for cell in (
            cells.whole(text, tree) if "whole" in form else cells.split(text, tree))]
        yield Book(path, form, split)


def build(nbscorep, books, folder):
    """Writes and compiles the notebooks. What is said, where not all can be compiled."""
    for number, book in enumerate(books):
        book.write(folder / f"n{number}.ipynb")
    done = subprocess.run(
        [nbscorep, "build", "--quiet", "--no-verify", "--no-config", "--instrument=marked",
         "--source-map",
         *(str(b.file) for b in books)],
        stderr=subprocess.PIPE, check=False)
    return done.stderr.decode("utf-8", "replace") if done.returncode else ""


def check_files(task):
    """(files, cells, differences) of some files."""
    nbscorep, paths = task
    counts, faults = collections.Counter(), []
    with tempfile.TemporaryDirectory(prefix="nbscorep-library-") as folder:
        taken = [path for path in paths if cells.read(path)]
        books = [book for path in taken for book in books_of(path)]
        said = build(nbscorep, books, pathlib.Path(folder))
        faults += [said] if said else []
        for book in books:
            try:
                book.check()
            except (script.Difference, OSError, SyntaxError, ValueError) as error:
                faults.append(f"{book.path}, {book.form}: {error}")
            counts[book.form] += len(book.cells)
    counts["files"] = len(taken)
    return counts, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nbscorep")
    parser.add_argument("--python", action="append", metavar="FOLDER",
                        help="the files below FOLDER instead of this Python's own library")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth file only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    paths = (files_below(args.python) if args.python else library_files())[::args.every]
    tasks = [(args.nbscorep, paths[i:i + CHUNK]) for i in range(0, len(paths), CHUNK)]
    total, faults = collections.Counter(), []
    with multiprocessing.Pool(args.jobs) as pool:
        for counts, found in pool.imap_unordered(check_files, tasks):
            total += counts
            faults += found
    print("\n".join(faults[:SHOWN]))
    print(f"{len(paths)} files, {total['files']} of them Python; cells:",
          ", ".join(f"{total[form]} {form}" for form in FORMS) + f"; {len(faults)} differences "
          f"(Python {sys.version.split()[0]})")
    return 1 if faults or not total["files"] else 0


if __name__ == "__main__":
    sys.exit(main())
