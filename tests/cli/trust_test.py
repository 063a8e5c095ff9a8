#!/usr/bin/env python3
"""What a notebook's metadata may set that runs code, and what a run starts."""
import re
import unittest

from support import ROOT, Case, clean_environment, code, notebook

WARNED = re.compile(rb"warning: the notebook's metadata sets '(.*?)' to '(.*?)'(?: \(and \d+ more\))?, "
                    rb"which runs code besides the cells \[notebook-code\]")
CODE = {
    "setup": (["touch hit", "second"], "touch hit"), "teardown": ("touch hit\nsecond", "touch hit"),
    "modules": ("evil second", "evil"), "python": ("./evil", "./evil"),
    "launcher": ("./evil -n 2", "./evil -n 2"),
    "args": (["--verbose", "--instrumenter-file=evil.py"], "--instrumenter-file=evil.py"),
    "slurm.export": ("ALL,LD_PRELOAD=evil.so", "ALL,LD_PRELOAD=evil.so"),
    "build.package-installs": ("run", "run"),
} | {f"env.{name}": ("evil", "evil") for name in (
    "LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME",
    "PYTHON", "PATH", "BASH_ENV", "ENV", "PS4", "HOME", "VIRTUAL_ENV", "NBSCOREP_LAUNCHER",
    "SCOREP_METRIC_PLUGINS", "OMPI_MCA_mca_base_component_path", "CC")} | {
    "env.MPLBACKEND": ("module://evil", "module://evil")}
HARMLESS = {
    "env": {"SCOREP_ENABLE_TRACING": "true", "OMP_NUM_THREADS": 4, "MPLBACKEND": "Agg",
            "PYTHONUNBUFFERED": 1, "ENVIRON": "x", "HOMES": "x"},
    "args": ["--thread=pthread"], "ranks": 2, "slurm": {"time": "1:00:00", "output": "x.out"},
    "build": {"no-echo": True, "package-installs": "skip"}, "parameters": {}}


def nested(name, value):
    key, _, entry = name.partition(".")
    return {key: {entry: value} if entry else value}


class Trust(Case):
    def setUp(self):
        super().setUp()
        self.path("templates").mkdir()
        self.write("evil.py", "")

    def check(self, *arguments, config=None, cells=("x = 1",), **more):
        self.write("x.ipynb", notebook(*cells, **({} if config is None else {"nbscorep": config})))
        return self.nbscorep("check", "--no-verify", *arguments, "x.ipynb", **more)


class Metadata(Trust):
    def test_each(self):
        for name, (value, shown) in CODE.items():
            with self.subTest(name):
                done = self.check(config=nested(name, value))
                self.assertEqual(done.status, 0, done)
                self.assertEqual(WARNED.findall(done.err), [(name.encode(), shown.encode())], done)
                self.assertIn(b"x.ipynb:1: warning: ", done.err)
                self.assertEqual(done.err.count(b"hint: use --no-notebook-config to ignore"), 1)

    def test_lists(self):
        """The first line, and the number of the others."""
        for setup in ["first", "second", "third"], "first\nsecond\nthird":
            done = self.check(config={"setup": setup, "modules": "a b", "python": "p"})
            for said in b"'setup' to 'first' (and 2 more),", b"'modules' to 'a' (and 1 more),", \
                    b"'python' to 'p',":
                self.assertIn(said, done.err)

    def test_arguments(self):
        """However an option is spelled."""
        for args in (["-v", "--instrumenter-file=evil.py"], "--instrumenter-file=evil.py",
                     "--instrumenter-'file=evil.py'", '"--instrumenter"-file=evil.py',
                     "--instrumenter\\-file=evil.py", ["$X=evil.py"], "${X}=evil.py",
                     ["-v", "--libwrap=evil"]):
            with self.subTest(args):
                done = self.check(config={"args": args, "env": {"X": "--instrumenter-file"}})
                self.assertEqual([name for name, _ in WARNED.findall(done.err)], [b"args"], done)

    def test_harmless(self):
        done = self.check(config=HARMLESS)
        self.assertNotIn(b"[notebook-code]", done.err)

    def test_each_row_of_the_table(self):
        """runs_code.def names keys, options and settings that there are."""
        text = re.sub(r'"\n +"', "", (ROOT / "src/settings/runs_code.def").read_text())
        found = re.findall(r'^RUNS_CODE\("([\w-]+)", (?:NULL|"((?:[^"\\]|\\.)*)"), '
                           r'(?:NULL|"([^"]*)")\)', text, re.M)
        self.assertEqual(len(found), text.count("\nRUNS_CODE("))
        rows = [(key, name, begins) for key, names, begins in found for name in names.split("|")]
        self.assertGreater(len(rows), 95)
        for key, name, begins in rows:
            value = begins or "evil"
            if key == "args":
                config = {key: [f"--x{name.encode().decode('unicode_escape')}=evil.py"]}
            elif name:
                config = {key: {name.replace("*", "X"): value if name != "template-dir" else "templates"}}
            else:
                config = {key: value}
            with self.subTest(config):
                done = self.check(config=config)
                self.assertEqual(len(WARNED.findall(done.err)), 1, done)

    def test_of_others(self):
        """What a file of the user's or the command line sets needs no warning, also where the
        notebook sets it, too."""
        self.write("nbscorep.yaml", "setup: [touch mine]\nenv: {PATH: mine}\n")
        done = self.check()
        self.assertEqual(done.err, b"")
        done = self.check("--python=python3", "--set=setup=mine", "--set=env.PATH=mine",
                          config={"python": "./evil", "setup": ["evil"], "env": {"PATH": "evil"}})
        self.assertEqual(done.err, b"")

    def test_profiles(self):
        """Of a profile that is chosen."""
        config = {"profiles": {"p": {"setup": ["evil"]}}}
        self.assertEqual(self.check(config=config).err, b"")
        self.assertEqual(WARNED.findall(self.check("--profile=p", config=config).err), [(b"setup", b"evil")])

    def test_terminal(self):
        done = self.check(config={"setup": ["\x1b[31m" + "x" * 10_000]})
        self.assertNotIn(b"\x1b", done.err)
        self.assertLess(len(done.err), 1000)

    def test_switch(self):
        done = self.check("-Wno-notebook-code", config={"setup": ["evil"]})
        self.assertEqual((done.status, done.err), (0, b""))
        done = self.check("-Werror=notebook-code", config={"setup": ["evil"]})
        self.assertEqual(done.status, 1)


