#!/usr/bin/env python3
"""Values of parameters arrive in real runs: what is given to a build, and what the script takes."""
import json
import pathlib
import random
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import DOUBLE, UNDER_DOUBLE, Case, binary, clean_environment, code, notebook  # noqa: E402

TAGGED = {"metadata": {"tags": ["parameters"]}}
SHOW = "import sys\nprint(ascii([a, b, sys.argv[1:]]))"
# int(), float() and the three words: papermill.cli._resolve_type
WORDS = ["True", "False", "None", "true", "none", "", " ", "0", "-0", "007", "+5", " 12 ", "1_000",
         "1__0", "_1", "1_", "9" * 400, "-" + "9" * 4300, "0x1F", "1.5", "-1.", ".5", ".", "-.5e-3",
         "1e400", "-1e400", "1e5", "1E5", "1e", "e5", "1_0.5_0", "1._5", "inf", "-inf", "+Infinity",
         "INF", "nan", "-NaN", "infinit", ".inf", "--5", "+-inf", "1,5", "1 2", "0012.50", "12e-2",
         "it's", 'say "x"', "'''", '"""', "a\\nb\\", "a\nb", "\ttab ", "$(x)", "`x`", "{x!r}", "%s",
         "größe", "\N{GRINNING FACE}", "\u202ereversed", "\x7f\x1b[0m", "# %% x", "-", "--", "=",
         "\udcff"]
SCALARS = ["yes", "No", "TRUE", "on", "Off", "y", "n", "tRue", "~", "null", "NULL", "nUll", "", "0",
           "-0", "+12", "010", "0o17", "0x1F", "-0x1F", "0b11", "1_000", "1e5", "1E-5", "5.", ".5",
           "-.5", "0.0", "00.5", "1.5e", ".", ".inf", "-.INF", "+.Inf", ".nan", "-.nan", "inf",
           "nan", "NaN", "1e400", "2020-01-01", "12:30", "1:30:00", "=", "x", "'1'", '"yes"',
           '"a\\tb\\u00e9"', "[1, yes, [~]]", "{1: 2, true: x}", "it's", "!!str 5", "- 1"]


def resolve(word):
    """As papermill has it."""
    if word in ("True", "False", "None"):
        return {"True": True, "False": False, "None": None}[word]
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def random_value(dice, wide, depth=0):
    """JSON that is YAML, too, if WIDE; else without numbers that jansson refuses."""
    if depth < 4 and dice.random() < 0.4:
        items = [random_value(dice, wide, depth + 1) for _ in range(dice.randrange(4))]
        keys = ["", "a b", "1", "true", "é", "__class__", "x" if wide else "\N{GRINNING FACE}", "a'\"\\", "<<"]
        return items if dice.random() < 0.5 else dict(zip(dice.sample(keys, len(items)), items))
    return dice.choice([
        None, True, False, dice.randrange(-10, 10), dice.randrange(-10 ** 60, 10 ** 60) if wide else 2 ** 62,
        dice.uniform(-1, 1), dice.uniform(-1, 1) * 10 ** dice.randrange(-300, 308), -0.0, 1e400 if wide else 1e300,
        "".join(dice.choice("ab \"'\\\n\t\r\x1b$`{}%#\xa0éß" + "\0\u2028\ufeff\N{GRINNING FACE}" * (not wide))
                for _ in range(dice.randrange(12)))])


def dumped(dice, value):
    text = json.dumps(value, ensure_ascii=dice.random() < 0.5,
                      indent=dice.choice([None, 1, "\t"]))
    return re.sub(r"\bInfinity\b", "1e400", text)


