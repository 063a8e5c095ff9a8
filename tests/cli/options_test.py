#!/usr/bin/env python3
"""The command line: options, commands, help, reports for programs, dumps."""
import collections
import json
import os
import re
import subprocess
import unittest

from support import FIXTURES, ROOT, Case, clean_environment, notebook, setting

try:
    import yaml
except ImportError:
    yaml = None

COMMANDS = ("build", "run", "submit", "check", "ir", "parameters", "monitor", "results", "magics", "doctor",
            "completion", "where", "help", "init", "schema", "record", "report")
WARN = notebook("x = 1\n%nosuchmagic arg\n", "%%enable_multicellmode\nx", "%%finalize_multicellmode")
BAD = notebook("%%enable_multicellmode", "x = 1")


def rows():
    """The tables of options as the user sees them: short, long, type, argument, commands."""
    text = (ROOT / "src" / "settings" / "settings.def").read_text()
    found = []
    for m in re.finditer(r"^(?:BUILD_)?OPTION\('(.*?)', (NULL|\"(.*?)\"), (\w+), [\w.]+, (NULL|\"(.*?)\"), "
                         r"\w+, (.*?), \"", text, re.M):
        commands = re.findall(r"ON\((\w+)\)", m[7])
        if "BUILD" in commands and "NOT_RUN" not in m[7]:  # run and submit take it, too
            commands += "RUN", "SUBMIT"
        found.append({"short": "" if m[1] == "\\0" else m[1], "long": m[3], "type": m[4],
                      "argument": m[6],
                      "commands": [c.lower() for c in commands] or list(COMMANDS)})
    return found


def spelling(row):
    """What a user types, without the argument."""
    if row["long"] is None:
        return "-" + row["short"]
    return ("-" if row["long"] in ("MD", "MF") else "--") + row["long"]


# Words that are refused, and parts of what is said about them.
WRONG = [
    (["build"], "'build'", "notebook"), (["check"], "'check'", "notebook"), (["ir"], "'ir'", "notebook"),
    (["run", "--", "heat.ipynb"], "arguments after '--' are the script's"),
    (["submit", "--", "heat.ipynb"], "arguments after '--' are the script's"),
    (["buidl"], "'buidl'", "did you mean 'build'?"), (["zzzzzz"], "unknown command 'zzzzzz'"),
    ([""], "unknown command ''"),
    (["heat.ipynb"], "did you mean 'run heat.ipynb'?"),
    (["run", "--monitor", "0.1", "heat.ipynb"], "cannot open notebook '0.1'; did you mean '--monitor=0.1'?"),
    (["run", "--monitor=soon", "heat.ipynb"], "'--monitor' requires seconds from"),
    (["submit", "--monitor=soon", "heat.ipynb"], "'--monitor' requires seconds from"),
    (["run", "--no-scorep", "--if-available", "heat.ipynb"], "exclude each other"),
    (["submit", "--no-scorep", "--if-available", "heat.ipynb"], "exclude each other"),
    (["run", "--no-scorep", "--vampir", "heat.ipynb"], "exclude each other"),
    (["run", "--no-scorep", "--report", "heat.ipynb"], "exclude each other"),
    (["monitor", "python3", "-c", "1"], "unknown option '-c'", "'--' comes before the command"),
    (["record", "python3", "-c", "1"], "unknown option '-c'", "'--' comes before the command"),
    (["build", "--set=python", "heat.ipynb"], "'--set' requires KEY=VALUE, not 'python'"),
    (["build", "--ouput=x", "heat.ipynb"], "'--ouput=x'", "'--output'"),
    (["build", "--forse", "heat.ipynb"], "did you mean '--force'?"),
    (["build", "-Z", "heat.ipynb"], "'-Z'"), (["build", "-nZ", "heat.ipynb"], "Z"),
    (["check", "--force", "heat.ipynb"], "'--force'", "'check'"), (["--force"], "--force"),
    (["ir", "heat.ipynb", "heat.ipynb"],), (["help", "nope"],), (["help", "report", "run"],),
    (["build", "--force=yes", "heat.ipynb"], "--force", "no argument"),
    (["build", "--dry-run=", "heat.ipynb"], "--dry-run", "no argument"),
    *((["build", "heat.ipynb", option], "argument", option) for option in (
        "-o", "--output", "--output-dir", "-MF", "-W", "--instrument", "--color", "--diagnostics-format"))]