class Refusal(Trust):
    """trust-notebooks: false."""

    def environment(self, text="trust-notebooks: false"):
        self.write("config/nbscorep/config.yaml", text)
        return clean_environment(XDG_CONFIG_HOME=str(self.path("config")))

    def test_refused(self):
        env = self.environment()
        for name, (value, _) in CODE.items():
            with self.subTest(name):
                done = self.check(config=nested(name, value), env=env)
                self.assertEqual(done.status, 1, done)
                self.assertEqual(done.err.count(b"[notebook-code-refused]"), 1, done)
                self.assertIn(b"--set trust-notebooks=true", done.err)
        for command in "build", "run", "submit", "ir":
            done = self.nbscorep(command, "x.ipynb", env=env)
            self.assertEqual(done.status, 1, done)
        self.assertEqual({name for name in self.files() if name.startswith("x")}, {"x.ipynb"})

    def test_not_refused(self):
        done = self.check(config=HARMLESS, env=self.environment())
        self.assertEqual(done.status, 0, done)
        self.assertNotIn(b"notebook-code", done.err)
        self.write("nbscorep.yaml", "setup: [mine]")
        self.assertEqual(self.check(env=self.environment()).err, b"")

    def test_command_line(self):
        config = {"setup": ["evil"]}
        done = self.check("--set=trust-notebooks=false", config=config)
        self.assertEqual(done.status, 1)
        done = self.check("--set=trust-notebooks=true", config=config, env=self.environment())
        self.assertEqual((done.status, done.err), (0, b""))
        done = self.check("--no-notebook-config", config=config, env=self.environment())
        self.assertEqual(done.status, 0, done)
        self.assertIn(b"[metadata-ignored]", done.err)
        done = self.check("-Wno-notebook-code", "-Wno-error", config=config, env=self.environment())
        self.assertNotEqual(done.status, 0)

    def test_only_of_the_user(self):
        """Neither the notebook nor a project's file says whether the notebook is trusted."""
        for value in True, False:
            said = f"trust-notebooks: {str(value).lower()}"
            done = self.check(config={"trust-notebooks": value, "setup": ["evil"]})
            self.assertEqual(done.status, 1)
            self.assertIn(b"'trust-notebooks' is a key of the user's and the system's file only "
                          b"[config-key]", done.err)
            for text in said, f"profiles: {{p: {{{said}}}}}":
                self.write("nbscorep.yaml", text)
                done = self.check(config={"setup": ["evil"]})
                self.assertEqual(done.status, 1)
                self.assertIn(b"nbscorep.yaml:1:", done.err)
                self.path("nbscorep.yaml").unlink()

    def test_values(self):
        done = self.check(env=self.environment("trust-notebooks: nobody"))
        self.assertIn(b"'trust-notebooks' requires true or false, not a text", done.err)
        done = self.check("--print-config", env=self.environment())
        self.assertIn(b"trust-notebooks: false", done.out)