class ParametersCase(Case):
    def environment(self, **more):
        return clean_environment(**UNDER_DOUBLE | {
            "PYTHON": sys.executable, "TMPDIR": str(self.folder),
            "SCOREP_EXPERIMENT_DIRECTORY": str(self.path("experiment"))} | more)

    def make(self, *cells, name="x.ipynb", options=()):
        self.write(name, notebook(*cells))
        done = self.nbscorep("build", "-q", *options, name)
        self.assertEqual((done.status, done.err), (0, b""), done)

    def usual(self, *options):
        self.make("start = set(globals())", code("a = 1\nb = 'x'", **TAGGED), SHOW,
                  options=options)

    def script(self, *arguments, status=0, measure="yes", cwd=None, env=None, **more):
        done = self.run_command(str(self.path("x_run.sh")), *arguments, cwd=cwd,
                                env=self.environment(NBSCOREP_MEASURE=measure) | (env or {}),
                                **more)
        self.assertEqual(done.status, status, done)
        return done

    def shown(self, *arguments, **more):
        done = self.script(*arguments, **more)
        self.assertEqual(done.err, b"")
        return done.out.decode().strip()

    def refused(self, *arguments, says, **more):
        done = self.script(*arguments, status=2, **more)
        self.assertEqual(done.out, b"")
        self.assertIn(says, done.err.decode())
        self.assertNotIn("Traceback", done.err.decode())


