#!/usr/bin/env python3
"""The run script, started in every way that people start it, under the double of the bindings."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import EndingCase  # noqa: E402
from support import DOUBLE, clean_environment, notebook  # noqa: E402

REPORT = """import json, os, sys
print(json.dumps({"cwd": os.getcwd(), "argv": sys.argv[1:], "path": sys.path,
                  "env": dict(os.environ)}))"""
ODD_NAMES = ("a b", "it's", 'say "hi"', "line\nend", "end\n", "$x", "$(touch hit)", "`touch hit`",
             "-n", "--", "a;b", "a&b", "back\\slash", "tab\tx", "*", "ümlaut", "#x", "~", "!x",
             "a'b\"c d\n", "=x", "%d", "(x)", "{a,b}", "|", "<x>")
TOOLS = f"{DOUBLE}/bin:{os.environ['PATH']}"


class RunCase(EndingCase):
    def setUp(self):
        super().setUp()
        self.scratch = self.path("scratch")
        self.scratch.mkdir()

    def start(self, *command, cwd=None, env=None, **more):
        return self.run_command(*command, cwd=cwd or self.scratch,
                                env=self.environment() if env is None else env, **more)

    def report(self, *command, **more):
        done = self.start(*command, **more)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return json.loads(done.out)

    def make(self, folder="nb", *cells, name="heat", options=()):
        """A notebook in FOLDER, built. Returns the folder."""
        self.write(f"{folder}/{name}.ipynb", notebook(*(cells or (REPORT,))))
        place = self.path(folder)
        self.build("-q", *options, f"./{name}.ipynb", cwd=place)
        return place

    def places(self, *command, cwd=None, **more):
        """Where the run script goes, without the cost of starting Python."""
        python = self.path("fake python")
        if not python.exists():
            self.write("fake python", '#!/bin/sh\nprintf "%s\\0" "$PWD" "$4"\n')
            python.chmod(0o755)
        done = self.start(*command, cwd=cwd, env=self.environment(PYTHON=str(python), **more))
        self.assertEqual((done.status, done.err), (0, b""), done)
        folder, script = done.out.decode().split("\0")[:2]
        return folder, os.path.normpath(os.path.join(folder, script))

    def refused(self, done, *words):
        self.assertEqual((done.status, done.out), (1, b""), done)
        self.assertIn(b"nbscorep: ", done.err)
        for word in words:
            self.assertIn(word.encode(), done.err)
        self.assertFalse(self.experiment.exists())


class Started(RunCase):
    """The ways to start it."""

    def test_ways(self):
        folder = self.make()
        wanted, script = (str(folder), str(folder / "heat.py")), str(folder / "heat_run.sh")
        for command, cwd in (([script], self.scratch), (["../nb/heat_run.sh"], self.scratch),
                             (["../scratch/.././nb/heat_run.sh"], self.scratch), (["./heat_run.sh"], folder),
                             (["bash", "heat_run.sh"], folder), (["bash", "../nb/heat_run.sh"], self.scratch),
                             (["sh", "-c", '"$0"', script], self.scratch)):
            self.assertEqual(self.places(*command, cwd=cwd), wanted, command)
        got = self.report("sh", script, "a b")
        self.assertEqual((got["cwd"], got["argv"]), (str(folder), ["a b"]))

    def test_through_path(self):
        folder = self.make()
        for entry, cwd in ((str(folder), self.scratch), ("../nb", self.scratch), (".", folder),
                           ("", folder)):
            with self.subTest(entry):
                got = self.places("bash", "-c", "heat_run.sh", cwd=cwd, PATH=f"{entry}:{TOOLS}")
                self.assertEqual(got[0], str(folder))

    def test_through_a_link(self):
        """The script lies where the link leads to, unless it lies beside the link."""
        folder = self.make()
        for name in "link", "heat_run.sh", "odd\nlink\n":
            with self.subTest(name):
                os.symlink(folder / "heat_run.sh", self.scratch / name)
                os.symlink(name, self.scratch / "second")
                for path in name, "second":
                    self.assertEqual(self.places(f"./{path}")[0], str(folder))
                (self.scratch / "second").unlink()

    def test_through_a_link_to_nothing_of_ours(self):
        folder = self.make()
        os.symlink(folder / "heat_run.sh", self.scratch / "link")
        (folder / "heat.py").unlink()
        self.refused(self.start("./link"), "heat.py", str(folder))

    def test_through_a_linked_folder(self):
        folder = self.make()
        os.symlink(folder, self.scratch / "linked")
        got = self.report("./linked/heat_run.sh")
        self.assertEqual(os.path.realpath(got["cwd"]), str(folder))

    def test_through_a_linked_output_folder(self):
        """The way from the run script to the notebook is one of real folders, not of links."""
        self.path("nb/out").mkdir(parents=True)
        folder = self.make(options=["--output-dir=out"])
        self.path("far/away").mkdir(parents=True)
        os.symlink(folder / "out", self.path("far/away/linked"))
        got = self.report(str(self.path("far/away/linked/heat_run.sh")))
        self.assertEqual(os.path.realpath(got["cwd"]), str(folder))

    def test_odd_folders(self):
        for name in ODD_NAMES:
            with self.subTest(name):
                folder = self.make(name)
                wanted = str(folder), str(folder / "heat.py")
                for command, cwd in ((str(folder / "heat_run.sh"), self.scratch),
                                     ("./heat_run.sh", folder),
                                     (f"./{name}/heat_run.sh", self.folder)):
                    self.assertEqual(self.places(command, cwd=cwd), wanted)
                self.assertEqual(list(self.folder.rglob("hit")), [])

    def test_odd_names(self):
        for name in ODD_NAMES:
            with self.subTest(name):
                folder = self.make("odd", "print('here')", name=name)
                run = f"./{name}_run.sh"
                subprocess.run(["bash", "-n", run], cwd=folder, check=True)
                wanted = str(folder), str(folder / f"{name}.py")
                for command, cwd in (((run,), folder), (("bash", run), folder),
                                     ((str(folder / run),), self.scratch)):
                    self.assertEqual(self.places(*command, cwd=cwd), wanted)
                more = {} if "\n" in name else {"NBSCOREP_MEASURE": "no"}  # which is faster
                done = self.start(run, cwd=folder, env=self.environment(**more))
                self.assertEqual((done.status, done.out, done.err), (0, b"here\n", b""), done)
                self.assertEqual(list(self.folder.rglob("hit")), [])

    def test_odd_output_folders(self):
        """The notebook's folder, seen from the run script's."""
        for name in (*ODD_NAMES, "-"):
            with self.subTest(name):
                folder = self.path(f"tree/{name}")
                self.write(f"tree/{name}/heat.ipynb", notebook(REPORT))
                self.path("tree/out").mkdir(exist_ok=True)
                for out, run in ((".", "heat_run.sh"), ("out", "out/heat_run.sh")):
                    self.build(f"--output-dir={out}", f"./{name}/heat.ipynb",
                               cwd=self.path("tree"))
                    self.assertEqual(self.places(str(self.path("tree") / run))[0], str(folder))

    def test_cdpath(self):
        self.write("tree/nb/heat.ipynb", notebook(REPORT))
        self.path("decoy/nb").mkdir(parents=True)
        self.build("--output-dir=.", "nb/heat.ipynb", cwd=self.path("tree"))
        folder, _ = self.places("./heat_run.sh", cwd=self.path("tree"),
                                CDPATH=str(self.path("decoy")))
        self.assertEqual(folder, str(self.path("tree/nb")))

    def test_hostile_environment(self):
        """What the caller has exported does not change which script runs."""
        folder = self.make()
        got = self.report(str(folder / "heat_run.sh"), env=self.environment(
            IFS="/", here="/nonexistent", script="other.py", folder="/", self="x", build="0",
            found="x", line="x", notebook_folder="/", OLDPWD="/", GLOBIGNORE="*"))
        self.assertEqual(got["cwd"], str(folder))

    def test_moved(self):
        """Both files and the notebook can move together."""
        folder = self.make()
        moved = self.path("moved/there")
        moved.parent.mkdir()
        shutil.move(folder, moved)
        self.assertEqual(self.report(str(moved / "heat_run.sh"))["cwd"], str(moved))


class PassedOn(RunCase):
    """What reaches the program."""

    def test_it_becomes_the_program(self):
        """exec: signals to the run script's process reach Python."""
        folder = self.make("nb", "import os; print(os.getpid())")
        process = subprocess.Popen([folder / "heat_run.sh"], stdout=subprocess.PIPE,
                                   env=self.environment(), cwd=self.scratch)
        out, _ = process.communicate(timeout=60)
        self.assertEqual(int(out), process.pid)

    def test_no_python(self):
        folder = self.make()
        done = self.start(str(folder / "heat_run.sh"),
                          env=self.environment(PYTHON="/nonexistent/python"))
        self.assertEqual((done.status, done.err),
                         (3, b"nbscorep: cannot find the Python '/nonexistent/python'\n"))

    def test_environment(self):
        """PYTHONPATH gets no empty entry, which would be the current folder."""
        folder = self.make()
        for name, value, wanted in (
                ("MPLBACKEND", None, "Agg"), ("MPLBACKEND", "", "Agg"), ("MPLBACKEND", "QtAgg", "QtAgg"),
                ("PYTHONPATH", f"{DOUBLE}:/other", f"{folder}:{DOUBLE}:/other"),
                ("PYTHONPATH", None, str(folder)), ("PYTHONPATH", "", str(folder))):
            with self.subTest(name, value=value):
                got = self.report(str(folder / "heat_run.sh"),
                                  env=self.environment(NBSCOREP_MEASURE="no", **{name: value}))
                self.assertEqual(got["env"][name], wanted)

    def test_module_beside_the_notebook(self):
        self.write("nb/model.py", "value = 'of the model'")
        self.path("far/out").mkdir(parents=True)
        cells = "import model\nprint(model.value)"
        for options, run in (([], "nb/heat_run.sh"),
                             (["--output-dir=../far/out"], "far/out/heat_run.sh")):
            self.make("nb", cells, options=options)
            done = self.start(str(self.path(run)))
            self.assertEqual((done.status, done.out), (0, b"of the model\n"), done)


