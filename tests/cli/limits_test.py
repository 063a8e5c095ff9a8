#!/usr/bin/env python3
"""The limits of the reader, and the options that move them."""
import json
import unittest

from support import Case, binary, notebook


def nested(levels, inside="1"):
    return "[" * levels + inside + "]" * levels


class Limits(Case):
    def build(self, *options, status=0):
        done = self.nbscorep("build", "-q", *options, "a.ipynb")
        self.assertEqual(done.status, status, done)
        return done.err.decode()

    def assert_limited(self, text, option, enough, hint):
        """The option refuses what it allows with one more, and says which option it is."""
        err = self.build(option, status=1)
        self.assertIn(f"error: {text} [limit]\n", err)
        self.assertIn(f"hint: use {hint} to permit more\n", err)
        self.assertFalse(self.path("a.py").exists())
        self.build(enough)
        self.assertTrue(self.path("a.py").exists())

    def test_each(self):
        """Of counts and sizes; the option is named with its unit."""
        long, metadata = "b = '" + "x" * 2000 + "'", json.loads(notebook("a = 1"))
        metadata["metadata"]["nbscorep"] = {"env": {"A": "x" * 2000}}
        for text, content, option, enough, hint in (
                ("the notebook has more than 2 cells", notebook("a = 1", "b = 2", "c = 3"), "--max-cells=2",
                 "--max-cells=3", "--max-cells=N"),
                ("the notebook has more than 5 values", notebook("a = 1", "b = 2"), "--max-values=5", "--max-values=100",
                 "--max-values=N"),
                ("the cell's text exceeds 1024 bytes", notebook("a = 1", long), "--max-cell-size=1K",
                 "--max-cell-size=3K", "--max-cell-size=SIZE"),
                ("the metadata's text exceeds 1024 bytes", json.dumps(metadata), "--max-cell-size=1K",
                 "--max-cell-size=3K", "--max-cell-size=SIZE"),
                ("the cells' text exceeds 8192 bytes", notebook(*[long] * 5), "--max-code-size=8K", "--max-code-size=16K",
                 "--max-code-size=SIZE")):
            with self.subTest(text):
                self.write("a.ipynb", content)
                self.assert_limited(text, option, enough, hint)
                self.path("a.py").unlink()

    def test_metadata_that_is_no_object_is_no_part(self):
        """What follows it is not charged to it."""
        self.write("a.ipynb", '{"metadata": 5, "nbformat": "%s"}' % ("x" * 3000))
        self.assertNotIn("metadata's", self.build("--max-cell-size=1000", status=1))

    def test_more_files_than_descriptors(self):
        sections = [f"%%start_writefile p{i}\n{i}" for i in range(60)]
        cells = [text for section in sections for text in (section, "%%end_writefile")]
        self.write("a.ipynb", notebook(*cells))
        self.run_command("bash", "-c", f"ulimit -n 40; exec '{binary()}' build -q a.ipynb")
        self.assertEqual(len(list(self.folder.glob("p*_run.sh"))), 60)
        self.assertEqual(len(self.files()), 121)

    def test_nesting(self):
        whole = json.loads(notebook("a = 1"))
        whole["metadata"]["x"] = 0
        text = json.dumps(whole).replace('"x": 0', f'"x": {nested(1500)}')
        self.write("a.ipynb", text)
        self.assert_limited("the JSON is nested more than 1501 levels deep", "--max-nesting=1501",
                            "--max-nesting=1502", "--max-nesting=N")
        self.assertIn("more than 1000 levels deep", self.build("--force", status=1))

    def test_nesting_of_what_is_kept(self):
        """It is parsed by jansson, which has a limit of its own, and so have values."""
        whole = json.loads(notebook("a = 1"))
        whole["metadata"]["nbscorep"] = 0
        for levels, says in (100, "values nest too deeply"), (5000, "maximum parsing depth reached near '['"):
            self.write("a.ipynb", json.dumps(whole).replace('"nbscorep": 0', f'"nbscorep": {nested(levels)}'))
            self.assertIn(f"error: metadata.nbscorep: {says} [config-syntax]\n",
                          self.build("--max-nesting=1M", status=1))

    def test_one(self):
        self.write("a.ipynb", notebook("a = 1", "b = 2"))
        self.assertIn("more than 1 cell [", self.build("--max-cells=1", status=1))
        self.assertIn("more than 1 value [", self.build("--max-values=1", status=1))
        self.assertIn("more than 1 level deep [", self.build("--max-nesting=1", status=1))

    def test_notebooks_that_are_included(self):
        self.write("b.ipynb", notebook("b = 1", "c = 2", "d = 3"))
        self.write("a.ipynb", notebook("%run b.ipynb"))
        self.assertIn("b.ipynb:", self.build("--max-cells=2", status=1))
        self.build("--max-cells=3")

    def test_numbers(self):
        self.write("a.ipynb", notebook("a = 1"))
        for text in ("0", "-1", "", "1Q", "K", "1KK", "1.5", "9" * 30, "99999999999G", "1 ",
                     "2048M", "2G", str(2047 * 1024 * 1024 + 1)):
            done = self.nbscorep("build", f"--max-cells={text}", "a.ipynb")
            self.assertEqual((done.status, done.err.decode().splitlines()[0]), (
                2, "nbscorep: '--max-cells' requires a number from 1 to 2047M, such as 5000 or 64M, not "
                f"'{text}'"))
        for text in "1", "1K", "2M", "1G", "2047M":
            self.build(f"--max-cells={text}")


if __name__ == "__main__":
    unittest.main()