class Values(ParametersCase):
    """100 values, in one program."""

    def test_json(self):
        for wide in (False, True):
            with self.subTest(wide=wide):
                self.check_json(wide)

    def check_json(self, wide):
        dice = random.Random(5)
        texts = [dumped(dice, random_value(dice, wide)) for _ in range(100)]
        names = [f"v{i}" for i in range(len(texts))]
        cells = (code("\n".join(f"{name} = None" for name in names), **TAGGED),
                 "for name in names: print(ascii(globals()[name]))".replace(
                     "names", repr(names)))
        expected = [ascii(json.loads(text)) for text in texts]
        whole = "{" + ",\n".join(f'"{n}": {t}' for n, t in zip(names, texts)) + "}"
        path = str(self.write("all.json", whole))
        self.make(*cells)
        self.assertEqual(self.shown("-f", path, measure="no").split("\n"), expected)
        self.assertEqual(self.shown("-y", whole, measure="no").split("\n"), expected)
        self.assertEqual(self.shown(env={"NBSCOREP_PARAMETERS": whole}, measure="no").split("\n"),
                         expected)
        self.assertEqual(self.shown("-f", path).split("\n"), expected)
        self.make(*cells, options=["-f", path])
        self.assertEqual(self.shown(measure="no").split("\n"), expected)
        self.make(*cells, options=["-y", whole])
        self.assertEqual(self.shown().split("\n"), expected)

    def both(self, options, names):
        """What the script sees when it is built with OPTIONS, and when it runs with them."""
        cells = (code("\n".join(f"{name} = None" for name in names), **TAGGED),
                 f"print(ascii([{', '.join(names)}]))")
        self.make(*cells)
        at_run_time = self.shown(*options, measure="no")
        self.make(*cells, options=options)
        at_build_time = self.shown(measure="no")
        self.assertEqual(at_build_time, at_run_time)
        return at_build_time

    def test_words(self):
        names = [f"v{i}" for i in range(len(WORDS))]
        expected = ascii([resolve(word) for word in WORDS])
        for one in (True, False):
            options = [part for name, word in zip(names, WORDS)
                       for part in (["-p", f"{name}={word}"] if one else ["-p", name, word])]
            self.assertEqual(self.both(options, names), expected)
        options = [part for name, word in zip(names, WORDS) for part in ["-r", name, word]]
        self.assertEqual(self.both(options, names), ascii(WORDS))

    def test_yaml(self):
        """Without YAML 1.1's surprises, and the same at both times."""
        names = [f"v{i}" for i in range(len(SCALARS))]
        text = "".join(f"{name}:{chr(10) if scalar == '- 1' else ' '}{scalar}\n"
                       for name, scalar in zip(names, SCALARS))
        path = str(self.write("a.yaml", "# more\n" + text))
        found = self.both(["-f", path], names)
        self.assertEqual(self.both(["-y", text], names), found)
        self.assertEqual(self.both(["-y", "v0: {'': 1}"], ["v0"]), ascii([{"": 1}]))
        inf, nan = float("inf"), float("nan")
        self.assertEqual(found, ascii([
            True, False, True, True, False, "y", "n", "tRue", None, None, None, "nUll", None, 0, 0,
            12, "010", 15, 31, "-0x1F", "0b11", "1_000", 1e5, 1e-5, 5.0, 0.5, -0.5, 0.0, "00.5",
            "1.5e", ".", inf, -inf, inf, nan, "-.nan", "inf", "nan", "NaN", inf, "2020-01-01",
            "12:30", "1:30:00", "=", "x", "1", "yes", "a\tbé", [1, True, [None]],
            {"1": 2, "true": "x"}, "it's", "5", [1]]))

    def test_refused_at_both_times(self):
        """Tags, and keys that come twice below a merge; no traceback."""
        self.make(code("a = 1", **TAGGED), "print(a)")
        for text in ("a: !!bool foo", 'a: !!int ""', 'a: !!int "_"', 'a: !!float ""',
                     "a: !!bool yes", "a: !!null x", '{!!int "a": 1}', "a: !!seq [1]",
                     "a: !!map {}", "!!map {a: 1}", "a: ! [1]", "a: {!!merge <<: {x: 1}}",
                     "a: {<<: {x: 1, x: 2}}", "a: {<<: ~}", "a: {<<: [5]}", "? \n: 1",
                     'a: !!str "\\0"', "a: *b", "a: 1\n---\na: 2"):
            with self.subTest(text):
                self.refused("-y", text, says="-y is not YAML: line ", measure="no")
                done = self.nbscorep("build", "-q", "-y", text, "x.ipynb")
                self.assertEqual(done.status, 1, done)

    def test_merges(self):
        texts = ["{z: 3, <<: {z: 1, y: 2}}", "{<<: [{x: 1}, {y: 2}], z: 3}", "{'<<': {x: 1}}",
                 "{'<<': 1, <<: {x: 1}}", "{!!str <<: {x: 1}}", "{<<: [], x: 1}", "[<<]", "! 5",
                 "{<<: [{x: 1, y: 1}, {x: 2, w: 2}], z: 3}", "{<<: {<<: {x: 1, q: 1}, y: 1}, z: 1}",
                 "{<<: &b {<<: {x: 1}, x: 2}}", "*b", "{x: 1, <<: &t {x: 1, y: 2}, y: 3}", "*t",
                 "[&q [&q 1, *q], *q]", "&base {a: 1, b: 2}", "{<<: *base, b: 3}", "*base"]
        names = [f"v{i}" for i in range(len(texts))]
        self.both(["-y", "".join(f"{n}: {text}\n" for n, text in zip(names, texts))], names)


