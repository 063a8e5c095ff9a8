#!/usr/bin/env python3
"""The double of Score-P's Python bindings, seen from outside: the behaviour that other tests rely on.
Each test starts processes as a user would."""

import glob
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import wait_for  # noqa: E402
from support import TIMEOUT, clean_environment  # noqa: E402

DOUBLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "double")
ABORTED = 134
INITIALISED = {"SCOREP_PYTHON_BINDINGS_INITIALISED": "true"}
HEAD = """\
import scorep.instrumenter
with scorep.instrumenter.disable():
    import scorep.user
"""
THREAD = "import threading\ndef work(): pass\nt = threading.Thread(target=work)\nt.start()\nt.join()\nprint('done')\n"


def call(name, *inside):
    """The trace of a region."""
    return ["+" + name, *inside, "-" + name]


MODULE = "__main__:<module>"
F = call("__main__:f")
# Scripts after HEAD, options, and what is recorded between the enter and the leave of their module.
TRACES = {
    "a method is named at its first call": (
        """
        class Base:
            def method(self): pass
            @classmethod
            def make(cls): return cls()
        class Derived(Base): pass
        Derived().method()
        Base().method()
        Base.make()
        """, [], call("__main__:Base") + call("__main__:Derived") + call("__main__.Derived:method") * 2 +
        call("__main__:make")),
    "functions of other modules": (
        "with scorep.instrumenter.disable(): import neighbour\nneighbour.bar()", [], call("neighbour:bar")),
    "C functions": ("len([]); sorted([2, 1]); print('x')", [], []),
    "a generator is left at each step": ("def g():\n    yield 1\nlist(g())\n", [], call("__main__:g") * 2),
    "a region has any name": (
        """
        with scorep.user.region("cell 3"):
            with scorep.user.region("größe \\U0001f321 \\" \\\\ : x"): pass
        """, [], call("user:cell 3", *call("user:größe \U0001f321 \" \\ : x"))),
    "begin and end": ("scorep.user.region_begin('a'); scorep.user.region_end('a')", [], call("user:a")),
    "decorators": (
        """
        @scorep.user.region("named")
        def f(): pass
        @scorep.user.region()
        def g(): pass
        f(); g()
        """, [], call("user:named", *F) + call("__main__:g")),
    "decorators without the instrumenter": (
        """
        @scorep.user.region("named")
        def f(): pass
        def g(): pass
        g = scorep.user.instrument_function(g)
        f(); g()
        """, ["--noinstrumenter"], call("user:named") + call("__main__:g")),
    "a name is recorded where the state changes": (
        """
        def f(): pass
        with scorep.instrumenter.disable("cell 7"):
            f()
            with scorep.instrumenter.disable("inner"): f()
            with scorep.instrumenter.enable("again"): f()
        with scorep.instrumenter.enable("already"): pass
        with scorep.instrumenter.disable(): f()
        scorep.instrumenter.unregister()
        f()
        scorep.instrumenter.register()
        f()
        """, [], call("user_instrumenter:cell 7", *call("user_instrumenter:again", *F)) + F),
    "regions and enabled parts only": (
        """
        def f(): pass
        f()
        with scorep.user.region("r"): f()
        with scorep.instrumenter.enable(): f()
        with scorep.instrumenter.disable("nothing"): f()
        """, ["--noinstrumenter"], call("user:r") + F),
    "enable() as a decorator": (
        """
        def f(): pass
        @scorep.instrumenter.enable("on")
        def g(): f()
        @scorep.instrumenter.disable("off")
        def h(): f()
        g(); h()
        """, ["--noinstrumenter"], call("user_instrumenter:on", *call("__main__:g", *F))),
    "disable() is on for a moment while it decorates": (
        "def f(): pass\n@scorep.instrumenter.disable('off')\ndef h(): f()\nh()", [],
        call("user_instrumenter:off") * 2),
    "exit handlers of the script come before the end": (
        """
        import atexit
        def late():
            with scorep.user.region("late"): pass
        atexit.register(late)
        """, ["--noinstrumenter"], call("user:late")),
    "a child of a fork is not measured": (
        """
        import os, sys
        def f(): pass
        pid = os.fork()
        if pid == 0:
            scorep.user.region_begin("open")
            sys.exit(0)
        assert os.waitpid(pid, 0)[1] == 0
        f()
        """, ["--keep-files"], F),
    "instrumenter types": ("def f(): pass\nf()", ["--instrumenter-type=trace"], F),
    "threads with the instrumenter off": (
        "with scorep.instrumenter.disable():\n" + textwrap.indent(THREAD, "    "), [], []),
}
# Scripts after HEAD, status, output and what standard error has. The measurement is lost.
LOST = {
    "open region": ("scorep.user.region_begin('a')\nprint('shown')", ABORTED, "shown\n",
                    "[Score-P] Fatal: Inconsistent profile"),
    "open region, exit": ("scorep.user.region_begin('a')\nraise SystemExit(3)", ABORTED, "",
                          "Expected exit for region 'user:a'"),
    "crossing regions": ("\n".join(f"scorep.user.region_{what}" for what in
                                   ("begin('a')", "begin('b')", "end('a')", "end('b')")), ABORTED, "",
                         "Expected exit for region 'user:b'. Exited region 'user:a'"),
    "profiler taken away": ("import sys\ndef f():\n    sys.setprofile(None)\n    sys.exit(0)\n"
                            "with scorep.user.region('a'): f()", ABORTED, "", ""),
    "_exit": ("import os; os._exit(5)", 5, "", ""),
    "SIGTERM": ("import os, signal\nos.kill(os.getpid(), 15)\nsignal.pause()", 143, "", ""),
    "thread": (THREAD, ABORTED, "done\n", "Inconsistent profile"),
}
# Options and variables with which nothing starts, and what standard error has.
REFUSED = (
    *(([option], {}, 1, "Unknown option: '%s'" % option)
      for option in ("--", "--nonsense", "--mpp=shmemm", "--thread=pthreads", "--io=mpi")),
    (["--instrumenter-type=cprofile"], {}, 1, 'RuntimeError: instrumenter_type "cprofile" unkown'),
    ([], INITIALISED, 1, "ImportError"),
    ([], {"SCOREP_TOTAL_MEMORY": "3q"}, ABORTED, "SCOREP_TOTAL_MEMORY"),
    ([], {"SCOREP_PROFILING_MAX_CALLPATH_DEPTH": "1k"}, ABORTED, "SCOREP_PROFILING_MAX_CALLPATH_DEPTH"),
    ([], {"SCOREP_EXPERIMENT_DIRECTORY": "no/exp"}, 1, "Can't create experiment directory"),
    ([], {"SCOREP_EXPERIMENT_DIRECTORY": "script.py"}, 1, ""),
    ([], {"SCOREP_EXPERIMENT_DIRECTORY": "old", "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY": "false"}, 1,
     "exists and overwriting is disabled"),
)


