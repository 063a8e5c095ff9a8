#!/usr/bin/env python3
"""Compares the magics that the lexer finds with those that IPython's inputtransformer2 finds.

    compare_magics.py --lex-dump PROGRAM --oracle FILE[.xz]    cells with what IPython said
    compare_magics.py --lex-dump PROGRAM --live FOLDER...      asks the IPython that is installed,
                                                               for every code cell of notebooks
    --mutate N: and for N changed cells of them
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
            continue  # an automagic, which inputtransformer2 does not see
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


class Live:
    """IPython's transformer, watched."""

    def __init__(self):
        from IPython.core import inputtransformer2
        self.module = inputtransformer2

    def clean(self, source):
        """Lines after clean-up, and how many leading lines it took off."""
        manager = self.module.TransformerManager()
        source = source if source.endswith("\n") else source + "\n"
        lines = source.splitlines(keepends=True)
        count = len(lines)
        for transform in manager.cleanup_transforms:
            lines = transform(lines)
        return lines, count - len(lines)

    def events(self, source):
        """(events, head) or None when IPython itself fails on SOURCE."""
        lines, dropped = self.clean(source)
        head = self.module.cell_magic(lines)
        if head != lines:
            name, _, rest = lines[0][2:].rstrip().partition(" ")
            return [], (name, rest)
        numbers = [i + dropped for i in range(len(lines))]
        out = []
        try:
            for _ in range(500):
                tokens = self.module.make_tokens_by_line(lines)
                classes = [self.module.MagicAssign, self.module.SystemAssign,
                           self.module.EscapedCommand, self.module.HelpEnd]
                found = [f for f in (c.find(tokens) for c in classes) if f]
                changed = self.transform(sorted(found, key=lambda f: f.sortby()), lines)
                if changed is None:
                    return out, None
                one, new = changed
                start, took = one.start_line, len(lines) - len(new) + 1
                text = "".join(lines[start:start + took])[one.start_col:]
                text = text.removesuffix("\n")
                text = text.rstrip() if type(one).__name__ == "HelpEnd" else join(text)
                # What it makes of ";; x" begins with ";" again.
                if not out or (numbers[start], one.start_col) != out[-1][1:3]:
                    out.append((type(one).__name__, numbers[start], one.start_col, text))
                lines, numbers = new, numbers[:start + 1] + numbers[start + took:]
        except (SyntaxError, IndexError, AssertionError):
            return None
        return None

    @staticmethod
    def transform(found, lines):
        for one in found:
            try:
                return one, one.transform(lines)
            except SyntaxError:
                pass
        return None


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


def skips(source, dump):
    """Text where IPython's lines (str.splitlines) are not Python's, or where its two counts of
    brackets go apart since one is closed too many."""
    return any(c in source for c in "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029") or \
        any("unmatched '" in diag[3] for diag in dump["diags"]) or \
        any(m["kind"] == "autocall" and m["args"][:1] in (";", "") for m in dump["magics"])


def live_items(folders, count, seed):
    import compare_tokens
    cells = [item for folder in folders for item in lexing.corpus_cells(folder)]
    yield from cells
    for place, data in compare_tokens.mutations(cells, count, seed):
        try:
            yield place, data.decode("utf-8")
        except UnicodeDecodeError:
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lex-dump", required=True)
    parser.add_argument("--oracle")
    parser.add_argument("--live", nargs="+", default=[])
    parser.add_argument("--mutate", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=20)
    args = parser.parse_args()
    faults, count = [], collections.Counter()
    if args.oracle:
        for (place, _, events, head), dump in lexing.dump_in_parts(
                args.lex_dump, oracle_items(args.oracle)):
            count["oracle cells"] += 1
            count["oracle magics"] += len(events) + (head is not None)
            fault = compare(place, dump, events, head)
            faults += [fault] if fault else []
    live = Live() if args.live else None
    items = live_items(args.live, args.mutate, args.seed) if args.live else []
    for (place, source), dump in lexing.dump_in_parts(args.lex_dump, items):
        said = None if skips(source, dump) else live.events(source)
        count["live cells" if said else "live cells not compared"] += 1
        fault = compare(place, dump, *said) if said else None
        faults += [fault] if fault else []
    print("\n".join(faults[:args.show]))
    print(", ".join(f"{v} {k}" for k, v in count.items()) + f", {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