class RunTime(ParametersCase):
    def test_forms(self):
        self.usual()
        self.write("set.json", '{"a": 2}')
        for words in (["-p", "a", "2"], ["-p", "a=2"], ["-pa=2"], ["-pa", "2"],
                      ["--parameters", "a", "2"], ["--parameters=a=2"], ["--parameters=a", "2"],
                      ["-f", "set.json"], ["-fset.json"], ["--parameters-file=set.json"],
                      ["-y", "a: 2"], ["-y{a: 2}"], ["--parameters-yaml", "a: 2"]):
            with self.subTest(words):
                self.assertEqual(self.shown(*words, measure="no"), "[2, 'x', []]")
        self.assertEqual(self.shown("-r", "a", "2", "--parameters-raw=b=None"),
                         "['2', 'None', []]")

    def test_the_rest_is_the_scripts(self):
        self.usual()
        for words, rest in ((["-p", "a=1", "in", "-p", "a=2"], ["in", "-p", "a=2"]),
                            (["-p", "a=1", "--", "-p", "a=2"], ["-p", "a=2"]),
                            (["-p", "a=1", "--points", "-p"], ["--points", "-p"]),
                            (["-p", "a=1", "-x"], ["-x"]), (["-p", "a=1", "-"], ["-"]),
                            (["-p", "a=1", ""], [""]), (["--", "--"], ["--"]), (["x"], ["x"]),
                            (["--parametersx"], ["--parametersx"]), ([], [])):
            with self.subTest(words):
                self.assertEqual(self.shown(*words, measure="no"), f"[1, 'x', {rest!r}]")

    def test_help(self):
        self.make("b = 9", code("import os\na: int = 1  # how many \x1b[31m\nb, c = 2, 3\nb = 4", **TAGGED),
                  "import sys\nprint('runs', sys.argv[1:])")
        self.assertEqual(self.shown("--help"), "parameters of x.py, for -p NAME=VALUE or -f FILE:\n"
                                               "  a: int = 1  # how many \\x1b[31m\n  b = 4\n  c")
        self.assertFalse(self.path("experiment").exists())
        self.assertIn("  b = 4\n", self.script("--help", env={"PYTHONPATH": ""}).out.decode())  # without bindings
        self.assertEqual(self.shown("--", "--help"), "runs ['--help']")

    def test_precedence(self):
        self.usual("-p", "a=build", "-p", "b=build")
        self.assertEqual(self.shown(), "['build', 'build', []]")
        self.write("env.yaml", "{a: env, b: env}")
        self.assertEqual(self.shown(env={"NBSCOREP_PARAMETERS": "@env.yaml"}), "['env', 'env', []]")
        env = {"NBSCOREP_PARAMETERS": '{"a": "env", "b": "env"}'}
        self.assertEqual(self.shown(env=env), "['env', 'env', []]")
        self.write("set.yaml", "{a: file}")
        self.assertEqual(self.shown("-f", "set.yaml", env=env), "['file', 'env', []]")
        self.assertEqual(self.shown("-f", "set.yaml", "-p", "a=word", env=env),
                         "['word', 'env', []]")
        self.assertEqual(self.shown("-p", "a=word", "-f", "set.yaml", env=env),
                         "['file', 'env', []]")

    def test_refused_before_the_first_cell(self):
        self.make("print('begins')", code("alpha = 1", **TAGGED))
        for words, says in (
                (["-p", "alpa=1"], "nbscorep: x.py: the notebook has no parameter 'alpa'; did you "
                                   "mean 'alpha'?\n"),
                (["-p", "zzz=1"], "the notebook has no parameter 'zzz'; it has alpha\n"),
                (["-p", "__name__=x"], "no parameter '__name__'"), (["-p", "=x"], "parameter ''"),
                (["-p"], "'-p' requires an argument"), (["-p", "alpha"], "'-p alpha' requires a value"),
                (["-f", "nix.json"], "cannot read 'nix.json': No such file or directory"),
                (["-f", "."], "cannot read '.'"), (["-y", "[1]"], "-y does not map names to values"),
                (["-y", "{a: b: c}"], "-y is not YAML"), (["-y", "{alpha: 1, alpha: 2}"], "duplicate"),
                (["-y", '{"alpha": 1, "alpha": 2}'], "duplicate"), (["-y", "a: !x 1"], "not YAML"),
                (["-y", "[" * 5000], "not YAML")):
            with self.subTest(words):
                self.refused(*words, says=says, measure="no")
        self.refused("-p", "alpa=1", says="did you mean 'alpha'?")
        self.refused(says="no parameter 'x'", env={"NBSCOREP_PARAMETERS": '{"x": 1}'})
        self.refused(says="NBSCOREP_PARAMETERS does not map names",
                     env={"NBSCOREP_PARAMETERS": "[1]"})

    def test_hostile_yaml(self):
        """Aliases that multiply, a map of many keys, objects of Python's, what no JSON can say."""
        laughs = "".join(f"  - &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 20))
        keys = "".join(f"  k{n}: 1\n" for n in range(30_000))
        self.make(code("alpha = 1", **TAGGED), "print(len(alpha))")
        for text, says in (
                (f"alpha:\n  - &a0 [x]\n{laughs}", "more than 65536 keys and values"),
                (f"alpha:\n{keys}{keys.replace('k', 'm')}", "more than 65536 keys and values"),
                ("alpha: &x [*x]", "inside its own anchor"),
                ("alpha: &x {b: *x}", "line 1: the alias '*x' is inside its own anchor"),
                ("alpha: &q {<<: *q}", "inside its own"),
                ("alpha: {<<: &q {<<: *q}}", "inside its own"),
                ("alpha: " + "[" * 100_000, "recursion"), ("alpha: !!binary aGk=", "the tag"),
                ("alpha: !!set {b}", "the tag"),
                ("alpha: !!timestamp 2020-01-01", "the tag"),
                ("alpha: !!python/object/apply:os.system ['touch pwned']", "the tag"),
                ("alpha: {[1]: 2}", "a key is not a text"), ("{{alpha}}: 1", "a key is not a text"),
                ('"\\e[31m": 1', "no parameter '\\x1b[31m'"), ("alpha: \0", "not YAML"),
                ('alpha: {"\\e[31m": 1, "\\e[31m": 2}', "duplicate key '\\x1b[31m'"),
                ("alpha: {<<: {b: 1}, <<: {c: 1}}", "duplicate key '<<'")):
            with self.subTest(text[:60]):
                self.write("set.yaml", text)
                self.refused("-f", "set.yaml", says=says, measure="no")
        self.write("set.yaml", f"alpha:\n{keys}")
        self.assertEqual(self.shown("-f", "set.yaml", measure="no"), "30000")
        self.assertFalse(self.path("pwned").exists())

    def test_new_names(self):
        self.make(code("alpha = 1", **TAGGED), "print(alpha, beta)",
                  options=["--allow-new-parameters"])
        self.assertEqual(self.shown("-p", "beta=2"), "1 2")
        for name in ("if", "1a", "__name__", "scorep_notebook", "größe"):
            self.refused("-p", f"{name}=1", says=f"no parameter {name!r}")

    def test_no_cell_no_parameters(self):
        self.make("import sys\nprint(sys.argv[1:])")
        self.assertEqual(self.shown("-p", "a=1", "--", "x", measure="no"),
                         "['-p', 'a=1', '--', 'x']")
        self.assertNotIn("NBSCOREP_START_FOLDER", self.path("x_run.sh").read_text())

    def test_built_with_values_for_no_cell(self):
        self.make("print(a)", options=["--allow-new-parameters", "-p", "a=1"])
        self.assertEqual(self.shown(), "1")
        self.assertEqual(self.shown("-p", "a=2"), "2")

    def test_files_are_found_from_where_the_run_script_was_called(self):
        self.usual()
        self.write("here/set.json", '{"a": 5}')
        self.assertEqual(self.shown("-f", "set.json", cwd=self.path("here")), "[5, 'x', []]")
        for command in (["run", "-q", "--no-scorep"],
                        ["run", "-q", "--no-scorep", "--launcher=env"]):
            done = self.run_command(binary(), *command, "../x.ipynb", "-p", "b=y", "--", "-f",
                                    "set.json", "rest", cwd=self.path("here"),
                                    env=self.environment())
            self.assertEqual((done.status, done.out, done.err),
                             (0, b"[5, 'y', ['rest']]\n", b""))

    def test_without_pyyaml(self):
        self.usual()
        self.write("no/yaml.py", "raise ImportError('no')")
        env = {"PYTHONPATH": f"{self.path('no')}:{DOUBLE}"}
        self.refused("-y", "a: 2", env=env,
                     says="-y is not JSON; to read YAML install PyYAML")
        self.assertEqual(self.shown("-y", '{"a": 2}', env=env), "[2, 'x', []]")

    def test_plain_python(self):
        """The command line of another program that imports the script is not the script's."""
        self.usual()
        for words, expected in ((["x.py", "-p", "a=2", "z"], b"[2, 'x', ['z']]\n"),
                                (["-c", "import x", "-p", "nix=2"], b"[1, 'x', ['-p', 'nix=2']]\n")):
            done = self.run_command(sys.executable, *words)
            self.assertEqual((done.out, done.err), (expected, b""))

    def test_scripts_that_the_script_starts_do_not_get_them(self):
        self.make("import os\nprint(*[n for n in os.environ if n.startswith('NBSCOREP_PAR') or "
                  "n.startswith('NBSCOREP_START')])", code("a = 1", **TAGGED),
                  "import subprocess, sys\nif a:\n    print(subprocess.run([sys.executable, "
                  "'x.py', '-p', 'a=0'], stdout=subprocess.PIPE).stdout)")
        self.assertEqual(self.shown(env={"NBSCOREP_PARAMETERS": '{"a": 2}'}, measure="no"),
                         "b'\\n'")

    def test_names_of_the_notebook_shadow_nothing(self):
        self.make("str = int = dict = list = print_ = open = None",
                  code("a = 1", **TAGGED), "print(a)")
        self.assertEqual(self.shown("-y", "a: 2", measure="no"), "2")

    def test_no_names_are_left(self):
        self.make("start = set(globals())", code("a = 1", **TAGGED),
                  "print(sorted(n for n in set(globals()) if n[:1] != '_'))\n"
                  "print([n for n in globals() if n[:1] == '_' "
                  "and n[:2] != '__'])")
        self.assertEqual(self.shown("-p", "a=2", measure="no"),
                         "['a', 'scorep', 'scorep_notebook', 'start']\n[]")


class Traces(ParametersCase):
    def events(self, *arguments, options=()):
        self.make(code("def f(): pass\na = 1", **TAGGED), "f()\nprint(a)",
                  "%%execute_with_scorep\nf()", options=["-q", *options])
        self.script(*arguments)
        files = sorted(self.path("experiment").rglob("*"))
        text = "\n".join(p.read_text() for p in files if p.is_file())
        for path in reversed(files):
            path.unlink() if path.is_file() else path.rmdir()
        self.path("experiment").rmdir()
        return re.findall(r"(\w+:[^\s\"\\]+(?: \d+)?)", text)

    def test_nothing_of_it_is_seen(self):
        for options in ([], ["--instrument=all"], ["--instrument=none"], ["--no-cell-regions"]):
            with self.subTest(options):
                plain = self.events(options=options)
                self.assertTrue(plain)
                self.assertNotIn("nbscorep", " ".join(plain))
                self.assertNotIn("injected", " ".join(plain))
                self.assertEqual(self.events("-p", "a=2", "-y", "a: 3", options=options), plain)
                self.assertEqual(self.events(options=[*options, "-p", "a=2"]), plain)

    def test_places_stay_right(self):
        self.make(code("a = 1\n", **TAGGED), "x = 1\ny = 1 / a",
                  options=["-p", "a=0", "--source-map"])
        err = self.script(status=1).err.decode()
        self.assertIn("nbscorep: x.ipynb, cell 2, line 2 (x.py:", err)
        lines = self.path("x.py").read_text().splitlines()
        for cell in json.loads(self.path("x.map.json").read_text())["cells"]:
            text = "\n".join(lines[cell["script_line"] - 1:][:cell["lines"]])
            self.assertNotIn("set_parameters", text)
        self.assertIn("    y = 1 / a", lines)


if __name__ == "__main__":
    unittest.main()