class Run:
    """One finished process and what it left in its experiment directory."""

    def __init__(self, status, out, err, experiment):
        self.status = status if status >= 0 else 128 - status
        self.out, self.err, self.experiment = out, err, experiment

    def has(self, name="events.jsonl"):
        return os.path.exists(os.path.join(self.experiment, name))

    def lines(self, name="events.jsonl"):
        with open(os.path.join(self.experiment, name), encoding="utf-8") as text:
            return [json.loads(line) for line in text]

    def trace(self):
        """'+region' for an enter, '-region' for a leave."""
        signs = {"enter": "+", "leave": "-"}
        return [signs[event["event"]] + event["region"] for event in self.lines() if event["event"] in signs]

    def entered(self):
        return [entry[1:] for entry in self.trace() if entry.startswith("+")]


class DoubleTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="double test ")  # a space, on purpose
        self.addCleanup(shutil.rmtree, self.folder)
        for name in "tmp", "old":
            os.mkdir(self.path(name))
        self.write("neighbour.py", "def bar(): pass\nvalue = 42\n")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))

    def environment(self, **variables):
        return clean_environment(**{
            "PYTHONPATH": DOUBLE, "TMPDIR": self.path("tmp"), "SCOREP_EXPERIMENT_DIRECTORY": "exp",
            "NBSCOREP_DOUBLE_PREPARATIONS": self.path("preparations")} | variables)

    def command(self, *arguments, **variables):
        """python3 ARGUMENTS in the test's folder."""
        done = subprocess.run([sys.executable, *arguments], cwd=self.folder, env=self.environment(**variables),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              encoding="utf-8", timeout=TIMEOUT, check=False)
        return Run(done.returncode, done.stdout, done.stderr, self.path("exp"))

    def scorep(self, script, *options, arguments=(), **variables):
        """The script's text, run under the double. Its measurement is the only one."""
        for experiment in glob.glob(glob.escape(self.path("exp")) + "*"):
            shutil.rmtree(experiment)
        self.write("script.py", script)
        return self.command("-m", "scorep", *options, "script.py", *arguments, **variables)

    def good(self, script, *options, **more):
        run = self.scorep(script, *options, **more)
        self.assertEqual((run.status, run.err), (0, ""))
        return run

    def preparations(self):
        with open(self.path("preparations"), encoding="utf-8") as lines:
            return lines.read().splitlines()

    def assert_lost(self, run):
        for name in ("events.jsonl", "profile.cubex", "traces.otf2"):
            self.assertFalse(run.has(name), name)


