#!/usr/bin/env python3
"""Compares nbscorep's warnings about names that no cell has set with what Python's ast tells.

usage: compare_names.py NBSCOREP FOLDER
The notebooks below FOLDER are taken three times, without cells that are no plain Python: as they are,
without one more cell, and with their cells in reverse order. A warning that ast does not
confirm is a fault. nbscorep has no parser and may miss some: how many is printed.
"""
import ast
import builtins
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROVIDED = set(dir(builtins)) | {
    "display", "get_ipython", "In", "Out", "scorep", "exit", "quit", "copyright", "credits",
    "license", "help", "WindowsError", "aiter", "anext", "ExceptionGroup", "EncodingWarning",
    "BaseExceptionGroup", "PythonFinalizationError"}
OPENERS = {"exec", "compile", "globals", "locals", "vars", "execfile", "get_ipython", "builtins",
           "__builtins__", "__main__", "init_session", "load_session", "load_module"}
OPENING_ATTRIBUTES = {"user_ns", "user_global_ns", "f_globals", "f_locals",
                      "currentframe", "_getframe", "init_session", "_convert", "_convert_",
                      "load_session", "load_module", "instance"}
HISTORY = re.compile("_[_i0-9]*|_[io]h|_[ds]h")


def is_sympys_var(node):
    """var("x y"), sympy.var("x y")"""
    return (isinstance(node, ast.Call) and node.args
            and "var" in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
            and (isinstance(node.args[0], ast.JoinedStr)
                 or isinstance(getattr(node.args[0], "value", None), str)))


def is_opener(node):
    if is_sympys_var(node):
        return True
    if isinstance(node, ast.Attribute):
        return node.attr in OPENING_ATTRIBUTES or ast.unparse(node) == "sys.modules"
    call = isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name)
    if call and node.func.id == "vars":
        node.func.id = "hasattr"
    return isinstance(node, ast.Name) and node.id in OPENERS


class Ended(Exception):
    """Any name may have a value, or the script ends."""


class Flow:
    """Goes through cells as Python runs them, and finds names that have no value."""

    def __init__(self):
        self.names, self.found, self.classes, self.locals = set(), {}, [], [set()]
        self.certain, self.cell, self.deleted = True, 0, set()

    def use(self, node):
        name = node.id
        known = name in self.names or any(name in s for s in self.classes + self.locals)
        special = name in PROVIDED or HISTORY.fullmatch(name) or not name.isascii() or (
            name[:2] == name[-2:] == "__")
        if self.certain and not known and not special and name not in self.found:
            self.found[name] = (self.cell, node.lineno)

    def bind(self, name):
        (self.classes[-1] if self.classes else self.names).add(name)

    def perhaps(self, nodes, certain=False):
        before, self.certain = self.certain, self.certain and certain
        for node in nodes:
            self.visit(node)
        self.certain = before

    def visit(self, node):
        if is_opener(node):
            raise Ended
        handler = getattr(self, "visit_" + type(node).__name__, None)
        if handler is not None:
            handler(node)
        else:
            self.children(node)

    def children(self, node):
        for child in ast.iter_child_nodes(node):
            self.visit(child)

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load):
            self.use(node)
        elif isinstance(node.ctx, ast.Store):
            self.bind(node.id)
        else:
            self.use(node)
            if self.certain and not self.classes and not self.loops:
                self.names.discard(node.id)

    loops, outermost = 0, None

    def visit_BoolOp(self, node):
        self.visit(node.values[0])
        self.perhaps(node.values[1:])

    def visit_IfExp(self, node):
        self.visit(node.test)
        self.perhaps([node.body, node.orelse])

    def visit_Lambda(self, node):
        for default in node.args.defaults + [d for d in node.args.kw_defaults if d]:
            self.visit(default)
        self.openers(node.body)

    def comprehension(self, node, elements):
        self.look_ahead()
        first = node.generators[0]
        plain = len(node.generators) == 1 and not first.ifs
        self.visit(first.iter)
        self.locals.append({n.id for g in node.generators for n in ast.walk(g.target)
                            if isinstance(n, ast.Name)})
        certain = plain and not isinstance(node, ast.GeneratorExp)
        self.perhaps(first.ifs + [x for g in node.generators[1:] for x in [g.iter] + g.ifs])
        self.perhaps(elements, certain)
        self.locals.pop()

    def visit_ListComp(self, node):
        self.comprehension(node, [node.elt])

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node):
        self.comprehension(node, [node.key, node.value])

    def openers(self, *nodes):
        """What a function that is not called yet may do."""
        for node in nodes:
            for n in ast.walk(node):
                if isinstance(n, ast.Global):
                    self.names.update(n.names)
                elif is_opener(n):
                    raise Ended

    def visit_FunctionDef(self, node):
        for x in node.decorator_list + node.args.defaults + node.args.kw_defaults:
            if x is not None:
                self.visit(x)
        self.openers(*node.body)
        self.bind(node.name)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        for x in node.decorator_list + node.bases + [k.value for k in node.keywords]:
            self.visit(x)
        self.bind(node.name)
        self.classes.append(set())
        self.body(node.body)
        self.classes.pop()

    def visit_Assign(self, node):
        self.visit(node.value)
        for target in node.targets:
            self.visit(target)

    def visit_AugAssign(self, node):
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self.use(node.target)
        self.visit(node.target)

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)
        self.visit(node.target)

    def visit_Import(self, node):
        for alias in node.names:
            self.bind(alias.asname or alias.name.split(".")[0])

    def visit_ImportFrom(self, node):
        for alias in node.names:
            if alias.name == "*":
                raise Ended
            self.bind(alias.asname or alias.name)

    def visit_Global(self, node):
        self.names.update(node.names)

    def visit_Assert(self, node):
        self.visit(node.test)

    def visit_Raise(self, node):
        self.children(node)
        if self.certain and not self.classes and not self.loops:
            raise Ended

    def visit_Expr(self, node):
        self.visit(node.value)
        text = ast.unparse(node.value)
        if self.certain and not self.loops and not self.classes and text.startswith(
                ("exit(", "quit(", "sys.exit(", "os._exit(", "os.abort(")):
            raise Ended

    def look_ahead(self):
        """What may run in a later round only finds what all of the outermost loop defines."""
        for n in ast.walk(self.outermost) if self.loops else ():
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                self.bind(n.id)
            elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
                self.bind(n.name)
            elif isinstance(n, (ast.Import, ast.ImportFrom)):
                self.visit(n)

    def loop(self, node, certain):
        self.outermost = self.outermost if self.loops else node
        self.loops += 1
        self.perhaps(node.body, certain)
        self.loops -= 1
        self.perhaps(node.orelse)

    def visit_For(self, node):
        self.look_ahead()
        self.visit(node.iter)
        self.visit(node.target)
        self.loop(node, True)

    visit_AsyncFor = visit_For

    def visit_While(self, node):
        self.look_ahead()
        self.visit(node.test)
        self.loop(node, False)

    def visit_If(self, node):
        self.visit(node.test)
        main = ast.unparse(node.test) == "__name__ == '__main__'"
        self.perhaps(node.body, main)
        self.perhaps(node.orelse)

    def visit_Try(self, node):
        self.perhaps(node.body)
        for handler in node.handlers:
            if handler.name:
                self.bind(handler.name)
        self.perhaps(node.handlers + node.orelse + node.finalbody)

    def visit_With(self, node):
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self.visit(item.optional_vars)
        self.body(node.body)

    visit_AsyncWith = visit_With

    def visit_Match(self, node):
        self.visit(node.subject)
        for n in ast.walk(node):
            for name in "name", "rest":
                if isinstance(n, ast.pattern) and isinstance(getattr(n, name, None), str):
                    self.bind(getattr(n, name))
        self.perhaps([x for case in node.cases for x in case.body])

    def body(self, statements):
        for statement in statements:
            self.visit(statement)


