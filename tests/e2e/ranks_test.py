#!/usr/bin/env python3
"""One script on several ranks: launchers, one preparation for all, output, signals."""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import TIMEOUT, EndingCase, measured, members, wait_for  # noqa: E402
from support import DOUBLE, binary  # noqa: E402

REPORT = """import json, os, sys
from sys import argv
print(json.dumps({"argv": argv[1:], "env": dict(os.environ)}))"""

# Writes the names of functions that are called into a file of the rank.
WRAPPER = r"""#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int function(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);

static int find(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	if (strstr(info->dlpi_name, "/libmpi.so") == NULL)
		return 0;
	*(void **)out = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
	return 1;
}

static function *enter(const char *name)
{
	char text[64];
	void *library = NULL;
	snprintf(text, sizeof text, "calls.%s", getenv("OMPI_COMM_WORLD_RANK"));
	FILE *file = fopen(text, "a");
	fprintf(file, "%s ", name);
	fclose(file);
	dl_iterate_phdr(find, &library);
	snprintf(text, sizeof text, "PMPI_%s", name);
	return (function *)dlsym(library, text);
}

#define WRAP(name) \
	int MPI_##name(void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, \
	               void *j) \
	{ \
		return enter(#name)(a, b, c, d, e, f, g, h, i, j); \
	}
"""


# What launchers and batch systems number.
NUMBERS = ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
           "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID",
           "SLURM_NTASKS", "SLURM_JOB_NUM_NODES", "SLURM_CPUS_PER_TASK", "SLURM_RESTART_COUNT")


class RanksCase(EndingCase):
    def setUp(self):
        super().setUp()
        self.tools = self.path("tools")
        self.tools.mkdir()

    def environment(self, **more):
        return super().environment(**({
            "PATH": f"{self.tools}:{DOUBLE}/bin:{os.environ['PATH']}",
            "NBSCOREP_DOUBLE_PREPARATIONS": str(self.path("preparations"))} | more))

    def preparations(self):
        path = self.path("preparations")
        return len(path.read_text().splitlines()) if path.exists() else 0

    def tool(self, name, text):
        path = self.write(f"tools/{name}", "#!/bin/bash\n" + text)
        path.chmod(0o755)
        return path

    def start(self, *arguments, **more):
        """The run script; nothing is left of what it made for its ranks."""
        done = self.run_command("./heat_run.sh", *arguments, env=self.environment(**more))
        self.assertEqual(os.listdir(self.path("tmp")), [])
        return done


    def run_notebook(self, *options, **more):
        return self.run_command(binary(), "run", "-q", "--force", *options, "heat.ipynb", env=self.environment(**more))


