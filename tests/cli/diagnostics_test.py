#!/usr/bin/env python3
"""Each kind of diagnostic has a case: in the expectations of a fixture, or in a test here."""
import re
import unittest

from support import ROOT, Case

# Kinds that no fixture can show, and the test that does.
ELSEWHERE = {
    "args-unsupported": "supported_test.py",
    "batch-ranks": "slurm_test.py",
    "config-ignored": "config_test.py",
    "io": "build_test.py",
    "metadata-ignored": "untrusted_test.py",
    "missing-file": "filter_test.py",
    "module-not-read": "outside_test.py",
    "newer-python": "verify_test.py",
    "not-read": "outside_test.py",
    "not-verified": "verify_test.py",
    "notebook-code": "trust_test.py",
    "notebook-code-refused": "trust_test.py",
    "outside": "outside_test.py",
    "swept-parameter": "../e2e/sweep_test.py",
    "parameter-value": "parameters_test.py",
    "unused-parameter": "../unit/test_parameters.c",
}


def kinds():
    text = (ROOT / "src/diag/diag.def").read_text()
    return re.findall(r'^DIAG\(\w+, "([\w-]+)", (\w+),', text, re.M)


def shown():
    """kind -> severities with which fixtures show it."""
    found = {}
    for path in (ROOT / "fixtures").glob("*/*/expected/build.stderr"):
        arguments = path.parent.parent / "args"
        if arguments.exists() and "=error" in arguments.read_text():
            continue
        for line in path.read_text(errors="replace").splitlines():
            match = re.match(r".*?: (error|warning|remark): .* \[([\w-]+)\]$", line)
            if match:
                found.setdefault(match[2], set()).add(match[1].upper())
    return found


class Diagnostics(Case):
    def test_each_has_a_case(self):
        found = shown()
        missing = [name for name, _ in kinds() if name not in found and name not in ELSEWHERE]
        self.assertEqual(missing, [])
        table = dict(kinds())
        self.assertEqual(found, {name: {table.get(name)} for name in found})

    def test_elsewhere_is_true(self):
        for name, file in ELSEWHERE.items():
            text = (ROOT / "tests/cli" / file).read_text()
            self.assertIn(f"[{name}]", text)

    def test_names_are_unique_and_no_prefix_is_a_switch(self):
        names = [name for name, _ in kinds()]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual([n for n in names if n in ("error", "help") or n.removeprefix("no-") in set(names) - {n}], [])

    def test_messages(self):
        """Git's grammar: lower case first, no full stop, one line."""
        for path in (ROOT / "fixtures").glob("*/*/expected/build.stderr"):
            for line in path.read_text(errors="replace").splitlines():
                match = re.match(r".*?: (?:error|warning|remark): (.*) \[[\w-]+\]$", line)
                if match:
                    self.assertNotRegex(match[1], r"\.$", path)
                    self.assertNotRegex(match[1], r"^[A-Z](?![A-Z_\d])(?!core-P)", path)


if __name__ == "__main__":
    unittest.main()
