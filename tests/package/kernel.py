"""The same cells in a Jupyter kernel and as a script of helpers, to compare what they print."""
import ast
import atexit
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import scripts
from kernels import Kernels

MARK = "\x1e"  # separates the cells' output
HELPERS = {"bash": "script", "sh": "script", "perl": "script", "file": "writefile"}

RUN = """
def run_cells(names, cells):
    import sys
    del names["run_cells"]
    for cell in cells:
        try:
            exec(compile(cell, "cell", "exec"), names)
        except BaseException as problem:
            print(f"{type(problem).__name__}: {problem}", file=sys.stderr)
        for file in sys.stdout, sys.stderr:
            print(end="\\x1e", file=file, flush=True)
"""


@functools.lru_cache(None)
def interpreter():
    """A Python that has IPython's kernel and a client for it, or None."""
    for python in sys.executable, "/usr/bin/python3":
        check = [python, "-c", "import nbclient, ipykernel"]
        if os.path.exists(python) and subprocess.run(check, capture_output=True).returncode == 0:
            return python
    return None


@functools.lru_cache(None)
def kernels():
    process = Kernels(interpreter())
    atexit.register(process.close)
    return process


def output(outputs):
    """What a cell's OUTPUTS are as text: (standard output, standard error)."""
    text = {"stdout": "", "stderr": ""}
    for each in outputs:
        if each["output_type"] == "stream":
            text[each["name"]] += each["text"]
        elif each["output_type"] == "error":
            text["stderr"] += f"{each['ename']}: {each['evalue']}\n"
        elif "text/plain" in each["data"]:
            text["stdout"] += each["data"]["text/plain"] + "\n"
    return text["stdout"], text["stderr"]


def line_call(found):
    """A line magic as the call of its helper."""
    return f"{found[1]}{found[2] or ''}scorep_notebook.{found[3]}({found[4].strip()!r})"


def call(cell):
    """CELL, its magics as calls of helpers, its last expression shown."""
    if cell.startswith("%%"):
        head, _, body = cell[2:].partition("\n")
        name, _, arguments = head.partition(" ")
        helper = HELPERS.get(name, name)
        if helper == "script" and name != "script":
            arguments = f"{name} {arguments}"
        body += "" if body.endswith("\n") or not body else "\n"
        return f"scorep_notebook.{helper}({arguments!r}, {body!r})"
    cell = re.sub(r"^(\s*)(\w+ = )?%(\w+)(.*)$", line_call, cell, flags=re.MULTILINE)
    tree = ast.parse(cell)
    if isinstance(tree.body[-1], ast.Expr):
        lines = cell.split("\n")
        at = tree.body[-1].lineno - 1
        shown = "\n".join(lines[at:])
        cell = "\n".join(lines[:at] + [f"scorep_notebook.echo(({shown}))"])
    return cell


UNREAD = r"Future exception was never retrieved\n(?:.*\n)*?BrokenPipeError: .*\n"


class Case(unittest.TestCase):
    """A test with a folder of its own for each of the two, which files() fills."""
    maxDiff = None

    def files(self, folder):
        """Makes what the cells need in FOLDER; home is its folder home."""

    def folder(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        folder = pathlib.Path(holder.name).resolve()
        (folder / "home").mkdir()
        self.files(folder)
        return folder

    def in_kernel(self, cells):
        if interpreter() is None:
            self.skipTest("no Jupyter kernel here")
        folder = self.folder()
        notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [
            {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [],
             "source": cell} for cell in cells]}
        results, fault = kernels().run(
            json.dumps(notebook), folder, scripts.environment(HOME=str(folder / "home")),
            allow_errors=True)
        self.assertIsNone(fault)
        return [tuple(text.replace(str(folder), "FOLDER") for text in output(outputs))
                for outputs in results]

    def in_script(self, cells, *names, python=sys.executable, **environment):
        folder = self.folder()
        script = f"{RUN}run_cells(globals(), {[call(cell) for cell in cells]!a})\n"
        done = scripts.run(script, *names, cwd=folder, stdin=subprocess.DEVNULL, timeout=120,
                           python=python,
                           env=scripts.environment(HOME=str(folder / "home"), **environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        texts = [text.replace(str(folder), "FOLDER").split(MARK)[:-1]
                 for text in (done.stdout, done.stderr)]
        return list(zip(*texts))

    def compare(self, cells, *names, pattern="", replacement=""):
        """CELLS print the same in a kernel and as a script, after PATTERN is replaced in both.

        Both use one Python: another words its own messages in another way. IPython may say, at any time later, that
        a program ended before it had read its input.
        """
        expected, actual = (
            [(cell,) + tuple(re.sub(pattern or "$^", replacement, re.sub(UNREAD, "", text))
                             for text in texts) for cell, texts in zip(cells, results)]
            for results in (self.in_kernel(cells),
                            self.in_script(cells, *names, python=interpreter())))
        self.assertEqual(len(actual), len(cells))
        self.assertEqual(actual, expected)
