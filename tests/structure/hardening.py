#!/usr/bin/env python3
"""Is an optimised program hardened? Reads it with readelf.

    hardening.py PROGRAM
"""
import os
import re
import subprocess
import sys


def readelf(program, *options):
    done = subprocess.run(["readelf", "--wide", *options, program], check=True, text=True,
                          stdout=subprocess.PIPE, env=dict(os.environ, LC_ALL="C"))
    return done.stdout


def faults(program):
    """What the program lacks."""
    header = readelf(program, "--file-header")
    segments = readelf(program, "--program-headers")
    dynamic = readelf(program, "--dynamic")
    symbols = set(re.findall(r"\bUND (\w+)", readelf(program, "--dyn-syms")))
    stack = re.search(r"GNU_STACK(?:\s+0x[0-9a-f]+){5}\s+([RWE ]+?)\s+0x", segments)
    rights = re.findall(r"^  LOAD(?:\s+0x[0-9a-f]+){5}\s+([RWE ]+?)\s+0x", segments, re.M)
    if not re.search(r"^\s*Type:\s+DYN\b", header, re.M) or \
       not re.search(r"\(FLAGS_1\).*PIE", dynamic):
        yield "no position-independent executable"
    if "GNU_RELRO" not in segments:
        yield "no GNU_RELRO"
    if not re.search(r"BIND_NOW|\(FLAGS_1\).*\bNOW\b", dynamic):
        yield "symbols are bound late (no -z now)"
    if not stack or "E" in stack[1]:
        yield "the stack can be executed"
    if not rights or any("W" in r and "E" in r for r in rights):
        yield "a segment can be written and executed"
    if "__stack_chk_fail" not in symbols:
        yield "no stack protector"
    if not any(name.endswith("_chk") for name in symbols):
        yield "no functions of _FORTIFY_SOURCE"
    if "(TEXTREL)" in dynamic or re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        yield "text relocations, or a path to libraries"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(faults(sys.argv[1]))
    print("\n".join(f"{sys.argv[1]}: {fault}" for fault in found) or "hardened")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