class Refused(RunCase):
    def build_id(self, path):
        return re.search(r"^# nbscorep build (\w+)$", path.read_text(), re.M)[1]

    def test_mixed_builds(self):
        folder = self.make()
        old = (folder / "heat.py").read_bytes()
        first = self.build_id(folder / "heat.py")
        self.make("nb", "print('ran')")
        second = self.build_id(folder / "heat_run.sh")
        self.assertNotEqual(first, second)
        (folder / "heat.py").write_bytes(old)
        self.refused(self.start(str(folder / "heat_run.sh")), first, second)

    def test_builds_that_differ_in_the_run_script_only(self):
        """Settings change the run script, and with it the id of both."""
        a = self.make("nb", "%%scorep_python_binding_arguments\n--nocompiler", "x = 1")
        old = (a / "heat_run.sh").read_bytes()
        self.make("nb", "%%scorep_python_binding_arguments\n--noinstrumenter", "x = 1")
        (a / "heat_run.sh").write_bytes(old)
        (a / "heat_run.sh").chmod(0o755)
        self.refused(self.start(str(a / "heat_run.sh")))

    def test_script_of_somebody_else(self):
        folder = self.make()
        for text in ("print('ran')\n", "", "# nbscorep build\nprint('ran')", "\n",
                     "# no line end", "print('ran')\n# nbscorep build " + "0" * 16):
            (folder / "heat.py").write_text(text)
            self.refused(self.start(str(folder / "heat_run.sh")), "another build")

    def test_id_in_a_cell(self):
        """A cell cannot pretend to be another build."""
        folder = self.make("nb", "# nbscorep build 0123456789abcdef\nprint('ran')")
        self.assertEqual(self.start(str(folder / "heat_run.sh")).out, b"ran\n")
        shutil.rmtree(self.experiment)
        script = (folder / "heat.py").read_bytes()
        own = self.build_id(folder / "heat.py").encode()
        (folder / "heat.py").write_bytes(script.replace(b"build " + own, b"build 0", 1))
        self.refused(self.start(str(folder / "heat_run.sh")))

    def test_script_is_a_folder(self):
        folder = self.make()
        (folder / "heat.py").unlink()
        (folder / "heat.py").mkdir()
        done = self.start(str(folder / "heat_run.sh"))
        self.assertEqual((done.status, done.out), (1, b""), done)

    def test_notebook_folder_is_gone(self):
        self.path("out").mkdir()
        self.make(options=["--output-dir=../out"])
        shutil.rmtree(self.path("nb"))
        done = self.start(str(self.path("out/heat_run.sh")))
        self.assertEqual(done.status, 1, done)
        self.assertIn(b"nb", done.err)


