#!/usr/bin/env python3
"""Adds up what a run of ctest and the programs that it started report. Exit status 0: all passed.

    summary.py JUNIT-FILE [COUNTS-FILE]

COUNTS-FILE is what run.py wrote: the tests of each program. A test of ctest that is not in it counts as
one, and one that ended without its counts as one that failed. Prints each skipped test and the sums.
"""
import json
import os
import sys
import xml.etree.ElementTree as ElementTree


def read_counts(path):
    """Name of a ctest test -> its counts, the last ones where it was run again."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return {row["name"]: row for row in map(json.loads, file)}


def count(case):
    """Passed, failed, and reasons of those skipped, of a test case of ctest."""
    name, status = case.get("name"), case.get("status")
    if status == "fail":
        return 0, 1, []
    if status == "run":
        return 1, 0, []
    skipped = case.find("skipped")
    reason = skipped.get("message", "") if skipped is not None else status
    return 0, 0, [f"{name}: {reason}"]


def total(junit, counts):
    passed = failed = 0
    skipped = []
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        own = counts.get(case.get("name"))
        if own is None or (case.get("status") == "fail" and not own["failed"]):
            more = count(case)
        else:
            more = own["passed"], own["failed"], [f"{case.get('name')}: {each}"
                                                  for each in own["skipped"]]
        passed, failed = passed + more[0], failed + more[1]
        skipped += more[2]
    return passed, failed, skipped


def main():
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    passed, failed, skipped = total(sys.argv[1], read_counts(*sys.argv[2:] or [None]))
    for each in skipped:
        print(f"skipped: {each}")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
