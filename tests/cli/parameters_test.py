#!/usr/bin/env python3
"""Parameters of a build: forms of the options, names, files, the list of them."""
import json
import os
import re
import unittest

from support import Case, code, notebook

TAGGED = {"metadata": {"tags": ["parameters"]}}
LOOK = "print(alpha)"


class ParametersCase(Case):
    def make(self, source="alpha = 0.1\nn = 5\nname = 'x'\nitems = []", *cells, name="x.ipynb"):
        self.write(name, notebook(code(source, **TAGGED), *(cells or [LOOK])))

    def values(self, *options):
        """The lines that set values in the script."""
        self.nbscorep("build", "-q", *options, "x.ipynb")
        return re.search(r"# %% injected parameters\n.*\n((?:    .*\n)*)    scorep_notebook.set_",
                         self.path("x.py").read_text())[1].split("\n    ")

    def set_by(self, *options):
        return [line.strip() for line in self.values(*options) if line.strip()]

    def refuse(self, *options, status=1, says=()):
        self.path("x.py").unlink(missing_ok=True)
        done = self.nbscorep("build", *options, "x.ipynb")
        self.assertEqual((done.status, done.out), (status, b""), done)
        for text in says:
            self.assertIn(text, done.err.decode())
        self.assertFalse(self.path("x.py").exists())
        return done.err.decode()


class Options(ParametersCase):
    def setUp(self):
        super().setUp()
        self.make()

    def test_forms(self):
        for options in (["-p", "n", "7"], ["-p", "n=7"], ["-pn=7"], ["-pn", "7"],
                        ["--parameters", "n", "7"], ["--parameters=n=7"], ["--parameters=n", "7"],
                        ["-y", "n: 7"], ["--parameters-yaml={n: 7}"], ["-qpn=7"]):
            with self.subTest(options):
                self.assertEqual(self.set_by(*options), ["n = 7"])

    def test_values_hold_what_looks_like_options(self):
        self.assertEqual(self.set_by("-p", "n", "-7", "-r", "name", "-p"), ["n = -7", 'name = "-p"'])
        self.assertEqual(self.set_by("-p", "name", "a=b=c"), ['name = "a=b=c"'])
        self.assertEqual(self.set_by("-p", "name=a=b=c"), ['name = "a=b=c"'])
        self.assertEqual(self.set_by("-p", "name=", "-r", "items", ""), ['name = ""', 'items = ""'])

    def test_later_ones_win_across_kinds(self):
        self.write("a.json", '{"n": 1, "name": "file"}')
        self.assertEqual(self.set_by("-p", "n=0", "-f", "a.json", "-y", "name: text"), ["n = 1", 'name = "text"'])
        self.assertEqual(self.set_by("-y", "name: text", "-f", "a.json", "-p", "n=0"), ['name = "file"', "n = 0"])

    def test_missing_words(self):
        for words in (["-p"], ["--parameters-file"], ["-y"]):
            done = self.nbscorep("build", "x.ipynb", *words)
            self.assertEqual((done.status, done.out), (2, b""))
            self.assertIn(b"requires an argument", done.err)
        self.ended(2, b"'--parameters n' requires a value: NAME=VALUE, or NAME VALUE", "build", "x.ipynb", "-p", "n")

    def test_other_commands(self):
        for command in ("check", "ir"):
            self.ended(1, b"[unknown-parameter]", command, "-p", "nn=1", "x.ipynb")
        self.assertEqual(self.nbscorep("check", "--no-verify", "-p", "n=1", "x.ipynb").err, b"")
        ir = json.loads(self.nbscorep("ir", "-p", "n=1", "x.ipynb").out)["programs"][0]
        self.assertEqual([p["name"] for p in ir["parameters"]], ["alpha", "n", "name", "items"])
        self.assertEqual([b["values"] for b in ir["blocks"] if b["kind"] == "parameters"],
                         [[{"name": "n", "value": "1"}]])