class Usage(Case):
    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook("x = 1"))

    def wrong(self, *arguments, says=()):
        before = self.files()
        done = self.nbscorep(*arguments)
        self.assertEqual((done.status, done.out), (2, b""), done)
        self.assertTrue(done.err.startswith(b"nbscorep: "), done)
        for word in says:
            self.assertIn(word.encode(), done.err)
        self.assertEqual(self.files(), before)

    def test_no_command(self):
        done = self.nbscorep()
        self.assertEqual((done.status, done.out), (2, b""))
        self.assertEqual(done.err, self.nbscorep("--help").out)

    def test_wrong(self):
        for words, *says in WRONG:
            with self.subTest(words):
                self.wrong(*words, says=says)

    def test_hint_names_the_command(self):
        for words, help in ((["run"], " run"), (["build", "--nosuch"], " build"), (["nosuch"], ""),
                            (["report", "--cell=x", "a"], " report")):
            self.assertTrue(self.nbscorep(*words).err.endswith(f"\ntry 'nbscorep{help} --help'\n".encode()), words)

    def test_one_suggestion(self):
        for arguments in (["build", "--ouptut", "x"], ["ir", "--fromat", "x"],
                          ["monitor", "--froce"], ["build", "-MQ"]):
            done = self.nbscorep(*arguments)
            self.assertEqual(done.err.count(b"did you mean"), 1, done)

    def test_bad_choice(self):
        for row in rows():
            if row["type"] != "CHOICE":
                continue
            command = row["commands"][0]
            for word in ("nope", "", "a|b", row["argument"]):
                self.wrong(command, f"--{row['long']}={word}", "heat.ipynb",
                           says=[f"--{row['long']}", f"'{word}'", *row["argument"].split("|")])

    def test_good_choices(self):
        for row in rows():
            if row["type"] == "CHOICE" and "build" in row["commands"]:
                for word in row["argument"].split("|"):
                    for form in ([f"--{row['long']}={word}"], [f"--{row['long']}", word]):
                        done = self.nbscorep("build", "-q", *form, "heat.ipynb")
                        self.assertEqual(done.status, 0, done)
                        self.path("heat.py").unlink()

    def test_end_of_options(self):
        self.write("-o", notebook("x = 1"))
        self.write("--force", notebook("x = 1"))
        self.build("--", "-o", "--force")
        self.assertLessEqual({"-o.py", "-o_run.sh", "--force.py", "--force_run.sh"}, set(self.files()))

    def test_order(self):
        """Options follow the notebook, an argument looks like an option, and the last of two counts."""
        self.build("heat.ipynb", "-qq", "-o", "a.py", "-o", "-x.py", "-MD")
        self.assertEqual(set(self.files()), {"heat.ipynb", "-x.py", "-x_run.sh", "-x.d"})

    def test_very_long_option(self):
        done = self.nbscorep("build", "--" + "x" * 100_000, "heat.ipynb")
        self.assertEqual(done.status, 2)
        self.assertLess(len(done.err), 10_000)


