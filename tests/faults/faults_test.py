#!/usr/bin/env python3
"""A call of the system or an allocation fails, falls short or comes with a signal: whatever it is,
nbscorep writes all or nothing, says what failed, and neither crashes nor leaks."""
import errno
import json
import os
import pathlib
import re
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from faults import SANITIZED, failing_allocations, faults, run, signals  # noqa: E402
from support import DOUBLE, Case, code, markdown, notebook  # noqa: E402

MEMORY = "out of memory"
SHOWN = 10  # of what went wrong
TEMPLATES = pathlib.Path(__file__).resolve().parents[2] / "templates"
PROJECT = """env:
  SCOREP_ENABLE_TRACING: true
  GREETING: "it's $HOME"
args: [--keep-files]
profiles:
  small:
    env: {SIZE: 3}
parameters: {n: 4}
sweep:
  grid: {n: [1, 2, 3]}
"""
CELLS = (
    markdown("# Heat\nwith *text*"),
    code("n = 1", metadata={"tags": ["parameters"]}),
    "%%scorep_env\nSCOREP_TOTAL_MEMORY=32M",
    "%%scorep_python_binding_arguments\n--noinstrumenter",
    "import helper\n%run other.ipynb\n%load text.py",
    "%%execute_with_scorep\nprint(n)\nn + 1",
    "%%enable_multicellmode", "x = 1", "y = 'ä'", "%%finalize_multicellmode",
    "!ls\n%env A=1\nasync def f(): pass\nawait f()",
)


class Faulty(Case):
    """One call of nbscorep, undisturbed and disturbed."""
    most = 2 if SANITIZED else 10
    most_allocations = 6 if SANITIZED else 15

    def setUp(self):
        super().setUp()
        self.log = self.path("faults.log")
        self.path("scratch").mkdir()  # TMPDIR of who needs one

    def run_with(self, fault=None):
        # Python's check takes most of the time; Helpers have it.
        return run(self.folder, self.log, self.arguments, fault, env={"NBSCOREP_VERIFY": "0"} | (self.more or {}))

    def prepare(self, *arguments, env=None, status=0):
        """Runs it undisturbed. The files that are there now are the old ones, to be overwritten."""
        self.arguments, self.more = arguments, env
        self.old = self.found_files()
        self.usual = self.run_with()
        self.assertEqual(self.usual.status, status, self.usual)
        self.assertEqual(self.usual.leaked, [])
        self.new = self.found_files()
        self.restore()

    def found_files(self):
        files = self.files()
        files.pop(self.log.name, None)
        for name in list(files):  # the first two are missing without a sample; the others stay until converted
            if name.endswith(("/lines.csv", "/script.py")) or "/recording/" in name:
                del files[name]
        if "times.json" in files:
            files["times.json"] = json.loads(files["times.json"]).keys()
        return files

    def restore(self):
        now = self.files()
        for name in now.keys() - self.old.keys():
            self.path(name).unlink()
        shutil.rmtree(self.path("scratch"), ignore_errors=True)
        self.path("scratch").mkdir()
        for name, content in self.old.items():
            if now.get(name) != content:
                self.write(name, content)

    def everything(self):
        yield from faults(self.usual.counts, self.most)
        yield from signals(self.usual.counts, self.most)
        yield from failing_allocations(self.usual.counts, self.most_allocations)

    def disturb(self, several=None):
        """Each of the faults; tells of all that go wrong."""
        wrong, hits = [], 0
        for fault in self.everything() if several is None else several:
            outcome = self.run_with(fault)
            hits += outcome.hit is not None
            for problem in self.problems(fault, outcome):
                wrong.append(f"{fault}: {problem}; {outcome}")
            self.restore()
        self.assertGreater(hits, 0)
        if wrong:
            self.fail("\n\n".join([*wrong[:SHOWN], f"{len(wrong)} in all"]))

    # What must hold of each.

    def problems(self, fault, outcome):
        if fault.mode != "signal" or outcome.status != -fault.number:
            yield from self.ending_problems(fault, outcome)
        yield from self.file_problems(fault, outcome)

    def ending_problems(self, fault, outcome):
        well = outcome.status == self.usual.status
        if outcome.status not in (3, self.usual.status):
            yield "no such status"
        if outcome.leaked:
            yield "descriptors leak"
        if not well and not self.says(fault, outcome):
            yield "does not say what failed"
        if not well and (fault.mode != "error" or fault.number == errno.EINTR):
            yield "that is no failure"
        if well and outcome.out != self.usual.out and not self.is_tolerated(fault, outcome):
            yield "well, but another output"

    def is_tolerated(self, fault, outcome):
        """Something was left out, and that is said."""
        return False

    def says(self, fault, outcome):
        text = (outcome.err + outcome.out).decode(errors="replace")
        if fault.calls == "alloc":
            return MEMORY in text or os.strerror(errno.ENOMEM) in text
        return os.strerror(fault.number) in text or "write stderr" in (outcome.hit or "")

    def may_leave(self, fault, outcome):
        return fault.calls == "unlink"

    def file_problems(self, fault, outcome):
        files = self.found_files()
        rest = [name for name in files if re.search(r"nbscorep-\w{6}", name)]
        if rest and not self.may_leave(fault, outcome):
            yield f"left behind: {rest}"
        groups = {}
        for name in sorted(self.old.keys() | self.new.keys() | files.keys() - set(rest)):
            now, old, new = (which.get(name) for which in (files, self.old, self.new))
            if now not in (old, new):
                yield f"{name} is neither old nor new"
            if old != new:
                groups.setdefault(re.split("[._]", name)[0], []).append(now == new)
        if outcome.status == self.usual.status and not all(map(all, groups.values())):
            yield "well, but not all is written"
        left = {name.partition("/recording/")[0] for name in self.files() if "/recording/" in name}
        for folder in left:  # the next command converts it
            done = self.nbscorep("record", "--recover", folder)
            if done.status != 0 or any("/recording/" in name for name in self.files()):
                yield f"the recording in {folder} cannot be converted: {done}"
        # They are put in place one by one.
        if fault.calls != "rename" and any(any(group) > all(group) for group in groups.values()):
            yield "some files are new, some old"