class Files(ParametersCase):
    def setUp(self):
        super().setUp()
        self.make()

    def test_not_there(self):
        self.refuse("-f", "nix.yaml", status=3, says=["cannot read 'nix.yaml'", "[io]"])
        self.refuse("-f", ".", status=3, says=["[io]"])

    def test_no_map(self):
        for text, what in (("[1]", "a list"), ("5", "a whole number"), ("x", "a text")):
            self.write("a.yaml", text)
            self.refuse("-f", "a.yaml", says=[
                f"a.yaml: error: expected names with values, found {what} [parameter-value]"])
        self.write("a.yaml", "")
        self.assertEqual(self.set_by("-f", "a.yaml"), [])

    def test_faults_have_their_place(self):
        self.write("a.yaml", "n: 1\nname: [1,\n")
        self.refuse("-f", "a.yaml", says=["a.yaml:", "[config-syntax]"])
        self.write("a.json", '{"n": 1, "n": 2}')
        self.refuse("-f", "a.json", says=["a.json:1:10:"])
        self.write("a.json", '{"n": 1,\n\t"nn": 2}')
        self.refuse("-f", "a.json", says=["a.json:2:2: error: the notebook has no parameter 'nn'",
                                          "did you mean 'n'?"])
        self.write("a.json", '{"name": "%s", "nn": 2}' % ("\N{GREEK SMALL LETTER NU}" * 9999))
        self.refuse("-f", "a.json", says=["a.json:1:10013: error: the notebook has no parameter"])
        self.write("a.json", '{"name": "a\\q"}')
        self.refuse("-f", "a.json", says=["a.json:1:12: error: unknown escape in double quotes"])
        self.write("a.json", '{"name": "\\ud83d\\ude00", "n": 1,}')
        self.refuse("-f", "a.json", says=["a.json:1:", "hint: read as JSON: string or '}' expected near '}'"])
        self.write("a.json", b'{"name": "\xff"}')
        self.refuse("-f", "a.json", says=["a.json:1:"])

    def test_json_that_yaml_does_not_take(self):
        self.write("a.json", json.dumps({"name": "\N{GRINNING FACE}", "items": {"k" * 2000: 1}}, indent="\t"))
        self.assertEqual(self.set_by("-f", "a.json"),
                         ['name = "\N{GRINNING FACE}"', 'items = {"' + "k" * 2000 + '": 1}'])

    def test_limits(self):
        self.write("a.json", '{"items": ' + "[" * 100 + "]" * 100 + "}")
        self.refuse("-f", "a.json", says=["a.json:1:"])
        self.write("a.json", '{"name": "' + "x" * (1 << 20) + '"}')
        self.refuse("-f", "a.json", status=3, says=["a.json"])
        self.assertEqual(self.set_by("-p", f"n={'9' * 4300}"), [f"n = {'9' * 4300}"])
        self.refuse("-y", "n: 0x" + "f" * 17, says=["1:4: error: a number with 0x or 0o has more than 16 digits"])

    def test_many_names(self):
        """Time grows with their number, and messages do not."""
        names = [f"v{i}" for i in range(20_000)]
        self.make("\n".join(f"{name} = 1" for name in names))
        self.write("a.json", json.dumps(dict.fromkeys(names, 2)))
        self.assertEqual(len(self.set_by("-f", "a.json")), len(names))
        self.write("a.json", json.dumps({"w" + name: 1 for name in names}))
        err = self.refuse("-f", "a.json", says=["19980 more given parameters"])
        self.assertEqual(err.count("[unknown-parameter]"), 21)

    def test_dependency_file(self):
        self.write("a.yaml", "n: 1")
        self.nbscorep("build", "-MD", "-f", "a.yaml", "x.ipynb")
        self.assertIn(" a.yaml", self.path("x.d").read_text().splitlines()[0])