class Environment(RunCase):
    """%env and %%scorep_env: $NAME expands, and nothing else."""

    def expected(self, value, environment):
        return re.sub(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})",
                      lambda m: environment[m[1] or m[2]], value, flags=re.ASCII)

    VALUES = ("plain", "$NAME", "${NAME}", "a${NAME}b$NAME", "$NAME.x", "`touch hit`",
              "$(touch hit)", "$((1+1))", "${NAME:-x}", "${!NAME}", "${#NAME}", "${NAME", "$",
              "a$", "$$", "$1", "$?", "$#", "$!", "$@", "$-", "\\", "\\\\", "\\$NAME", "\\n",
              "it's", 'x"y"', "'", '"', "~", "*", "!x", "a;touch hit", "a|b", "a&b",
              "a#b", "#x", "<x", "(x)", "{a,b}", "a b", "-n", "=", "a=b", "%d", "$NAME`id`\"'\\",
              "x\"; touch hit; \"", "x'; touch hit; '", "$'\\n'", "ü$NAME",
              "\u2028x", "\u202ex", "é" * 40, "${NAME}}", "$NAME$(touch hit)$NAME", "${}", "${1}")
    # Outer quotes are taken off.
    QUOTED = {'"a b"': "a b", "'a b'": "a b", '"; touch hit; "': "; touch hit; ", "'; touch hit; '": "; touch hit; "}

    def test_only_names_expand(self):
        caller = {"NAME": "v a'l\"u\\e$(touch hit)`id`"}
        expected = {value: self.expected(value, caller) for value in self.VALUES} | self.QUOTED
        lines = "\n".join(f"NB_{i}={value}" for i, value in enumerate(expected))
        folder = self.make("nb", f"%%scorep_env\n{lines}", REPORT)
        got = self.report(str(folder / "heat_run.sh"), env=self.environment(**caller))["env"]
        for i, (value, wanted) in enumerate(expected.items()):
            with self.subTest(value):
                self.assertEqual(got[f"NB_{i}"], wanted)
        self.assertEqual(list(self.folder.rglob("hit")), [])

    def test_unset_name(self):
        """A run with half a path would be worse than none."""
        folder = self.make("nb", "%env SCOREP_EXPERIMENT_DIRECTORY=results/$NB_UNSET/x", "print(1)")
        done = self.start(str(folder / "heat_run.sh"))
        self.assertEqual((done.status, done.out), (1, b""), done)
        self.assertIn(b"NB_UNSET", done.err)

    def test_names_of_the_run_script(self):
        """A notebook's variable must not change which script is run, or from where."""
        folder = self.make("nb", "%%scorep_env\nhere=/nonexistent\nscript=other.py\n"
                           "build=0\nself=x\nfolder=/\nnotebook_folder=/\nfound=1\nline=1\n"
                           "PWD=/nonexistent", REPORT)
        got = self.report(str(folder / "heat_run.sh"))
        self.assertEqual(got["cwd"], str(folder))
        self.assertEqual(got["env"]["here"], "/nonexistent")
        self.assertEqual(got["env"]["script"], "other.py")
        self.assertEqual(got["env"]["PYTHONPATH"].split(":")[0], str(folder))

    def test_names_that_bash_keeps_for_itself(self):
        """Readonly in bash: told when the notebook is built, or harmless, but no broken job."""
        for name in ("UID", "EUID", "PPID", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO"):
            with self.subTest(name):
                self.write("nb/heat.ipynb", notebook(f"%%scorep_env\n{name}=1", "print(1)"))
                done = self.nbscorep("build", "heat.ipynb", cwd=self.path("nb"))
                if done.status == 0 and done.err == b"":
                    ran = self.start(str(self.path("nb/heat_run.sh")))
                    self.assertEqual(ran.status, 0, ran)

    def test_experiment_directory_with_parents(self):
        folder = self.make()
        for value, place in (("results/deep/run", folder / "results/deep/run"),
                             (str(self.path("abs/deep/run")), self.path("abs/deep/run")),
                             ("simple", folder / "simple"), ("-x/y", folder / "-x/y"),
                             ("with blank/it's $x", folder / "with blank/it's $x")):
            with self.subTest(value):
                done = self.start(str(folder / "heat_run.sh"),
                                  env=self.environment(SCOREP_EXPERIMENT_DIRECTORY=value))
                self.assertEqual((done.status, done.err), (0, b""), done)
                self.assertTrue((place / "events.jsonl").exists())


class UnderSlurm(RunCase):
    """sbatch runs a copy in a spool folder."""

    def setUp(self):
        super().setUp()
        self.real = self.make("real folder")
        self.spool = self.path("spool/job00007")
        self.spool.mkdir(parents=True)
        self.copy = self.spool / "slurm_script"
        shutil.copy(self.real / "heat_run.sh", self.copy)

    def scontrol(self, answer):
        tool = self.write("bin/scontrol", f"#!/bin/sh\n[ \"$*\" = 'show job 7' ] || exit 1\n"
                                          f"cat <<'END'\n{answer}\nEND\n")
        tool.chmod(0o755)
        return f"{tool.parent}:{TOOLS}"

    def job(self, command, **more):
        path = self.scontrol(f"JobId=7 JobName=heat_run.sh\n   Priority=1 Nice=0\n"
                             f"   Command={command}\n   WorkDir={self.scratch}")
        return self.environment(SLURM_JOB_ID="7", PATH=path,
                                SLURM_SUBMIT_DIR=str(self.scratch), **more)

    def test_folder_called_like_the_run_script(self):
        real = self.make("x/heat_run.sh.d")
        shutil.copy(real / "heat_run.sh", self.copy)
        got = self.report(str(self.copy), env=self.job(f"{real}/heat_run.sh a"))
        self.assertEqual(got["cwd"], str(real))

    def test_submit_folder(self):
        fails = self.write("fails/scontrol", "#!/bin/sh\necho broken >&2\nexit 1\n")
        fails.chmod(0o755)
        for path in (TOOLS, f"{fails.parent}:{TOOLS}", self.scontrol("   Command=(null)"),
                     self.scontrol("slurm_load_jobs error: Invalid job id specified")):
            got = self.report(str(self.copy), env=self.environment(
                SLURM_JOB_ID="7", PATH=path, SLURM_SUBMIT_DIR=str(self.real)))
            self.assertEqual(got["cwd"], str(self.real))

    def test_not_found(self):
        for env in (self.job("/elsewhere/heat_run.sh"),
                    self.environment(SLURM_JOB_ID="7"), self.environment()):
            self.refused(self.start(str(self.copy), env=env), "heat.py")

    def test_started_in_place_inside_a_job(self):
        """srun ./heat_run.sh: the folder of the file itself counts."""
        other = self.make("other", "print('other')")
        got = self.report(str(self.real / "heat_run.sh"),
                          env=self.job(other / "heat_run.sh"))
        self.assertEqual(got["cwd"], str(self.real))

    def test_rebuilt_while_queued(self):
        """Slurm took its copy at submission; the notebook was built again since."""
        self.make("real folder", "print('newer')")
        self.refused(self.start(str(self.copy), env=self.job(self.real / "heat_run.sh")),
                     "another build")


class WithoutBindings(RunCase):
    """Plain python3, no Score-P: the same output."""

    def test_regions_of_the_user(self):
        """The user's own Score-P calls do nothing either."""
        folder = self.make("nb", "import scorep\nimport scorep.user\n"
                           "from scorep.user import region\nfrom scorep import instrumenter",
                           "with region('x'):\n    print(1)\n"
                           "@scorep.user.region('f')\ndef f(n):\n    return n + 1\nprint(f(1))\n"
                           "scorep.user.parameter_int('a', 1)\n"
                           "with scorep.instrumenter.enable():\n    print(3)\n"
                           "with scorep.instrumenter.disable('x'):\n    print(4)\n"
                           "scorep.user.region_begin('x')\nscorep.user.region_end('x')\n"
                           "@scorep.instrumenter.enable('g')\ndef g():\n    return 5\nprint(g())",
                           "scorep.register()\nscorep.user_region_begin('a')\n"  # the old names
                           "scorep.user_region_end('a')\nscorep.unregister()")
        plain = self.start(sys.executable, str(folder / "heat.py"), env=clean_environment())
        self.assertEqual((plain.status, plain.out), (0, b"1\n2\n3\n4\n5\n"), plain)
        self.assertEqual(self.start(str(folder / "heat_run.sh")).out, plain.out)

    def test_no_bindings(self):
        """The job's log says why, and what to do."""
        run = str(self.make("nb", "print('ran')") / "heat_run.sh")
        tools = os.pathsep.join(folder for folder in os.environ["PATH"].split(os.pathsep)
                                if not os.path.exists(os.path.join(folder, "scorep-config")))
        none = {"PYTHONPATH": None}
        for more, reason in (
                (none, f"'{sys.executable}' has no Score-P bindings (module 'scorep')"),
                (none | {"PATH": tools}, f"'{sys.executable}' has no Score-P bindings (module "
                                         "'scorep'), and no scorep-config is on PATH"),
                ({"PATH": tools}, "Score-P bindings are installed, but no scorep-config is on PATH")):
            with self.subTest(reason):
                done = self.start(run, env=self.environment(NBSCOREP_MEASUREMENT="scorep", **more))
                self.assertEqual((done.status, done.out), (3, b""), done)
                lines = done.err.decode().splitlines()
                self.assertEqual((lines[0], len(lines)), (f"nbscorep: cannot measure: {reason}", 3))
                self.assertIn("set NBSCOREP_MEASUREMENT to builtin or none", lines[2])
                done = self.start(run, env=self.environment(NBSCOREP_MEASURE="no", **more))
                self.assertEqual((done.status, done.out, done.err), (0, b"ran\n", b""))

    def test_bindings_that_are_broken(self):
        """Bindings that are there but fail to load are no reason to go on silently measured-less."""
        self.write("broken/scorep/__init__.py", "raise RuntimeError('broken bindings')")
        folder = self.make("nb", "print('ran')")
        done = self.start(sys.executable, str(folder / "heat.py"),
                          env=clean_environment(PATH=TOOLS, PYTHONPATH=str(self.path("broken"))))
        self.assertEqual(done.status, 1, done)
        self.assertIn(b"broken bindings", done.err)


if __name__ == "__main__":
    unittest.main()
