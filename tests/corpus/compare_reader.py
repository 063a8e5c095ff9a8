#!/usr/bin/env python3
"""Compares nbscorep's notebook reader with Python's json module over a folder of real notebooks.

usage: compare_reader.py DUMP FOLDER [CHECK_AST.py]

DUMP is the program made of tests/unit/notebook_dump.c. What counts as the truth is load() below: which
files are Python notebooks, and the source of each of their code cells. With CHECK_AST.py, load() of
that file is compared with as well. For files that are not JSON the place of the error must agree, too.
Exit status: 0 all agree, 1 some do not, 2 wrong usage.
"""
import collections
import importlib.util
import json
import os
import subprocess
import sys

PYTHON = {"python", "python2", "python3", "ipython", "ipython3", ""}
SURROGATES = {code: "\ufffd" for code in range(0xD800, 0xE000)}


class Refused(Exception):
    """The file is no Python notebook; why, and where if it is not JSON."""

    def __init__(self, why, place=None):
        super().__init__(why)
        self.why, self.place = why, place


def as_dict(value):
    return value if isinstance(value, dict) else {}


def join(source, major):
    """nbformat's rule for sources that are lists of lines."""
    if source is None or isinstance(source, str):
        return source or ""
    if not isinstance(source, list):
        return ""
    lines = [line for line in source if isinstance(line, str)]
    if major <= 2 or (major == 3 and not (lines and lines[0].endswith(("\n", "\r")))):
        return "\n".join(lines)
    return "".join(lines)


def language(metadata):
    """The kernel's language counts: Sage's notebooks state Python in language_info."""
    info, kernel = as_dict(metadata.get("language_info")), as_dict(metadata.get("kernelspec"))
    name = str(kernel.get("language") or info.get("name") or "").lower()
    if str(kernel.get("name")).startswith("sagemath"):
        return "sage"
    if name and name != "any text":
        return name
    name = "%s %s" % (kernel.get("name", ""), kernel.get("display_name", ""))
    name = name.lower().strip()
    return "python" if not name or "python" in name or "conda" in name else name


def parse(path):
    with open(path, "rb") as file:
        raw = file.read()
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise Refused("json", (error.lineno, error.colno)) from None
    except (ValueError, RecursionError):
        raise Refused("json") from None


def list_cells(notebook):
    if isinstance(notebook.get("cells"), list):
        return notebook["cells"]
    if not isinstance(notebook.get("worksheets"), list):
        raise Refused("no cells")
    return [
        cell
        for sheet in notebook["worksheets"]
        for cell in as_dict(sheet).get("cells") or []
    ]


def load(path):
    """The code cells of a Python notebook: (number, source, tags)."""
    notebook = parse(path)
    if not isinstance(notebook, dict):
        raise Refused("no object")
    major = notebook.get("nbformat", 3 if "worksheets" in notebook else 1)
    if not isinstance(major, int) or not 1 <= major <= 4:
        raise Refused("nbformat")
    cells = list_cells(notebook)
    if language(as_dict(notebook.get("metadata"))) not in PYTHON:
        raise Refused("language")
    result = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        if str(cell.get("language") or "").lower() not in PYTHON:
            continue
        source = cell.get("source", cell.get("input", cell.get("code")))
        tags = as_dict(cell.get("metadata")).get("tags")
        tags = tags if isinstance(tags, list) else []
        tags = [tag.translate(SURROGATES) for tag in tags if isinstance(tag, str)]
        result.append((number, join(source, major).translate(SURROGATES), tags))
    return result


def dump(program, paths):
    """What the reader says of each path: its result line and its cells."""
    found, current = {}, None
    for at in range(0, len(paths), 200):
        run = subprocess.run([program] + paths[at : at + 200], stdout=subprocess.PIPE, check=True)
        for line in run.stdout.decode("utf-8").split("\n")[:-1]:
            item = json.loads(line)
            if "file" in item:
                current = found[item["file"]] = (item, [])
            else:
                current[1].append(item)
    return found


def check_refusal(refused, result):
    if result["result"] == 0:
        return "read, but it should be refused: " + refused.why
    first = result["diagnostics"][0]
    place = (first["line"], first["column"])
    if first["kind"] == "json" and refused.place and refused.place != place:
        return "error at %s, Python says %s" % (place, refused.place)
    return None


def check(path, result, cells):
    """What is wrong with the reader's answer, or None."""
    try:
        wanted = load(path)
    except Refused as refused:
        return check_refusal(refused, result)
    if result["result"] != 0:
        return "refused: " + result["diagnostics"][0]["message"]
    code = [(c["number"], c["source"], c["tags"]) for c in cells if c["type"] == "code"]
    for ours, theirs in zip(code, wanted):
        if ours != theirs:
            return "cell %d differs" % theirs[0]
    return None if len(code) == len(wanted) else "%d cells, not %d" % (len(code), len(wanted))


def check_lines(path, cells):
    """Does each cell's source begin on the line of the file that the reader says?"""
    with open(path, "rb") as file:
        lines = file.read().replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for cell in cells:
        if cell["file_line"] == 0:
            continue
        line = lines[cell["file_line"] - 1]
        if not any(key in line for key in (b"source", b"input", b"code", b"text")):
            return "cell %d is not on line %d" % (cell["number"], cell["file_line"])
    return None


def check_other(module, path, result, cells):
    """The same against the load() of a checker given by the caller."""
    try:
        lang, wanted = module.load(path)
    except module.Bad:
        return None if result["result"] != 0 else "read, but the checker refuses it"
    if any("'sage'" in d["message"] for d in result["diagnostics"]):
        return None  # the checker believes language_info
    if lang not in PYTHON:
        return None if result["result"] != 0 else "read, but the checker says " + lang
    wanted = [source.translate(SURROGATES) for _, source, _, own in wanted
              if str(own or "").lower() in PYTHON]
    code = [cell["source"] for cell in cells if cell["type"] == "code"]
    return None if code == wanted else "differs from the checker"


def import_checker(path):
    spec = importlib.util.spec_from_file_location("checker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    checker = import_checker(sys.argv[3]) if len(sys.argv) == 4 else None
    paths = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(sys.argv[2])
        for name in names
        if name.endswith(".ipynb")
    )
    found = dump(sys.argv[1], paths)
    counts, wrong = collections.Counter(), 0
    for path in paths:
        result, cells = found[path]
        problem = check(path, result, cells) or check_lines(path, cells)
        if checker and not problem:
            problem = check_other(checker, path, result, cells)
        if problem:
            wrong += 1
            print("%s: %s" % (path, problem))
        kinds = {d["kind"] for d in result["diagnostics"]}
        counts.update(kinds or {"silent"})
        counts["code cells"] += sum(cell["type"] == "code" for cell in cells)
    print("%d files, %d disagree; %s" % (len(paths), wrong, dict(counts)))
    return 1 if wrong or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