class Configuration(ParametersCase):
    def setUp(self):
        super().setUp()
        self.make()

    def test_weaker_than_the_command_line(self):
        self.write("nbscorep.yaml", "parameters: {n: 1, name: file, items: [a, {b: ~}]}")
        self.assertEqual(self.set_by("-p", "n=2"), ["n = 2", 'name = "file"', 'items = ["a", {"b": None}]'])

    def test_unknown_names_have_their_place(self):
        self.write("nbscorep.yaml", "parameters:\n  nme: x\n")
        self.refuse(says=["nbscorep.yaml:2:3: error: the notebook has no parameter 'nme' "
                          "[unknown-parameter]", "did you mean 'name'?"])
        self.assertEqual(self.nbscorep("parameters", "x.ipynb").status, 0)

    def test_a_file_for_several_notebooks(self):
        self.write("nbscorep.yaml", "parameters: {n: 1}")
        self.write("other.ipynb", notebook("x = 1"))
        done = self.ended(0, b"nbscorep.yaml:1:14: warning: the notebook has no cell tagged 'parameters'", "build",
                          "other.ipynb")
        self.assertIn(b"[unused-parameter]", done.err)

    def test_a_sweep_for_several_notebooks(self):
        """One in a notebook's own configuration must fit it."""
        sweep = {"sweep": {"grid": {"n": [1, 2]}}}
        self.write("nbscorep.yaml", json.dumps(sweep))
        self.write("other.ipynb", notebook("x = 1"))
        self.assertIn(b"[unused-parameter]", self.nbscorep("build", "other.ipynb").err)
        self.write("other.ipynb", notebook("x = 1", nbscorep=sweep))
        done = self.nbscorep("build", "other.ipynb")
        self.assertEqual(done.status, 1)
        self.assertIn(b"[unknown-parameter]", done.err)

    def test_new_names_by_configuration(self):
        self.write("nbscorep.yaml", "parameters: {new: 1}\nbuild: {allow-new-parameters: true}")
        self.assertEqual(self.set_by(), ["new = 1"])


