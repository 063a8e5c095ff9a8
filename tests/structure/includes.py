#!/usr/bin/env python3
"""Who may include whom (DESIGN: the rooms of src/). Reads the includes and fails on another edge.

Also: the libraries stay behind their doors, and there is no cycle between rooms.
"""
import pathlib
import re
import sys

ALLOWED = {
    "base": {"base"},
    "notebook": {"base", "notebook"},
    "lex": {"base", "notebook", "lex"},
    "scorep": {"base", "scorep"},
    "batch": {"base", "batch"},
    "config": {"base", "config"},
    "ir": {"base", "notebook", "lex", "scorep", "ir"},
    "emit": {"base", "ir", "config", "scorep", "batch", "emit"},
    "run": {"base", "scorep", "run"},
    "monitor": {"base", "monitor"},
    "cli": {"base", "notebook", "lex", "ir", "emit", "config", "scorep", "batch", "run", "monitor",
            "cli"},
}
LIBRARIES = {"jansson.h": "notebook", "yaml.h": "config", "pcre2.h": "lex"}
# What is included by a file that is no room of its own.
ANYWHERE = {"version.h"}


def faults(source):
    for path in sorted(source.rglob("*.[ch]")):
        room = path.relative_to(source).parts[0]
        if room == "main.c":
            room = "cli"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            kind, target = match.groups()
            place = f"{path.relative_to(source)}:{number}"
            if target in LIBRARIES and room != LIBRARIES[target]:
                yield f"{place}: {target} belongs to {LIBRARIES[target]}/"
            elif kind == '"' and target not in ANYWHERE and \
                    target.split("/")[0] not in ALLOWED.get(room, set()):
                yield f"{place}: {room}/ may not include {target}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: includes.py FOLDER")
    source = pathlib.Path(sys.argv[1])
    rooms = {path.name for path in source.glob("*/") if any(path.glob("*.[ch]"))}
    found = list(faults(source))
    if rooms != set(ALLOWED):
        found.append(f"{source}: its rooms are {sorted(rooms)}, the table has {sorted(ALLOWED)}")
    print("\n".join(found) if found else "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
