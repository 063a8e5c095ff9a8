#!/usr/bin/env python3
"""Compares nbscorep's table of Score-P variables with one read off an installation.

usage: compare_variables.py TABLE.tsv DUMP
TABLE.tsv: name, type, default, allowed values; tab-separated, lines that start with # are comments.
DUMP: the same, as `test_scorep variables` prints it ("-": standard input).
"""
import sys


def read(path):
    stream = sys.stdin if path == "-" else open(path, encoding="utf-8")
    rows = {}
    with stream:
        for line in stream:
            if line.startswith("#") or not line.strip():
                continue
            fields = (line.rstrip("\n").split("\t") + [""] * 4)[:4]
            rows[fields[0]] = fields[1:]
    return rows


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    expected, got = read(sys.argv[1]), read(sys.argv[2])
    wrong = [f"missing: {name}" for name in expected.keys() - got.keys()]
    wrong += [f"not in the table: {name}" for name in got.keys() - expected.keys()]
    for name in expected.keys() & got.keys():
        if expected[name] != got[name]:
            wrong.append(f"{name}: expected {expected[name]}, got {got[name]}")
    if not expected or not got:
        wrong.append("nothing to compare")
    print("\n".join(sorted(wrong)) or f"{len(got)} variables agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
