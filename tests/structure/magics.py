#!/usr/bin/env python3
"""A magic means the same in a cell and in get_ipython().run_line_magic(): src/lex/magics.def agrees with the
tables of the runtime package, which has each function."""
import importlib.util
import pathlib
import re
import sys

ROW = re.compile(r'^(?:CALLED|LOWERED)\("([^"]+)", (\w+), (?:\w+, ".*", )?(\w+), "(\w+)", "([^"]*)", \w+, \w+\)$', re.M)


def main():
    source = pathlib.Path(sys.argv[1])
    package = source.parent / "templates" / "scorep_notebook"
    spec = importlib.util.spec_from_file_location("magics", package / "magics.py")
    tables = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tables)
    text = (source / "lex/magics.def").read_text()
    rows = ROW.findall(text)
    called = {(name, form.lower()): (function, front) for name, form, use, function, front in rows
              if form != "ESCAPE" and use in ("CALL", "MEASURED") and "%l" not in front}
    idle = set(re.findall(r'MAGIC\("(\w+)", \w+, NO_EFFECT', text))
    meaning = (source / "ir/build/magic_meaning.c").read_text().partition("interactive_extensions[] =")[2]
    extensions = {name for text in re.findall(r'"([^"]+)"', meaning.partition(";")[0]) for name in text.split()}
    provided = set(re.findall(r"\w+", (package / "__init__.py").read_text()))
    count = len(re.findall(r"^(?:CALLED|LOWERED)\(", text, re.M))
    faults = [f"{len(rows)} of {count} rows are read"] if len(rows) != count else []
    faults += [f"magics.py: {key} is {tables.MAGICS.get(key)}, in magics.def {called.get(key)}"
               for key in sorted(called.keys() | tables.MAGICS.keys())
               if called.get(key) != tables.MAGICS.get(key)]
    faults += [f"magics.py: IDLE disagrees with magics.def on '{name}'" for name in sorted(idle ^ tables.IDLE)]
    faults += [f"magics.py: EXTENSIONS disagrees with magic_meaning.c on '{name}'"
               for name in sorted(extensions ^ tables.EXTENSIONS)]
    faults += [f"__init__.py does not provide '{row[3]}'" for row in rows if row[3] not in provided]
    print("\n".join(faults) or "ok")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
