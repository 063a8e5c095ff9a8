#!/usr/bin/env python3
"""doctor, on a PATH of fake tools: old, new, broken, hostile, none."""
import json
import os
import re
import signal
import subprocess
import sys
import sysconfig
import unittest

from support import (DOUBLE, ROOT, TIMEOUT, Case, binary, clean_environment, code, notebook,
                     prints, scorep_config)

# What the programs themselves print.
VERSIONS = {
    "cc": "cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free Software Foundation\n",
    "mpirun": "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/\n",
    "srun": "slurm-wlm 22.05.8\n",
    "sbatch": "slurm-wlm 22.05.8\n",
    "otf2-print": "otf2-print: version 3.0.2\n",
}
SCOREP_THINGS = ["shared", "thread-pthread", "thread-omp", "mpp-mpi", "mpp-shmem", "io", "memory",
                 "cuda", "hip", "opencl", "openacc", "kokkos"]


class Doctor(Case):
    def setUp(self):
        super().setUp()
        self.path("bin").mkdir()
        self.path("work").mkdir()

    def tools(self):
        """Everything there is, of today."""
        for name, text in VERSIONS.items():
            self.tool(name, prints(text))
        for name in ("vampir", "cube", "cube_stat"):
            self.tool(name, "echo window > opened")
        self.tool("scorep-config", scorep_config())
        self.modules("mpi4py", "IPython")

    def modules(self, *names):
        for name in names:
            self.write(f"modules/{name}/__init__.py", "__version__ = '3.1.4'\nraise SystemExit(9)\n")

    def environment(self, **more):
        given = {"PATH": str(self.path("bin")), "PYTHON": sys.executable, "HOME": None,
                 "PYTHONPATH": f"{DOUBLE}:{self.path('modules')}"}
        return clean_environment(**given | more)

    def doctor(self, *arguments, status=None, env=None, **more):
        done = self.nbscorep("doctor", *arguments, cwd=self.path("work"), env=env or self.environment(), **more)
        self.assertEqual(done.err, b"")
        if status is not None:
            self.assertEqual(done.status, status, done)
        return done

    def report(self, *arguments, **more):
        """Things and features by their id."""
        done = self.doctor("--json", *arguments, **more)
        report = json.loads(done.out)
        self.assertEqual(report["version"], 1)
        for key in ("things", "features"):
            report[key] = {item["id"]: item for item in report[key]}
        measured = report["features"]["measure"]["state"] != "no"
        self.assertEqual(done.status, 0 if measured else 1)
        return report

    def thing(self, name, **more):
        return self.report(**more)["things"][name]

    def states(self, report, kind="things"):
        return {name: item["state"] for name, item in report[kind].items()}


