#!/usr/bin/env python3
"""Is every line that is not Python, as IPython sees it, lowered, handed to IPython, or named in a
diagnostic? The three have to add up to all.

    compare_special.py --binary NBSCOREP NOTEBOOK-OR-FOLDER...
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor

try:
    from IPython.core import inputtransformer2 as it2
except ImportError:
    sys.exit("IPython is needed")

# Cell magics of the Score-P kernel: they shape the program, and stand in it as other blocks.
KERNEL = {"scorep_env", "scorep_python_binding_arguments", "execute_with_scorep",
          "enable_multicellmode", "finalize_multicellmode", "abort_multicellmode",
          "start_writefile", "end_writefile", "abort_writefile"}
# Cell magics whose body is a cell again.
AROUND = {"time", "timeit", "prun", "capture", "execute_with_scorep", "enable_multicellmode",
          "finalize_multicellmode", "abort_multicellmode", "profile"}


def special_lines(source):
    """(line, text) of each magic, escape and help of a cell, lines counted from 1."""
    lines = source.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    first = 1
    while lines and not lines[0].strip():
        lines.pop(0)
        first += 1
    manager = it2.TransformerManager()
    for transform in manager.cleanup_transforms[:3]:
        lines = transform(lines)
    if lines and lines[0].startswith("%%") and not re.match(r"%%\w+\?", lines[0]):
        name = lines[0][2:].split()[0] if lines[0][2:].split() else ""
        yield first, lines[0].rstrip()
        if name in AROUND:
            for line, text in special_lines("".join(lines[1:])):
                yield first + line, text
        return
    yield from token_lines(manager, lines, first)


def token_lines(manager, lines, first):
    """What IPython's token transformers find, one after the other."""
    where = list(range(first, first + len(lines)))
    for _ in range(10000):
        found = next_transformer(manager, lines)
        if found is None:
            return
        before = len(lines)
        at = where[found.start_line]
        text = lines[found.start_line].rstrip()
        try:
            lines = found.transform(lines)
        except SyntaxError:
            return
        del where[found.start_line + 1:found.start_line + 1 + before - len(lines)]
        yield at, text


def next_transformer(manager, lines):
    tokens = it2.make_tokens_by_line(lines)
    candidates = [t for t in (cls.find(tokens) for cls in manager.token_transformers) if t]
    return min(candidates, key=lambda t: t.sortby()) if candidates else None


def blocks_of(tree):
    for block in tree:
        yield block
        yield from blocks_of(block.get("blocks", []))


def compile_notebook(binary, path):
    done = subprocess.run([binary, "ir", "--whole-notebook", "--diagnostics-format=json", path],
                          capture_output=True, timeout=120)
    if done.returncode != 0:
        return None, None
    return json.loads(done.stdout), json.loads(done.stderr)


def fate_of_edit(block, line):
    for edit in block.get("edits", []):
        if edit["line"] <= line <= edit["line"] + edit["old"].count("\n"):
            new = edit["new"]
            if "scorep_notebook.line_magic(" in new:
                return "handed over"
            if "scorep_notebook." in new or "environ" in new:
                return "lowered"
            if re.match("(pass  )?# in the run script: %", new):
                return "lowered"
            if re.match("(pass  )?# left out: ", new) and re.search("install|update", edit["old"]):
                return "left out"
    return None


def fate_of_head(block, text):
    name = text[2:].split()[0]
    if name in KERNEL:
        return "lowered"
    if block.get("function") == "scorep_notebook.cell_magic":
        return "handed over"
    if block.get("function") or block.get("contexts"):
        return "lowered"
    return None


def left_out(diagnostics):
    """How many commands that install packages the one warning about them speaks of."""
    for each in diagnostics:
        if each["kind"] == "package-install":
            more = re.search(r"this command and (\d+) more", each["message"])
            return 1 + int(more[1] if more else 0)
    return 0


def examine(job):
    """Counts of fates for one notebook, and the lines that have none."""
    binary, path = job
    warnings.simplefilter("ignore")
    ir, diagnostics = compile_notebook(binary, path)
    if ir is None:
        return collections.Counter(refused=1), []
    blocks = {b["cell"]: b for p in ir["programs"] for b in blocks_of(p["blocks"])}
    named = {(d["cell"], d.get("line")) for d in diagnostics["diagnostics"] if d.get("cell")}
    count, lost = collections.Counter(notebooks=1), []
    for number, source in code_cells(path):
        try:
            found = list(special_lines(source))
        except Exception:  # IPython itself cannot read the cell
            count["cells IPython cannot read"] += 1
            continue
        block = blocks.get(number, {})
        for line, text in found:
            fate = fate_of_edit(block, line)
            if fate is None and text.startswith("%%"):
                fate = fate_of_head(block, text)
            if fate is None and (number, line) in named:
                fate = "named"
            count[fate or "lost"] += 1
            if fate is None:
                lost.append(f"{path}: cell {number}, line {line}: {text[:80]}")
    told = left_out(diagnostics["diagnostics"])
    if count["left out"] > told:  # it speaks of commands in a line or a script for the shell, too
        lost.append(f"{path}: {count['left out']} installs are left out, {told} are named")
    return count, lost


def code_cells(path):
    notebook = json.loads(pathlib.Path(path).read_bytes().decode("utf-8-sig"))
    cells = notebook.get("cells")
    if cells is None:
        cells = [c for w in notebook.get("worksheets", []) for c in w.get("cells", [])]
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code":
            yield number, joined(cell.get("source", cell.get("input", "")), notebook)


def joined(source, notebook):
    """A cell's text; until nbformat 3 its lines may come without their ends."""
    if isinstance(source, str):
        return source
    major = notebook.get("nbformat", 3 if "worksheets" in notebook else 1)
    ends = major > 2 and source and source[0].endswith("\n")
    return ("" if ends or major > 3 else "\n").join(source)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    paths = [f for p in options.paths for f in (sorted(p.rglob("*.ipynb")) if p.is_dir() else [p])]
    total, lost = collections.Counter(), []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for count, missing in pool.map(examine, [(options.binary, str(p)) for p in paths],
                                       chunksize=8):
            total += count
            lost += missing
    print("\n".join(lost))
    print(", ".join(f"{name}: {number}" for name, number in sorted(total.items())))
    return 1 if lost or not total["notebooks"] else 0


if __name__ == "__main__":
    sys.exit(main())
