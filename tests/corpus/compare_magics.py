#!/usr/bin/env python3
"""Compares the magics that the lexer finds with those that IPython's inputtransformer2 finds.

    compare_magics.py --lex-dump PROGRAM --oracle FILE[.xz]    cells with what IPython said
"""
import argparse
import collections
import json
import lzma
import re
import sys

import lexing

KINDS = {("line", False): "EscapedCommand", ("shell", False): "EscapedCommand",
         ("shell-list", False): "EscapedCommand", ("autocall", False): "EscapedCommand",
         ("line", True): "MagicAssign", ("shell", True): "SystemAssign"}


def join(text):
    """IPython's assemble_continued_line."""
    lines = text.split("\n")
    return " ".join([line.rstrip()[:-1] for line in lines[:-1]] + [lines[-1].rstrip()])


def arguments(kind, text):
    """What the lexer should say are the arguments of the magic TEXT, whose lines are joined."""
    if kind == "help":
        return None
    if kind == "line":
        text = re.sub(r"\A%[^ \t\v\f]*", "", text)
    else:
        text = text[2 if kind == "shell-list" else 1:]
    return text.lstrip(" \t\v\f").rstrip()


def own_events(dump):
    """(kind, line, column in characters, text) of each magic; lines of the source, 0-based."""
    data = dump["text"].encode("utf-8", "surrogateescape")
    out = []
    for magic in dump["magics"]:
        line = max(i for i, l in enumerate(dump["lines"]) if l[0] <= magic["offset"])
        start = dump["lines"][line][0]
        text = data[magic["offset"]:magic["offset"] + magic["len"]].decode("utf-8")
        kind = KINDS.get((magic["kind"], magic["assigned"]))
        if magic["kind"] == "line" and not text.startswith("%"):
            continue  # automagic: IPython finds it when the cell runs, not in the transformer
        if magic["kind"] == "help":
            end = magic["offset"] + magic["len"]
            behind = data[magic["args_offset"] + len(magic["args"].encode("utf-8")):end]
            kind = "HelpEnd" if behind == b"?" * magic["level"] else "EscapedCommand"
            text = text.rstrip() if kind == "HelpEnd" else join(text)
        else:
            text = join(text)
        expected = arguments(magic["kind"], text)
        if expected is not None and expected != magic["args"]:
            text += f"  [arguments {magic['args']!r}]"
        column = len(data[start:magic["offset"]].decode("utf-8"))
        out.append((kind, line + dump["text_line"], column, text))
    return out


def oracle_items(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            events = [(e["kind"], e["line"], e["col"], e["text"].rstrip())
                      for e in row.get("events", [])]
            head = (row["cell_magic"], row.get("line", "")) if "cell_magic" in row else None
            yield f"{row['path']}#{row['cell']}", row["src"], events, head


def compare(place, dump, events, head):
    first = dump["heads"][0] if dump["heads"] else None
    if head is not None:
        if first is None:
            return f"{place}: no cell magic, IPython has {head}"
        if first["name"] != re.split(r"[\t\v\f]", head[0])[0] or \
           (first["name"] == head[0] and first["args"] != head[1].strip()):
            return f"{place}: cell magic {first['name']!r} {first['args']!r}, IPython has {head}"
        return None
    if first is not None:
        return f"{place}: cell magic {first['name']}, IPython has none"
    got = own_events(dump)
    if got == events:
        return None
    at = next((i for i, (a, b) in enumerate(zip(got, events)) if a != b), min(len(got), len(events)))
    return f"{place}: event {at}: {got[at:at + 1]}, IPython has {events[at:at + 1]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lex-dump", required=True)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    faults, count = [], collections.Counter()
    for (place, _, events, head), dump in lexing.dump_in_parts(args.lex_dump, oracle_items(args.oracle)):
        count["cells"] += 1
        count["magics"] += len(events) + (head is not None)
        fault = compare(place, dump, events, head)
        faults += [fault] if fault else []
    print("\n".join(faults[:args.show]))
    print(", ".join(f"{v} {k}" for k, v in count.items()) + f", {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