class Installed(Doctor):
    def test_everything(self):
        self.tools()
        report = self.report(status=0)
        states = self.states(report)
        self.assertEqual({name for name, state in states.items() if state != "found"}, {"hip", "openacc"})
        self.assertEqual(set(self.states(report, "features").values()), {"works"})
        versions = {name: thing.get("version") for name, thing in report["things"].items()}
        self.assertEqual(versions["python"], "%d.%d.%d" % sys.version_info[:3])
        self.assertEqual(versions | {"python": ""}, {name: None for name in versions} | {
            "python": "", "cc": "12.2.0", "recorder": "0.1.0", "scorep-config": "8.4", "bindings": "4.5.1",
            "mpi4py": "3.1.4", "ipython": "3.1.4", "mpirun": "4.1.4", "srun": "22.05.8",
            "sbatch": "22.05.8", "otf2-print": "3.0.2"})
        self.assertEqual(report["things"]["bindings"]["path"], str(DOUBLE / "scorep"))
        self.assertEqual(report["things"]["cc"]["path"], str(self.path("bin/cc")))
        self.assertNotIn([], report["scorep_values"].values())
        self.assertEqual(report["scorep_values"]["--thread"], ["none", "omp:ompt", "omp:opari2", "pthread"])
        self.assertEqual(report["next"], "nbscorep build NOTEBOOK")
        self.assertEqual(self.files(self.path("work")), {}, "a viewer was opened")

    def test_nothing(self):
        report = self.report(env=self.environment(PYTHON=None), status=1)
        states = self.states(report)
        self.assertEqual({states[name] for name in SCOREP_THINGS}, {"unknown"})
        self.assertEqual({name for name, state in states.items() if state == "found"}, {"recorder"})
        self.assertEqual(self.states(report, "features"), {
            "compile": "works", "run": "no", "record": "no", "measure": "no", "threads": "no", "mpi": "no",
            "slurm": "no", "magics": "no", "traces": "no", "profiles": "no"})
        self.assertEqual(report["features"]["run"]["obstacles"], ["python"])
        self.assertEqual(report["next"], "apt install python3")
        text = self.doctor(env=self.environment(PYTHON=None)).out.decode()
        self.assertRegex(text, r"(?m)^missing  Python +apt install python3 ")
        self.assertNotIn("unknown", text)
        self.assertNotIn("--thread", text)
        report = self.report(env=self.environment(PYTHONPATH=None), status=1)  # Python only
        self.assertEqual((report["features"]["run"]["state"], report["next"]), ("works", "apt install gcc"))

    def test_each_thing_that_a_measured_run_needs(self):
        self.tools()
        for name in ("cc", "scorep-config"):
            path = self.path(f"bin/{name}")
            path.chmod(0o644)
            report = self.report(status=1)
            self.assertIn(name, report["features"]["measure"]["obstacles"])
            self.assertEqual(report["things"][name]["state"], "missing")
            self.assertIn("measure", report["things"][name]["hinders"])
            path.chmod(0o755)
        report = self.report(env=self.environment(PYTHONPATH=str(self.path("modules"))), status=1)
        self.assertEqual(report["features"]["measure"]["obstacles"], ["bindings"])
        self.assertRegex(report["next"], f"^{sys.executable} .*-m pip install --upgrade scorep$")

    def test_static_score_p(self):
        self.tools()
        self.tool("scorep-config", scorep_config(shared=False))
        report = self.report(status=1)
        self.assertEqual(report["features"]["measure"]["obstacles"], ["shared"])
        self.assertIn("--enable-shared", report["things"]["shared"]["remark"])

    def test_plain_score_p(self):
        self.tools()
        self.tool("scorep-config", scorep_config(text="8.4-plain.txt"))
        report = self.report(status=0)
        self.assertEqual({name: report["things"][name]["state"] for name in SCOREP_THINGS}, {
            "shared": "found", "thread-pthread": "found", "io": "found", "thread-omp": "missing",
            "mpp-mpi": "missing", "mpp-shmem": "missing", "memory": "missing", "cuda": "missing",
            "hip": "missing", "opencl": "missing", "openacc": "missing", "kokkos": "missing"})
        self.assertEqual(report["features"]["mpi"]["obstacles"], ["mpp-mpi"])
        self.assertEqual(report["features"]["threads"]["state"], "works")

    def test_score_p_that_does_not_tell(self):
        """What is not known is not held against it."""
        self.tools()
        self.tool("scorep-config", "case $1 in --version) echo 8.4 ;; *) echo '?' ;; esac")
        report = self.report(status=0)
        self.assertEqual(report["things"]["mpp-mpi"]["state"], "unknown")
        self.assertEqual(report["features"]["mpi"]["state"], "perhaps")
        self.assertEqual(report["features"]["mpi"]["doubts"], ["mpp-mpi"])
        self.assertEqual(report["scorep_values"], {})
        text = self.doctor(status=0).out.decode()
        self.assertRegex(text, r"(?m)^unknown  --mpp=mpi$")
        self.assertRegex(text, r"(?m)^perhaps  measure MPI programs +not known: --mpp=mpi$")

    def test_one_launcher_is_enough(self):
        self.tools()
        self.path("bin/mpirun").unlink()
        self.assertEqual(self.report()["features"]["mpi"]["state"], "works")
        self.path("bin/srun").unlink()
        mpi = self.report()["features"]["mpi"]
        self.assertEqual((mpi["state"], mpi["obstacles"]), ("no", ["mpirun", "srun"]))
        self.assertRegex(self.doctor().out.decode(),
                         r"(?m)^no       measure MPI programs +needs one of mpirun, srun$")

    def test_other_forms_of_versions(self):
        self.tools()
        for name, text, version in (
                ("mpirun", "HYDRA build details:\n    Version:               4.0.2\n", "4.0.2"),
                ("mpirun", "Intel(R) MPI Library for Linux* OS, Version 2021.7 Build 2022\n",
                 "2021.7"),
                ("cc", "Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n", "14.0.6"),
                ("srun", "slurm 23.11.0-0rc1\n", "23.11.0"),
                ("srun", "v5.0.1\n", "5.0.1"), ("srun", "2. 3.1\n", "3.1"),
                ("srun", "no number 17 here, a1.2, .5, 5. and 1.. neither.\n", None)):
            self.tool(name, prints(text))
            thing = self.thing(name)
            self.assertEqual((thing["state"], thing.get("version")), ("found", version), text)
        self.tool("srun", "echo 'srun 1.5' >&2")
        self.assertEqual(self.thing("srun")["version"], "1.5")


