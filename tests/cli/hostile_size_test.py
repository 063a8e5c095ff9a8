#!/usr/bin/env python3
"""Notebooks that are large on purpose, streamed into nbscorep: each is built, or refused with a
place, in little memory."""
import subprocess
import tempfile
import unittest

from support import Case, binary, clean_environment, setting

# A sanitizer's own memory fits into no limit, and its time says that sizes should be smaller.
SANITIZED = bool(setting("NBSCOREP_SANITIZE"))
MB = 1_000_000
LARGE = MB * (50 if SANITIZED else 1000)
TIMEOUT = 300
HEAD = b'{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": ['
END = b"]}"
CELL = b'{"cell_type": "code", "metadata": {}, "outputs": [], "source": "x = 1"}'


class times:
    """COUNT times UNIT, in parts."""

    def __init__(self, unit, count):
        self.unit, self.count = unit, count

    def __iter__(self):
        part = max(1, min(self.count, MB // len(self.unit)))
        block = self.unit * part
        for _ in range(self.count // part):
            yield block
        yield self.unit * (self.count % part)


def cell(key, *value):
    """A notebook of one cell, in which KEY has that value."""
    first = b'{"source": "x = 1", "cell_type": "code", "%s": ' % key
    return (HEAD, first, *value, b"}", END)


class Streamed(Case):
    def build(self, *parts, limit=None, arguments=()):
        """A build of what PARTS, bytes or iterables of such, are together, in LIMIT megabytes."""
        words = [binary(), "build", "-o", "x.py", *arguments, "-"]
        if limit and not SANITIZED:
            words = ["bash", "-c", f'ulimit -v {limit * 1024}; exec "$@"', "-", *words]
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(words, cwd=self.folder, env=clean_environment(), stderr=said,
                                       stdin=subprocess.PIPE)
            self.feed(process.stdin, parts)
            status = process.wait(TIMEOUT)
            said.seek(0)
            return status, said.read()

    def feed(self, stream, parts):
        try:
            with stream:
                for part in parts:
                    for block in [part] if isinstance(part, bytes) else part:
                        stream.write(block)
        except BrokenPipeError:  # it has read enough
            pass

    def works(self, *parts, limit=100, **more):
        status, said = self.build(*parts, limit=limit, **more)
        self.assertEqual((status, said), (0, b""))
        self.assertEqual(set(self.files()), {"x.py", "x_run.sh"})
        self.path("x.py").unlink()
        self.path("x_run.sh").unlink()

    def refused(self, says, *parts, limit=100, place=r"1:\d+", **more):
        status, said = self.build(*parts, limit=limit, **more)
        self.assertEqual(status, 1, said[:300])
        self.assertRegex(said.decode(), f"\\A<stdin>(:{place})?: error: {says}")
        self.assertLess(len(said), 10_000)
        self.assertEqual(self.files(), {})


class Bombs(Streamed):
    def test_nesting(self):
        says = "the JSON is nested more than 1000 levels deep"
        for unit, column in (b"[", 1001), (b'{"a":', 5001):
            self.refused(says, times(unit, MB), place=f"1:{column}")
            self.refused(says, *cell(b"outputs", times(unit, MB)))
            self.refused(says, *cell(b"metadata", times(unit, MB)))
            self.refused(says, HEAD[:-1], times(unit, MB))
            self.refused(says, b'{"metadata": {"nbscorep": ', times(unit, MB))

    def test_nesting_that_is_allowed(self):
        """A limit is lifted by its option, and what it was against costs what it holds."""
        self.works(*cell(b"outputs", times(b"[", MB), times(b"]", MB)), limit=200,
                   arguments=["--max-nesting=2000000"])
        self.refused("unexpected end of file", times(b"[", MB), limit=200, arguments=["--max-nesting=2000000"])

    def test_numbers(self):
        for number in ([times(b"1", LARGE // 10)], [b"-0.", times(b"0", MB)],
                       [b"1e", times(b"9", MB)], [b"1e-", times(b"9", MB)], [b"1e999999999"],
                       [b"-1E+99999999999999999999"]):
            self.works(*cell(b"outputs", *number))
        self.works(*cell(b"execution_count", times(b"1", MB)))
        self.refused("nbformat .* is newer than 4", b'{"cells": [], "nbformat": ', times(b"4", MB), b"}")
        self.refused("not a Jupyter notebook: its 'nbformat' is not", b'{"cells": [], "nbformat": ' b"1e999999999}")
        self.refused("unexpected end of file", HEAD, times(b"1", MB))

    def test_long_strings(self):
        """A gigabyte in an output is passed over; in a source it is refused after 16 MiB."""
        self.works(*cell(b"outputs", b'["', times(b"a", LARGE), b'"]'))
        self.works(*cell(b"attachments", b'{"', times(b"a", LARGE // 10), b'": 1}'))
        self.works(b'{"', times(b"k", LARGE // 10), b'": 1, "nbformat": 4, "cells": []}')
        self.works(*cell(b"outputs", b'["', times(b"\\u0000", MB), times(b"\\ud83d\\ude00", MB),
                         times(b"\\ud800", MB), b'"]'))
        says = "the cell's text exceeds 16 MiB"
        for key in b"source", b"id", b"cell_type":
            self.refused(says, *cell(key, b'"', times(b"a", LARGE), b'"'))
        self.refused(says, *cell(b"source", b'["', times(b'aaaaaaaaaaaaaaaaa\\n","', MB), b'"]'))
        self.refused(says, *cell(b"metadata", b'{"tags": ["', times(b"t", LARGE), b'"]}'))

    def test_many_things(self):
        """Ten million cells, empty ones, outputs; a million keys that are the same, tags."""
        cells = "the notebook has more than 100000 cells"
        values = "the notebook has more than 1000000 values"
        for one in CELL, b"{}":
            self.refused(cells, HEAD, times(one + b", ", 10 * MB))
        self.refused("the notebook has more than", b'{"nbformat": 3, "worksheets": [{"cells": [',
                     times(b"{}, ", 10 * MB))
        self.works(*cell(b"outputs", b"[{}", times(b",{}", LARGE // 100), b"]"))
        self.works(*cell(b"outputs", b"[0", times(b",[0,{}]", MB), b"]"))
        self.works(*cell(b"outputs", b'{"a": 1', times(b', "a": 1', MB), b"}"))
        self.refused(values, *cell(b"outputs", b"[]", times(b', "source": "x"', MB)))
        self.refused(values, b'{"nbformat": 4', times(b', "cells": []', 2 * MB))
        self.refused(values, *cell(b"metadata", b'{"tags": ["t"', times(b', "t"', MB), b"]}"))
        self.refused("the metadata's text exceeds", b'{"metadata": {"nbscorep": {"env": {"A": "b"',
                     times(b', "A": "b"', 2 * MB), b"}}}")

    def test_blanks(self):
        lines = LARGE // 100
        self.refused("expected the end of the file, found ']'", HEAD, END, times(b" \n", lines),
                     b"]", place=f"{lines + 1}:1")
        self.refused("expected .* found ']'", times(b"\r\n", lines), b"]", place=f"{lines + 1}:1")
        self.refused("unexpected end of file in 'x'", times(b" ", lines), b"x",
                     place=f"1:{lines + 1}")

    def test_many_faults(self):
        """They are found in the order of the cells, and each has its place."""
        count = 2_000
        fault = b'{"cell_type": "odd", "source": 5}, '
        status, said = self.build(HEAD, times(fault, count), CELL, END, limit=500)
        lines = said.splitlines()
        self.assertEqual((status, len(lines)), (0, 2 * count + 1), lines[:3])
        self.assertTrue(lines[-2].startswith(b"<stdin>:cell %d: warning: " % count), lines[-2])


class Memory(Streamed):
    @unittest.skipIf(SANITIZED, "its own memory fits into no limit")
    def test_limit_is_one(self):
        """That the limit of these tests holds anything: text that is kept does not fit."""
        status, said = self.build(*cell(b"source", b'"', times(b"a", 16 * MB), b'"'), limit=25)
        self.assertEqual((status, b"out of memory" in said), (3, True), said)

    @unittest.skipIf(SANITIZED, "its own memory fits into no limit")
    def test_texts_that_do_not_fit(self):
        """Wherever memory ends: jansson alone would go on with a part of the text."""
        for limit in range(20, 80, 5):
            for key, *value in ((b"metadata", b'{"tags": ["', times(b"t", 15 * MB), b'"]}'),
                                (b"source", b'"', times(b"# a", 5 * MB), b'"'),
                                (b"source", b'"a"}], "metadata": {"nbscorep": {"env": {"A": "', times(b"t", 15 * MB),
                                 b'"}}}, "nbformat_minor": 5, "x": [{"y": 1')):
                status, said = self.build(*cell(key, *value), limit=limit)
                if (status, said) != (0, b""):
                    self.assertEqual((status, said), (3, b"nbscorep: out of memory: -\n"))
                    self.assertEqual(self.files(), {})
                for path in self.folder.glob("x*"):
                    path.unlink()


if __name__ == "__main__":
    unittest.main()