class Switches(Case):
    def setUp(self):
        super().setUp()
        self.write("warn.ipynb", WARN)
        self.write("clean.ipynb", notebook("x = 1"))

    def kinds(self, *switches, name="warn.ipynb"):
        done = self.nbscorep("check", "--diagnostics-format=json", *switches, name)
        found = [(d["severity"], d["kind"]) for d in json.loads(done.out)["diagnostics"]]
        return done.status, found

    def test_off_and_on(self):
        self.assertEqual(self.kinds(), (0, [("warning", "unknown-magic"), ("warning", "code-ignored")]))
        self.assertEqual(self.kinds("-Wno-unknown-magic"), (0, [("warning", "code-ignored")]))
        self.assertEqual(self.kinds("-W", "no-unknown-magic", "-Wno-code-ignored"), (0, []))
        self.assertEqual(self.kinds("-Wno-unknown-magic", "-Wunknown-magic"), self.kinds())

    def test_error(self):
        errors = (1, [("error", "unknown-magic"), ("error", "code-ignored")])
        self.assertEqual(self.kinds("-q", "-Werror=code-ignored"), (1, [("error", "code-ignored")]))
        self.assertEqual(self.kinds("-Werror"), errors)
        self.assertEqual(self.kinds("-Wno-unknown-magic", "-Werror", "-Wunknown-magic"), errors)
        self.assertEqual(self.kinds("-Werror=code-ignored"),
                         (1, [("warning", "unknown-magic"), ("error", "code-ignored")]))
        self.assertEqual(self.kinds("-Werror", "-Wno-error=unknown-magic"),
                         (1, [("warning", "unknown-magic"), ("error", "code-ignored")]))
        self.assertEqual(self.kinds("-Wno-unknown-magic", "-Werror"), (1, [("error", "code-ignored")]))
        self.assertEqual(self.kinds("-Werror", name="clean.ipynb"), (0, []))
        self.write("remark.ipynb", notebook("%load_ext autoreload"))
        self.assertEqual(self.kinds("-Werror", name="remark.ipynb"), (0, [("remark", "no-effect-magic")]))
        self.assertEqual(self.kinds("-Werror=no-effect-magic", name="remark.ipynb"), (1, [("error", "no-effect-magic")]))
        self.assertEqual(self.kinds("-Wno-no-effect-magic", name="remark.ipynb"), (0, []))

    def test_error_writes_nothing(self):
        done = self.nbscorep("build", "-Werror", "warn.ipynb")
        self.assertEqual(done.status, 1)
        self.assertEqual(set(self.files()), {"warn.ipynb", "clean.ipynb"})

    def test_unknown(self):
        for switch in ("-Wnope", "-Wno-nope", "-Werror=nope", "-Werror=", "-Wno-", "-W",
                       "-Wno-io", "-Wno-error", "-WERROR"):
            words = [switch] if switch != "-W" else ["-W", ""]
            done = self.nbscorep("build", *words, "clean.ipynb")
            self.assertEqual((done.status, set(self.files())), (2, {"warn.ipynb", "clean.ipynb"}), (switch, done))
        self.ended(2, b"unknown-magic", "check", "-Wno-unknwon-magic", "clean.ipynb")

    def test_help(self):
        """-Whelp lists every kind of diag.def with what it means."""
        text = (ROOT / "src/diag/diag.def").read_text()
        names = re.findall(r'^DIAG\(\w+, "([\w-]+)"', text, re.M)
        self.assertGreater(len(names), 30)
        for command in (["check", "-Whelp"], ["check", "-Whelp", "clean.ipynb"],
                        ["build", "-W", "help"], ["run", "-Whelp"], ["submit", "-Whelp"]):
            done = self.nbscorep(*command)
            self.assertEqual((done.status, done.err), (0, b""), done)
            for name in names:
                self.assertIn(name.encode(), done.out)


