#!/usr/bin/env python3
"""SARIF 2.1.0 against a transcription of the part of its schema that is used, and against the rules
that a schema cannot say. NBSCOREP_SARIF_SCHEMA may name the whole official schema besides."""
import json
import pathlib
import re
import unittest
import urllib.parse

import jsonschema

from support import FIXTURES, Case, code, markdown, notebook, setting

SUBSET = pathlib.Path(__file__).parent / "data/sarif-subset.json"
WHOLE = setting("NBSCOREP_SARIF_SCHEMA")
# RFC 3986: a relative reference without query, or a file URI; its first part has no colon.
URI = re.compile(r"(?:file://(?=/))?(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+")


def validator(path):
    schema = json.loads(pathlib.Path(path).read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema, format_checker=jsonschema.FormatChecker())


VALIDATORS = [validator(path) for path in (SUBSET, WHOLE) if path]


class Sarif(Case):
    def check(self, *names, cwd=None):
        done = self.nbscorep("check", "--no-verify", "--diagnostics-format=sarif", *names, cwd=cwd)
        self.assertEqual(done.err, b"")
        report = json.loads(done.out)
        self.check_document(report, pathlib.Path(cwd or self.folder))
        return report["runs"][0]["results"]

    def check_document(self, report, folder):
        for each in VALIDATORS:
            self.assertEqual([(list(e.absolute_path), e.message) for e in each.iter_errors(report)], [])
        run = report["runs"][0]
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        seen = set()
        for result in run["results"]:
            self.assertEqual(rules[result["ruleIndex"]], result["ruleId"])
            self.check_place(result, folder)
            uri, region = place(result)
            mark = uri, result["partialFingerprints"]["sourceLine/v1"], result["ruleId"]
            self.assertNotIn(mark, seen)
            seen.add(mark)
            self.assertGreater(region.get("endColumn", 2), region.get("startColumn", 1))

    def check_place(self, result, folder):
        """The URI is a file's, and the region's line is in it."""
        uri, region = place(result)
        self.assertRegex(uri, f"^{URI.pattern}$")
        path = folder / urllib.parse.unquote_to_bytes(uri.removeprefix("file://")).decode()
        if result["ruleId"] == "io":
            return
        self.assertTrue(path.exists(), uri)
        if region:
            lines = path.read_bytes().count(b"\n") + 1
            self.assertLessEqual(region["startLine"], lines)

    def test_fixtures(self):
        """Each notebook of the golden cases; together they show nearly every kind."""
        kinds = set()
        for name in FIXTURES:
            notebooks = sorted(p.name for p in FIXTURES[name].glob("*.ipynb"))
            if notebooks:
                with self.subTest(name):
                    kinds |= {r["ruleId"] for r in self.check(*notebooks, cwd=FIXTURES[name])}
        self.assertGreater(len(kinds), 50)

    def test_the_very_line(self):
        """Where each line of a cell is a line of the file, as editors write it."""
        document = json.loads(notebook(
            markdown("a\nb"), "%nosuch1", "x = 1\n\n%nosuch2 \"é\\\"\ny = 2\n%nosuch3\n",
            code("%nosuch4\n1")))
        for cell in document["cells"]:
            cell["source"] = cell["source"].splitlines(keepends=True)
        self.write("x.ipynb", json.dumps(document, indent=1))
        lines = lines_of(self.path("x.ipynb"))
        results = self.check("x.ipynb")
        found = {re.search(r"%nosuch\d", r["message"]["text"])[0]: place(r)[1]["startLine"] for r in results}
        self.assertEqual(found, {name: next(i for i, line in enumerate(lines, 1) if name in line)
                                 for name in (f"%nosuch{n}" for n in (1, 2, 3, 4))})

    def test_what_is_no_cell(self):
        """It has a number, but no place."""
        document = json.loads(notebook("1", "%nosuch", "2"))
        document["cells"].insert(0, 7)
        self.write("x.ipynb", json.dumps(document, indent=1))
        _, result = self.check("x.ipynb")
        lines = self.path("x.ipynb").read_text().splitlines()
        self.assertIn("%nosuch", lines[place(result)[1]["startLine"] - 1])

    def test_lines_that_are_not_those_of_the_file(self):
        """Then the cell's first line stands for all of its lines."""
        def cell(*source):
            return json.dumps({"cells": [code(list(source))], "metadata": {}, "nbformat": 4, "nbformat_minor": 4})
        layouts = {
            "one line": cell("1\n", "%nosuch"),
            "one text": json.dumps(json.loads(notebook("1\n%nosuch")), indent=1),
            "two in an item": json.dumps(json.loads(cell("1\n2\n", "3\n", "%nosuch")), indent=1),
            "blank lines": json.dumps(json.loads(cell("1\n", "%nosuch")), indent=1).replace(
                '"1\\n",', '"1\\n",\n\n'),
            "half lines": json.dumps(json.loads(cell("1\n", "%no", "such")), indent=1),
        }
        for name, text in layouts.items():
            with self.subTest(name):
                self.write("x.ipynb", text)
                result, = self.check("x.ipynb")
                line = place(result)[1]["startLine"]
                self.assertIn('"source"', lines_of(self.path("x.ipynb"))[line - 1])

    def test_fingerprints(self):
        """They outlive what is added, moved or renamed, and tell equal lines apart."""
        def prints(*cells, name="x.ipynb"):
            self.write(name, notebook(*cells))
            return [(r["partialFingerprints"]["sourceLine/v1"]) for r in self.check(name)]
        one, two = prints("%nosuch a", "%nosuch b")
        self.assertNotEqual(one, two)
        self.assertEqual(prints("1", "%nosuch b", markdown("x"), "2\n  \n%nosuch a"), [two, one])
        self.assertEqual(prints("%nosuch b", name="y.ipynb"), [two])
        same = prints("%nosuch a", "%nosuch a\n%nosuch a")
        self.assertEqual([same[0], len(set(same))], [one, 3])
        self.assertEqual({text.split(":")[0] for text in same}, {one.split(":")[0]})
        self.assertEqual(prints("%nosuch a\n%nosuch b"), [one, two])
        self.assertEqual(prints("if 1:\n    %nosuch a"), [one])
        self.write("same.ipynb", notebook("%nosuch a"))
        both = self.check("x.ipynb", "same.ipynb")
        self.assertEqual([r["partialFingerprints"]["sourceLine/v1"] for r in both], [one, one])

    def test_names_of_files(self):
        names = ["with blank.ipynb", "sub/é%20#?.ipynb", "a:b.ipynb", "-x.ipynb", "[1]&'\".ipynb",
                 "back\\slash.ipynb"]
        for name in names:
            self.write(name, notebook("%nosuch"))
        uris = [place(r)[0] for r in self.check("--", *names)]
        self.assertEqual([urllib.parse.unquote(uri) for uri in uris], names)
        self.assertEqual(uris[:3], ["with%20blank.ipynb", "sub/%C3%A9%2520%23%3F.ipynb", "a%3Ab.ipynb"])
        result, = self.check(str(self.path("with blank.ipynb")))
        self.assertEqual(place(result)[0], f"file://{self.folder}/with%20blank.ipynb")


def place(result):
    """(URI, region) of a result."""
    physical = result["locations"][0]["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical.get("region", {})


def lines_of(path):
    return path.read_text().split("\n")


if __name__ == "__main__":
    unittest.main()
