#!/usr/bin/env python3
"""No function of ours is called as one of a library that we link.

    symbols.py LIBRARY PROGRAM

The program's would take the place of the library's own where that library calls it (ELF's symbol
interposition), and a static link would fail. LIBRARY is our archive, PROGRAM what is linked.
"""
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def symbols(*arguments):
    """The names that the file defines for others."""
    return {line.split()[2].partition("@")[0] for line in output("nm", *arguments).splitlines()
            if re.match(r"[0-9a-f]+ [A-TV-Z] ", line)}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours = symbols("--extern-only", sys.argv[1])
    libraries = re.findall(r"=> (/\S+)", output("ldd", sys.argv[2]))
    bad = [f"{name} is also {path}'s" for path in libraries if "san.so" not in path
           for name in sorted(ours & symbols("--dynamic", path))]
    if len(ours) < 100 or not any("jansson" in path for path in libraries):
        bad.append(f"{len(ours)} symbols against {libraries}: that cannot be all")
    print("\n".join(bad) or f"{len(ours)} names, {len(libraries)} libraries")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