class Recorded(DoubleTest):
    def test_traces(self):
        for what, (script, options, trace) in TRACES.items():
            with self.subTest(what):
                run = self.scorep(HEAD + textwrap.dedent(script), *options)
                self.assertEqual(run.status, 0, run.err)
                self.assertEqual(run.trace(), trace if "--noinstrumenter" in options else call(MODULE, *trace))

    def test_functions_have_their_places(self):
        places = self.good("import types\ndef f(): pass\nf()\n").lines("functions.jsonl")
        self.assertEqual([place for place in places if place["region"].startswith("__main__")],
                         [{"region": MODULE, "file": "script.py", "line": places[0]["line"]},
                          {"region": "__main__:f", "file": "script.py", "line": 2}])

    def test_importing_user_records_importlib(self):
        entered = self.good("import scorep.user").entered()
        self.assertGreater(len([name for name in entered if "importlib" in name]), 20)
        self.assertEqual([name for name in entered if name.startswith("scorep")], [])

    def test_parameters_and_recording(self):
        run = self.good(HEAD + textwrap.dedent("""
            scorep.user.parameter_int("i", -3)
            scorep.user.parameter_string("s", "größe")
            scorep.user.disable_recording()
            with scorep.user.region("r"): pass
            scorep.user.enable_recording()
            """), "--noinstrumenter")
        self.assertEqual(run.lines(), [
            {"event": "parameter", "name": "i", "value": -3}, {"event": "parameter", "name": "s", "value": "größe"},
            {"event": "recording", "on": False}, {"event": "recording", "on": True}])

    def test_each_thread_is_a_location(self):
        run = self.good(THREAD, "--thread=pthread")
        self.assertEqual([e for e in run.lines() if e.get("region") == "__main__:work"],
                         [{"event": "enter", "region": "__main__:work", "location": 1},
                          {"event": "leave", "region": "__main__:work", "location": 1}])

    def test_end_of_a_region_that_never_began(self):
        run = self.scorep(HEAD + "scorep.user.region_end('a')\nscorep.user.region_end('b')", "--noinstrumenter")
        self.assertEqual((run.status, run.err), (0, (
            "SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!\n"
            'SCOREP_BINDING_PYTHON ERROR: For details look for "error_region" in the trace or profile.\n')))
        self.assertEqual(run.entered(), ["error_region"] * 2)

    def test_instrumenter_file(self):
        self.write("instrument.py", "import scorep.user, neighbour\nscorep.user.instrument_module(neighbour)\n")
        run = self.good("import neighbour\nneighbour.bar()\n", "--noinstrumenter",
                        "--instrumenter-file=instrument.py")
        self.assertEqual(run.trace(), call("neighbour:bar"))