class Colour(Case):
    def setUp(self):
        super().setUp()
        self.write("warn.ipynb", WARN)

    def shown(self, *options, **environment):
        status, text = self.on_terminal("stderr", "check", *options, "warn.ipynb", env=clean_environment(**environment))
        self.assertEqual(status, 0)
        return b"\x1b[" in text

    def piped(self, *options, **environment):
        done = self.nbscorep("check", *options, "warn.ipynb", env=clean_environment(**environment))
        self.assertIn(b"unknown-magic", done.err)
        return b"\x1b[" in done.err

    def test_piped(self):
        self.assertFalse(self.piped())
        self.assertFalse(self.piped("--color=auto"))
        self.assertFalse(self.piped("--color=never"))
        self.assertTrue(self.piped("--color=always"))
        self.assertTrue(self.piped("--color=always", NO_COLOR="1", TERM="dumb"))

    def test_terminal(self):
        self.assertTrue(self.shown())
        self.assertTrue(self.shown(NO_COLOR=""))
        self.assertFalse(self.shown(NO_COLOR="1"))
        self.assertFalse(self.shown(TERM="dumb"))
        self.assertFalse(self.shown(TERM=None))
        self.assertFalse(self.shown("--color=never"))
        self.assertTrue(self.shown("--color=always", NO_COLOR="1"))

    def test_json_is_never_coloured(self):
        done = self.nbscorep("check", "--color=always", "--diagnostics-format=json", "warn.ipynb")
        self.assertNotIn(b"\x1b", done.out)
        self.assertEqual(len(json.loads(done.out)["diagnostics"]), 2)


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.write("warn.ipynb", WARN)
        self.write("bad name é.ipynb", BAD)
        self.write("broken.ipynb", b'{"cells": [\n  x')
        self.names = ["warn.ipynb", "bad name é.ipynb", "broken.ipynb", "missing.ipynb"]

    def check(self, form, *more):
        done = self.nbscorep("check", f"--diagnostics-format={form}", *(more or self.names))
        self.assertEqual(done.err, b"")
        return done.status, json.loads(done.out)

    def test_json(self):
        status, report = self.check("json")
        self.assertEqual(status, 3)
        self.assertEqual(set(report), {"diagnostics", "errors", "warnings"})
        self.assertEqual((report["errors"], report["warnings"]), (3, 2))
        found = {d["kind"]: d for d in report["diagnostics"]}
        magic = found["unknown-magic"]
        self.assertEqual({k: magic[k] for k in ("file", "cell", "line", "column", "length", "severity",
                                                "text")},
                         {"file": "warn.ipynb", "cell": 1, "line": 2, "column": 1, "length": 16,
                          "severity": "warning", "text": "%nosuchmagic arg"})
        self.assertEqual(found["open-multicell"]["file"], "bad name é.ipynb")
        self.assertEqual((found["json"]["line"], "cell" in found["json"]), (2, False))
        self.assertEqual(found["io"]["file"], "missing.ipynb")
        self.assertNotIn("line", found["io"])

    def test_json_of_nothing(self):
        self.write("clean.ipynb", notebook("x = 1"))
        self.assertEqual(self.check("json", "clean.ipynb"), (0, {"diagnostics": [], "errors": 0, "warnings": 0}))

    def test_json_beside_output(self):
        for command in "build", "ir":
            done = self.nbscorep(command, "--diagnostics-format=json", "warn.ipynb")
            self.assertEqual((done.status, bool(done.out)), (0, command == "ir"))
            self.assertEqual(json.loads(done.err)["warnings"], 2)

    def test_places_point_at_the_text(self):
        """For every fixture: the place lies in the cell, and `text` is that line of it."""
        seen = 0
        for name in FIXTURES:
            folder = self.path(f"cases/{name}")
            arguments = self.copy_fixture(name, folder)
            file = arguments[-1]
            done = self.nbscorep("check", "--diagnostics-format=json", file, cwd=folder)
            report = json.loads(done.out)
            for diag in report["diagnostics"]:
                if not diag.get("cell") or not diag.get("line") or "text" not in diag:
                    continue
                try:
                    cells = json.loads((folder / diag["file"]).read_bytes())["cells"]
                except (ValueError, KeyError, TypeError, RecursionError):
                    continue
                source = cells[diag["cell"] - 1].get("source", "")
                source = source if isinstance(source, str) else "".join(s for s in source if isinstance(s, str))
                lines = re.split("\r\n|\r|\n", source.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
                if "\ud800" in source or len(lines) < diag["line"]:
                    continue
                line = lines[diag["line"] - 1]
                with self.subTest(name, diag=diag):
                    self.assertEqual(line, diag["text"])
                    self.assertLessEqual(diag["column"] - 1 + diag["length"], len(line))
                    seen += 1
        self.assertGreater(seen, 30)

    def test_file_name_that_is_no_text(self):
        name = os.fsencode(self.folder) + b"/\xff\xfe.ipynb"
        with open(name, "wb") as out:
            out.write(WARN)
        for form in ("json", "sarif", "text"):
            done = self.nbscorep("check", f"--diagnostics-format={form}", b"\xff\xfe.ipynb")
            (done.out + done.err).decode("utf-8")
            if form != "text":
                json.loads(done.out)
        printed = self.nbscorep("ir", "--format=yaml", b"\xff\xfe.ipynb").out.decode("utf-8")
        self.assertIn(r'notebook: "\uFFFD\uFFFD.ipynb"', printed)


class Help(Case):
    def test_each_command(self):
        self.assertGreater(len(rows()), 80)
        for command in COMMANDS:
            texts = [self.nbscorep(*words) for words in ([command, "--help"], [command, "-h"], ["help", command],
                                                         [command, "missing.ipynb", "--help"])]
            for done in texts:
                self.assertEqual((done.status, done.err), (0, b""))
                self.assertEqual(done.out, texts[0].out)
            text, examples = texts[0].out.decode().split("\nExamples:\n")
            self.assertIn(f"nbscorep {command}" if command != "where" else "nbscorep where make", examples)
            lines = texts[0].out.decode().splitlines()
            self.assertLessEqual(max(map(len, lines)), 80)
            for line, after in zip(lines, lines[1:]):  # a line ends where the next word does not fit
                if line.startswith(" " * 12) and after.startswith(" " * 12):
                    self.assertGreater(len(f"{line} {after.split()[0]}"), 80)
            wanted = collections.defaultdict(bool)  # several rows may have the same name
            for row in rows():
                for word in [spelling(row)] + (["-" + row["short"]] if row["short"] else []):
                    wanted[word] |= command in row["commands"]
            for word, is_wanted in wanted.items():
                found = re.search(rf"(^|[ ,]){re.escape(word)}($|[ ,=[A-Z])", text, re.M)
                self.assertEqual(bool(found), is_wanted, f"{command} --help and {word}: {found}")

    def test_examples_are_understood(self):
        """Each option of an example is one of its command."""
        lines = re.findall(r'EXAMPLE\((\w+), "((?:\\\\.|[^"])*)"', (ROOT / "src/cli/examples.def").read_text())
        self.assertGreater(len(lines), 30)
        for command, line in lines:
            own = [spelling(row) for row in rows() if command.lower() in row["commands"]]
            short = ["-" + row["short"] for row in rows() if command.lower() in row["commands"]]
            for word in line.split(" -- ")[0].split():
                if word.startswith("-"):
                    self.assertIn(word.split("=")[0], own + short, line)

    def test_general(self):
        for words in (["--help"], ["-h"], ["help"]):
            done = self.nbscorep(*words)
            self.assertEqual((done.status, done.err), (0, b""))
            for command in COMMANDS:
                self.assertIn(f"  {command} ", done.out.decode())

    def test_manual_names_all_its_pages(self):
        pages = {page.name[:-len(".in")] for page in (ROOT / "man").glob("*.in")}
        also = (ROOT / "man/nbscorep.1.in").read_text().partition('.SH "SEE ALSO"')[2]
        named = re.findall(r"(?m)^\.BR (\S+) \((\d)\)", also.replace("\\-", "-"))
        self.assertEqual({f"{name}.{section}" for name, section in named}, pages - {"nbscorep.1"})

    def test_manual_tables(self):
        """Entries of each table in roff: bold names, what belongs to them, a sentence."""
        for table, entry in (
                ("magics", r"\fB%time\fR, \fB%%time\fR"), ("magics", "\n.TP\n" r"\fB%%execute_with_scorep\fR" "\n"
                 "Run the cell under Score\\-P.\n.br\nThe cell is instrumented.\n.TP\n"), ("magics", r"\fB%cd\fR" "\n"),
                ("diagnostics", r"\fBlone\-surrogate\fR (warning)" "\nA lone surrogate escape was replaced by U+FFFD.\n"),
                ("commands", r"\fBnbscorep build\fR NOTEBOOK..." "\n"), ("metrics", r"\fBcpu\fR (counter, ns)" "\n"),
                ("metrics", r"\fBthreads\fR (gauge)" "\nThreads.\n"), ("levels", r"\fBsystem\fR" "\nThe whole node.\n"),
                ("blocks", r"\fBforeign\fR" "\n"), ("config", r"\fBranks\fR (a whole number)" "\n"),
                ("features", r"\fBmeasure with the recorder\fR" "\nneeds Python, nbscorep\\(aqs recorder.\n"),
                ("things", r"\fBC compiler\fR" "\na program on PATH, \\fBcc\\fR.\n"),
                ("diagnostics", "Only \\fBnbscorep run\\fR opens Vampir.\n"),
                ("sbatch", r"\fBaccount\fR" "\nThe account that is charged.\n"), ("buildkeys", r"\fBMD\fR," "\n")):
            done = subprocess.run([setting("NBSCOREP_MANUAL_TABLES"), f"{table}-table"], capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertIn(entry, done.stdout.decode())

    def test_version(self):
        for words in (["--version"], ["-V"], ["build", "--version"], ["check", "-V"]):
            done = self.nbscorep(*words)
            self.assertEqual(done.status, 0)
            self.assertRegex(done.out.decode(), r"^nbscorep \d+\.\d+")


class Magics(Case):
    def test_all(self):
        table = re.findall(r'^(?:MAGIC|CALLED)\("(.*?)"', (ROOT / "src/lex/magics.def").read_text(), re.M)
        done = self.nbscorep("magics")
        self.assertEqual((done.status, done.err), (0, b""))
        for name in table:
            self.assertRegex(done.out.decode(), rf"(?m)^(%, %%|%%?)?{re.escape(name)}: ")

    def test_named(self):
        for name in ("%%time", "%time", "time"):
            done = self.nbscorep("magics", name)
            self.assertEqual((done.status, done.err), (0, b""))
            self.assertRegex(done.out.decode(), r"^%, %%time: .*\n +in batch: .*\n$")
        done = self.nbscorep("magics", "%%execute_with_scorep", "!")
        self.assertEqual(done.out.count(b"in batch"), 2)

    def test_unknown(self):
        done = self.nbscorep("magics", "nope")
        self.assertEqual((done.status, done.out), (2, b""))
        self.assertIn(b"'nope'", done.err)
        self.assertIn(b"did you mean 'time'?", self.nbscorep("magics", "%%tiem").err)
        self.assertEqual(self.nbscorep("magics", "").status, 2)
        self.assertEqual(self.nbscorep("magics", "%%").status, 2)


class Dump(Case):
    @unittest.skipIf(yaml is None, "python3-yaml is not installed")
    def test_yaml_is_the_same(self):
        compared = 0
        for name in FIXTURES:
            folder = self.path(f"cases/{name}")
            arguments = self.copy_fixture(name, folder)
            arguments = [a for a in arguments if not re.match("-MD|--source-map", a)]
            as_json = self.nbscorep("ir", "-q", *arguments, cwd=folder)
            as_yaml = self.nbscorep("ir", "-q", "--format=yaml", *arguments, cwd=folder)
            with self.subTest(name):
                self.assertEqual(as_json.status, as_yaml.status)
                if as_json.status == 0:
                    self.assertEqual(json.loads(as_json.out), yaml.safe_load(as_yaml.out))
                    compared += 1
        self.assertGreater(compared, 25)

    @unittest.skipIf(yaml is None, "python3-yaml is not installed")
    def test_odd_texts(self):
        texts = ["yes", "no", "1", "1.5", "null", "~", "", " ", "a: b", "- a", "#x", "x #y", "'",
                 '"', "\\", "a\nb", "a\r\nb", "a\rb", "\ta", "a\t", " a", "a ", "a\n", "\na", "a\n\n",
                 "\u2028", "\u0085", "\x7f", "\U0001f600", "é", "{", "[", "!x", "&x", "*x", "|", ">",
                 "%x", "@x", "`x", "---", "...", "2001-01-01", "0x1", "1e3", ".inf", "=", "<<",
                 "true", "True", "\ufeffx", "\x01", "\x1b[31m", "x" * 5000, "a\n  b\n c\n",
                 "\n\n\n", "a\u2029b"]
        for text in texts:
            self.write("x.ipynb", notebook({"cell_type": "markdown", "metadata": {}, "source": text}))
            with self.subTest(text):
                as_json = json.loads(self.nbscorep("ir", "-q", "x.ipynb").out)
                as_yaml = self.nbscorep("ir", "-q", "--format=yaml", "x.ipynb").out
                self.assertEqual(as_json, yaml.safe_load(as_yaml))

    def test_from_standard_input(self):
        """The manual has the version; a notebook with errors has no IR."""
        done = self.nbscorep("ir", "-", stdin=notebook("x = 1"))
        found = json.loads(done.out)
        self.assertEqual(found["programs"][0]["blocks"][0]["code"], "x = 1")
        self.assertIn(f"version {found['nbscorep_ir']}",
                      (ROOT / "man/nbscorep-ir.5.in").read_text().lower().replace("\\", ""))
        done = self.nbscorep("ir", "-", stdin=BAD)
        self.assertEqual((done.status, done.out), (1, b""))


if __name__ == "__main__":
    unittest.main()