class Names(ParametersCase):
    def test_what_the_cell_sets(self):
        self.make("a = b = 1\nc: int = 2\n(d, [e, *f]) = 1, (2, 3)\ng, = [4]\nh = lambda q=1: q\n"
                  "if a:\n    no = 1\nfor no in []: no = 2\nx.no = 1\nx[no] = 2\nno += 1\n"
                  "def no(no=1): no = 2\nprint(no=1)\nno: int\nno == 1\n'''\nno = 1\n'''; i = 1\n"
                  "match = 5\ntype = 6\n# no = 1\nm = (\n  1)\nimport no", name="x.ipynb")
        listed = json.loads(self.nbscorep("parameters", "--format=json", "x.ipynb").out)
        self.assertEqual([p["name"] for p in listed["programs"][0]["parameters"]],
                         ["a", "b", "c", "d", "e", "f", "g", "h", "i", "match", "type", "m"])

    def test_types(self):
        rows = {
            "1": "int", "-1": "int", "0x1F": "int", "1_000": "int", "1.0": "float", "1e5": "float",
            ".5": "float", "-1.5E-3": "float", "2j": "complex", "0b1": "int",
            "'a'": "str", "'a' 'b'": "str", "f'{1}'": "str", "rb'a'": "bytes", "None": "None",
            "True": "bool", "False": "bool", "[1]": "list", "[]": "list",
            "[x for x in y]": "list", "{}": "dict", "{'a': 1}": "dict", "{**a}": "dict",
            "{'a': (1, 2)}": "dict", "{1, 2}": "set", "{(lambda: 1)}": "set", "()": "tuple",
            "(1,)": "tuple", "1, 2": "tuple", "(1)": "unknown", "[1] + [2]": "unknown",
            "1 + 1": "unknown", "int('5')": "unknown", "not a": "unknown", "-a": "unknown",
            "'a'.b": "unknown", "[1][0]": "unknown", "lambda: 1": "unknown", "-'a'": "unknown",
        }
        self.make("\n".join(f"v{i} = {text}" for i, text in enumerate(rows)))
        listed = json.loads(self.nbscorep("parameters", "--format=json", "x.ipynb").out)
        found = listed["programs"][0]["parameters"]
        self.assertEqual({p["default"]: p["type"] for p in found}, rows)

    def test_list_like_papermill(self):
        self.make('a = 1\nb: "List[str]" = None  # its help\nc = 2  # type: float the third\n'
                  "d = {\n  # one\n  'x': 1,\n}  # behind\ne = 'a # no comment' ; f = 2 # m\n"
                  "a_name_longer: float = 1  # long\ng, h = 1, 2")
        self.assertEqual(self.nbscorep("parameters", "x.ipynb").out.decode(), """\
x.ipynb, cell 1:
  a: int (default 1)
  b: List[str] (default None)     its help
  c: float (default 2)            the third
  d: dict (default { # one 'x': 1, })
                                  behind
  e: str (default 'a # no comment')
  f: int (default 2)              m
  a_name_longer: float (default 1)
                                  long
  g: unknown
  h: unknown
""")

    def test_the_last_one_holds(self):
        self.make("a = 1  # one\nb = 2\na = 'x'")
        self.assertEqual(self.nbscorep("parameters", "x.ipynb").out.decode().splitlines()[1:],
                         ["  a: str (default 'x')", "  b: int (default 2)"])

    def test_list_without_a_cell(self):
        self.write("x.ipynb", notebook("a = 1"))
        done = self.nbscorep("parameters", "x.ipynb")
        self.assertEqual((done.status, done.out, done.err), (0, b"x.ipynb: no cell is tagged 'parameters'\n", b""))
        self.assertEqual(json.loads(self.nbscorep("parameters", "--format=json", "x.ipynb").out),
                         {"notebook": "x.ipynb", "programs": [{"name": "x", "parameters": []}]})

    def test_list_of_programs(self):
        self.write("x.ipynb", notebook(
            "%%start_writefile one", code("a = 1", **TAGGED), "%%end_writefile",
            "%%start_writefile two", "a = 1", "%%end_writefile"))
        self.assertEqual(self.nbscorep("parameters", "x.ipynb").out.decode(), """\
x.ipynb, program one, cell 2:
  a: int (default 1)
x.ipynb, program two: no cell is tagged 'parameters'
""")
        self.assertIn(b"cell 2:", self.nbscorep("parameters", "--whole-notebook", "x.ipynb").out)

    def test_hostile_list(self):
        self.make("a = 1  # \x1b[31m\u202e")
        out = self.nbscorep("parameters", "x.ipynb").out
        self.assertNotIn(b"\x1b", out)
        self.assertIn(" \ufffd[31m\ufffd\n".encode(), out)

    def test_wrong_usage(self):
        self.make()
        self.assertEqual(self.nbscorep("parameters").status, 2)
        self.assertEqual(self.nbscorep("parameters", "x.ipynb", "x.ipynb").status, 2)
        self.assertEqual(self.nbscorep("parameters", "nix.ipynb").status, 3)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                self.assertEqual(self.nbscorep("parameters", "x.ipynb", stdout=full).status, 3)

    def test_names_that_cannot_be(self):
        self.make()
        for name in ("", "1a", "a b", "if", "None", "__name__", "_nbscorep_values", "a.b",
                     "a\nimport os", "größe"):
            self.refuse("--allow-new-parameters", "-p", name, "1", says=["[parameter-name]"])
        self.make("größe = 1")
        self.assertEqual(self.set_by("-p", "größe=2"), ["größe = 2"])

    def test_cells_that_do_not_count(self):
        """A cell of an included notebook and a skipped cell do not count."""
        self.make(name="other.ipynb")
        for cell in "%run other.ipynb", code("n = 1", metadata={"tags": ["parameters", "skip"]}):
            self.write("x.ipynb", notebook(cell))
            self.refuse("-p", "n=1", says=["no cell tagged 'parameters'"])

    def test_types_that_differ(self):
        self.make("i = 1\nf = 1.0\ns = ''\nb = True\nl = []\nd = {}\nn = None\nt = (1,)\n"
                  "a: Any = 1\nq: int = None", "i")
        fits = ["i=1", "i=None", "f=1", "f=1.5", "s=x", "b=True", "n=1", "n=x", "a=x", "q=1"]
        for word in fits:
            self.assertEqual(self.nbscorep("build", "-p", word, "x.ipynb").err, b"", word)
        for word in ("i=1.5", "i=x", "i=True", "f=x", "s=1", "b=1", "l=1",
                     "d=x", "t=x", "q=x"):
            self.ended(0, b"[parameter-type]", "build", "-p", word, "x.ipynb")
        self.assertEqual(self.nbscorep("build", "-Werror=parameter-type", "-p", "i=x", "x.ipynb").status, 1)
        self.write("sweep.yaml", "list:\n- {i: one}\n- {i: 1.5}\n- {i: two}\n")
        done = self.nbscorep("build", "--sweep=sweep.yaml", "x.ipynb")
        self.assertEqual(done.err.count(b"[parameter-type]"), 1, done)  # not one for each set
        self.assertEqual(self.nbscorep("build", "-Wno-parameter-type", "-p", "i=x", "x.ipynb").err, b"")


if __name__ == "__main__":
    unittest.main()