def expected(cells):
    """(cell, line, name) of all names without a value."""
    flow = Flow()
    try:
        for flow.cell, tree in enumerate(cells, 1):
            flow.body(tree.body)
    except Ended:
        pass
    return {(cell, line, name) for name, (cell, line) in flow.found.items()}


def parse(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def sources(path):
    """The code cells that are plain Python: text and tree."""
    try:
        cells = json.loads(path.read_text("utf-8"))["cells"]
        texts = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        return []
    pairs = [(text, parse(text)) for text in texts]
    return [(text, tree) for text, tree in pairs if tree is not None and tree.body]


def variants(cells):
    yield cells
    if len(cells) > 2:
        yield cells[:len(cells) // 3] + cells[len(cells) // 3 + 1:]
        yield cells[::-1]


def write(path, texts):
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        "cells": [cell | {"source": text} for text in texts]}))


def reported(binary, folder, names):
    done = subprocess.run([binary, "check", "--no-verify", "--diagnostics-format=json", *names],
                          cwd=folder, capture_output=True)
    found = {name: set() for name in names}
    for d in json.loads(done.stdout)["diagnostics"]:
        if d["kind"] == "undefined-name":
            name = d["text"][d["column"] - 1:d["column"] - 1 + d["length"]]
            found[d["file"]].add((d["cell"], d["line"], name))
    return found


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, want, faults, hits = sys.argv[1], {}, [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(pathlib.Path(sys.argv[2]).rglob("*.ipynb")):
            for i, cells in enumerate(variants(sources(path))):
                name = f"{len(want)}-{i}.ipynb"
                write(pathlib.Path(folder) / name, [text for text, _ in cells])
                want[name] = path, expected([tree for _, tree in cells])
        names = list(want)
        for start in range(0, len(names), 100):
            for name, found in reported(binary, folder, names[start:start + 100]).items():
                path, wanted = want[name]
                faults += [f"{path} ({name}): {f}" for f in sorted(found - wanted)]
                hits += len(found & wanted)
    total = sum(len(wanted) for _, wanted in want.values())
    print("\n".join(faults))
    print(f"{len(want)} notebooks, {hits} of {total} names found, {len(faults)} faults")
    return 1 if faults or hits < 0.9 * total or not want else 0


if __name__ == "__main__":
    sys.exit(main())