class TooOld(Doctor):
    def old(self, name, version, **more):
        report = self.report(status=1, **more)
        thing = report["things"][name]
        self.assertEqual((thing["state"], thing.get("version")), ("too old", version))
        self.assertEqual(report["features"]["measure"]["obstacles"], [name])
        return thing

    def test_score_p(self):
        self.tools()
        self.tool("scorep-config", scorep_config("4.1", "1.2.txt"))
        self.assertEqual(self.old("scorep-config", "4.1")["reason"], "5.0 or newer is required")
        self.assertRegex(self.doctor().out.decode(),
                         r"(?m)^too old  Score-P +4\.1 +/.*: 5\.0 or newer is required; module load")
        for version, state in (("5.0", "found"), ("10.0", "found"), ("5", "found"), ("5.0rc1", "found"),
                               ("99999999999999999999.0", "found"), ("4.99", "too old")):
            self.tool("scorep-config", scorep_config(version))
            self.assertEqual(self.thing("scorep-config")["state"], state, version)

    def test_python(self):
        self.tools()
        fake = self.tool("old", "printf 'nbscorep:python 3.6.8\\nnbscorep:done\\n'")
        report = self.report("--python", str(fake), status=1)
        self.assertEqual(report["things"]["python"]["state"], "too old")
        self.assertEqual(report["things"]["bindings"]["state"], "unknown")
        self.assertNotIn("unknown", self.doctor("--python", str(fake)).out.decode())
        self.assertEqual(report["features"]["run"]["obstacles"], ["python"])

    def test_bindings(self):
        self.tools()
        self.write("old/scorep/__init__.py", "__version__ = version = '2.0'\n")
        self.old("bindings", "2.0", env=self.environment(PYTHONPATH=f"{self.path('old')}:{self.path('modules')}"))