class Script(DoubleTest):
    def test_surroundings(self):
        """The script's names, paths and arguments are its own; its dict is not that of __main__."""
        os.mkdir(self.path("sub"))
        self.write("sub/beside.py", "value = 42\n")
        self.write("sub/main.py", """
            import os, sys, beside
            def f(x: 1 + 1): pass
            print(__name__, __file__, sys.path[0], beside.value, sys.argv[1:])
            print(sys.modules['__main__'].__dict__ is globals(), type(__builtins__).__name__, f.__annotations__)
            print(os.environ.get("LD_PRELOAD"), os.environ["SCOREP_PYTHON_BINDINGS_INITIALISED"])
            """)
        run = self.command("-m", "scorep", "sub/main.py", "--help", "--", "-v", "a b")
        self.assertEqual((run.out, run.err), (
            "__main__ sub/main.py sub 42 ['--help', '--', '-v', 'a b']\nFalse dict {'x': 2}\nNone true\n", ""))

    def test_errors(self):
        for script, message in (
                ("import pickle\nclass A: pass\npickle.dumps(A())\n",
                 "Can't pickle <class '__main__.A'>: attribute lookup A on __main__ failed"),
                ("import scorep\nscorep.user.region('x')\n",
                 "AttributeError: module 'scorep' has no attribute 'user'"),
                ("import scorep\nscorep.user_region_begin('x')\n", "has no attribute 'user_region_begin'"),
                (HEAD + "with scorep.user.region(): pass", "RuntimeError: A region name needs to be specified.")):
            with self.subTest(script):
                run = self.scorep(script)
                self.assertEqual(run.status, 1)
                self.assertIn(message, run.err)

    def test_an_uncaught_oserror_of_the_script_shows_no_traceback(self):
        run = self.scorep("open('missing')")
        self.assertEqual((run.status, run.err), (1, "scorep: Cannot run file 'script.py' because: "
                                                 "[Errno 2] No such file or directory: 'missing'\n"))
        self.assertTrue(run.has())

    def test_plain_python_measures_nothing(self):
        self.write("plain.py", """
            import scorep.user, scorep.instrumenter
            with scorep.user.region("x"), scorep.instrumenter.disable("y"): pass
            scorep.user.force_finalize()
            print("done")
            """)
        run = self.command("plain.py")
        self.assertEqual((run.status, run.out, run.err), (0, "done\n", ""))
        self.assertFalse(os.path.exists(self.path("exp")))


class Preparation(DoubleTest):
    def prepare(self, *config):
        """Prepare once for many processes, as a run script does."""
        self.write("prepare.py", """
            import json, os, sys, scorep.subsystem
            before = dict(os.environ)
            scorep.subsystem.init_environment(sys.argv[1:], keep_files=True)
            print(json.dumps({k: v for k, v in os.environ.items() if before.get(k) != v}))
            """)
        run = self.command("prepare.py", *config)
        self.assertEqual(run.status, 0, run.err)
        return json.loads(run.out) | INITIALISED

    def test_prepares_once_and_cleans_up(self):
        self.good("pass")
        self.assertEqual(self.preparations(), ["--compiler --user"])
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_keep_files_keeps_the_folder_and_says_where(self):
        run = self.scorep("import os; print(os.environ['SCOREP_PYTHON_BINDINGS_TEMP_DIR'])", "--keep-files")
        kept = run.out.strip()
        self.assertIn("Score-P files are kept at: " + kept, run.err)
        self.assertEqual(os.listdir(self.path("tmp")), [os.path.basename(kept)])

    def test_one_preparation_for_many_processes(self):
        variables = self.prepare("--nocompiler")
        self.assertEqual(sorted(variables), [
            "LD_LIBRARY_PATH", "LD_PRELOAD", "SCOREP_LD_PRELOAD_BACKUP", *INITIALISED,
            "SCOREP_PYTHON_BINDINGS_TEMP_DIR"])
        for _ in range(2):
            self.assertTrue(self.good("pass", "--keep-files", **variables).has())
        self.assertEqual(self.preparations(), ["--nocompiler --user"])
        # The prepared library decides about threads.
        self.assertEqual(self.scorep(THREAD, "--thread=pthread", "--keep-files", **variables).status, ABORTED)
        # The first process that does not keep the library takes it away.
        self.good("pass", **variables)
        run = self.scorep("print('ran')", **variables)
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn("cannot be preloaded", run.err)

    def test_options_that_scorep_config_knows(self):
        options = ["--mpp=none", "--mpp=mpi", "--thread=none", "--thread=pthread", "--thread=omp",
                   "--thread=omp:opari2", "--thread=omp:ompt", "--user", "--nouser", "--compiler",
                   "--nocompiler", "--memory", "--io=posix", "--cuda", "--opencl", "--openacc",
                   "--kokkos", "--libwrap=x", "--pomp"]
        self.good("pass", *options)
        self.assertEqual(self.preparations()[0].split()[:len(options)], options)
        self.assertIn("deprecated", self.scorep("pass", "--mpi").err)
        self.assertIn("--mpp=mpi", self.preparations()[1].split())

    def test_refused(self):
        for options, variables, status, message in REFUSED:
            with self.subTest(options, **variables):
                run = self.scorep("print('ran')", *options, **variables)
                self.assertEqual((run.status, run.out), (status, ""))
                self.assertIn(message, run.err)


