#!/usr/bin/env python3
"""Compares the answers of src/lex/syntax.h with those of the Python that runs this: its parser for
last expressions, imports and annotations, its compiler for await.

    compare_syntax.py --lex-dump PROGRAM [--corpus FOLDER] [--python FOLDER]
"""
import argparse
import ast
import io
import sys
import tokenize
import unicodedata
import warnings

import compare_tokens
import lexing

AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def compiles(code, flags=0):
    try:
        compile(code, "cell", "exec", flags, dont_inherit=True)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def outer(tree):
    """All nodes outside of functions and classes."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if not isinstance(node, BLOCKS):
            yield node
            todo += ast.iter_child_nodes(node)


def last_expression(text, tree):
    """[start, end, needs parentheses] in bytes, or None."""
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        return None
    significant = [t.string for t in tokenize.generate_tokens(io.StringIO(text).readline)
                   if t.type not in compare_tokens.SKIPPED]
    if significant[-1] == ";":
        return None
    node, starts = tree.body[-1], [0]
    for line in text.encode("utf-8").split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    start = starts[node.lineno - 1] + node.col_offset
    end = starts[node.end_lineno - 1] + node.end_col_offset
    call = ast.parse(b"f(" + text.encode("utf-8")[start:end] + b"\n)").body[0].value
    return [start, end, len(call.args) != 1 or isinstance(call.args[0], ast.Starred) or
            (isinstance(node.value, ast.Tuple) and not isinstance(call.args[0], ast.Tuple))]


def modules(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split(".")[0]


def normal(names):
    """NAMES as Python has them."""
    return sorted({unicodedata.normalize("NFKC", name) for name in names})


def differences(text, dump, tree):
    """(question, answer, right answer)"""
    future = [[a.name for a in s.names] for s in tree.body
              if isinstance(s, ast.ImportFrom) and s.module == "__future__" and not s.level]
    in_strings = {id(name) for f in ast.walk(tree) if isinstance(f, ast.JoinedStr)
                  for n in ast.walk(f) if isinstance(n, ast.comprehension) for name in ast.walk(n.target)}
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and
              isinstance(n.ctx, ast.Store) and id(n) not in in_strings}
    names = set(normal(dump["names"]))
    yield "last", dump.get("last"), last_expression(text, tree)
    yield "modules", normal(
        path.split("/")[0] for path in dump["imports"] if path[0] != "."), sorted(set(modules(tree)))
    yield "future", [f[0] for f in dump["future"]], future
    yield "missing names", stored - names, set()
    yield "names", len(set(dump["names"])), len(dump["names"])
    yield "annotated", normal(dump["annotated"]), sorted(
        {n.target.id for n in outer(tree) if isinstance(n, ast.AnnAssign) and n.simple})
    yield "star", dump["star"], any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in outer(tree))
    if compiles(text, AWAIT):
        yield "await", dump["await"], not compiles(text)


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lex-dump", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("--python")
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    items = list(lexing.corpus_cells(args.corpus)) if args.corpus else []
    items += compare_tokens.python_files(args.python) if args.python else []
    faults, compared = [], 0
    for (place, _), dump in lexing.dump_in_parts(args.lex_dump, items):
        text = dump["text"]
        if dump["magics"] or not dump["python"] or "\r" in text or \
           not compare_tokens.parses(text):
            continue
        compared += 1
        faults += [f"{place}: {question}: {got}, should be {right}"
                   for question, got, right in differences(text, dump, ast.parse(text))
                   if got != right]
    print("\n".join(faults[:args.show]))
    print(f"{len(items)} texts, {compared} compared, {len(faults)} differences "
          f"(Python {sys.version.split()[0]})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