class Build(Faulty):
    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook(*CELLS))
        self.write("other.ipynb", notebook("z = 3\n", markdown("text")))
        self.write("text.py", "text = 1\n")
        self.write("helper.py", "def f(): pass\n")
        self.write("nbscorep.yaml", PROJECT)

    def test_new_files(self):
        self.prepare("build", "-MD", "--source-map", "--profile=small", "heat.ipynb")
        self.disturb()

    def test_old_files(self):
        arguments = "build", "-MD", "--source-map", "heat.ipynb"
        self.build(*arguments[1:])
        self.write("heat.ipynb", notebook(*CELLS, "print('more')"))
        self.prepare(*arguments)
        self.disturb()

    def test_other_inputs(self):
        """Templates, a sweep, parameters, filter and regions from files."""
        shutil.copy(TEMPLATES / "slurm.header", self.write("templates/slurm.header", ""))
        self.write("sets.json", '[{"n": 1}, {"n": 2.50}]')
        self.write("values.yaml", "n: 5\n")
        self.write("rules", "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE x\nSCOREP_REGION_NAMES_END\n")
        self.write("regions", "x\n")
        self.write("other.ipynb", notebook("a = 1", nbscorep={"env": {"B": [1.5, "x", None]}}))
        self.prepare("build", "--template-dir=templates", "--sweep=sets.json", "-f", "values.yaml",
                     "--filter=rules", "--regions=regions", "--set", "env.A=1",
                     "--slurm=time=20", "-o", "job.py", "heat.ipynb")
        self.disturb()

    def test_standard_streams(self):
        self.prepare("build", "-o", "-", "heat.ipynb")
        self.disturb()

    def test_several_notebooks(self):
        self.write("broken.ipynb", "{")
        self.prepare("build", "heat.ipynb", "broken.ipynb", "other.ipynb", status=1)
        self.disturb()