class Ends(DoubleTest):
    def test_lost(self):
        for what, (script, status, out, err) in LOST.items():
            with self.subTest(what):
                run = self.scorep(HEAD + script, SCOREP_ENABLE_TRACING="true")
                self.assertEqual((run.status, run.out), (status, out))
                self.assertIn(err, run.err)
                self.assert_lost(run)
                self.assertTrue(run.has("scorep.cfg") and run.has("MANIFEST.md"))

    def test_kept(self):
        for end, status, err in ("raise SystemExit(3)", 3, ""), ("1 / 0", 1, "ZeroDivisionError"):
            run = self.scorep(HEAD + textwrap.dedent("""
                def f(): %s
                with scorep.user.region("a"), scorep.instrumenter.disable("b"):
                    with scorep.instrumenter.enable("c"): f()
                """) % end)
            self.assertEqual(run.status, status)
            self.assertIn(err, run.err)
            self.assertEqual(run.trace(), call(MODULE, *call("user:a", *call(
                "user_instrumenter:b", *call("user_instrumenter:c", *F)))))
            self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_handler_that_finalizes_keeps_everything(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            import os, signal
            def stop(number, frame):
                scorep.instrumenter.unregister()
                scorep.user.force_finalize()
                os._exit(128 + number)
            signal.signal(signal.SIGTERM, stop)
            def work():
                os.kill(os.getpid(), signal.SIGTERM)
                while True: step()
            def step(): pass
            with scorep.user.region("outer"), scorep.user.region("inner"): work()
            """))
        self.assertEqual((run.status, run.err), (143, (
            'SCOREP_BINDING_PYTHON ERROR: For details look for "error_region" in the trace or profile.\n')))
        self.assertEqual(sorted(run.entered()), sorted(e[1:] for e in run.trace() if e.startswith("-")))
        self.assertEqual(run.trace()[-3:], ["-user:inner", "-user:outer", "-" + MODULE])
        self.assertEqual(len(os.listdir(self.path("tmp"))), 1)  # the handler's to remove

    def test_nothing_is_recorded_after_force_finalize(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            with scorep.user.region("a"):
                scorep.user.force_finalize()
                with scorep.user.region("b"): print("goes on")
            scorep.user.region_begin("c")
            """))
        self.assertEqual((run.status, run.out, run.trace()), (0, "goes on\n", call(MODULE, *call("user:a"))))