class Broken(Doctor):
    def test_reasons(self):
        """The reason is the last line of the program."""
        self.tools()
        for name, commands, reason in (
                ("scorep-config", "kill -SEGV $$", "it was killed by signal 11"),
                ("cc", "echo a >&2; echo 'error: no licence' >&2; echo >&2; exit 3",
                 "it ended with status 3: error: no licence"),
                ("sbatch", "while :; do echo 1.2; done", "its answer is too long")):
            self.tool(name, commands)
            thing = self.thing(name)
            self.assertEqual((thing["state"], thing["reason"]), ("broken", reason))

    def test_hang(self):
        """Neither it nor its children are left."""
        self.tools()
        self.tool("mpirun", "trap '' TERM; sleep 1000 & echo $$ $! > pids; wait")
        report = self.report("--timeout=1", env=self.environment(PATH=f"{self.path('bin')}:{os.environ['PATH']}"))
        self.assertEqual(report["things"]["mpirun"]["reason"], "it takes longer than 1 s")
        self.assertEqual(report["things"]["sbatch"]["state"], "found")
        pids = self.path("work/pids").read_text().split()
        self.assertEqual(len(pids), 2)
        self.assert_gone(*pids)

    def test_side_by_side(self):
        """Each waits for the other."""
        self.tools()
        for name in "ab":
            os.mkfifo(self.path(f"work/{name}"))
        self.tool("mpirun", "echo x >a; read x <b; echo mpirun 4.2")
        self.tool("srun", "read x <a; echo x >b; echo srun 5.1")
        things = self.report()["things"]
        self.assertEqual((things["mpirun"].get("version"), things["srun"].get("version")), ("4.2", "5.1"))

    def test_interrupted(self):
        """Ctrl-C does not leave the program that hangs."""
        self.tools()
        os.mkfifo(self.path("work/pids"))
        self.tool("mpirun", "sleep 1000 & echo $$ $! > pids; wait")
        env = self.environment(PATH=f"{self.path('bin')}:{os.environ['PATH']}")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            with subprocess.Popen([binary(), "doctor", "--timeout=600"], env=env,
                                  cwd=self.path("work"), stdout=subprocess.PIPE) as process:
                pids = self.path("work/pids").read_text().split()
                process.send_signal(number)
                self.assertEqual(process.communicate(timeout=TIMEOUT)[0], b"")
            self.assertEqual(process.returncode, -number)
            self.assertEqual(len(pids), 2)
            # Nothing can be done for what the program has started when nbscorep is killed.
            self.assert_gone(*pids[:1 if number == signal.SIGKILL else 2])
            if number == signal.SIGKILL:
                os.kill(int(pids[1]), signal.SIGKILL)

    def test_ignored_signal(self):
        """Under nohup a hangup ends no question."""
        self.tools()
        self.tool("mpirun", "kill -HUP $PPID; echo mpirun 4.1")
        self.run_command("sh", "-c", 'trap "" HUP; exec "$0" doctor --json >out', binary(),
                         env=self.environment(PATH=f"{self.path('bin')}:{os.environ['PATH']}"))
        things = {t["id"]: t for t in json.loads(self.path("out").read_text())["things"]}
        self.assertEqual(things["mpirun"]["version"], "4.1")

    def test_no_interpreter(self):
        self.tools()
        self.write("bin/cc", "#!/nonexistent/sh\n")
        self.assertEqual(self.thing("cc")["reason"], "it cannot be started: No such file or directory")

    def test_python(self):
        self.tools()
        for commands, reason in (("echo hello", "its answer cannot be read"),
                                 ("echo nbscorep:python 3.11.2", "its answer cannot be read"),
                                 ("echo x.so: missing >&2; exit 127",
                                  "it ended with status 127: x.so: missing")):
            fake = self.tool("fake", commands)
            report = self.report("--python", str(fake), status=1)
            self.assertEqual(report["things"]["python"]["state"], "broken")
            self.assertEqual(report["things"]["python"]["reason"], reason)
            self.assertEqual(report["things"]["bindings"]["state"], "unknown")

    def test_python_that_talks(self):
        self.tools()
        fake = self.tool("fake", f'echo welcome; echo 9.9 >&2; exec {sys.executable} "$@"')
        report = self.report("--python", str(fake), status=0)
        self.assertEqual(report["things"]["bindings"]["version"], "4.5.1")


