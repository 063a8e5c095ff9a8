#!/usr/bin/env python3
"""Compares the lexer's tokens with those of the tokenize module of the Python that runs this, for
all text that tokenize accepts: notebooks' code cells and Python files. An f-string counts as one
token whatever the version makes of it. Also checks, for all text, that the tokens are its bytes.

    compare_tokens.py --lex-dump PROGRAM [--corpus FOLDER] [--python FOLDER]
"""
import argparse
import ast
import io
import pathlib
import sys
import tokenize
import warnings

import lexing

SKIPPED = {tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT,
           tokenize.ENDMARKER, tokenize.ENCODING}
KINDS = {tokenize.NAME: "name", tokenize.NUMBER: "number", tokenize.STRING: "string",
         tokenize.OP: "op", tokenize.ERRORTOKEN: "error"}
FSTRING_START = {getattr(tokenize, name) for name in ("FSTRING_START", "TSTRING_START")
                 if hasattr(tokenize, name)}
FSTRING_END = {getattr(tokenize, name) for name in ("FSTRING_END", "TSTRING_END")
               if hasattr(tokenize, name)}


def python_tokens(text):
    """[kind, text] of the significant tokens, or None when tokenize refuses TEXT."""
    starts = [0]
    lines = text.splitlines(keepends=True) if "\r" not in text else io.StringIO(text).readlines()
    for line in lines:
        starts.append(starts[-1] + len(line))
    place = lambda p: starts[min(p[0], len(starts)) - 1] + p[1]
    out, depth, begin = [], 0, 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in FSTRING_START:
                begin = begin if depth else place(token.start)
                depth += 1
            elif token.type in FSTRING_END:
                depth -= 1
                if depth == 0:
                    out.append(["string", text[begin:place(token.end)]])
            elif depth == 0 and token.type not in SKIPPED:
                if token.type == tokenize.ERRORTOKEN:
                    return None
                out.append([KINDS[token.type], token.string])
    except (tokenize.TokenError, SyntaxError):
        return None
    return out


def merge(tokens):
    """<> is one operator to CPython's own tokenizer and two to tokenize."""
    out = []
    for token in tokens:
        if token == ["op", ">"] and out and out[-1] == ["op", "<"]:
            out[-1] = ["op", "<>"]
        else:
            out.append(token)
    return out


def own_tokens(text, dump):
    data = text.encode("utf-8")
    for kind, offset, length in dump["tokens"]:
        if kind in ("name", "number", "string", "fstring", "op", "error", "magic"):
            yield ["string" if kind == "fstring" else kind,
                   data[offset:offset + length].decode("utf-8", "replace")]


def parses(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def check_bytes(place, dump):
    """The tokens of Python text are its bytes, in order, and its lines have their flags."""
    data, at, inside = dump["text"].encode("utf-8"), 0, set()
    for kind, offset, length in dump["tokens"]:
        if offset != at or length == 0:
            return f"{place}: token at {offset}, expected at {at}"
        at += length
        if kind in ("string", "fstring"):
            inside.update(range(offset + 1, offset + length))
    if dump["python"] and at != len(data):
        return f"{place}: tokens end at {at} of {len(data)}"
    for offset, _, flag, *_ in dump["lines"]:
        if dump["python"] and not flag and offset in inside:
            return f"{place}: line at {offset} is inside a string and does not know it"
    return None


def compare(place, dump):
    """A difference, or None; second value: was there something to compare?"""
    text = dump["text"]
    if not dump["python"] or dump["magics"] or "\0" in text or "\r" in text:
        return None, False
    expected = python_tokens(text)
    if expected is None:
        return None, False
    got, expected = list(own_tokens(text, dump)), merge(expected)
    if got == expected:
        return None, True
    at = next((i for i, (a, b) in enumerate(zip(got, expected)) if a != b),
              min(len(got), len(expected)))
    if not parses(text):
        return None, False  # tokenize takes what Python refuses
    return f"{place}: token {at}: {got[at:at + 3]} instead of {expected[at:at + 3]}", True


def python_files(folder):
    for path in sorted(pathlib.Path(folder).rglob("*.py")):
        data = path.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            continue
        # Cells are cleaned up first: a file that IPython would change is no fair comparison.
        yield str(path), text.removeprefix("\ufeff").replace("\r\n", "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lex-dump", required=True)
    parser.add_argument("--corpus")
    parser.add_argument("--python")
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    items = list(lexing.corpus_cells(args.corpus)) if args.corpus else []
    items += python_files(args.python) if args.python else []
    faults, compared, broken = [], 0, 0
    for (place, _), dump in lexing.dump_in_parts(args.lex_dump, items):
        fault = check_bytes(place, dump)
        if fault is None:
            fault, did = compare(place, dump)
            compared += did
        if fault is None and dump["broken"] and not dump["magics"] and parses(dump["text"]):
            fault = f"{place}: called broken, but parses: {dump['diags']}"
        broken += dump["broken"]
        faults += [fault] if fault else []
    print("\n".join(faults[:args.show]))
    print(f"{len(items)} texts, {compared} compared, {broken} called broken, "
          f"{len(faults)} faults (Python {sys.version.split()[0]})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