class Started(Trust):
    """`run -n` prints the run script, and like `build -n` the commands of magics with their places."""
    CELLS = (
        "!ls -la\nx = !date\n!!who", "%%bash -e\nmake -j4\n# comment\npip install x\n  rm -rf y",
        "%%script perl -w\nprint 1", "%pip install numpy", "!pip install a; wget b", "%time !sleep 1",
        "%sx ls", "%cat f\n%mkdir x", "%%sx\necho 1\necho 2", "%run other.ipynb", "!a \\\n b",
        "%%python3\nprint(1)", "def f():\n    !inside", "%pip list", "%%timeit\n!timed",
        code("!left out", metadata={"tags": ["skip"]}))
    STARTED = [
        "x.ipynb:cell 1:1:1: ls -la", "x.ipynb:cell 1:2:5: date", "x.ipynb:cell 1:3:1: who", "x.ipynb:cell 2:1:1: bash -e",
        "x.ipynb:cell 2:2:1: make -j4", "x.ipynb:cell 2:5:3: rm -rf y", "x.ipynb:cell 3:1:1: perl -w", "x.ipynb:cell 5:1:1: :; wget b",
        "x.ipynb:cell 6:1:1: sleep 1", "x.ipynb:cell 7:1:1: ls", "x.ipynb:cell 8:1:1: cat f", "x.ipynb:cell 8:2:1: mkdir x",
        "x.ipynb:cell 9:2:1: echo 1", "x.ipynb:cell 9:3:1: echo 2", "other.ipynb:cell 1:1:1: included",
        "x.ipynb:cell 11:1:1: a   b", "x.ipynb:cell 12:1:1: python3", "x.ipynb:cell 13:2:5: inside", "x.ipynb:cell 14:1:1: pip list",
        "x.ipynb:cell 15:2:1: timed"]

    def listed(self, text):
        found = re.findall(r"^would start \((.*)\): (.*)$", text.decode(), re.M)
        self.assertEqual(len(found), text.count(b"would start"), text)
        return [f"{origin}: {command}" for origin, command in found]

    def run_dry(self, *arguments):
        done = self.nbscorep("run", "-n", "-q", "x.ipynb", *arguments)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out

    def run_list(self, *arguments):
        return self.listed(self.run_dry(*arguments))

    def make(self, config=None):
        self.write("other.ipynb", notebook("!included"))
        self.write("x.ipynb", notebook(*self.CELLS, **({"nbscorep": config} if config else {})))

    def test_cells(self):
        self.make()
        self.assertEqual(self.run_list(), self.STARTED)
        done = self.nbscorep("build", "-q", "-n", "x.ipynb")
        self.assertEqual(self.listed(done.out), self.STARTED)
        self.assertEqual(list(self.files()), ["evil.py", "other.ipynb", "x.ipynb"])
        self.assertEqual(self.nbscorep("build", "-q", "x.ipynb").err, b"")

    def test_installs(self):
        self.make()
        listed = self.run_list("--package-installs=run")
        for line in ("x.ipynb:cell 2:4:1: pip install x", "x.ipynb:cell 4:1:1: pip install numpy",
                     "x.ipynb:cell 5:1:1: pip install a; wget b"):
            self.assertIn(line, listed)

    def test_run_script(self):
        """It is printed as it is written."""
        self.make({"setup": ["first", "second"], "teardown": "third\n\nfourth"})
        self.write("nbscorep.yaml", "modules: [gcc/13, use x, purge]\npython: venv/bin/python\n"
                                    "args: [--thread=pthread, --instrumenter-file=evil.py]\n"
                                    "launcher: mpirun -n {ranks}\n")
        printed = self.run_dry("--set=ranks=2")
        submitted = self.nbscorep("submit", "-n", "-q", "x.ipynb", "--set=ranks=2").out
        self.assertEqual(submitted, printed + b"sbatch --parsable ./x_run.sh\n")
        self.nbscorep("build", "-q", "x.ipynb", "--set=ranks=2")
        self.assertIn(self.path("x_run.sh").read_bytes(), printed)

    def test_terminal(self):
        """One line for each, whatever is in it."""
        self.write("x.ipynb", notebook("!a \x1b[31m \\\n b\x07", "%%bash\nx \x1b]0;t\x07 y",
                                       nbscorep={"setup": ["x\x1b[2J\ny"]}))
        done = self.nbscorep("run", "-n", "-q", "x.ipynb")
        self.assertEqual(done.status, 0, done)
        self.assertFalse(set(done.out) & set(b"\x1b\x07"), done)
        self.assertEqual(len(self.listed(done.out)), 3)

    def test_several_programs(self):
        self.write("x.ipynb", notebook("%%start_writefile a", "!first", "%%end_writefile",
                                       "%%start_writefile b", "!second", "%%end_writefile"))
        done = self.nbscorep("build", "-n", "-q", "x.ipynb")
        self.assertEqual(self.listed(done.out), ["x.ipynb:cell 2:1:1: first", "x.ipynb:cell 5:1:1: second"])


if __name__ == "__main__":
    unittest.main()