class Commands(Faulty):
    """What only reads and prints."""
    most = 2 if SANITIZED else 5
    most_allocations = 2 if SANITIZED else 10

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook(*CELLS, "x = undefined("))
        self.write("other.ipynb", notebook("z = 3\n", "%unknown"))
        self.write("text.py", "text = 1\n")
        self.write("nbscorep.yaml", PROJECT)
        self.tool("scorep-config", "echo ' libscorep.so'")

    def check(self, *arguments):
        with self.subTest(arguments):
            self.prepare(*arguments, env={"PATH": f"{self.folder}/bin"})
            self.disturb()

    def is_tolerated(self, fault, outcome):
        """No scorep-config: less is known then."""
        return "scorep-config" in outcome.hit

    def test_check(self):
        self.check("check", "--no-verify", "--diagnostics-format=sarif", "heat.ipynb",
                   "other.ipynb")
        self.check("check", "--no-verify", "--print-config", "other.ipynb")
        self.check("check", "--no-verify", ".")

    def test_ir(self):
        self.check("ir", "--format=yaml", "other.ipynb")
        self.check("ir", "--format=json", "other.ipynb")

    def test_parameters(self):
        self.check("parameters", "--format=json", "other.ipynb")

    def test_texts(self):
        for arguments in (["--help"], ["build", "--help"], ["--version"], ["magics"], ["schema"],
                          ["completion", "bash"], ["build", "-Whelp"], ["help", "build"]):
            self.check(*arguments)

    def test_init(self):
        self.path("nbscorep.yaml").unlink()
        self.check("init")


class Helpers(Faulty):
    """What asks other programs. Where those cannot be asked, that is told, and all goes on."""
    most = most_allocations = 1

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook("print(1)", "x = 1", "%%scorep_env\nSCOREP_X=1"))
        self.tool("scorep-config", "case $1 in --version) echo 8.4 ;; esac")

    def run_here(self, *arguments, status=0):
        self.prepare(*arguments, env={"PATH": f"{self.folder}/bin:/usr/bin:/bin", "NBSCOREP_VERIFY": None},
                     status=status)
        self.disturb()

    def is_tolerated(self, fault, outcome):
        return outcome.status == 0 or b"not-verified" in outcome.out

    def test_verify(self):
        self.run_here("check", "--diagnostics-format=json", "heat.ipynb")

    def test_read_once_more(self):
        """What is included is read for the check, too."""
        self.write("other.ipynb", notebook("a = 1", "b = ("))
        self.write("heat.ipynb", notebook("%run other.ipynb", "x = 1", "y = ("))
        self.is_tolerated = lambda fault, outcome: False
        self.most = 2 if SANITIZED else 10
        self.prepare("build", "--broken-cells=raise", "heat.ipynb", env={"PYTHON": "/missing", "NBSCOREP_VERIFY": None})
        self.disturb(fault for fault in self.everything()
                     if fault.calls in ("open", "read", "stat"))

    def test_doctor(self):
        """It tells of all that it finds out, so of a fault, too."""
        self.is_tolerated = lambda fault, outcome: json.loads(outcome.out)
        self.run_here("doctor", "--json", status=1)


class Running(Faulty):
    """A program is started, or it is not; never another one, and none is left."""
    most = 1 if SANITIZED else 10
    most_allocations = 2 if SANITIZED else 15
    program = "echo one; echo two >&2; exit 0"

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook(*CELLS[1:4], "print(n)"))
        self.write("nbscorep.yaml", PROJECT)
        self.python = self.tool("python", self.program)

    def run_here(self, *arguments, **more):
        self.prepare("run", *arguments, "heat.ipynb", env={
            "PYTHON": str(self.python), "TMPDIR": str(self.path("scratch")),
            "PATH": f"{self.folder}/bin:/usr/bin:/bin"} | more)
        self.disturb()

    def ending_problems(self, fault, outcome):
        """A signal from the time on at which the program could start is the program's."""
        if fault.mode != "signal" or outcome.status != 128 + fault.number:
            yield from super().ending_problems(fault, outcome)

    def says(self, fault, outcome):
        """What cannot be looked at on PATH is not there, as it is to a shell."""
        on_path = "scorep-config" in outcome.hit and b"no scorep-config is on PATH" in outcome.err
        return on_path or super().says(fault, outcome)

    def may_leave(self, fault, outcome):
        return b"cannot remove folder" in outcome.err


