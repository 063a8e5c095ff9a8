#!/usr/bin/env python3
"""Fuzzes against the Python that runs this, with cells made of real code (mutate.py).

    differential.py tokens LEX_DUMP    the lexer against tokenize, ast and compile()
    differential.py frames NBSCOREP    the cells in the scripts of built notebooks against ast

--seconds N (10) --seed N (a random one, which is printed) --keep FILE (for the first difference)
Exit status: 0 no difference, 1 some, 2 wrong usage.
"""
import argparse
import ast
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "corpus"))
import compare_syntax  # noqa: E402
import compare_tokens  # noqa: E402
import lexing  # noqa: E402
import mutate  # noqa: E402

BATCH = 400         # cells of one start of lex_dump
CELLS = 25          # of a notebook
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
SHOWN = 5


def tree_of(text):
    """The tree of a cell, or None where Python does not compile it."""
    if text.endswith(("\\\r\n", "\\\r")):
        return None  # compile() takes that by accident: with "\n" it does not
    try:
        compile(text, "cell", "exec", AWAIT, dont_inherit=True)
        return compile(text, "cell", "exec", AWAIT | ast.PyCF_ONLY_AST, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# ---- tokens ----

def unlike(got, wanted):
    """Where two texts or lists begin to differ."""
    got, wanted = str(got), str(wanted)
    at = len(os.path.commonprefix([got, wanted]))
    begin = max(0, at - 60)
    return f"... {got[begin:at + 120]} ...\n  instead of ... {wanted[begin:at + 120]} ..."


def unify(text):
    return text.replace("\r\n", "\n").replace("\r", "\n")


def token_fault(dump):
    """What the lexer has wrong about one cell, or None."""
    fault = compare_tokens.check_bytes("", dump)
    text = dump["text"]
    if fault or dump["magics"] or not dump["python"] or "\0" in text:
        return fault
    tree = tree_of(text)
    if tree is None:
        return None
    if dump["broken"]:
        return f"called broken, but compiles: {dump['diags']}"
    expected = compare_tokens.python_tokens(unify(text))
    got = [[kind, unify(token)] for kind, token in compare_tokens.own_tokens(text, dump)]
    if expected is not None and got != compare_tokens.merge(expected):
        return f"tokens: {unlike(got, expected)}"
    if "\r" in text:
        return None
    for question, answer, right in compare_syntax.differences(text, dump, tree, MOST):
        if question == "indents" and re.search(r"(?m)^[ \t\f]*\\$", text):
            continue  # to tokenize, a backslash before the first token ends the indentation
        if answer != right:
            return f"{question}: {answer}, should be {right}"
    return None


def fuzz_tokens(program, mutator):
    cells = [mutator.cell() for _ in range(BATCH)]
    for cell, dump in zip(cells, lexing.dump(program, cells)):
        yield cell, token_fault(dump)


# ---- frames ----

SHOWS = "scorep_notebook.echo", "scorep_notebook.out"


class Plain(ast.NodeTransformer):
    """Takes out what framing may put in, take out or change outside of functions and classes."""

    def leave(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = leave

    def visit_Pass(self, _):
        return None

    visit_Global = visit_Pass

    def visit_ImportFrom(self, node):
        return None if node.module == "__future__" and node.level == 0 else node

    def visit_AnnAssign(self, node):
        node.simple = 0
        return node

    def visit_Expr(self, node):
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) in SHOWS:
            node.value = call.args[-1]
        if getattr(node.value, "id", "") in ("exit", "quit"):  # which IPython calls
            return ast.Raise(exc=ast.Name(id="SystemExit", ctx=ast.Load()))
        # An empty tuple fills the lines of an import from __future__.
        return None if isinstance(node.value, ast.Tuple) and not node.value.elts else node


def framed_cells(script, places):
    """Number of a cell -> the statements that the script has of it. PLACES: (number, its lines)."""
    found = {}
    for node in ast.parse(script).body:
        for number, lines in places:  # of one that is nested too deeply for a frame
            if node.lineno in lines:
                found.setdefault(number, []).append(node)
        if isinstance(node, ast.With):
            call = node.items[0].context_expr
            # The user's own, of a cell that has no frame, may begin with anything.
            named = isinstance(call, ast.Call) and call.args
            name = getattr(call.args[0], "value", "") if named else ""
            if isinstance(name, str) and name.startswith("cell "):
                found.setdefault(int(name[5:]), node.body)
            elif named and ast.unparse(call.func) == "scorep_notebook.cell":  # a region of the user crosses it
                found.setdefault(name, node.body)
        elif isinstance(node, ast.AsyncFunctionDef) and node.name.startswith("_cell_"):
            found[int(node.name[6:])] = node.body
    return found


def shape(body):
    """The statements as text, and the lines of each below each."""
    tree = Plain().visit(ast.Module(body=body, type_ignores=[]))
    lines = [(type(n).__name__, getattr(n, "lineno", 0)) for n in ast.walk(tree)
             if isinstance(n, ast.stmt) and not isinstance(n, ast.Raise)]
    return ast.dump(tree), lines


def frame_fault(text, body, first_line):
    tree = tree_of(text)
    ast.increment_lineno(tree, first_line - 1)
    wanted, got = shape(tree.body), shape(body)
    if wanted[0] != got[0]:
        return unlike(got[0], wanted[0])
    return None if wanted == got else f"lines: {unlike(got[1], wanted[1])}"


def write_notebook(path, cells):
    path.write_text(json.dumps({
        "nbformat": 4, "nbformat_minor": 4, "metadata": {},
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
                   "source": cell} for cell in cells]}))


