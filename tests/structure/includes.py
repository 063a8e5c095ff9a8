#!/usr/bin/env python3
"""Which room of src/ may include which (src/README.md). Reads the includes and fails on another edge.

A room includes only rooms above it in the table, so there is no cycle. A library is included by one room.
Each header brings base/base.h, so no file repeats what that includes, but for the headers that it is made of.
"""
import pathlib
import re
import sys

ALLOWED = {  # in order, each besides itself
    "base": [],
    "diag": ["base"],
    "notebook": ["base", "diag"],
    "lex": ["base", "diag", "notebook"],
    "scorep": ["base", "diag"],
    "batch": ["base", "diag"],
    "settings": ["base", "diag"],
    "ir": ["base", "diag", "lex", "settings"],
    "ir/build": ["base", "diag", "notebook", "lex", "scorep", "settings", "ir"],
    "ir/lower": ["base", "diag", "notebook", "lex", "scorep", "settings", "ir", "ir/build"],
    "ir/pass": ["base", "diag", "notebook", "lex", "scorep", "settings", "ir", "ir/build",
                "ir/lower"],
    "emit": ["base", "diag", "scorep", "batch", "settings", "ir", "ir/lower"],
    "process": ["base"],
    "driver": ["base", "diag", "notebook", "lex", "scorep", "batch", "settings", "ir", "ir/build",
               "emit", "process"],
    "record": ["base"],
    "sample": ["base"],
    "trace": ["base", "record", "sample"],
    "report": ["base", "sample", "trace"],
    "run": ["base", "diag", "scorep", "batch", "settings", "ir", "emit", "process", "driver",
            "sample", "trace", "report"],
}
ALLOWED["cli"] = list(ALLOWED)
LIBRARIES = {"jansson.h": "base", "yaml.h": "settings", "pcre2.h": "lex", "otf2/otf2.h": "trace",
             "expat.h": "trace"}
# What is included by a file that is in no room.
ANYWHERE = {"version.h"}


def faults(source):
    common = set(re.findall(r'#include [<"]([^>"]+)', (source / "base/base.h").read_text()))
    for path in sorted(source.rglob("*.[ch]")):
        room = str(path.parent.relative_to(source))
        if room == ".":
            room = "cli"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+([<"])([^>"]+)[>"]', line)
            if not match:
                continue
            kind, target = match.groups()
            place = f"{path.relative_to(source)}:{number}"
            if target in common and room != "record" and \
                    str(path.relative_to(source)) not in common | {"base/base.h"}:
                yield f"{place}: base/base.h includes {target}"
            if target in LIBRARIES and room != LIBRARIES[target]:
                yield f"{place}: {target} belongs to {LIBRARIES[target]}/"
            elif kind == '"' and target not in ANYWHERE and \
                    target.rpartition("/")[0] not in [room, *ALLOWED.get(room, [])]:
                yield f"{place}: {room}/ may not include {target}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: includes.py FOLDER")
    source = pathlib.Path(sys.argv[1])
    rooms = {str(path.parent.relative_to(source)) for path in source.rglob("*.[ch]")} - {"."}
    found = list(faults(source))
    if rooms != set(ALLOWED):
        found.append(f"{source}: its rooms are {sorted(rooms)}, the table has {sorted(ALLOWED)}")
    order = list(ALLOWED)
    found += [f"the table: {room}/ is above {other}/, which it may include"
              for room, others in ALLOWED.items() for other in others
              if order.index(other) >= order.index(room)]
    print("\n".join(found) if found else "ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
