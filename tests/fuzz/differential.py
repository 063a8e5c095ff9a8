#!/usr/bin/env python3
"""Fuzzes against the Python that runs this, with cells made of real code (mutate.py).

    differential.py tokens LEX_DUMP    the lexer against tokenize, ast and compile()
    differential.py frames NBSCOREP    the cells in the scripts of built notebooks against ast, as
                                       tests/library does it; without IPython it is skipped (77)

--seconds N (10) --seed N (a random one, which is printed) --keep FILE (for the first difference)
Exit status: 0 no difference, 1 some, 2 wrong usage.
"""
import argparse
import ast
import importlib
import os
import pathlib
import random
import re
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
    for question, answer, right in compare_syntax.differences(text, dump, tree):
        if answer != right:
            return f"{question}: {answer}, should be {right}"
    return None


def fuzz_tokens(program, mutator):
    cells = [mutator.cell() for _ in range(BATCH)]
    for cell, dump in zip(cells, lexing.dump(program, cells)):
        yield cell, token_fault(dump)


# ---- frames ----

BARE_MAGICS = set("ls ll lf lk ldir lx pwd cd dirs who whos who_ls".split())
# What a valid cell may be refused for.
REFUSED = "future-import", "await-star", "limit"
# What means another thing in a cell than in a file.
LEFT_OUT = re.compile(r"\b(?:exit|quit|ast_node_interactivity|region_begin)\b|\|\s*eval|\)\s*:\s*int\s*="
                      r"|\A\s*\.\.\.|(?s:\bclass\b.*\bglobal\b)|\0")


def notebook_faults(program, folder, parts, form):
    """(cell, fault) for each cell. Where there is one, the cells are built alone."""
    book = library.Book(None, form, parts)
    said = library.build(program, [book], folder)
    if not said:
        try:
            book.check()
            yield from ((part.text, None) for part in parts)
            return
        except (library.script.Difference, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            said = f"{form}: {error}"
    elif len(parts) == 1 and any(f"[{kind}]" in said for kind in REFUSED):
        return
    if len(parts) == 1:
        yield parts[0].text, said
    else:
        for part in parts:
            yield from notebook_faults(program, folder, [part], form)


def fuzz_frames(program, mutator, lex_dump):
    texts = [mutator.cell() for _ in range(BATCH)]
    sound = []
    # Magics, and what cells show, have tests of their own.
    for text, dump in zip(texts, lexing.dump(lex_dump, texts)):
        taken = dump["text"] != text or LEFT_OUT.search(text) or text.strip() in BARE_MAGICS
        tree = None if taken or dump["magics"] or dump["heads"] or not dump["python"] else tree_of(text)
        if tree is not None:
            sound.append(library.cells.Cell(text, tree.body))
    with tempfile.TemporaryDirectory(prefix="nbscorep-frames-") as folder:
        for at in range(0, len(sound), CELLS):
            form = mutator.chance.choice(("split", "split, marked"))
            yield from notebook_faults(program, pathlib.Path(folder), sound[at:at + CELLS], form)


# ---- the run ----

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
    mutator = mutate.Mutator(random.Random(args.seed))
    if args.mode == "tokens":
        batches = iter(lambda: fuzz_tokens(args.program, mutator), None)
    else:
        global library
        sys.path.insert(1, str(HERE.parent / "library"))
        library = importlib.import_module("library")
        build = pathlib.Path(args.program).parents[1]
        lex_dump = args.lex_dump or str(build / "tests" / "lex_dump")
        batches = iter(lambda: fuzz_frames(args.program, mutator, lex_dump), None)
    return 1 if run(batches, args.seconds, args.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
