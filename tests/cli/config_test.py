#!/usr/bin/env python3
"""nbscorep.yaml: layers, profiles, mistakes, what comes of it."""
import json
import os
import re
import unittest

import jsonschema
import yaml

from support import (FIXTURES, IS_ROOT, NOBODY, Case, binary, clean_environment, code, notebook,
                     setting)

OTHER_SYSTEM = setting("NBSCOREP_OTHER_SYSTEM")

# name: (text, line, column, kind, part of the message)
MISTAKES = {
    "tab": ("env:\n\tA: 1\n", 2, 1, "syntax", "tab"),
    "tab behind blanks": ("env:\n  A: 1\n  \tB: 2\n", 3, 3, "syntax", "tab"),
    "indented too far": ("env:\n  A: 1\n    B: 2\n", 3, 6, "syntax", "a key is not allowed here"),
    "indented too little": ("env:\n    A: 1\n  B: 2\n", 3, 3, "syntax", "fits neither"),
    "list in the wrong column": ("args:\n  - a\n - b\n", 3, 2, "syntax", "fits neither"),
    "two colons": ("python: a: b\n", 1, 10, "syntax", "a key is not allowed here"),
    "no colon": ("ranks\npython: x\n", 2, 7, "syntax", "a key is not allowed here"),
    "no colon in a map": ("ranks: 1\npython\nlauncher: x\n", 2, 1, "syntax", "no ':'"),
    "end in a list": ("args: [a,\n", 2, 1, "syntax", "a '[' or '{' before is not closed"),
    "open quotes": ("python: \"x\n", 1, 9, "syntax", "not closed"),
    "open bracket": ("args: [a, b\n", 1, 7, "syntax", "'[' opens"),
    "open brace": ("env: {A: 1\n", 1, 6, "syntax", "'{' opens"),
    "missing comma": ("args: [a b\n, c] d\n", 2, 6, "syntax", ""),
    "no value in a list": ("args: [a, , b]\n", 1, 11, "syntax", "a value is missing here"),
    "bad escape": ("python: \"\\q\"\n", 1, 10, "syntax", "escape"),
    "list behind a key": ("args: - a\n", 1, 7, "syntax", "block sequence entries are not allowed in this context"),
    "map after a list": ("- a\nb: c\n", 2, 1, "syntax", "the line fits neither the list above"),
    "text after the end": ("{ranks: 1}}\n", 1, 11, "syntax", "did not find expected <document start>"),
    "star": ("args: *\n", 1, 8, "syntax", "did not find expected alphabetic or numeric character"),
    "at sign": ("python: @x\n", 1, 9, "syntax", "begin with this character"),
    "percent sign": ("python: %x\n", 1, 9, "syntax", "begin with this character"),
    "duplicate key": ("ranks: 1\nranks: 2\n", 2, 1, "syntax", "already on line 1"),
    "duplicate variable": ("env:\n  A: 1\n  A: 2\n", 3, 3, "syntax", "already on line 2"),
    "unknown alias": ("env: *no\n", 1, 6, "syntax", "no anchor"),
    "alias in itself": ("env: &a\n  B: *a\n", 2, 6, "syntax", "its own anchor"),
    "anchor bomb": ("a0: &a0 [x]\n" + "".join(
        f"a{i}: &a{i} [{','.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 20)),
        6, 22, "syntax", "65536 keys and values"),
    "deep nesting": ("parameters: " + "[" * 100_000, 1, 77, "syntax", "64 levels"),
    "two documents": ("ranks: 1\n---\nranks: 2\n", 2, 1, "syntax", "second document"),
    "list as a key": ("[a]: 1\n", 1, 1, "syntax", "a key must be one word"),
    "template as a value": ("{{ a }}: 1\n", 1, 2, "syntax", "a key must be one word"),
    "Python's tag": ("env: !!python/object/apply:os.system [ls]\n", 1, 6, "syntax", "'!!python"),
    "tag": ("ranks: !!int 4\n", 1, 8, "syntax", "'!!int' is not supported"),
    "undefined tag": ("ranks: !x!y 4\n", 1, 8, "syntax", "tag"),
    "merge of a text": ("env:\n  <<: text\n", 2, 7, "syntax", "'<<' requires maps"),
    "two merges": ("a: &x {}\nb:\n  <<: *x\n  <<: *x\n", 4, 3, "syntax", "only one '<<'"),
    "not UTF-8": (b"env:\n  A: \xe4\n", 2, 6, "syntax", "0xE4 is not UTF-8"),
    "UTF-16": ("ranks: 1\n".encode("utf-16"), 1, 1, "syntax", "0xFF is not UTF-8"),
    "NUL": ("env: {A: \0}\n", 1, 10, "syntax", "U+0000"),
    "escaped NUL": ('env: {A: "\\0"}\n', 1, 10, "syntax", "NUL"),
    "control character": ("env: {A: \x1b[1m}\n", 1, 10, "syntax", "U+001B"),
    "line separator": ("env: {A: \u2028}\n", 1, 10, "syntax", "U+2028"),
    "list for a map": ("- env\n- args\n", 1, 1, "value", "a configuration requires a map"),
    "text for a map": ("SCOREP_ENABLE_TRACING=true\n", 1, 1, "value", "a configuration requires a map"),
    "unknown key": ("enviroment: {A: 1}\n", 1, 1, "key", "unknown key"),
    "key in upper case": ("Env: {A: 1}\n", 1, 1, "key", "unknown key"),
    "profiles in a profile": ("profiles:\n  a:\n    profiles: {}\n", 3, 5, "key", "'profiles'"),
    "env as a list": ("env: [A=1]\n", 1, 6, "value", "'env' requires a map"),
    "list in env": ("env: {A: [1]}\n", 1, 10, "value", "requires a text or a number"),
    "name of a variable": ("env: {A-B: 1}\n", 1, 7, "value", "is not a variable name"),
    "read-only variable": ("env: {PPID: 1}\n", 1, 7, "value", "is read-only in bash"),
    "args as a map": ("args: {--verbose: ~}\n", 1, 7, "value", "a list of words"),
    "list in args": ("args: [a, [b]]\n", 1, 11, "value", "words in its list"),
    "python as a number": ("python: 3.11\n", 1, 9, "value", "requires a text"),
    "empty python": ("python: ''\n", 1, 9, "value", "is empty"),
    "ranks as a text": ("ranks: '4'\n", 1, 8, "value", "a whole number"),
    "no ranks": ("ranks: 0\n", 1, 8, "value", "a number of processes"),
    "negative ranks": ("ranks: -4\n", 1, 8, "value", "a number of processes"),
    "too many ranks": ("ranks: 99999999999999999999\n", 1, 8, "value", "a number of processes"),
    "modules as a map": ("modules: {gcc: 13}\n", 1, 10, "value", "a list of names"),
    "number in setup": ("setup: [cd x, 5]\n", 1, 15, "value", "lines in its list"),
    "slurm as a list": ("slurm: [time=5]\n", 1, 8, "value", "requires a map"),
    "map in slurm": ("slurm: {time: {a: 1}}\n", 1, 15, "value", "a text, a number or a list"),
    "unknown sbatch option": ("slurm: {tmie: 5}\n", 1, 9, "slurm", "tmie"),
    "unknown build option": ("build: {no-ecko: true}\n", 1, 9, "key", "cannot set 'no-ecko'"),
    "option of the command line": ("build: {force: true}\n", 1, 9, "key", "cannot set"),
    "key in build": ("build: {ranks: 4}\n", 1, 9, "key", "a key of its own"),
    "text for a flag": ("build: {no-echo: maybe}\n", 1, 18, "value", "true or false"),
    "no such choice": ("build: {instrument: some}\n", 1, 21, "value", "marked|all|none"),
    "folder outside": ("build: {output-dir: ../x}\n", 1, 21, "value", "below"),
    "absolute folder": ("build: {output-dir: /x}\n", 1, 21, "value", "below"),
    "profiles as a list": ("profiles: [a]\n", 1, 11, "value", "a map of profiles"),
    "profile as a text": ("profiles: {a: b}\n", 1, 15, "value", "a map of keys"),
    "mistake in an unused profile": ("profiles: {a: {ranks: x}}\n", 1, 23, "value", "whole number"),
    "inherits a number": ("profiles: {a: {inherits: 5}}\n", 1, 26, "value", "a profile's name"),
    "too many variables": ("env:\n" + "".join(f"  A{i}: 1\n" for i in range(3000)),
                           2050, 3, "value", "'env' has more than 2048"),
    "too many profiles": ("profiles:\n" + "".join(f"  A{i}:\n" for i in range(3000)),
                          1, 1, "value", "more than 2048 profiles"),
    "bindings' argument": ("args: --thread=none --help\n", 1, 7, "args", ""),
    "open quotes in args": ("args: \"'x\"\n", 1, 7, "args", "never closed"),
}


class ConfigCase(Case):
    def setUp(self):
        super().setUp()
        self.write("x.ipynb", notebook("1 + 1"))
        self.env = clean_environment(XDG_CONFIG_HOME=str(self.path("home")))

    def config(self, text, name="nbscorep.yaml"):
        return self.write(name, text)

    def printed(self, what, *options, path="x.ipynb", command=None, **more):
        done = self.run_command(command or binary(), "check", "-q", "--no-verify", what, *options,
                                path, **{"env": self.env} | more)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out.decode()

    def exports(self, *options, **more):
        """Name -> (value, origin) of what the run script exports, without what is built in."""
        lines = [line.split("  # ") for line in
                 self.printed("--print-env", *options, **more).splitlines()[1:]]
        return {name.split("=")[0][7:]: (name.split("=", 1)[1], origin)
                for name, origin in lines if origin != "built in"}

    def origins(self, *options, **more):
        """key or key.name -> (value, origin) of --print-config."""
        text = self.printed("--print-config", *options, **more)
        found, key = {}, None
        for line in text.splitlines()[1:]:
            match = re.match(r'^(  )?(?:- |"?([\w.-]+)"?:) ?(.*?)(?:  # (.*))?$', line)
            if match[1] is None:
                key = match[2]
            if match[4]:
                found[key if match[1] is None else f"{key}.{match[2]}"] = (match[3], match[4])
        yaml.safe_load(text)
        return found

    def refused(self, *options, path="x.ipynb", **more):
        done = self.nbscorep("build", *options, path, **{"env": self.env} | more)
        self.assertEqual(done.status, 1, done)
        self.assertFalse(self.path("x.py").exists())
        self.assertFalse(self.path("x_run.sh").exists())
        return done.err.decode()


class Mistakes(ConfigCase):
    def test_table(self):
        """One clear error at its place, and no output."""
        self.assertGreaterEqual(len(MISTAKES), 40)
        for name, (text, line, column, kind, message) in MISTAKES.items():
            with self.subTest(name):
                self.config(text)
                err = self.refused()
                place = f":{line}:{column}" if line else ""
                self.assertRegex(err, rf"(?m)^nbscorep\.yaml{place}: error: .*"
                                      rf"{re.escape(message)}.* \[.*{kind}.*\]$")
                self.assertRegex(err, r"(^|\n)1 error(, 1 warning)?\n$")

    def test_large_file(self):
        with self.path("nbscorep.yaml").open("wb") as file:
            file.truncate(100 << 20)
        self.assertIn("nbscorep.yaml: error: more than 1048576 bytes", self.refused())

    def test_folder_and_unreadable(self):
        self.ended(3, b"[io]", "build", "--config", ".", "x.ipynb", env=self.env)
        self.ended(3, b"cannot read 'no.yaml'", "build", "--config", "no.yaml", "x.ipynb", env=self.env)
        for name, says in ("", b"'--config=' has no value"), ("-", b"'--config' requires a file"):
            done = self.nbscorep("build", "--config", name, "x.ipynb", env=self.env)
            self.assertEqual((done.status, done.err.splitlines()[0]), (2, b"nbscorep: " + says))

    def test_once_per_call(self):
        self.config("rank: 1\n")
        self.write("y.ipynb", notebook("1"))
        err = self.refused("y.ipynb")
        self.assertEqual(err.count("unknown key"), 1)
        self.assertFalse(self.path("y.py").exists())

    def test_metadata(self):
        for config, message in ((5, "requires a map"), ({"rank": 1}, "unknown key 'rank'"),
                                ({"build": {"force": True}}, "cannot set"),
                                ({"env": {"A": "a\0"}}, "cannot contain a NUL"), ([[[]]], "requires a map")):
            self.write("x.ipynb", notebook("1", nbscorep=config))
            self.assertRegex(self.refused(), rf"(?m)^x\.ipynb:1: error: .*{message}")

    def test_set(self):
        for text, message in (("=1", "unknown key ''"), ("env.=1", "'' is not a variable name"),
                              ("ranks.x=1", "requires a whole number, not a map"), ("ranks=[", "is not closed"),
                              ("rank=1", "did you mean 'ranks'"), ("environment.A=1", "did you mean 'env'"),
                              ("env=1", "requires a map")):
            self.assertIn(message, self.refused("--set", text), text)


class Layers(ConfigCase):
    def test_precedence(self):
        """Each layer is stronger than those above it in the list."""
        if OTHER_SYSTEM is None:
            self.skipTest("NBSCOREP_OTHER_SYSTEM is not set")
        names = ["system/nbscorep.yaml", "home/nbscorep/config.yaml", "nbscorep.yaml"]
        for i, name in enumerate(names):
            self.config("env:\n" + "".join(f"  L{k}: {i}\n" for k in range(i, 6)), name)
        self.write("x.ipynb", notebook("%%scorep_env\nL4=4\nL5=4", nbscorep={
            "env": {f"L{k}": 3 for k in range(3, 6)}}))
        found = self.exports("--set", "env.L5=5", command=OTHER_SYSTEM)
        self.assertEqual(found["L0"], ("0", "system/nbscorep.yaml:2"))
        self.assertTrue(found["L1"][1].endswith("home/nbscorep/config.yaml:2"))
        self.assertEqual(found["L2"], ("2", "nbscorep.yaml:2"))
        self.assertEqual(found["L3"], ("3", "x.ipynb:1"))
        self.assertEqual(found["L4"], ("4", "x.ipynb:cell 1:2"))
        self.assertEqual(found["L5"], ("5", "command line"))

    def test_nearest_file(self):
        self.config("env: {A: far, B: far}")
        self.config("env: {A: near}", "a/nbscorep.yaml")
        self.write("a/b/x.ipynb", notebook("1"))
        self.assertEqual(self.exports(path="a/b/x.ipynb"), {"A": ("near", "a/nbscorep.yaml:1")})
        self.assertEqual(self.exports(path="x.ipynb", cwd=self.path("a/b")), {"A": ("near", "../nbscorep.yaml:1")})
        self.assertEqual(self.exports("--config=nbscorep.yaml", path="a/b/x.ipynb")["A"], ("far", "nbscorep.yaml:1"))
        self.assertEqual(self.exports("--no-config", path="a/b/x.ipynb"), {})

    def test_standard_input(self):
        self.config("env: {A: 1}")
        self.assertIn("A", self.exports(path="-", stdin=notebook("1")))

    def test_modules(self):
        """One word is a module to load, unless it is a command that needs no other word."""
        self.config("modules: [purge, reset, restore, resets, gcc/13, use /a b]")
        self.build("x.ipynb", env=self.env)
        lines = self.path("x_run.sh").read_text().splitlines()
        self.assertEqual([line for line in lines if line.startswith("module ")],
                         [f"module {words} >&2 || exit 3" for words in
                          ("purge", "reset", "restore", "load resets", "load gcc/13", "use /a b")])

    def test_null_removes_and_lists_are_replaced(self):
        self.config("env: {A: 1, B: 2}\nmodules: [a, b]\nparameters: {p: ~}", "home/nbscorep/config.yaml")
        self.config("env: {A: ~}\nmodules: c d")
        text = yaml.safe_load(self.printed("--print-config"))
        self.assertEqual(text["env"], {"B": 2})
        self.assertEqual(text["modules"], ["c", "d"])
        self.assertEqual(text["parameters"], {"p": None})

    def test_text_as_written(self):
        self.config("env: {A: yes, B: 010, C: 1.50, D: 0x1F, E: '', F: a b, G: 12:30}")
        self.assertEqual({k: v for k, (v, _) in self.exports().items()},
                         {"A": "yes", "B": "010", "C": "1.50", "D": "0x1F", "E": "''",
                          "F": "'a b'", "G": "12:30"})

    def test_arguments(self):
        self.config("args: [--thread=pthread, \"--instrumenter-file=a b.py\"]")
        self.write("a b.py", "")
        self.build("x.ipynb", env=self.env)
        text = self.path("x_run.sh").read_text()
        self.assertIn(" --thread=pthread '--instrumenter-file=a b.py' \\\n  x.py \"$@\"", text)
        self.write("x.ipynb", notebook("%%scorep_python_binding_arguments\n--noinstrumenter", "1"))
        self.build("x.ipynb", env=self.env)
        self.assertIn(" --noinstrumenter --thread=pthread x.py \"$@\"", self.path("x_run.sh").read_text())

    def test_lints(self):
        self.config("env: {SCOREP_ENABLE_TRACING: ture}")
        done = self.nbscorep("check", "--no-verify", "x.ipynb", env=self.env)
        self.assertIn(b"nbscorep.yaml:1:30: warning: Score-P reads 'ture'", done.err)

    def test_build_options(self):
        self.config("build: {no-echo: true, figures: none, MD: true, output-dir: out,"
                    " skip-tag: [a, b]}", "project/nbscorep.yaml")
        self.write("project/nb/x.ipynb", notebook("1"))
        self.path("project/out").mkdir()
        self.build("project/nb/x.ipynb", env=self.env)
        self.assertNotIn("_echo", self.path("project/out/x.py").read_text())
        self.assertIn("project/nbscorep.yaml:\n", self.path("project/out/x.d").read_text())
        self.build("-o", "y.py", "--set", "build.no-echo=false", "project/nb/x.ipynb", env=self.env)
        self.assertIn(".echo", self.path("y.py").read_text())


class Profiles(ConfigCase):
    TEXT = """\
env: {A: own, B: own}
profiles:
  base: {env: {A: base, C: base}, ranks: 2}
  small: {inherits: base, env: {C: small}}
  both: {inherits: [small, other]}
  other: {env: {C: other}}
  one: {inherits: two}
  two: {inherits: [base, three]}
  three: {inherits: one}
  lost: {inherits: bass}
  nothing:
"""

    def values(self, *options, **more):
        return {k: v for k, (v, _) in self.exports(*options, **more).items()}

    def test_inherited(self):
        self.config(self.TEXT)
        self.assertEqual(self.values(), {"A": "own", "B": "own"})
        self.assertEqual(self.values("--profile=small"), {"A": "base", "B": "own", "C": "small"})
        self.assertEqual(self.values("--profile=both")["C"], "other")
        self.assertEqual(self.values("--profile=nothing"), {"A": "own", "B": "own"})
        variable = self.env | {"NBSCOREP_PROFILE": "other"}
        self.assertEqual(self.values(env=variable)["C"], "other")
        self.assertEqual(self.values("--profile=small", env=variable)["C"], "small")

    def test_in_several_files(self):
        """A profile is as strong as the file that it stands in, and inherits across files."""
        self.config("profiles: {base: {env: {U: 1, A: user}}}", "home/nbscorep/config.yaml")
        self.config(self.TEXT)
        self.assertEqual(self.values("--profile=small"), {"U": "1", "A": "base", "B": "own", "C": "small"})

    def test_cycle(self):
        self.config(self.TEXT)
        err = self.refused("--profile=one")
        self.assertIn("nbscorep.yaml:9:21: error: the profile 'one' inherits from itself", err)

    def test_unknown(self):
        self.config(self.TEXT)
        err = self.refused("--profile=smal")
        self.assertRegex(err, "unknown profile 'smal'; profiles are 'base', 'small'")
        self.assertIn("did you mean 'small'?", err)
        self.assertIn("nbscorep.yaml:10:20: error: unknown profile 'bass'", self.refused("--profile=lost"))
        self.path("nbscorep.yaml").unlink()
        self.assertIn("no file has profiles", self.refused("--profile=x"))


class Python(ConfigCase):
    def line(self, path="x.ipynb"):
        self.build(path, env=self.env)
        run = self.path(path).with_name("x_run.sh").read_text()
        return re.search(r"^PYTHON=(.*)$", run, re.M)[1]

    def test_place(self):
        self.write("a/b/x.ipynb", notebook("1"))
        self.config("python: venv/bin/python", "a/nbscorep.yaml")
        self.assertEqual(self.line("a/b/x.ipynb"), "${PYTHON:-../venv/bin/python}")
        self.config("python: /opt/my python", "a/nbscorep.yaml")
        self.assertEqual(self.line("a/b/x.ipynb"), "${PYTHON:-'/opt/my python'}")
        self.config("python: python3.9", "a/nbscorep.yaml")
        self.assertEqual(self.line("a/b/x.ipynb"), "${PYTHON:-python3.9}")


class Print(ConfigCase):
    def test_origins(self):
        self.config("ranks: 4\nenv:\n  A: 1\nprofiles: {p: {launcher: x}}\nmodules: [m]\n")
        self.write("x.ipynb", notebook("1", nbscorep={"env": {"B": "#'\""}}))
        found = self.origins("--profile=p", "--set", "env.C=3")
        self.assertEqual(found["ranks"], ("4", "nbscorep.yaml:1"))
        self.assertEqual(found["env.A"], ("1", "nbscorep.yaml:3"))
        self.assertEqual(found["env.B"], (r'''"#'\""''', "x.ipynb:1, notebook metadata"))
        self.assertEqual(found["env.C"], ("3", "command line"))
        self.assertEqual(found["launcher"], ('"x"', "nbscorep.yaml:4, profile p"))
        self.assertEqual(found["python"], ("python3", "built in"))

    def test_read_again(self):
        """What is printed means the same as a file."""
        self.config((FIXTURES["config"] / "nbscorep.yaml").read_text())
        first = self.printed("--print-config")
        self.assertGreater(len(yaml.safe_load(first)), 4)
        self.config(first)
        again = self.printed("--print-config")
        self.assertEqual(yaml.safe_load(first), yaml.safe_load(again))


class Starter(ConfigCase):
    def test_init(self):
        done = self.nbscorep("init", env=self.env)
        self.assertEqual((done.status, done.out, done.err), (0, b"", b""))
        text = self.path("nbscorep.yaml").read_text()
        self.build("x.ipynb", env=self.env)
        self.build("--profile=cluster", "x.ipynb", env=self.env)
        self.assertIn("#SBATCH --time=01:00:00", self.path("x_run.sh").read_text())
        width = max(map(len, self.path("nbscorep.yaml").read_text().splitlines()[7:]))
        self.assertTrue(70 < width <= 80, width)
        self.assertEqual(self.nbscorep("init", ".").status, 3)
        self.write("nbscorep.yaml", "mine: 1")
        self.assertEqual(self.nbscorep("init", ".").status, 3)
        self.assertEqual(self.path("nbscorep.yaml").read_text(), "mine: 1")
        self.assertEqual(self.nbscorep("init", "--force").status, 0)
        self.assertEqual(self.path("nbscorep.yaml").read_text(), text)
        self.assertEqual(self.nbscorep("init", "missing").status, 3)
        done = self.nbscorep("init", "--force", "")
        self.assertEqual((done.status, done.err.splitlines()[0]), (2, b"nbscorep: 'init' requires a folder"))

    def test_schema(self):
        schema = json.loads(self.nbscorep("schema").out)
        jsonschema.Draft7Validator.check_schema(schema)
        check = jsonschema.Draft7Validator(schema)
        self.nbscorep("init")
        starter = self.path("nbscorep.yaml").read_text()
        taken = re.sub(r"(?m)^#(?! )(.*)", r"\1", re.sub(r"(?m)^#(  \S|    )", r"\1", starter))
        for text in (starter, taken, Profiles.TEXT,
                     (FIXTURES["config"] / "nbscorep.yaml").read_text()):
            check.validate(yaml.safe_load(text))
        # The starter is a project's file.
        self.assertEqual(set(yaml.safe_load(taken)) | {"trust-notebooks"}, set(schema["properties"]))
        self.config(taken)
        self.build("--no-config", "--config=nbscorep.yaml", "x.ipynb", env=self.env)

    def test_schema_refuses(self):
        check = jsonschema.Draft7Validator(json.loads(self.nbscorep("schema").out))
        for name, (text, _, _, kind, _) in MISTAKES.items():
            if kind in ("key", "value") and name not in ("read-only variable",
                                                         "folder outside", "absolute folder",
                                                         "map in slurm",
                                                         "too many variables",
                                                         "too many profiles"):
                with self.subTest(name):
                    self.assertFalse(check.is_valid(yaml.safe_load(text)))

    def test_schema_is_the_readers(self):
        """What the one takes, the other does."""
        check = jsonschema.Draft7Validator(json.loads(self.nbscorep("schema").out))
        self.write("x.ipynb", notebook(code("a = 1", metadata={"tags": ["parameters"]})))
        for text in ("build: {figures: ~, instrument: ~, batch: ~}", "build: {skip-tag: [1, true]}",
                     "build: {skip-tag: 1.5}", "build: {skip-tag: [~]}", "build: {instrument: 1}",
                     "python: ' '", "sweep: ~", "sweep: a", "sweep: 1", "sweep: []", "sweep: {}",
                     "sweep: [1]", "sweep: [{a: 1}]", "sweep: {list: []}", "sweep: {b: [1]}",
                     "sweep: {list: [{a: 1}], limit: 4}", "sweep: {grid: {a: []}}",
                     "sweep: {grid: {a: 1}}", "sweep: {zip: {}}", "sweep: {zip: {a: [1, 2]}}",
                     "sweep: {grid: {a: [1]}, limit: 0}", "sweep: {grid: {a: [1]}, limit: 1000000}",
                     "profiles: {p: {build: {batch: ~}}}"):
            with self.subTest(text):
                self.config(text)
                done = self.nbscorep("check", "--no-verify", "x.ipynb", env=self.env)
                self.assertEqual(check.is_valid(yaml.safe_load(text)), done.status == 0, done)


class Trust(ConfigCase):
    def test_what_is_no_file(self):
        """It would be in force, so it is not passed over in silence."""
        self.write("nb/x.ipynb", notebook("1"))
        self.config("env: {A: 1}")
        for make, says in ((lambda path: path.symlink_to("nowhere"), b"leads nowhere"),
                           (os.mkfifo, b"no regular file"), (os.mkdir, b"no regular file")):
            path = self.path("nb/nbscorep.yaml")
            make(path)
            done = self.nbscorep("check", "--no-verify", "--print-env", "nb/x.ipynb", env=self.env)
            self.assertEqual(done.status, 0)
            self.assertIn(b"A=1", done.out)
            self.assertRegex(done.err, b"nb/nbscorep.yaml: warning: .*" + says)
            path.rmdir() if path.is_dir() else path.unlink()

    @unittest.skipUnless(IS_ROOT, "needs a file of somebody else")
    def test_file_of_anybody(self):
        """In /tmp anybody can put an nbscorep.yaml above other people's notebooks."""
        self.write("open/nb/x.ipynb", notebook("1"))
        path = self.config("env: {A: 1}", "open/nbscorep.yaml")
        self.path("open").chmod(0o777)
        self.assertEqual(list(self.exports(path="open/nb/x.ipynb")), ["A"])
        os.chown(path, NOBODY, NOBODY)
        done = self.nbscorep("check", "--no-verify", "--print-env", "open/nb/x.ipynb", env=self.env)
        self.assertIn(b"open/nbscorep.yaml: warning:", done.err)
        self.assertIn(b"[config-ignored]", done.err)
        self.assertNotIn(b"A=1", done.out)
        self.assertIn("A", self.exports("--config=open/nbscorep.yaml", path="open/nb/x.ipynb"))
        self.assertNotIn("A", self.exports("--no-config", path="open/nb/x.ipynb"))


if __name__ == "__main__":
    unittest.main()