class Launchers(RanksCase):
    """With launchers that start their words once, and say what they were."""

    def setUp(self):
        super().setUp()
        for name in "srun", "mpirun", "mpiexec", "mine":
            self.launcher(name)

    def launcher(self, name, version="HYDRA build details"):
        self.tool(name, f'[ "$1" != --version ] || {{ echo "{version}"; exit; }}\n'
                        f'printf "%s\\n" {name} "$@" >words\nenv >launcher-environment\n'
                        'while [ "$1" != env ]; do shift; done\nexec "$@"\n')

    def words(self, *options, cells=("print(1)",), status=0, **more):
        """What the launcher got in front of the command."""
        self.make(*cells, options=options)
        done = self.start(**more)
        self.assertEqual((done.status, done.out), (status, b"1\n" if status == 0 else b""), done)
        return " ".join(self.path("words").read_text().split(" env ")[0].split("\n")).split(
            " env ")[0]

    def test_found(self):
        self.assertEqual(self.words("--ranks=3", SLURM_JOB_ID="7"), "srun -n 3")
        self.assertEqual(self.words("--ranks=3"), "mpirun -n 3")
        (self.tools / "srun").unlink()
        path = f"{self.tools}:{DOUBLE}/bin:/usr/bin:/bin"
        if shutil.which("srun", path=path) is None:
            self.assertEqual(self.words("--ranks=3", SLURM_JOB_ID="7"), "mpirun -n 3")

    def test_mpiexec_and_none(self):
        """With nothing else on PATH than what the run script needs."""
        (self.tools / "srun").unlink()
        (self.tools / "mpirun").unlink()
        for name in ("bash", "env", "python3", "mktemp", "cat", "rm", "mkdir"):
            (self.tools / name).symlink_to(shutil.which(name))
        self.assertEqual(self.words("--ranks=3", PATH=f"{self.tools}:{DOUBLE}/bin"),
                         "mpiexec -n 3")
        (self.tools / "mpiexec").unlink()
        done = self.start(PATH=f"{self.tools}:{DOUBLE}/bin")
        self.assertEqual((done.status, done.out), (3, b""))
        self.assertIn(b"ranks: neither mpirun nor mpiexec is on PATH", done.err)

    def test_of_the_users(self):
        self.assertEqual(self.words("--ranks=3", "--launcher", "mine  -c '{ranks}' * {ranks}$X"),
                         "mine -c '3' * 3$X")
        self.assertEqual(self.words("--launcher=mine"), "mine")
        self.assertEqual(self.words("--launcher=mine {ranks}", NBSCOREP_RANKS="5"), "mine 5")
        self.assertEqual(self.words("--ranks=3", NBSCOREP_RANKS="5",
                                    NBSCOREP_LAUNCHER="mine x{ranks}"), "mine x5")

    def test_options_of_run_come_before_variables(self):
        self.make("print(1)")
        done = self.run_notebook("--no-scorep", "--ranks=3", "--launcher=mine {ranks}",
                                 NBSCOREP_RANKS="5", NBSCOREP_LAUNCHER="srun")
        self.assertEqual((done.status, done.out), (0, b"1\n"), done)
        self.assertEqual(self.path("words").read_text().split("\n")[:2], ["mine", "3"])

    def test_tags(self):
        tagged = "--ranks=3", "--tag-output"
        self.assertEqual(self.words(*tagged, SLURM_JOB_ID="7"), "srun -n 3 --label")
        self.assertEqual(self.words(*tagged), "mpirun -n 3 -prepend-rank")
        self.launcher("mpirun", "mpirun (Open MPI) 4.1.4")
        self.assertEqual(self.words(*tagged), "mpirun -n 3 --tag-output")

    def test_number_is_missing(self):
        self.make("print(1)", options=["--launcher=mine {ranks}"])
        done = self.start()
        self.assertEqual((done.status, done.out), (2, b""))
        self.assertIn(b"requires a number of ranks", done.err)

    def test_only_where_wanted(self):
        for cell in "print(1)", "import mpi4py.MPI\nprint(1)":
            self.make(cell, options=["-Wno-args-mpi"])
            self.start()
            self.assertFalse(self.path("words").exists())
            self.start(NBSCOREP_RANKS="2")
            self.path("words").unlink()

    def test_not_inside_of_a_rank(self):
        self.make("print(1)", options=["--ranks=3"])
        for variables in ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, {"PMI_RANK": "1"},
                          {"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2"}):
            with self.subTest(variables):
                self.assertEqual(self.start(**variables).out, b"1\n")
                self.assertFalse(self.path("words").exists())
        for variables in ({"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "1"},  # an interactive step
                          {"PMI_RANK": "0", "PMI_SIZE": "1"}, {"PMIX_RANK": "0"}):  # of a shell (FINDINGS 1.9)
            with self.subTest(variables):
                self.start(**variables)
                self.path("words").unlink()

    def test_launcher_is_not_measured(self):
        self.words("--ranks=3")
        launcher = self.path("launcher-environment").read_text()
        self.assertNotIn("LD_PRELOAD", launcher)
        self.assertNotIn("BINDINGS", launcher)

    def test_environment_reaches_other_nodes(self):
        self.tool("mine", 'while [ "$1" != env ]; do shift; done\nexec env -i PATH="$PATH" "$@"\n')
        cell = "%%scorep_env\nNB_A=it's $NB_B\nSCOREP_TOTAL_MEMORY=64M\nNB_EMPTY="
        self.make(cell, REPORT, options=["--launcher=mine"])
        done = self.start(NB_B="a  'b\n*")
        report = json.loads(done.out)["env"]
        self.assertEqual(report["NB_A"], "it's a  'b\n*")
        self.assertEqual((report["SCOREP_TOTAL_MEMORY"], report["NB_EMPTY"]), ("64M", ""))
        self.assertEqual(report["PYTHONPATH"].split(":")[0], str(self.folder))
        self.assertEqual(report["MPLBACKEND"], "Agg")

    def test_names_of_the_notebooks(self):
        """Whatever it exports, the run script's own variables do not get in its way."""
        names = ("status", "signal", "name", "words", "folder", "script", "line", "ranks")
        self.make("%%scorep_env\n" + "\n".join(f"{n}=mine" for n in names), REPORT,
                  options=["--launcher=mine"])
        report = json.loads(self.start().out)["env"]
        self.assertEqual({report[name] for name in names}, {"mine"})

    def test_arguments_input_and_status(self):
        self.make("import sys\nprint(sys.argv[1:], sys.stdin.read())\nsys.exit(9)",
                  options=["--launcher=mine"])
        done = self.run_command("./heat_run.sh", "a b", "", "$x", "{ranks}", stdin=b"text",
                                env=self.environment())
        self.assertEqual((done.status, done.out), (9, b"['a b', '', '$x', '{ranks}'] text\n"))

    def test_status_of_an_ended_job(self):
        """Whatever launchers and alarms make of it; others are theirs."""
        for status, expected in ((0, 143), (1, 143), (142, 143), (137, 137)):
            with self.subTest(status):
                self.tool("mine", f"trap 'exit {status}' TERM\ntouch ready\n"
                                  "while :; do sleep 0.1; done")
                got = self.signalled(signal.SIGTERM, "1", options=["--launcher=mine"])
                self.assertEqual(got[0], expected, got)
                self.path("ready").unlink()

    def test_failure_is_no_launchers(self):
        """Only a launcher that has started no rank is asked again why."""
        self.tool("mpirun", 'printf "%s\\n" "$*" >>calls\necho "not enough slots" >&2\n'
                            'while [ "$1" != env ]; do shift || exit 1; done\n"$@"\n')
        self.make("1 / 0", options=["--ranks=3"])
        done = self.start()
        self.assertEqual((done.status, self.path("calls").read_text().count("\n")), (1, 1), done)
        self.assertNotIn(b"--oversubscribe", done.err)
        self.path("calls").unlink()
        self.tool("mpirun", 'printf "%s\\n" "$*" >>calls\necho "not enough slots" >&2\nexit 1\n')
        done = self.start()
        self.assertEqual(self.path("calls").read_text().splitlines()[1:], ["-n 3 true"])
        self.assertIn(b"--oversubscribe", done.err)

    def test_signal_that_comes_again(self):
        """mpirun takes the second one for an order to kill; of timeout(1) two come at once."""
        self.tool("mpirun", "for name in USR2 TERM; do trap \"echo $name >>got\" $name; done\n"
                  ">got\ntouch ready\nuntil grep -q TERM got; do sleep 0.1; done")
        self.make("print(1)", options=["--ranks=2"])
        process = self.begin("./heat_run.sh")
        begin = time.monotonic()
        wait_for(lambda: process.terminate() or process.poll() is not None)
        self.assertEqual(self.path("got").read_text().split()[:2], ["USR2", "TERM"])
        self.assertGreaterEqual(time.monotonic() - begin, 1)

    def test_run(self):
        self.make("print(1)")
        plain = ["--no-scorep", "-Werror"]  # no warning of what is not measured
        for options, preparations in ((["--temporary"], 1), (plain, 1), ([], 2)):
            with self.subTest(options):
                done = self.run_notebook("--ranks=3", *options)
                self.assertEqual((done.status, done.out, done.err), (0, b"1\n", b""))
                self.assertEqual(self.path("words").read_text().split("\n")[:3],
                                 ["mpirun", "-n", "3"])
                self.assertEqual(self.preparations(), preparations)
                self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_run_exports_once(self):
        """The run script does, from what the user has."""
        self.make("%%scorep_env\nSCOREP_TOTAL_MEMORY=${SIZE}1M\nSIZE=$SIZE$SIZE",
                  "import os\nprint(os.environ['SCOREP_TOTAL_MEMORY'], os.environ['SIZE'])")
        for options in [], ["--ranks=2"]:
            done = self.run_notebook("--no-scorep", *options, SIZE="3")
            self.assertEqual((done.status, done.out, done.err), (0, b"31M 33\n", b""))

    def test_run_ends_what_is_left(self):
        """Programs of a run script are in a process group of their own."""
        self.make("import subprocess\nchild = subprocess.Popen(['sh', '-c', \"trap '' TERM; echo > up; "
                  "while :; do sleep 0.05; done\"], stdout=-3, stderr=-3)\n"
                  "import os\nwhile not os.path.exists('up'): pass\nprint(child.pid)")
        done = self.run_notebook("--launcher=mine", "--no-scorep", "--kill-after=0.2")
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertFalse(os.path.exists(f"/proc/{int(done.out)}"))

    def test_tasks_of_an_allocation(self):
        self.make("import mpi4py\nprint(1)")
        for start in self.start, self.run_notebook:
            done = start(SLURM_NTASKS="3")
            self.assertEqual((done.status, done.out), (0, b"1\n"), done)
            self.assertEqual(self.path("words").read_text().split("\n")[:3], ["mpirun", "-n", "3"])
            self.path("words").unlink()

    def test_variables_that_are_no_numbers(self):
        """What the environment says is neither printed nor calculated with before it is checked."""
        odd = ("\x1b[31m7", "a[$(touch hit)]", "7 7", "-7", "", "9" * 40)
        for options in ((), ("--ranks=2",)):
            self.make("print(1)", options=options)
            for value in odd:
                with self.subTest(options=options, value=value):
                    done = self.start(**{"SLURM_JOB_ID": "7", "SCOREP_EXPERIMENT_DIRECTORY": None,
                                         "NBSCOREP_QUIET": "yes", **dict.fromkeys(NUMBERS, value)})
                    self.assertEqual((done.status, done.err), (0, b""), done)
                    self.assertIn(done.out, (b"1\n", b"1\n" * 2), done)
                    self.assertFalse(self.path("hit").exists())

    def test_ranks_that_are_no_number(self):
        self.make("print(1)", options=("--ranks=2",))
        for value in ("\x1b[31m7", "a[$(touch hit)]", "2 -x", "0", "-1", "9" * 40):
            with self.subTest(value):
                done = self.start(NBSCOREP_RANKS=value)
                self.assertEqual((done.status, done.out), (2, b""), done)
                self.assertIn(b"NBSCOREP_RANKS", done.err)
                self.assertNotIn(b"\x1b", done.err)

    def test_wrong_options(self):
        self.make("print(1)")
        for options in (["--ranks=0"], ["--ranks=x"], ["--ranks="], ["--ranks=-1"],
                        ["--launcher= "], ["--launcher=mine", "--tag-output"]):
            with self.subTest(options):
                done = self.nbscorep("build", *options, "heat.ipynb")
                self.assertEqual((done.status, done.out), (2, b""))
        self.assertEqual(self.run_notebook(NBSCOREP_RANKS="$(touch no)").status, 2)


class Preparation(RanksCase):
    """Bindings that prepare themselves once."""

    def setUp(self):
        super().setUp()
        self.tool("three", 'for i in 1 2 3; do "$@" || exit; done\n')

    def test_once(self):
        self.make("print(1)", options=["--launcher=three"])
        done = self.start()
        self.assertEqual((done.status, done.out, done.err), (0, b"1\n1\n1\n", b""))
        self.assertEqual(self.preparations(), 1)
        self.assertEqual(self.start(NBSCOREP_RANKS="3").out, b"1\n1\n1\n")
        self.assertEqual(len(list(self.experiment.glob("rank-*-*"))), 3)  # the launcher numbers none

    def test_switched_off(self):
        self.make("print(1)", options=["--launcher=three"])
        self.assertEqual(self.start(NBSCOREP_PREPARE="no").out, b"1\n1\n1\n")
        self.assertEqual(self.preparations(), 3)

    def test_same_arguments(self):
        self.write("mine.py", "print('mine')\n")
        self.make("%%scorep_python_binding_arguments\n--thread=pthread --instrumenter-type=trace\n"
                  "--instrumenter-file=mine.py", "print(1)", options=["--launcher=three"])
        self.assertEqual(self.start().out, b"mine\n1\n" * 3)
        self.assertIn("--thread=pthread", self.path("preparations").read_text())

    def at_preparation(self, code):
        """A PYTHONPATH with which Python runs CODE before the bindings make their folder."""
        self.write("site/sitecustomize.py",
                   "import os, sys, time\ndef watch(event, given):\n    if event != 'tempfile.mkdtemp' or not "
                   f"os.path.basename(given[0]).startswith('scorep'):\n        return\n{code}"
                   "sys.addaudithook(watch)\n")
        return f"{self.path('site')}:{DOUBLE}"

    def test_does_not_work(self):
        """Each rank then starts as it always does."""
        path = self.at_preparation("    if not os.path.exists('asked'):\n        os.mkdir('asked')\n"
                                   "        raise OSError('bad luck')\n")
        self.make("print(1)", options=["--launcher=three"])
        done = self.start(PYTHONPATH=path)
        self.assertEqual((done.status, done.out), (0, b"1\n1\n1\n"))
        self.assertRegex(done.err, rb"bad luck\n(?s:.*)nbscorep: cannot prepare the bindings once")

    def test_no_bindings(self):
        """Said once."""
        self.make("print(1)", options=["--launcher=three"])
        for more in {}, {"NBSCOREP_PREPARE": "no"}:
            with self.subTest(more):
                done = self.start(PYTHONPATH=None, NBSCOREP_MEASUREMENT="scorep", **more)
                self.assertEqual((done.status, done.out), (3, b""))
                self.assertEqual(done.err.count(b"has no Score-P bindings"), 1, done)
                self.assertNotIn(b"each does it by itself", done.err)

    def test_wrong_argument(self):
        self.make("print(1)", options=["--launcher=three"])
        script = self.path("heat_run.sh")
        script.write_text(script.read_text().replace(" --thread=pthread ", " --nonsense ", 1))
        done = self.start()
        self.assertEqual((done.status, done.out), (1, b""))
        self.assertIn(b"--nonsense", done.err)

    def test_not_for_plain_python(self):
        self.make("import sys\nprint('scorep._bindings' in sys.modules)",
                  options=["--launcher=three"])
        self.assertEqual(self.start(NBSCOREP_MEASURE="no").out, b"False\n" * 3)
        self.assertEqual(self.preparations(), 0)

    def test_shared_folder(self):
        """Of several nodes: where the script lies, or where one says."""
        self.tool("three", 'printf "%s\\n" "$@" | grep "^NBSCOREP_RANK_OF="\n')
        self.make("print(1)", options=["--launcher=three"])
        self.path("other").mkdir()
        for more, where in (({}, "tmp/"), ({"SLURM_JOB_NUM_NODES": "2"}, ""),
                            ({"NBSCOREP_SHARED_TMPDIR": "other"}, "other/")):
            with self.subTest(where):
                before = sorted(os.listdir(self.folder))
                done = self.start(**more)
                self.assertRegex(done.out.decode(), f"{where}nbscorep-[^/]*\n$")
                self.assertEqual(sorted(set(os.listdir(self.folder)) - {"preparations"}),
                                 sorted(set(before) - {"preparations"}))

    def test_signal_meanwhile(self):
        path = self.at_preparation("    open('ready', 'w').close()\n    while not os.path.exists('go'):\n"
                                   "        time.sleep(0.01)\n")
        self.make("print('no')", options=["--launcher=three"])
        process = subprocess.Popen(
            ["./heat_run.sh"], cwd=self.folder, env=self.environment(PYTHONPATH=path),
            stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(process.stdout.close)
        wait_for(self.path("ready").exists)
        process.send_signal(signal.SIGTERM)
        self.path("go").touch()
        out, _ = process.communicate(timeout=TIMEOUT)
        self.assertEqual((process.returncode, out), (143, b""))
        self.assertEqual(os.listdir(self.path("tmp")), [])


class OpenMpiCase(RanksCase):
    def environment(self, **more):
        return super().environment(**({
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1"} | more))


@unittest.skipUnless(shutil.which("mpirun"), "needs mpirun")
class Apart(OpenMpiCase):
    """Ranks of a program without MPI: each has an experiment directory of its own."""
    # All ranks are measured at the same time.
    CELL = measured("import os, time\nrank = os.environ['OMPI_COMM_WORLD_RANK']\n"
                    "here = 'here.' + os.environ.get('PMIX_NAMESPACE', '')\n"
                    "os.makedirs(here, exist_ok=True)\n"
                    "open(f'{here}/{rank}', 'w').close()\n"
                    "while len(os.listdir(here)) < int(os.environ['OMPI_COMM_WORLD_SIZE']):\n"
                    "    time.sleep(.01)")
    RUN_SCRIPT = "./heat_run.sh",

    def finish(self, *command, ranks=2, cell=CELL, **more):
        self.make(cell, options=[f"--ranks={ranks}"])
        done = self.run_command(*command, env=self.environment(**more))
        self.assertEqual((done.status, done.out), (0, b""), done)
        return done

    def found(self, pattern="experiment"):
        """The folders of events below the one folder of PATTERN."""
        folder, = self.folder.glob(pattern)
        return sorted(str(path.parent.relative_to(folder)) for path in folder.rglob("events*"))

    def commands(self):
        run = binary(), "run", "--force"
        mpirun = "mpirun", "-n", "2"
        return (self.RUN_SCRIPT, (*run, "--ranks=2", "heat.ipynb"), (*mpirun, "./heat_run.sh"),
                (*mpirun, *run, "heat.ipynb"))

    def test_named(self):
        for tracing in "no", "yes":  # with it, ranks that share a directory abort
            for command in self.commands():
                with self.subTest(command, tracing=tracing):
                    done = self.finish(*command, SCOREP_ENABLE_TRACING=tracing)
                    self.assertEqual(self.found(), ["rank-0", "rank-1"])
                    self.assertEqual(done.err.count(
                        b"nbscorep: each rank is measured separately (no --mpp=mpi), in "),
                        1, done)
                    self.assertEqual(sorted(self.folder.glob("experiment-*")), [])
                    shutil.rmtree(self.experiment)

    def test_without_a_name(self):
        for command in self.commands():
            with self.subTest(command):
                self.finish(*command, SCOREP_EXPERIMENT_DIRECTORY=None)
                self.assertEqual(self.found("scorep-*"), ["rank-0", "rank-1"])
                folder, = self.folder.glob("scorep-*")
                self.assertRegex(folder.name, r"^scorep-heat-\d")
                shutil.rmtree(folder)

    def test_earlier_run(self):
        """It had more ranks; all of it is renamed, nothing is lost."""
        self.finish(*self.RUN_SCRIPT, ranks=3)
        self.finish(*self.RUN_SCRIPT, ranks=2)
        self.assertEqual(self.found(), ["rank-0", "rank-1"])
        self.assertEqual(self.found("experiment-*"), ["rank-0", "rank-1", "rank-2"])

    def test_one_rank(self):
        done = self.finish(*self.RUN_SCRIPT, ranks=1)
        self.assertEqual((self.found(), done.err), (["."], b""))

    def test_quiet(self):
        done = self.finish(binary(), "run", "-q", "--force", "--ranks=2", "heat.ipynb")
        self.assertEqual(done.err, b"")

    def test_more_than_cores(self):
        """Open MPI's own words end with --oversubscribe, but not where to write it."""
        self.make("print('ran')", options=["--ranks=5000"])
        for command in self.RUN_SCRIPT, [binary(), "run", "--force", "--ranks=5000", "heat.ipynb"]:
            done = self.run_command(*command, env=self.environment(
                OMPI_MCA_rmaps_base_oversubscribe=None))
            self.assertEqual((done.status, done.out), (1, b""), done)
            self.assertIn(b"not enough slots", done.err)
            self.assertEqual(done.err.count(b"build with --launcher 'mpirun --oversubscribe -n "
                                            b"{ranks}'"), 1, done)

    def test_summary(self):
        done = self.finish(binary(), "run", "--force", "--ranks=2", "--summary", "heat.ipynb")
        self.assertIn(f"experiment directory: {self.experiment} (", done.err.decode())
        self.assertRegex(done.err.decode(), r", with one for each of 2 ranks\)\n")
        self.assertIn(f"cube {self.experiment}/rank-0/profile.cubex\n", done.err.decode())


@unittest.skipUnless(shutil.which("mpirun") and subprocess.run(
    ["/usr/bin/python3", "-c", "import mpi4py"], stderr=subprocess.DEVNULL).returncode == 0,
    "needs mpirun and mpi4py")
class Mpi(OpenMpiCase):
    """Open MPI itself."""

    FIRST = "from mpi4py import MPI\nimport os, time\nworld = MPI.COMM_WORLD\nrank = world.rank"
    READY = ("open(f'part.{rank}', 'w').write(str(os.getpid()))\n"
             "os.rename(f'part.{rank}', f'rank.{rank}')\n")

    def environment(self, **more):
        return super().environment(**({"PYTHON": "/usr/bin/python3"} | more))

    def left(self):
        """Temporary files, but for those that Open MPI keeps for a while itself."""
        return [name for name in os.listdir(self.path("tmp")) if not name.startswith("ompi.")]

    def make(self, ranks, *cells, options=()):
        super().make("%%scorep_python_binding_arguments\n--mpp=mpi", self.FIRST, *cells,
                     options=[f"--ranks={ranks}", *options])

    def finish(self, ranks, *cells, options=(), **more):
        self.make(ranks, *cells, options=options)
        done = self.run_command("./heat_run.sh", env=self.environment(**more))
        self.assertEqual(self.left(), [])
        return done

    def assert_all_kept(self, ranks, region):
        names = ["events.jsonl"] + [f"events.{n}.jsonl" for n in range(1, ranks)]
        for name in names:
            self.assertIn(region, self.regions(name))

    def signalled(self, number, ranks, *cells, run=(), send=None):
        """Sends a signal when all ranks are ready. Returns status, out, err."""
        self.make(ranks, *cells)
        process = self.begin(*(run or ["./heat_run.sh"]))
        wait_for(lambda: len(list(self.folder.glob("rank.*"))) == ranks)
        if send == "group":
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT)
        wait_for(lambda: members(process.pid) == [])
        self.assertEqual(self.left(), [])
        return process.returncode, out.decode(), err.decode()

    def begin(self, *command):
        """Unlike the others' it waits for the ranks, not for a file 'ready'."""
        process = subprocess.Popen(command, cwd=self.folder, env=self.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end_session, process)
        return process

    def test_one_preparation_for_eight(self):
        done = self.finish(8, measured("total = world.allreduce(rank)\ntotal"))
        self.assertEqual((done.status, done.out, done.err), (0, b"28\n", b""))
        self.assertEqual(self.preparations(), 1)
        self.assert_all_kept(8, "user:cell 3")

    def test_mpi_that_nobody_saw(self):
        """Without --mpp=mpi Score-P takes the ranks for programs of their own."""
        self.write("elsewhere/helper.py", self.FIRST)
        RanksCase.make(self, measured("import sys\nsys.path.append('else' + 'where')\nimport helper\n"
                                      "helper.world.allreduce(helper.rank)"),
                       options=["--ranks=2"])
        done = self.run_command("./heat_run.sh", env=self.environment())
        self.assertEqual((done.status, done.out), (0, b"1\n"), done)
        for rank in 0, 1:
            self.assertIn("user:cell 1", self.regions(f"rank-{rank}/events.jsonl"))

    def test_shown_by_all(self):
        done = self.finish(3, "world.allreduce(rank)", "Out[3] + _", "display(7)",
                           options=["--all-ranks"])
        self.assertEqual(sorted(done.out.decode().split()), ["3"] * 3 + ["6"] * 3 + ["7"] * 3)

    def test_shown_by_one(self):
        done = self.finish(3, "world.allreduce(rank)", "Out[3] + _", "print('all')")
        self.assertEqual(sorted(done.out.decode().split()), ["3", "6", "all", "all", "all"])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
    def test_figures(self):
        cell = "import matplotlib.pyplot as plt\nplt.plot([1, 2]);"
        for options, expected in ((), ["cell-3-1.png"]), (
                ["--all-ranks"], ["cell-3-1.png", "rank-1/cell-3-1.png"]):
            with self.subTest(options):
                done = self.finish(2, cell, options=options)
                self.assertEqual(done.status, 0, done)
                folder = self.path("heat_figures")
                self.assertEqual(sorted(str(p.relative_to(folder)) for p in folder.rglob("*.png")),
                                 expected)

    def test_ended_at_once(self):
        for number in signal.SIGTERM, signal.SIGINT:
            with self.subTest(number):
                status, out, err = self.signalled(
                    number, 4, measured(self.READY + "while True: pass"))
                self.assertEqual((status, out), (128 + number, ""), err)
                self.assert_all_kept(4, "user:cell 3")
                shutil.rmtree(self.experiment)
                for path in self.folder.glob("rank.*"):
                    path.unlink()

    def test_rank_that_writes_for_long(self):
        """mpirun would kill it as soon as another one had ended."""
        slow = ("import scorep._experiment\nkind = scorep._experiment.Experiment\n"
                "write = kind.write_results\ndef write_last(*arguments):\n"
                "    others = ['events.jsonl', 'events.1.jsonl', 'events.3.jsonl']\n"
                "    while not all(os.path.exists('experiment/' + name) for name in others): pass\n"
                "    until = time.monotonic() + 1\n    while time.monotonic() < until: pass\n"
                "    write(*arguments)\nif rank == 2: kind.write_results = write_last\n")
        status, _, err = self.signalled(signal.SIGTERM, 4, slow,
                                        measured(self.READY + "while True: pass"))
        self.assertEqual(status, 143, err)
        self.assertNotIn("exiting improperly", err)
        self.assert_all_kept(4, "user:cell 4")

    def test_whole_group_is_signalled(self):
        """As by Slurm, or Ctrl-C: the ranks hear of it once."""
        status, _, err = self.signalled(
            signal.SIGTERM, 2, measured(self.READY + "while True: pass"),
            send="group")
        self.assertEqual(status, 143, err)
        self.assert_all_kept(2, "user:cell 3")

    def test_ended_between_cells(self):
        signalled = ("import signal\nhere, there = os.pipe()\nos.set_blocking(there, False)\n"
                     "signal.set_wakeup_fd(there)\n")
        status, out, err = self.signalled(
            signal.SIGUSR1, 2, measured(signalled + self.READY + "os.read(here, 1);"), "print('no')")
        self.assertEqual((status, out), (0, ""), err)
        self.assertIn("nbscorep: ended by SIGUSR1 before cell 4\n", err)
        self.assert_all_kept(2, "user:cell 3")

    def test_ended_while_one_is_a_cell_ahead(self):
        """Rank 0 is still in cell 3, so that no rank can end in front of cell 4."""
        wait = ("import signal\nhere, there = os.pipe()\nos.set_blocking(there, False)\n"
                "signal.set_wakeup_fd(there)\n" + self.READY + "os.read(here, 1);")
        first, second = [measured(f"if rank == {n}:\n    " + wait.replace("\n", "\n    "))
                         for n in (0, 1)]
        status, out, err = self.signalled(signal.SIGUSR1, 2, first, second, "print('no')")
        self.assertEqual((status, out), (0, ""), err)
        self.assertIn("nbscorep: ended by SIGUSR1 before cell 5\n", err)
        self.assert_all_kept(2, "user:cell 4")

    def test_rank_that_ends_earlier(self):
        done = self.finish(3, measured("import sys\nif rank == 1: sys.exit()"), measured("x = 1"),
                           measured("y = 1"), "print('end', flush=True)")
        self.assertEqual((done.status, done.out, done.err), (0, b"end\nend\n", b""), done)
        for name, region in ("events.jsonl", 5), ("events.1.jsonl", 3), ("events.2.jsonl", 5):
            self.assertEqual([r for r in self.regions(name) if r.startswith("user:cell")][-1],
                             f"user:cell {region}")

    def test_finalized_by_the_notebook(self):
        done = self.finish(2, measured("x = 1"), measured("MPI.Finalize()"), measured("y = 1"), "z = 1")
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assert_all_kept(2, "user:cell 5")

    def test_ways_to_agree(self):
        """With many ranks, and where the functions that Score-P does not wrap are not found."""
        many = ("import importlib\n"
                "importlib.import_module(scorep_notebook.__name__ + '.agreement').MOST_DIRECT = 1")
        for cell in many, "del MPI._sizeof":
            with self.subTest(cell):
                self.FIRST = f"{type(self).FIRST}\n{cell}"
                self.test_ended_between_cells()
                done = self.finish(3, measured("import sys\nif rank == 1: sys.exit()"),
                                   measured("x = 1"), measured("y = 1"), options=["--force"])
                self.assertEqual((done.status, done.err), (0, b""), done)
                for path in self.folder.glob("rank.*"):
                    path.unlink()

    @unittest.skipUnless(shutil.which("cc"), "needs cc")
    def test_no_call_is_recorded(self):
        """Score-P has functions of these names, too."""
        names = ("Allreduce Iallreduce Alltoallv Ialltoallv Barrier Ibarrier Wait Test Iprobe "
                 "Initialized Finalized Comm_size Comm_rank Comm_test_inter").split()
        source = self.write("wrap.c", WRAPPER + "".join(f"WRAP({name})\n" for name in names))
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.path("wrap.so"), source, "-ldl"],
                       check=True)
        mark = ("with open(f'calls.{rank}', 'a') as file: file.write('mark ')\n"
                "world.Get_size();")
        RanksCase.make(self, self.FIRST, measured("import matplotlib.pyplot\n" + mark),
                       measured(mark), "x = 1", measured(mark))
        done = self.run_command(
            "mpirun", "-n", "2", "--oversubscribe", "env", f"LD_PRELOAD={self.path('wrap.so')}",
            "./heat_run.sh", env=self.environment())
        self.assertEqual(done.status, 0, done)
        for rank in 0, 1:
            calls = self.path(f"calls.{rank}").read_text()
            calls = calls[calls.index("mark"):calls.rindex("mark")]
            self.assertEqual(calls, "mark Comm_size " * 2)

    def test_exception_on_one(self):
        done = self.finish(4, "x = 1", "\nif rank == 2: raise OSError(rank)\nworld.recv(source=2)")
        self.assertEqual(done.status, 1)
        self.assertIn(b"nbscorep: heat.ipynb, cell 4, line 2 (heat.py:", done.err)

    def test_one_is_killed(self):
        """As the kernel does that runs out of memory."""
        cell = "import signal\nif rank == 1: os.kill(os.getpid(), signal.SIGKILL)\nworld.recv()"
        done = self.finish(4, measured(cell))
        self.assertEqual(done.status, 137, done)


if __name__ == "__main__":
    unittest.main()
