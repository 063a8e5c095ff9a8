#!/usr/bin/env python3
"""Nothing from a notebook acts on the terminal: escapes in cells, names and paths are shown as
replacement characters."""
import json
import re
import unittest

import yaml

from support import Case, clean_environment, markdown, notebook

ESCAPES = ("\x1b[31mred", "\x1b]0;title\x07", "\x1bc", "\x9b31m", "\u009b31m", "\x08\x08", "\r",
           "\u202ereversed", "\u2066x", "\u2028x", "\x7f", "\x00", "\x07")
# Everything below blank but the line end and the tab, DEL, C1, line separators, bidi controls.
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Terminal(Case):
    def check(self, *arguments):
        for color in (["--color=never"], []):
            done = self.nbscorep(*arguments, *color)
            text = (done.err + (b"" if arguments[0] == "ir" else done.out)).decode("utf-8")
            found = RAW.search(text)
            if found:
                self.fail(f"{found[0]!r} reaches the terminal: "
                          f"{text[max(0, found.start() - 60):found.end() + 40]!r}")
            self.assertNotEqual(done.err, b"", arguments)

    def hostile_notebooks(self, escape):
        yield notebook(f"%nosuch{escape} x")
        yield notebook(f"%nosuch {escape} x")
        yield notebook(f"%%nosuch{escape}\nx{escape}")
        yield notebook(f"x = 1\n%nosuch a\n# {escape}", f"'''{escape}")
        yield notebook(f"x = '{escape}\ny = (")
        yield notebook(f"%%scorep_env\nA{escape}=1\nSCOREP_ENABLE_TRACING={escape}\n{escape}")
        yield notebook(f"%env SCOREP_{escape}=1\n%env SCOREP_TOTAL_MEMORY={escape}")
        yield notebook(f"%%scorep_python_binding_arguments\n--{escape} '", "x = 1")
        yield notebook(f"%%scorep_python_binding_arguments\n--x{escape}", "x = 1")
        yield notebook(f"%%start_writefile ../{escape}", "x = 1", "%%end_writefile")
        yield notebook(f"%%start_writefile a{escape}", "x = 1")
        yield notebook("x = 1", language_info={"name": f"R{escape}"})
        yield notebook("x = 1", kernelspec={"name": escape, "language": f"R{escape}",
                                            "display_name": escape}, language_info={})
        yield json.dumps({"cells": [{"cell_type": f"x{escape}", "source": "y"}],
                          "nbformat": 4, "nbformat_minor": 4, "metadata": {}})
        yield json.dumps({f"cells{escape}": escape})
        yield f'{{"cells": {escape}'.encode("utf-8", "replace")
        yield notebook(f"from __future__ import x{escape}\nfrom __future__ import {escape}")

    def test_in_cells(self):
        for escape in ESCAPES:
            for number, content in enumerate(self.hostile_notebooks(escape)):
                with self.subTest(escape, number=number):
                    self.write("x.ipynb", content)
                    for command in ("check", "build"):
                        done = self.nbscorep(command, "x.ipynb")
                        self.assertNotEqual(done.err, b"")
                        text = (done.err + done.out).decode("utf-8")
                        found = RAW.search(text)
                        self.assertIsNone(found, text)

    def test_in_names(self):
        for escape in ESCAPES:
            if escape in ("\x00",):
                continue
            name = f"a{escape}b.ipynb"
            with self.subTest(name):
                self.check("check", name)  # missing
                self.write(name, b"{")
                self.check("check", name)
                self.write(name, notebook("%nosuch"))
                self.check("check", name)
                self.check("build", name)
                self.check("build", "-v", name)
                self.check("build", "-v", "-o", f"o{escape}.py", name)
                self.check("build", "--output-dir", f"no{escape}", name)
                self.write(f"a{escape}b.py", "mine")
                self.check("build", name)

    def test_in_options(self):
        for words in (["\x1b[31m"], ["build", "--\x1b[31m"], ["build", "-\x1b"],
                      ["build", "--color=\x1b[31m", "x"], ["check", "-W\x1b[31m", "x"],
                      ["magics", "\x1b[31m"], ["help", "\x1b[31m"], ["build", "x\x1b[31m"]):
            with self.subTest(words=words):
                done = self.nbscorep(*words)
                self.assertNotEqual(done.status, 0)
                self.assertNotIn(b"\x1b", done.err + done.out)

    def test_other_formats(self):
        """JSON, SARIF and YAML are shown on terminals, too, and say the same in escapes."""
        text = "".join(ESCAPES) + "\u061c\u200e\u200f ä"
        line = re.sub("[\r\n\x00]", "", text)
        self.write("x.ipynb", notebook(
            f"%nosuch{line}\nx = '{line}'", f"%%scorep_env\nA={line}", markdown(text),
            nbscorep={"env": {"B": line}, "setup": [f"# {line}"]}))
        for words in (["check", "--diagnostics-format=json"], ["ir"], ["ir", "--format=yaml"],
                      ["check", "--diagnostics-format=sarif"], ["check", "--print-config"],
                      ["check", "--print-env"], ["check", "--print-requirements"],
                      ["parameters"], ["build", "-n"], ["build", "-v"], ["run", "-n"]):
            with self.subTest(words):
                done = self.nbscorep(*words, "x.ipynb")
                self.assertEqual(done.status, 0, done)
                for said in done.out, done.err:
                    self.assertIsNone(RAW.search(said.decode("utf-8")), said)
                if words[-1] == "--format=yaml":
                    read = yaml.safe_load(done.out)
                elif words[0] == "ir" or "format" in words[-1]:
                    read = json.loads(done.out)
                else:
                    continue
                self.assertIn("\u202ereversed", self.texts(read))

    def texts(self, value):
        """All in one, so that the marks are not repr()'s."""
        if isinstance(value, dict):
            value = list(value.values())
        return "".join(map(self.texts, value)) if isinstance(value, list) else str(value)

    def test_magics_are_data(self):
        """The scripts hold the text; the run script's messages do not show it raw."""
        self.write("x.ipynb", notebook("print(1)"))
        self.build("-o", "a\x1b[31mb.py", "./x.ipynb")
        self.path("a\x1b[31mb.py").unlink()
        done = self.run_command("bash", "./a\x1b[31mb_run.sh")
        self.assertEqual(done.status, 1)
        self.assertNotIn(b"\x1b", done.err)

    def test_not_in_the_run_script(self):
        """A run script is shown with cat, too."""
        text = re.sub("[\r\n\x00]", "", "".join(ESCAPES)) + "ä"
        self.write("x.ipynb", notebook(f"%%scorep_env\nA={text}", "x = 1"))
        self.build("x.ipynb")
        script = self.path("x_run.sh").read_text()
        self.assertIsNone(RAW.search(script))
        line = next(line for line in script.splitlines() if line.startswith("export A="))
        for locale in "C", "C.UTF-8":
            done = self.run_command("bash", "-c", line + '; printf %s "$A"', env=clean_environment(LC_ALL=locale))
            self.assertEqual(done.out.decode(), text)


if __name__ == "__main__":
    unittest.main()