class Run(Running):
    def test_program(self):
        self.run_here("--no-scorep", "--cell-times=times.json", "--force", "--no-config")

    def test_temporary(self):
        self.most = self.most_allocations = 1 if SANITIZED else 4
        self.run_here("--no-scorep", "--temporary", "--no-config")
        self.assertEqual(list(self.path("scratch").iterdir()), [])

    def test_measured(self):
        """Under the double of the bindings; a sample, as Python takes its time."""
        self.most = self.most_allocations = 1
        self.path("nbscorep.yaml").unlink()
        self.run_here("-q", PYTHON=sys.executable, PYTHONPATH=str(DOUBLE),
                      SCOREP_EXPERIMENT_DIRECTORY=str(self.path("scratch/experiment")),
                      PATH=f"{DOUBLE}/bin:/usr/bin:/bin")

    def test_ranks(self):
        """The run script is started instead."""
        self.most = self.most_allocations = 1 if SANITIZED else 2
        self.run_here("-q", "--no-scorep", "--launcher=env", "--ranks=1", "--no-config")


class Sweep(Running):
    program = Running.program.replace("exit", 'echo 0 >"heat_sweep/$NBSCOREP_SET/status"; exit')
    most = most_allocations = 1 if SANITIZED else 4

    def ending_problems(self, fault, outcome):
        said = b"was killed by signal" if fault.mode == "signal" else b"cannot be started: "
        if outcome.status == 1 and said in outcome.err:
            return  # a set that failed, of which --only=failed makes another try
        yield from super().ending_problems(fault, outcome)

    def found_files(self):
        """Those of the build."""
        return {name: content for name, content in super().found_files().items()
                if not name.startswith("heat_sweep/")}

    def file_problems(self, fault, outcome):
        """A set that did not end well has no status 0."""
        yield from super().file_problems(fault, outcome)
        files = self.files()
        for folder in "heat_sweep/1", "heat_sweep/2":
            ended_well = files.get(f"{folder}/status") == b"0\n"
            if ended_well and files.get(f"{folder}/output.txt") != b"one\ntwo\n":
                yield f"{folder} is said to be complete"
            if outcome.status == 0 and not ended_well:
                yield f"{folder} is not complete"

    def test_sets(self):
        self.write("sets.json", '[{"n": 1}, {"n": 2}]')
        self.run_here("-q", "--no-scorep", "--sweep=sets.json", "--jobs=2", "--no-config")


class Submit(Faulty):
    """A job that Slurm has taken is told of, unless the very telling fails."""
    most = 1 if SANITIZED else 4  # most of its calls are those of a build
    most_allocations = 2 if SANITIZED else 6

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook("x = 1", "%%execute_with_scorep\nx"))
        self.tool("sbatch", f"echo >>{self.folder}/submitted; echo '42;nb'")
        self.tool("python3", r"printf 'nbscorep:%s\n' 'python 3.11' managed 'module scorep missing' done")

    def test_submit(self):
        self.prepare("submit", "--slurm=time=5", "heat.ipynb",
                     env={"PATH": f"{self.folder}/bin:/bin"})
        self.disturb()

    def ending_problems(self, fault, outcome):
        said = outcome.err + outcome.out
        if self.path("submitted").exists() and b"42" not in said and (
                b"squeue tells" not in said and "write stderr" not in outcome.hit):
            yield "a job is submitted, and its id is not told"
        if fault.mode != "signal" or outcome.status != 128 + fault.number:
            yield from super().ending_problems(fault, outcome)


if __name__ == "__main__":
    unittest.main()