def build_notebook(program, folder, cells, options):
    """(status, diagnostics, script, cell -> its lines)"""
    # No cell imports a module of this name: a script gives way to that.
    notebook, script = folder / "of_frames.ipynb", folder / "of_frames.py"
    write_notebook(notebook, cells)
    done = subprocess.run([program, "build", "-q", "--no-verify", "--force", "--source-map", "--no-config",
                           *options, str(notebook), "-o", str(script)],
                          capture_output=True, check=False)
    if done.returncode != 0:
        return done.returncode, done.stderr.decode("utf-8", "replace"), "", {}
    entries = json.loads(script.with_suffix(".map.json").read_text())["cells"]
    return 0, "", script.read_bytes(), {
        e["cell"]: range(e["script_line"], e["script_line"] + e["lines"]) for e in entries}


def notebook_faults(program, folder, cells, options):
    """(cell, fault) for each cell. One that cannot be built is built alone to see who it is."""
    status, said, script, lines = build_notebook(program, folder, [c for c, _ in cells], options)
    if status == 1 and len(cells) > 1:
        for cell in cells:
            yield from notebook_faults(program, folder, [cell], options)
        return
    if status == 1 and any(f"[{kind}]" in said for kind in REFUSED):
        return
    if status != 0:
        yield "\n# %%\n".join(c for c, _ in cells), f"status {status}: {said}"
        return
    try:
        found = framed_cells(script, lines.items())
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if len(cells) > 1:
            for cell in cells:
                yield from notebook_faults(program, folder, [cell], options)
        else:
            yield cells[0][0], f"the script is no Python: {error}"
        return
    for number, (cell, text) in enumerate(cells, 1):
        if number in lines:  # a cell with "#| eval: false" is a comment
            yield cell, frame_fault(text, found.get(number, []), lines[number].start)


BARE_MAGICS = set("ls ll lf lk ldir lx pwd cd dirs who whos who_ls".split())
# What a valid cell may be refused for.
REFUSED = "deep-nesting", "future-import", "await-star", "limit"


def fuzz_frames(program, mutator, lex_dump):
    cells = [mutator.cell() for _ in range(BATCH)]
    # Magics, and what cells show, have tests of their own.
    sound = [(cell, dump["text"]) for cell, dump in zip(cells, lexing.dump(lex_dump, cells))
             if not dump["magics"] and not dump["heads"] and dump["python"] and
             cell.strip() not in BARE_MAGICS and "\0" not in dump["text"] and
             "ast_node_interactivity" not in cell and
             tree_of(dump["text"]) is not None]
    with tempfile.TemporaryDirectory(prefix="nbscorep-frames-") as folder:
        for at in range(0, len(sound), CELLS):
            options = ["--instrument=" + mutator.chance.choice(("all", "none", "marked"))]
            yield from notebook_faults(program, pathlib.Path(folder), sound[at:at + CELLS], options)


# ---- the run ----

MOST = 0


def run(batches, seconds, keep):
    """Prints differences; returns their number."""
    end, compared, faults = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        for cell, fault in next(batches):
            compared += 1
            if fault is None:
                continue
            faults += 1
            if faults == 1 and keep:
                pathlib.Path(keep).write_text(cell, encoding="utf-8", newline="")
            if faults <= SHOWN:
                print(f"---- {cell[:2000]!r}\n{fault}")
    print(f"{compared} cells, {faults} differences (Python {sys.version.split()[0]})")
    return faults if compared > 0 else 1


def main():
    global MOST
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["tokens", "frames"])
    parser.add_argument("program")
    parser.add_argument("--lex-dump", help="for frames, where it is not beside NBSCOREP's folder")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4), "big"))
    parser.add_argument("--keep")
    args = parser.parse_args()
    print(f"seed {args.seed}", flush=True)
    MOST = compare_syntax.limit()
    mutator = mutate.Mutator(random.Random(args.seed))
    if args.mode == "tokens":
        batches = iter(lambda: fuzz_tokens(args.program, mutator), None)
    else:
        build = pathlib.Path(args.program).parents[1]
        lex_dump = args.lex_dump or str(build / "tests" / "lex_dump")
        batches = iter(lambda: fuzz_frames(args.program, mutator, lex_dump), None)
    return 1 if run(batches, args.seconds, args.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
