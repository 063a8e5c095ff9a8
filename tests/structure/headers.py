#!/usr/bin/env python3
"""A name leads to one file: file names are unique, and each header declares the functions of its own .c.

What a table declares (a .def included in a header) is found by the table. A function is a line that
begins a definition in K&R style, as clang-format leaves them.
"""
import collections
import pathlib
import re
import sys

COMMENTS = re.compile(r"/\*.*?\*/|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
DEFINITION = re.compile(r"^(?!static\b|typedef\b)[a-z_][\w \*]*?\b(\w+)\([^;{}]*\)\s*\n\{", re.M)
DECLARATION = re.compile(r"^(?!static\b|typedef\b)[a-z_][\w \*()\",]*?\b(\w+)\([^;{}]*\);", re.M)


def code_of(path):
    return COMMENTS.sub("", path.read_text(encoding="utf-8"))


def faults(source):
    files = [path for path in sorted(source.rglob("*")) if path.suffix in (".c", ".h", ".def")]
    places = collections.defaultdict(list)
    for path in files:
        places[path.name].append(str(path.relative_to(source)))
    for name, found in places.items():
        if len(found) > 1:
            yield f"{name} is the name of several files: {', '.join(found)}"
    owner = {}
    for path in files:
        if path.suffix == ".c":
            owner |= dict.fromkeys(DEFINITION.findall(code_of(path)), path)
    if len(owner) < 500:
        yield f"{source}: only {len(owner)} functions were found"
    for path in files:
        if path.suffix != ".h":
            continue
        for name in DECLARATION.findall(code_of(path)):
            if name in owner and owner[name].with_suffix(".h") != path:
                yield f"{path.relative_to(source)}: {name}() is defined in " \
                      f"{owner[name].relative_to(source)}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: headers.py FOLDER")
    found = list(faults(pathlib.Path(sys.argv[1])))
    print("\n".join(found) if found else "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
