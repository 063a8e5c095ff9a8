#!/usr/bin/env python3
"""The places in the notebook of a script's lines, the titles and the sources of its cells."""
import importlib
import pathlib
import sys
import tempfile
import unittest

import scripts

sys.path.insert(1, str(scripts.FOLDER))
places = importlib.import_module(f"{scripts.PACKAGE}.places")

HEAD = """\
# Compiled by nbscorep from a b.ipynb. Edit the notebook, then build again. To run it: ab_run.sh
# nbscorep build 234a8da3a2f9e058
import scorep_notebook_0_1_3fa9c1b2 as scorep_notebook  # the folder beside this file
import scorep.instrumenter, scorep.user
"""
# "# <- FILE CELL LINE" at the end of a line: its place; "-" is None.
CELLS = HEAD + r'''
# %% [markdown]
# # Heat equation  # <- - - -

# %% injected parameters
with scorep.instrumenter.disable():
    n = 5  # <- - - -

# %% cell 2
with scorep.user.region("cell 2"):  # <- - 2 0
    a = 1  # <- - 2 1

    b = 2  # <- - 2 3
    text = """
# %% cell 99
"""
    c = 3  # <- - 2 7

# %% cell 3
with scorep.user.region("cell 3"), scorep_notebook.capture("out"):
    # \%%capture out
    print("captured")  # <- - 3 2

# %% cell 4
with scorep.instrumenter.disable("cell 4"): scorep_notebook.script("bash ", (
        # \%%bash
        "echo hi\n"  # <- - 4 2
    ))

# %% cell 5
async def _cell_5():
    global x, y  # names of the notebook
    x = await f()  # <- - 5 1
    y = x  # <- - 5 2
with scorep.user.region("cell 5"): scorep_notebook.run_async(_cell_5)

# %% cell 6
with scorep.user.region("cell 6"):
    pass  # %run other.ipynb
    with scorep_notebook.include("other.ipynb"):

        # %% other.ipynb cell 1
        with scorep.user.region("other.ipynb cell 1"):
            y = 1  # <- other.ipynb 1 1

        # %% other.ipynb cell 2
        with scorep.user.region("other.ipynb cell 2"):
            pass  # %load text.py  # <- other.ipynb 2 1

            # %% text.py line 1
            z = 1
            w = 2  # <- text.py - 2

            # %% other.ipynb cell 2 line 2
            v = 3  # <- other.ipynb 2 2

    # %% cell 6 line 2
    print(y)  # <- - 6 2

# %% cell 7
scorep_notebook.first = 1  # <- - 7 1

# %% cell 8
if True:
        if x:  # <- - 8 1
        	y = 2

# %% cell 9
with scorep.user.region("cell 9"):
    with scorep.user.region("cell 9"):  # <- - 9 1
        pass  # <- - 9 2

# %% cell 10
# only a comment

# %% cell 11
with scorep.user.region("cell 11"):
    # a comment in a group
    pass

# %% cell 12
with scorep.instrumenter.disable("cell 12"):
    print("a title that is so long that it does not fit into the seventy-two characters of a title")
'''
TITLES = [
    (2, "a = 1  # <- - 2 1"), (3, 'print("captured")  # <- - 3 2'), (5, "x = await f()  # <- - 5 1"),
    (6, "pass  # %run other.ipynb"), (7, "scorep_notebook.first = 1  # <- - 7 1"),
    (9, 'with scorep.user.region("cell 9"):  # <- - 9 1'), (11, "# a comment in a group"),
    (12, 'print("a title that is so long that it does not fit into the seventy-two...')]


class PlacesTest(unittest.TestCase):
    def script(self, text):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        path = pathlib.Path(holder.name, "script.py")
        path.write_text(text, encoding="utf-8")
        return str(path)

    def test_lines(self):
        found, checked = places.Places(self.script(CELLS)), 0
        for number, line in enumerate(CELLS.splitlines(), 1):
            text, arrow, expected = line.rpartition("# <- ")
            if arrow:
                checked += 1
                file, cell, row = (None if word == "-" else word for word in expected.split())
                place = None if row is None else (file, cell and int(cell), int(row))
                self.assertEqual(found.find(number), place, f"line {number}: {line}")
        self.assertEqual(checked, CELLS.count("# <- "))

    def test_lines_of_the_head(self):
        found = places.Places(self.script(CELLS))
        self.assertEqual([found.find(line) for line in range(1, 6)], [None] * 5)

    def test_titles(self):
        rows = dict(places.Places(self.script(CELLS)).cells())
        self.assertEqual([(number, rows.get(number)) for number, _ in TITLES], TITLES)
        self.assertNotIn(10, rows)
        self.assertNotIn(99, rows)

    def test_title_of_a_program(self):
        rows = dict(places.Places(self.script(CELLS)).cells())
        self.assertEqual(rows[4], "echo hi")

    def test_text_that_is_no_python(self):
        for end in "'''", "  x\n y\n", "(\n", "?\n":
            with self.subTest(end):
                text = HEAD + "\n# %% cell 1\nwith scorep.user.region(\"cell 1\"):\n    a = 1\n" + end
                found = places.Places(self.script(text))
                self.assertEqual(found.find(8), (None, 1, 1))

    def test_name_of_the_notebook(self):
        self.assertEqual(places.Places(self.script(HEAD)).notebook(), "a b.ipynb")
        self.assertEqual(places.Places(self.script("print(1)\n")).notebook(), "")
        self.assertEqual(places.Places(self.script("")).notebook(), "")

    def test_sources(self):
        section = '\n# %% [raw] sources\n# 2: "a = 1\\n\\"x\\""\n# 4: "%%bash\\necho hi"\n'
        self.assertEqual(places.sources(self.script(CELLS + section)),
                         {2: 'a = 1\n"x"', 4: "%%bash\necho hi"})
        self.assertEqual(places.sources(self.script(CELLS)), {})


if __name__ == "__main__":
    unittest.main()