class Hostile(Doctor):
    def test_a_file_called_scorep(self):
        """python -m scorep in this folder would start it."""
        self.tools()
        self.write("work/scorep.py", "raise SystemExit(1)\n")
        self.assertEqual(self.report(status=1)["things"]["bindings"]["state"], "missing")

    def test_modules_of_the_folder(self):
        """Nothing of the current folder is run, and a folder is no module."""
        self.tools()
        for name in ("re.py", "os.py", "importlib.py", "mpi4py/data.txt"):
            self.write(f"work/{name}", "open('run', 'w')\n")
        report = self.report(status=0, env=self.environment(PYTHONPATH=str(DOUBLE)))
        self.assertNotIn("run", self.files(self.path("work")))
        self.assertNotIn(str(self.path("work")), report["things"]["mpi4py"].get("path", ""))

    def test_a_folder_called_scorep(self):
        """It is no module: nobody installed it."""
        self.tools()
        self.write("work/scorep/notes.txt", "")
        env = self.environment(PYTHONPATH=str(self.path("modules")))
        self.assertEqual(self.thing("bindings", env=env)["state"], "missing")

    def test_output_that_is_no_text(self):
        self.tools()
        self.tool("cc", r"printf '\377\376\033[31m 12.2.0 \000\n'")
        self.tool("srun", r"printf '\033]0;x\007\377' >&2; exit 1")
        self.assertEqual(self.thing("cc")["version"], "12.2.0")
        text = self.doctor().out
        self.assertNotIn(b"\033", text)
        text.decode("utf-8")

    def test_path(self):
        self.tools()
        strange = self.path("a\u202e\n\x1b[31m").absolute()
        os.rename(self.path("bin"), strange)
        self.path("work/cc").mkdir()
        folders = ["", "/nonexistent", "", "x" * 5000, str(self.path("work/cc")), str(strange), "\xff"]
        env = self.environment(PATH=":".join(folders))
        self.assertEqual(self.report(env=env, status=0)["things"]["cc"]["path"], f"{strange}/cc")
        text = self.doctor(env=env).out.decode("utf-8")
        for bad in ("\u202e", "\x1b"):
            self.assertNotIn(bad, text)

    def test_bare_environment(self):
        done = self.run_command(binary(), "doctor", "--json", env={}, cwd=self.path("work"))
        self.assertIn(done.status, (0, 1))
        json.loads(done.out)

    def test_standard_input_stays(self):
        self.tools()
        self.tool("cc", "read line; echo $line 1.1")
        self.assertEqual(self.report(stdin=b"9.9\n")["things"]["cc"]["version"], "1.1")


class Text(Doctor):
    def test_columns(self):
        self.tools()
        lines = self.doctor(status=0).out.decode().split("\n")
        blank = lines.index("")
        for line in lines[:blank]:
            self.assertRegex(line, r"^(found|missing|too old|unknown|broken) {2,}\S")
            self.assertEqual(line[8], " ")
            self.assertNotEqual(line[9], " ")
        self.assertEqual({line.index(str(self.path("bin"))) for line in lines[:blank]
                          if str(self.path("bin")) in line}, {44})
        self.assertEqual(lines[-2:], ["next: nbscorep build NOTEBOOK", ""])

    def test_each_missing_thing_has_a_remedy(self):
        text = self.doctor(env=self.environment(PYTHON=None)).out.decode()
        missing = re.findall(r"(?m)^missing .{35} (.*)$", text)
        self.assertEqual(len(missing), text.count("missing "))
        for line in missing:
            self.assertRegex(line, r"^(apt|module|spack|python3) ")

    def shown(self, *arguments, **more):
        return self.on_terminal("stdout", "doctor", *arguments, cwd=self.path("work"), env=self.environment(**more))[1]

    def test_color(self):
        self.tools()
        self.assertIn(b"\033[32mfound\033[0m", self.shown())
        self.assertNotIn(b"\033", self.shown(NO_COLOR="1"))
        self.assertNotIn(b"\033", self.shown("--color=never"))
        self.assertNotIn(b"\033", self.shown(TERM="dumb"))
        self.assertNotIn(b"\033", self.doctor().out)
        self.assertIn(b"\033[33mmissing\033[0m", self.doctor("--color=always").out)
        self.path("bin/cc").unlink()
        self.assertIn(b"\033[31mmissing\033[0m  C compiler", self.doctor("--color=always").out)