class Variables(DoubleTest):
    def test_values(self):
        values = {"parse_bool": {
            "true": True, "Yes": True, "on": True, "7": True, "-1": True, "00": False, "0": False, "false": False,
            "ture": False, "t": False, "": False, "1x": False, "enabled": False}, "parse_size": {
                "16000000": 16000000, "3G": 3 << 30, "64Mb": 64 << 20, "1kB": 1024, "0": 0, "3q": None,
                "3 G": None, "3gib": None, "-1": None}}
        run = self.command("-c", "import sys, json, scorep._variables as v\nprint(json.dumps({name: {text: getattr("
                           "v, name)(text) for text in each} for name, each in json.loads(sys.argv[1]).items()}))",
                           json.dumps(values))
        self.assertEqual(json.loads(run.out), values, run.err)

    def test_results_by_substrate(self):
        for tracing, files in (("Yes", ["traces", "traces.def", "traces.otf2"]), ("ture", [])):
            for profiling in "1", "0":
                run = self.good("pass", SCOREP_ENABLE_PROFILING=profiling, SCOREP_ENABLE_TRACING=tracing)
                self.assertEqual(sorted(os.listdir(run.experiment)), sorted(
                    ["MANIFEST.md", "scorep.cfg", *files] + ["profile.cubex"] * int(profiling) +
                    ["events.jsonl", "functions.jsonl"] * bool(files or int(profiling))))

    def test_both_off(self):
        self.good("pass", SCOREP_ENABLE_PROFILING="0", SCOREP_FORCE_CFG_FILES="false")
        self.assertFalse(os.path.exists(self.path("exp")))

    def test_too_much_memory_is_reduced(self):
        run = self.scorep("print('ran')", SCOREP_TOTAL_MEMORY="4g")
        self.assertEqual((run.status, run.out), (0, "ran\n"))
        self.assertIn("SCOREP_TOTAL_MEMORY", run.err)
        self.good("pass", SCOREP_TOTAL_MEMORY="4294967295")

    CHAIN = """
        for i in range(%d):
            exec("def f(): pass", here := {"__name__": "m%%d" %% i})
            here["f"]()
        """  # as many call paths, and one of <module> each

    def test_a_profile_that_does_not_fit_aborts(self):
        self.good(self.CHAIN % 200, SCOREP_TOTAL_MEMORY="1M")
        run = self.scorep(self.CHAIN % 2000, SCOREP_TOTAL_MEMORY="1M")
        self.assertEqual(run.status, ABORTED)
        self.assertIn("Out of memory. Please increase SCOREP_TOTAL_MEMORY=1048576 and try again.", run.err)
        self.assert_lost(run)

    def test_a_trace_that_does_not_fit_is_flushed(self):
        run = self.scorep("""
            import os
            def f(): pass
            for i in range(2000): f()
            print(os.stat("exp/traces/0.evt").st_size)
            """, SCOREP_ENABLE_TRACING="true", SCOREP_ENABLE_PROFILING="false", SCOREP_TOTAL_MEMORY="20k")
        self.assertEqual(run.status, 0)
        self.assertEqual(run.err.count("Trace buffer flush on rank 0."), 2)
        size = os.stat(os.path.join(run.experiment, "traces/0.evt")).st_size
        self.assertEqual(size, 12 * len(run.trace()))
        self.assertTrue(20480 < int(run.out) < size)

    def test_variables_are_read_once(self):
        run = self.good("import os\nos.environ |= {'SCOREP_ENABLE_TRACING': '1',"
                        " 'SCOREP_EXPERIMENT_DIRECTORY': 'elsewhere'}", SCOREP_METRIC_RUSAGE="ru_maxrss, ru_stime")
        self.assertTrue(run.has())
        self.assertFalse(run.has("traces.otf2") or os.path.exists(self.path("elsewhere")))
        text = pathlib.Path(run.experiment, "scorep.cfg").read_text(encoding="utf-8")
        self.assertEqual(text, "SCOREP_EXPERIMENT_DIRECTORY=exp\nSCOREP_METRIC_RUSAGE=ru_maxrss, ru_stime\n")

    def test_deep_calls_are_reported(self):
        recursion = "def f(n):\n    if n > 1: f(n - 1)\nf(%d)"
        self.good(recursion % 99)
        self.good(recursion % 110, SCOREP_ENABLE_PROFILING="false", SCOREP_ENABLE_TRACING="true")
        run = self.scorep(recursion % 110)
        self.assertEqual(run.status, 0)
        self.assertIn("callpath depth limitation of 100 exceeded", run.err)
        self.assertIn("Consider setting SCOREP_PROFILING_MAX_CALLPATH_DEPTH to 111", run.err)


