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
    "build.package-installs": ("run", "run"), "build.template-dir": ("templates", "templates"),
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
        rows = re.findall(r'^RUNS_CODE\("([\w-]+)", (?:NULL|"([^"]*)"), (?:NULL|"([^"]*)")\)',
                          (ROOT / "src/config/runs_code.def").read_text(), re.M)
        self.assertGreater(len(rows), 60)
        for key, name, begins in rows:
            value = begins or "evil"
            if key == "args":
                config = {key: [f"--x{name.encode().decode('unicode_escape')}=evil.py"]}
            elif name:
                config = {key: {name.replace("*", "X"): value if name != "template-dir"
                                else "templates"}}
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
        self.assertEqual(WARNED.findall(self.check("--profile=p", config=config).err),
                         [(b"setup", b"evil")])

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
        self.assertIn(b"'trust-notebooks' wants true or false, not a text", done.err)
        done = self.check("--print-config", env=self.environment())
        self.assertIn(b"trust-notebooks: false", done.out)


if __name__ == "__main__":
    unittest.main()