class Usage(Doctor):
    def test_wrong(self):
        for arguments in (["x.ipynb", "y.ipynb"], ["--timeout=0"], ["--timeout=601"], ["--timeout=x"],
                          ["--timeout="], ["--timeout=99999999999999"], ["--timeout=1x"],
                          ["--yaml"]):
            done = self.nbscorep("doctor", *arguments, env=self.environment())
            self.assertEqual((done.status, done.out), (2, b""), arguments)

    def test_tables(self):
        """Each thing and feature has an id of its own, and the feature's things exist."""
        text = (ROOT / "src/run/things.def").read_text()
        things = re.findall(r"^THING\((\w+), \"(.+?)\"", text, re.M)
        report = self.report()
        self.assertEqual(list(report["things"]), [t.lower().replace("_", "-") for t, _ in things])
        self.assertLess(max(len(name) for _, name in things), 25)


FAKE_PYTHON = """nbscorep:python 3.11.2
nbscorep:managed
nbscorep:module scorep missing
nbscorep:module mpi4py 3.1.4 /usr/lib/mpi4py
nbscorep:done
"""


class Managed(Doctor):
    """Pythons that are a part of the distribution, as Debian's since 12."""

    def test_commands(self):
        self.tools()
        self.tool("python3", prints(FAKE_PYTHON))
        report = self.report("--python=python3", status=1)
        bindings, ipython = (report["things"][name] for name in ("bindings", "ipython"))
        begin = "python3 -m venv --system-site-packages ~/.nbscorep && ~/.nbscorep/bin/python3 -m pip "
        self.assertEqual(bindings["fix"], begin + "install --upgrade scorep")
        self.assertEqual(report["next"], bindings["fix"])
        self.assertIn("--python ~/.nbscorep/bin/python3", bindings["remark"])
        self.assertNotIn("--python", report["things"]["cc"].get("remark", ""))
        self.assertEqual(ipython["state"], "unknown")

    def test_same_rule_as_pip(self):
        own = self.path("own")
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", own], check=True)
        marked = os.path.exists(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
        managed = marked and sys.prefix == sys.base_prefix
        for python, expected in (sys.executable, managed), (str(own / "bin" / "python"), False):
            environment = self.environment(PYTHON=python, PYTHONPATH=None)
            fix = self.report(env=environment)["things"]["bindings"]["fix"]
            self.assertEqual("-m venv" in fix, expected, fix)


class Imports(Doctor):
    """doctor NOTEBOOK."""

    def imports(self, *cells, file="work/heat.ipynb", **more):
        """Those that are missing with "!", optional ones with "?"."""
        self.write(file, notebook(*cells))
        report = self.report(os.path.relpath(self.path(file), self.path("work")), **more)
        return {item["name"] + "!" * (item["state"] == "missing") + "?" * item["optional"]:
                item["cell"] for item in report["imports"]}

    def test_states(self):
        self.modules("there")
        self.assertEqual(self.imports(
            "import sys, os.path\nimport there.sub as t", "from nowhere.sub import x",
            "try:\n    import perhaps\nexcept ImportError:\n    import there",
            "%%time\nimport timed", "from . import relative", "import nowhere, perhaps_not",
            code("import tagged", metadata={"tags": ["raises-exception"]})),
            {"sys": 1, "os": 1, "there": 1, "nowhere!": 2, "perhaps!?": 3, "timed!": 4,
             "perhaps_not!": 6, "tagged!?": 7})

    def test_modules_of_the_project(self):
        """They are no package to install, but what they import may be."""
        self.write("work/sub/helper.py", "import needed")
        self.write("work/sub/lib/deep.py", "")
        self.write("work/sub/data/part/x.txt", "")
        self.assertEqual(self.imports(
            "import helper, data.part", "%%writefile made.py\nimport also", "import made",
            "import sys\nsys.path.append('lib')\nimport deep", file="work/sub/heat.ipynb"),
            {"data": 1, "needed!": 1, "also!": 3, "sys": 4})

    def test_search_path(self):
        """Folders that cells add are looked at, also outside of the project."""
        self.modules("outside")
        self.write("work/lib/inside.py", "")
        folders = f"import sys\nsys.path.append('lib')\nsys.path.insert(0, '{self.path('modules')}')"
        environment = self.environment(PYTHONPATH=None)
        self.assertEqual(self.imports(folders, "import outside", "import inside, nowhere",
                                      env=environment),
                         {"sys": 1, "outside": 2, "nowhere!": 3})
        note = b"\nnot looked at: folders for sys.path that a cell computes\n"
        self.assertIn(note, self.doctor("heat.ipynb", env=environment).out)
        self.imports(folders, "import outside")
        self.assertNotIn(note, self.doctor("heat.ipynb", env=environment).out)

    def test_text(self):
        self.tools()
        self.write("work/a b.ipynb", notebook("import nowhere, mpi4py"))
        text = self.doctor("a b.ipynb", status=1).out.decode()
        self.assertRegex(text, r"(?m)^missing  nowhere +cell 1\n\S+ has 1 of the 2 modules that "
                         r"a b\.ipynb imports\n\nnext: nbscorep doctor --python=FILE 'a b\.ipynb'$")
        self.write("work/a.ipynb", notebook("import os"))
        text = self.doctor("a.ipynb", status=0).out.decode()
        self.assertRegex(text, r"has 1 of the 1 modules .*\n\nnext: nbscorep run a\.ipynb\n$")
        self.write("work/a.ipynb", notebook("x = 1"))
        self.assertIn(b"\na.ipynb imports no modules\n", self.doctor("a.ipynb", status=0).out)
        self.write("work/a.ipynb", notebook("try:\n    import nowhere\nfinally: pass"))
        text = self.doctor("a.ipynb", status=0).out.decode()
        self.assertRegex(text, r"(?m)^missing  nowhere +cell 1, below a header such as try$")

    def test_python_that_does_not_say(self):
        self.tool("python3", prints(FAKE_PYTHON))
        self.write("work/a.ipynb", notebook("import os"))
        text = self.doctor("--python=python3", "a.ipynb", status=1).out.decode()
        self.assertIn("\npython3 does not say which of the 1 modules that a.ipynb imports it has\n", text)

    def test_answer_that_nobody_asked_for(self):
        self.tools()
        answer = FAKE_PYTHON.replace("scorep missing", "scorep 4.4 /usr/lib/scorep")
        self.tool("python3", prints("nbscorep:missing 0\nnbscorep:imports\n" + answer))
        self.assertNotIn("imports", self.report("--python=python3", status=0))

    def test_wrong_use(self):
        self.write("a.ipynb", "{")
        done = self.nbscorep("doctor", "a.ipynb")
        self.assertEqual((done.status, done.out), (1, b""))
        self.assertIn(b"[json]", done.err)
        done = self.nbscorep("doctor", "nowhere.ipynb")
        self.assertEqual((done.status, done.out), (3, b""))

    def test_configured_python(self):
        """That of the user is looked at; that of a notebook's project is not started."""
        self.tool("ours", prints(FAKE_PYTHON))
        ours = self.path("bin/ours")
        self.write("work/a.ipynb", notebook("import os"))
        self.write("home/nbscorep/config.yaml", f"python: {ours}\n")
        environment = self.environment(XDG_CONFIG_HOME=str(self.path("home")), PYTHON=None)
        text = self.doctor("a.ipynb", status=1, env=environment).out.decode()
        self.assertIn(f"\n{ours} does not say", text)
        self.tool("python3", prints(FAKE_PYTHON))
        self.tool("theirs", "touch started")
        self.write("work/nbscorep.yaml", f"python: {self.path('bin/theirs')}\nmodules: [Python]\n")
        text = self.doctor("a.ipynb", status=1, env=self.environment(PYTHON=None)).out.decode()
        self.assertIn("\nnot looked at: what the configuration's modules and setup add\n"
                      f"not looked at: the configuration's Python; use --python={self.path('bin/theirs')}\n",
                      text)
        self.assertEqual(list(self.folder.rglob("started")), [])

    def test_many_imports(self):
        """More than a command line takes."""
        self.write("work/a.ipynb", notebook("".join(f"import a{i}{'x' * 200}\n" for i in range(20000)),
                                            f"import {'y' * 200000}"))
        self.assertEqual(len(self.report("a.ipynb")["imports"]), 1000)


if __name__ == "__main__":
    unittest.main()