class ExperimentDirectory(DoubleTest):
    def names(self, prefix):
        return sorted(name for name in os.listdir(self.folder) if name.startswith(prefix))

    def test_an_existing_one_is_renamed_first(self):
        self.good("pass", SCOREP_EXPERIMENT_DIRECTORY="old")
        self.assertEqual(os.listdir(self.path(self.names("old-")[0])), [])
        self.assertRegex(self.names("old-")[0], r"^old-\d{8}_\d{4}_\d+$")
        self.assertTrue(os.path.exists(self.path("old", "events.jsonl")))

    def test_relative_to_where_the_process_starts(self):
        self.assertTrue(self.good("import os; os.chdir('old')").has())

    def test_without_a_name(self):
        """A failed run leaves the one that the next run renames."""
        run = self.scorep("import os\nprint([n for n in os.listdir() if n.startswith('scorep-')], flush=True)\n"
                          "os._exit(1)", SCOREP_EXPERIMENT_DIRECTORY=None)
        self.assertEqual(run.out, "['scorep-measurement-tmp']\n")
        self.assertEqual(self.names("scorep-"), ["scorep-measurement-tmp"])
        self.good("pass", SCOREP_EXPERIMENT_DIRECTORY=None)
        good, failed = self.names("scorep-")
        self.assertRegex(failed, r"^scorep-failed-\d{8}_\d{4}_\d+$")
        self.assertRegex(good, r"^scorep-\d{8}_\d{4}_\d+$")
        self.assertTrue(os.path.exists(self.path(good, "events.jsonl")))

    def test_killed_while_it_writes(self):
        self.write("script.py", "pass")
        process = subprocess.Popen(
            [sys.executable, "-m", "scorep", "script.py"], cwd=self.folder,
            env=self.environment(SCOREP_ENABLE_TRACING="true", NBSCOREP_DOUBLE_WRITES="-1"))
        profile = self.path("exp", "profile.cubex")
        wait_for(lambda: os.path.exists(profile) and os.stat(profile).st_size > 0)
        process.kill()
        process.wait(TIMEOUT)
        with self.assertRaises(tarfile.ReadError), tarfile.open(profile) as archive:
            archive.getnames()
        self.assertFalse(os.path.exists(self.path("exp", "traces.otf2")))
        with tarfile.open(os.path.join(self.good("pass").experiment, "profile.cubex")) as archive:
            self.assertEqual(archive.getnames(), ["0.data", "anchor.xml"])


class Ranks(DoubleTest):
    def start(self, count, *options, **more):
        """Ranks that start one after the other, and all run when the first of them ends."""
        os.mkdir(self.path("here"))
        self.write("script.py", HEAD + "import os\nrank = os.environ['OMPI_COMM_WORLD_RANK']\n"
                   "from mpi4py import MPI\n"
                   "with scorep.user.region('rank ' + rank): pass\n"
                   "open('here/' + rank, 'w').close()\n"
                   "while len(os.listdir('here')) < %d: pass\n" % count)
        os.mkdir(self.path("mpi4py"))
        self.write("mpi4py/__init__.py", "")
        self.write("mpi4py/MPI.py", "Is_initialized = lambda: True\n")
        environment = self.environment(**more)
        environment["PYTHONPATH"] += os.pathsep + self.folder
        processes = []
        for rank in reversed(range(count)):
            processes.append(subprocess.Popen(
                [sys.executable, "-m", "scorep", "--noinstrumenter", *options, "script.py"],
                cwd=self.folder, env=dict(environment, OMPI_COMM_WORLD_RANK=str(rank)),
                stderr=subprocess.DEVNULL))
            wait_for(lambda: os.path.exists(self.path("here", str(rank))))
        return sorted(abs(process.wait(TIMEOUT)) for process in processes)

    def test_ranks_share_one_directory(self):
        self.assertEqual(self.start(3, "--mpp=mpi"), [0] * 3)
        run = Run(0, "", "", self.path("exp"))
        for rank, name in enumerate(("events.jsonl", "events.1.jsonl", "events.2.jsonl")):
            self.assertEqual([e["region"] for e in run.lines(name)], ["user:rank %d" % rank] * 2)
        self.assertEqual(glob.glob(glob.escape(self.path("exp")) + "-*"), [])
        self.assertEqual(len(self.preparations()), 3)

    def kept(self):
        return glob.glob(glob.escape(self.folder) + "/*/events.jsonl")

    def test_without_mpi_in_a_named_directory(self):
        """Each takes it for its own: what one has written is lost, silently."""
        self.assertEqual(self.start(2), [0, 0])
        self.assertEqual(len(self.kept()), 1)

    def test_without_mpi_and_with_tracing(self):
        self.assertIn(signal.SIGABRT, self.start(2, SCOREP_ENABLE_TRACING="true"))

    def test_without_mpi_and_without_a_name(self):
        self.assertIn(signal.SIGABRT, self.start(2, SCOREP_EXPERIMENT_DIRECTORY=None))
        self.assertLessEqual(len(self.kept()), 1)

    def test_mpi_that_is_never_initialised(self):
        """No directory, and no word of it."""
        self.assertFalse(self.good("pass", "--mpp=mpi").has(""))


if __name__ == "__main__":
    unittest.main()
