#!/usr/bin/env python3
"""Compares the answers of src/lex/syntax.h with those of the Python that runs this: its parser for
last expressions, imports and annotations, its compiler for await and the nesting of blocks.

    compare_syntax.py --lex-dump PROGRAM [--corpus FOLDER] [--python FOLDER] [--made N]

--made: also N programs made of nested blocks of every kind.
"""
import argparse
import ast
import io
import random
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


def wrap(tree, count):
    """TREE inside COUNT with statements."""
    body = [s for s in tree.body if not (isinstance(s, ast.ImportFrom) and s.module == "__future__")]
    for _ in range(count):
        item = ast.withitem(context_expr=ast.Constant(None), optional_vars=None)
        body = [ast.With(items=[item], body=body or [ast.Pass()])]
    return ast.fix_missing_locations(ast.Module(body=body, type_ignores=[]))


def limit():
    """How many with statements this Python nests: CO_MAXBLOCKS."""
    count = 1
    while compiles(wrap(ast.parse("pass"), count + 1)):
        count += 1
    return count


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


def indents(text):
    depth = deepest = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        deepest = max(deepest, depth)
    return deepest


def normal(names):
    """NAMES as Python has them."""
    return sorted({unicodedata.normalize("NFKC", name) for name in names})


def differences(text, dump, tree, most):
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
    yield "indents", dump["indents"], indents(text)
    yield "missing names", stored - names, set()
    yield "names", len(set(dump["names"])), len(dump["names"])
    yield "annotated", normal(dump["annotated"]), sorted(
        {n.target.id for n in outer(tree) if isinstance(n, ast.AnnAssign) and n.simple})
    yield "star", dump["star"], any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in outer(tree))
    if compiles(text, AWAIT):
        yield "await", dump["await"], not compiles(text)
        room = most - dump["blocks"]
        yield "blocks", [dump["blocks"], True, False], [
            dump["blocks"], compiles(wrap(tree, room), AWAIT),
            compiles(wrap(tree, room + 1), AWAIT)]


def made_programs(count, seed, most):
    """Programs of nested blocks: every kind, some of them close to the limit."""
    chance = random.Random(seed)
    frames = [["if a:"], ["if a: pass", "elif b:"], ["if a: pass", "else:"], ["for a in b:"],
              ["for a in b: pass", "else:"], ["while a:"], ["while a: pass", "else:"],
              ["with a:"], ["with a, b as c:"], ["with (a), (b):"], ["with (a, b) as c:"],
              ["with (a as b, c as d):"], ["with (a as b,):"], ["with f(a, b), [c, d] as e:"],
              ["try:", None, "except E: pass"], ["try: pass", "except E:"],
              ["try: pass", "except E as e:"], ["try: pass", "except E: pass", "else:"],
              ["try:", None, "finally: pass"], ["try: pass", "finally:"],
              ["try:", None, "except E: pass", "finally: pass"],
              ["try: pass", "except E:", None, "finally: pass"],
              ["try: pass", "except E: pass", "else:", None, "finally: pass"],
              ["try: pass", "except E: pass", "finally:"],
              ["async for a in b:"], ["async with a, b:"], ["def f():"], ["class A:"],
              ["match a:", "    case [b, c]:"], ["match (a):", "    case b if b:"]]
    if sys.version_info >= (3, 11):
        frames += [["try: pass", "except* E:"], ["try:", None, "except* E as e: pass"]]
    if sys.version_info < (3, 10):
        frames = [f for f in frames if not f[0].startswith(("match", "with (a as"))]

    def grow(depth, only):
        if depth == 0:
            return ["x = 1"]
        frame = only or chance.choice(frames)
        inner = grow(depth - 1, only)
        if chance.random() < 0.1 and not only:
            inner += grow(chance.randrange(depth), None)
        at = frame.index(None) if None in frame else len(frame)
        shift = "        " if frame[0].startswith("match") else "    "
        return frame[:at] + [shift + line for line in inner] + frame[at + 1:]

    for frame in frames:
        for depth in range(1, most + 2):
            yield f"made {frame} x {depth}", "\n".join(grow(depth, frame))
    for number in range(count):
        yield f"made {number}", "\n".join(grow(chance.randrange(1, 24), None))


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lex-dump", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("--python")
    parser.add_argument("--made", type=int, default=0, metavar="N")
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    most = limit()
    items = list(lexing.corpus_cells(args.corpus)) if args.corpus else []
    items += compare_tokens.python_files(args.python) if args.python else []
    items += made_programs(args.made, 1, most) if args.made else []
    faults, compared = [], 0
    for (place, _), dump in lexing.dump_in_parts(args.lex_dump, items):
        text = dump["text"]
        if dump["magics"] or not dump["python"] or "\r" in text or \
           not compare_tokens.parses(text):
            continue
        compared += 1
        faults += [f"{place}: {question}: {got}, should be {right}"
                   for question, got, right in differences(text, dump, ast.parse(text), most)
                   if got != right]
    print("\n".join(faults[:args.show]))
    print(f"{len(items)} texts, {compared} compared, {len(faults)} differences "
          f"(Python {sys.version.split()[0]}, {most} nested blocks)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
