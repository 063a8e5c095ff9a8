#!/usr/bin/env python3
"""The double of Score-P's Python bindings, seen from outside: every behaviour that the other
tests rely on. Each test starts processes as a user would."""

import glob
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import clean_environment  # noqa: E402

DOUBLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "double")
TIMEOUT = 300
ABORTED = 134
MODULE = "__main__:<module>"


def wait_for(condition):
    until = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


class Run:
    """One finished process and what it left in its experiment directory."""

    def __init__(self, status, out, err, experiment):
        self.status = status if status >= 0 else 128 - status
        self.out = out
        self.err = err
        self.experiment = experiment

    def has(self, name="events.jsonl"):
        return os.path.exists(os.path.join(self.experiment, name))

    def read(self, name):
        with open(os.path.join(self.experiment, name), encoding="utf-8") as text:
            return text.read()

    def events(self, name="events.jsonl"):
        return [json.loads(line) for line in self.read(name).splitlines()]

    def trace(self):
        """'+region' for an enter, '-region' for a leave."""
        signs = {"enter": "+", "leave": "-"}
        return [
            signs[event["event"]] + event["region"]
            for event in self.events()
            if event["event"] in signs
        ]

    def entered(self):
        return [entry[1:] for entry in self.trace() if entry.startswith("+")]


class DoubleTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="double test ")  # a space, on purpose
        self.addCleanup(shutil.rmtree, self.folder)
        self.tmp = self.path("tmp")
        os.mkdir(self.tmp)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(text))

    def environment(self, **variables):
        return clean_environment(
            **{
                "PYTHONPATH": DOUBLE,
                "TMPDIR": self.tmp,
                "SCOREP_EXPERIMENT_DIRECTORY": "exp",
                "NBSCOREP_DOUBLE_PREPARATIONS": self.path("preparations"),
            }
            | variables
        )

    def command(self, *arguments, **variables):
        """python3 ARGUMENTS in the test's folder."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=TIMEOUT,
            check=False,
        )
        return Run(done.returncode, done.stdout, done.stderr, self.path("exp"))

    def scorep(self, script, *options, arguments=(), **variables):
        """The script's text, run under the double."""
        self.write("script.py", script)
        return self.command("-m", "scorep", *options, "script.py", *arguments, **variables)

    def good(self, script, *options, **kwargs):
        run = self.scorep(script, *options, **kwargs)
        self.assertEqual((run.status, run.err), (0, ""))
        return run

    def preparations(self):
        if not os.path.exists(self.path("preparations")):
            return []
        with open(self.path("preparations"), encoding="utf-8") as lines:
            return lines.read().splitlines()

    def assert_lost(self, run):
        for name in ("events.jsonl", "profile.cubex", "traces.otf2"):
            self.assertFalse(run.has(name), name)


class Preparation(DoubleTest):
    def test_prepares_once_and_cleans_up(self):
        run = self.good("print('hello')")
        self.assertEqual(run.out, "hello\n")
        self.assertEqual(self.preparations(), ["--compiler --user"])
        self.assertEqual(os.listdir(self.tmp), [])

    def test_keep_files_keeps_the_folder_and_says_where(self):
        run = self.scorep("import os; print(os.environ['SCOREP_PYTHON_BINDINGS_TEMP_DIR'])",
                          "--keep-files")
        kept = run.out.strip()
        self.assertIn("Score-P files are kept at: " + kept, run.err)
        self.assertEqual(os.listdir(self.tmp), [os.path.basename(kept)])

    def test_the_script_and_its_children_see_no_preload(self):
        run = self.good(
            """
            import os, subprocess, sys
            print(os.environ.get("LD_PRELOAD"))
            print(os.environ["SCOREP_PYTHON_BINDINGS_INITIALISED"])
            sys.stdout.flush()
            subprocess.run([sys.executable, "-c", "import os; print('LD_PRELOAD' in os.environ)"])
            """
        )
        self.assertEqual(run.out, "None\ntrue\nFalse\n")

    def prepare(self, *config):
        """Prepare once for many processes, as a run script does."""
        self.write(
            "prepare.py",
            """
            import json, os, sys, scorep.subsystem
            before = dict(os.environ)
            scorep.subsystem.init_environment(sys.argv[1:], keep_files=True)
            print(json.dumps({k: v for k, v in os.environ.items() if before.get(k) != v}))
            """,
        )
        run = self.command("prepare.py", *config)
        self.assertEqual(run.status, 0, run.err)
        return json.loads(run.out)

    def test_one_preparation_for_many_processes(self):
        variables = self.prepare("--nocompiler")
        self.assertEqual(
            sorted(variables),
            ["LD_LIBRARY_PATH", "LD_PRELOAD", "SCOREP_LD_PRELOAD_BACKUP",
             "SCOREP_PYTHON_BINDINGS_TEMP_DIR"],
        )
        self.assertIn(" ", variables["LD_PRELOAD"])
        self.assertEqual(variables["SCOREP_LD_PRELOAD_BACKUP"], "")
        variables["SCOREP_PYTHON_BINDINGS_INITIALISED"] = "true"
        for name in ("one", "two"):
            variables["SCOREP_EXPERIMENT_DIRECTORY"] = name
            self.good("pass", "--keep-files", **variables)
            self.assertTrue(os.path.exists(self.path(name, "events.jsonl")))
        self.assertEqual(self.preparations(), ["--nocompiler --user"])

    def test_without_keep_files_the_first_process_takes_the_library_away(self):
        variables = self.prepare()
        variables["SCOREP_PYTHON_BINDINGS_INITIALISED"] = "true"
        self.good("pass", **variables)
        run = self.scorep("print('ran')", **variables)
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn("cannot be preloaded", run.err)

    def test_the_prepared_library_decides_about_threads(self):
        variables = self.prepare()
        variables["SCOREP_PYTHON_BINDINGS_INITIALISED"] = "true"
        run = self.scorep(Threads.SCRIPT, "--thread=pthread", "--keep-files", **variables)
        self.assertEqual(run.status, ABORTED)

    def test_initialised_without_library_fails(self):
        run = self.scorep("print('ran')", SCOREP_PYTHON_BINDINGS_INITIALISED="true")
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn("ImportError", run.err)

    def test_score_p_loaded_twice_is_refused(self):
        self.write("main.py", """
            import os, scorep.subsystem
            os.environ["LD_PRELOAD"] = "libscorep_measurement.so"
            scorep.subsystem.init_environment([])
            """)
        run = self.command("main.py")
        self.assertEqual(run.status, 1)
        self.assertIn("Score-P is already loaded", run.err)

    def test_verbose_tells_the_setup(self):
        for option in ("--verbose", "-v"):
            run = self.scorep("pass", option)
            self.assertIn("scorep: Score-P config: ['--compiler', '--user']", run.err)
            self.assertIn('scorep: LD_PRELOAD="', run.err)


class CommandLine(DoubleTest):
    def test_help(self):
        run = self.command("-m", "scorep", "--help")
        self.assertEqual((run.status, run.err), (0, ""))
        self.assertIn("--instrumenter-type", run.out)
        self.assertEqual(self.preparations(), [])

    def test_options_that_scorep_config_does_not_know(self):
        for option in ("--", "--nonsense", "-x", "--mpp=shmemm", "--thread=pthreads", "--io=mpi"):
            with self.subTest(option):
                run = self.scorep("print('ran')", option)
                self.assertEqual((run.status, run.out), (1, ""))
                self.assertIn("Unknown option: '%s'" % option, run.err)
        self.assertEqual(os.listdir(self.tmp), [])

    def test_options_that_scorep_config_knows(self):
        options = [
            "--mpp=none", "--mpp=mpi", "--thread=none", "--thread=pthread", "--thread=omp",
            "--thread=omp:opari2", "--thread=omp:ompt", "--user", "--nouser", "--compiler",
            "--nocompiler", "--memory", "--io=posix", "--cuda", "--opencl", "--openacc",
            "--kokkos", "--libwrap=x", "--pomp",
        ]
        self.good("pass", *options)
        self.assertEqual(self.preparations()[0].split()[:len(options)], options)

    def test_mpi_is_deprecated(self):
        run = self.scorep("pass", "--mpi")
        self.assertEqual(run.status, 0)
        self.assertIn("deprecated", run.err)
        self.assertIn("--mpp=mpi", self.preparations()[0].split())

    def test_no_script(self):
        run = self.command("-m", "scorep", "--noinstrumenter")
        self.assertEqual(run.status, 1)
        self.assertIn("scorep: Did not find a script to run", run.err)

    def test_script_missing(self):
        run = self.command("-m", "scorep", "gone.py")
        self.assertEqual(run.status, 1)
        self.assertIn("Cannot run file 'gone.py' because", run.err)

    def test_instrumenter_types(self):
        script = "def f(): pass\nf()\n"
        for kind in ("profile", "trace", "cProfile", "cTrace"):
            with self.subTest(kind):
                run = self.good(script, "--instrumenter-type=" + kind)
                self.assertEqual(
                    run.trace(), ["+" + MODULE, "+__main__:f", "-__main__:f", "-" + MODULE]
                )
        run = self.good(script, "--instrumenter-type=dummy")
        self.assertEqual(run.events(), [])

    def test_unknown_instrumenter_type(self):
        run = self.scorep("print('ran')", "--instrumenter-type=cprofile")
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn('RuntimeError: instrumenter_type "cprofile" unkown', run.err)

    def test_instrumenter_file(self):
        self.write("work.py", "def bar(): pass\ndef baz(): pass\n")
        self.write("instrument.py", """
            import scorep.user, work
            scorep.user.instrument_module(work)
            print("first")
            """)
        run = self.good("import work\nprint('script')\nwork.bar()\n", "--noinstrumenter",
                        "--instrumenter-file=instrument.py")
        self.assertEqual(run.out, "first\nscript\n")
        self.assertEqual(run.trace(), ["+work:bar", "-work:bar"])

    def test_everything_after_the_script_is_its_own(self):
        run = self.good("import sys; print(sys.argv)", arguments=["--help", "--", "-v", "a b"])
        self.assertEqual(run.out, "['script.py', '--help', '--', '-v', 'a b']\n")


class ScriptSurroundings(DoubleTest):
    def test_names_and_paths(self):
        os.mkdir(self.path("sub"))
        self.write("sub/neighbour.py", "value = 42\n")
        self.write("sub/main.py", """
            import sys, neighbour
            print(__name__, __file__, sys.path[0], neighbour.value)
            """)
        run = self.command("-m", "scorep", "sub/main.py")
        self.assertEqual(run.out, "__main__ sub/main.py sub 42\n")

    def test_a_fresh_dict_and_not_that_of_main(self):
        run = self.good("import sys; print(sys.modules['__main__'].__dict__ is globals())")
        self.assertEqual(run.out, "False\n")

    def test_builtins_are_a_dict(self):
        self.assertEqual(self.good("print(type(__builtins__).__name__)").out, "dict\n")

    def test_pickling_what_the_script_defines_fails(self):
        run = self.scorep("import pickle\nclass A: pass\npickle.dumps(A())\n")
        self.assertEqual(run.status, 1)
        self.assertIn("Can't pickle <class '__main__.A'>: attribute lookup A on __main__ failed",
                      run.err)

    def test_calling_main_of_the_main_module(self):
        run = self.scorep("import sys; sys.modules['__main__'].main()")
        self.assertEqual(run.status, 1)
        self.assertIn("Someone called scorep.__main__.main(argv)", run.err)

    def test_no_future_feature_leaks_into_the_script(self):
        run = self.good("def f(x: 1 + 1): pass\nprint(f.__annotations__)")
        self.assertEqual(run.out, "{'x': 2}\n")

    def test_an_uncaught_oserror_of_the_script_shows_no_traceback(self):
        run = self.scorep("open('missing')")
        self.assertEqual(run.status, 1)
        self.assertEqual(
            run.err,
            "scorep: Cannot run file 'script.py' because: "
            "[Errno 2] No such file or directory: 'missing'\n",
        )
        self.assertTrue(run.has())


class Imports(DoubleTest):
    def test_bare_import_does_not_give_scorep_user(self):
        run = self.scorep("import scorep\nscorep.user.region('x')\n")
        self.assertEqual(run.status, 1)
        self.assertIn("AttributeError: module 'scorep' has no attribute 'user'", run.err)

    def test_bare_import_by_plain_python_gives_neither(self):
        run = self.command(
            "-c", "import scorep; print(hasattr(scorep, 'user'), hasattr(scorep, 'instrumenter'))"
        )
        self.assertEqual(run.out, "False False\n")

    def test_importing_the_instrumenter_records_nothing(self):
        run = self.good("import scorep.instrumenter")
        self.assertEqual(run.trace(), ["+" + MODULE, "-" + MODULE])

    def test_importing_user_records_importlib(self):
        run = self.good("import scorep.user")
        importlib = [name for name in run.entered() if "importlib" in name]
        self.assertGreater(len(importlib), 20)
        self.assertEqual([name for name in run.entered() if name.startswith("scorep")], [])

    def test_importing_user_with_the_instrumenter_off_records_nothing(self):
        run = self.good("""
            import scorep.instrumenter
            with scorep.instrumenter.disable():
                import scorep.user
            """)
        self.assertEqual(run.trace(), ["+" + MODULE, "-" + MODULE])

    def test_names_of_the_first_generation_are_gone(self):
        run = self.good("""
            import scorep, scorep.user, scorep.instrumenter
            names = ["register", "unregister", "user_region_begin", "user_region_end",
                     "user_enable_recording", "user_disable_recording", "user_parameter_int",
                     "user_parameter_uint", "user_parameter_string"]
            print([name for name in names if hasattr(scorep, name)], scorep.__version__)
            """)
        self.assertEqual(run.out, "[] 4.5.1\n")

    def test_all_names_of_today_exist(self):
        run = self.good("""
            import scorep.user, scorep.instrumenter
            user = '''region region_begin region_end rewind_begin rewind_end parameter_int
                parameter_uint parameter_string enable_recording disable_recording
                instrument_function instrument_module force_finalize reregister_exit_handler'''
            instrumenter = "enable disable register unregister get_instrumenter has_c_instrumenter"
            print([n for n in user.split() if not hasattr(scorep.user, n)])
            print([n for n in instrumenter.split() if not hasattr(scorep.instrumenter, n)])
            print(scorep.instrumenter.has_c_instrumenter())
            scorep.user.reregister_exit_handler()
            """)
        self.assertEqual(run.out, "[]\n[]\nTrue\n")

    def test_plain_python_runs_a_script_without_measuring(self):
        self.write("plain.py", """
            import scorep.user, scorep.instrumenter
            with scorep.user.region("x"), scorep.instrumenter.disable("y"):
                scorep.user.parameter_int("p", 1)
            scorep.user.force_finalize()
            print("done")
            """)
        run = self.command("plain.py")
        self.assertEqual((run.status, run.out, run.err), (0, "done\n", ""))
        self.assertFalse(os.path.exists(self.path("exp")))


HEAD = """\
import scorep.instrumenter
with scorep.instrumenter.disable():
    import scorep.user
"""


class Regions(DoubleTest):
    def body(self, script, *options, **kwargs):
        """The trace of a script between the enter and leave of its module."""
        run = self.good(HEAD + textwrap.dedent(script), *options, **kwargs)
        trace = run.trace()
        if "--noinstrumenter" not in options:
            self.assertEqual((trace[0], trace[-1]), ("+" + MODULE, "-" + MODULE))
            trace = trace[1:-1]
        return trace

    def test_functions_and_methods(self):
        trace = self.body("""
            class Base:
                def method(self): pass
                @classmethod
                def make(cls): return cls()
            class Derived(Base): pass
            Base().method()
            Base.make()
            """)
        self.assertEqual(trace[4:], ["+__main__.Base:method", "-__main__.Base:method",
                                     "+__main__:make", "-__main__:make"])
        self.assertEqual(trace[:4], ["+__main__:Base", "-__main__:Base",
                                     "+__main__:Derived", "-__main__:Derived"])

    def test_functions_have_their_places(self):
        run = self.good("import types\ndef f(): pass\nf()\n")
        places = [json.loads(line) for line in run.read("functions.jsonl").splitlines()]
        self.assertEqual([place for place in places if place["region"].startswith("__main__")],
                         [{"region": MODULE, "file": "script.py", "line": places[0]["line"]},
                          {"region": "__main__:f", "file": "script.py", "line": 2}])

    def test_a_function_is_named_at_its_first_call(self):
        trace = self.body("""
            class Base:
                def method(self): pass
            class Derived(Base): pass
            Derived().method()
            Base().method()
            """)
        self.assertEqual(trace[4:], ["+__main__.Derived:method", "-__main__.Derived:method"] * 2)

    def test_functions_of_other_modules(self):
        self.write("work.py", "def bar(): pass\n")
        trace = self.body("""
            with scorep.instrumenter.disable():
                import work
            work.bar()
            """)
        self.assertEqual(trace, ["+work:bar", "-work:bar"])

    def test_c_functions_are_not_recorded(self):
        self.assertEqual(self.body("len([]); sorted([2, 1]); print('x')"), [])

    def test_generators_enter_and_leave_at_each_step(self):
        trace = self.body("def g():\n    yield 1\nlist(g())\n")
        self.assertEqual(trace, ["+__main__:g", "-__main__:g"] * 2)

    def test_user_regions_nest_with_any_name(self):
        trace = self.body("""
            with scorep.user.region("cell 3"):
                with scorep.user.region("größe \\U0001f321 \\" \\\\ : x"):
                    pass
            """)
        inner = "user:größe \U0001f321 \" \\ : x"
        self.assertEqual(trace, ["+user:cell 3", "+" + inner, "-" + inner, "-user:cell 3"])

    def test_begin_and_end(self):
        trace = self.body("scorep.user.region_begin('a'); scorep.user.region_end('a')")
        self.assertEqual(trace, ["+user:a", "-user:a"])

    def test_a_region_without_name_is_refused(self):
        run = self.scorep(HEAD + "with scorep.user.region(): pass")
        self.assertEqual(run.status, 1)
        self.assertIn("RuntimeError: A region name needs to be specified.", run.err)

    def test_names_that_are_not_text_are_refused(self):
        for name, error in (("3", "TypeError"), ("'\\ud800'", "UnicodeEncodeError")):
            run = self.scorep(HEAD + "with scorep.user.region(%s): pass" % name)
            self.assertEqual(run.status, 1)
            self.assertIn(error, run.err)

    def test_decorators(self):
        script = """
            @scorep.user.region("named")
            def f(): pass
            @scorep.user.region()
            def g(): pass
            f(); g()
            """
        self.assertEqual(self.body(script, "--noinstrumenter"),
                         ["+user:named", "-user:named", "+__main__:g", "-__main__:g"])
        self.assertEqual(
            self.body(script),
            ["+user:named", "+__main__:f", "-__main__:f", "-user:named",
             "+__main__:g", "-__main__:g"],
        )

    def test_disable_names_a_region_where_it_changes_the_state(self):
        trace = self.body("""
            def f(): pass
            with scorep.instrumenter.disable("cell 7"):
                f()
                with scorep.instrumenter.disable("inner"):
                    f()
                with scorep.instrumenter.enable("again"):
                    f()
            with scorep.instrumenter.enable("already"):
                pass
            with scorep.instrumenter.disable():
                f()
            """)
        self.assertEqual(
            trace,
            ["+user_instrumenter:cell 7", "+user_instrumenter:again", "+__main__:f",
             "-__main__:f", "-user_instrumenter:again", "-user_instrumenter:cell 7"],
        )

    def test_noinstrumenter_records_regions_and_enabled_bodies_only(self):
        script = """
            def f(): pass
            f()
            with scorep.user.region("r"):
                f()
            with scorep.instrumenter.enable():
                f()
            with scorep.instrumenter.disable("nothing"):
                f()
            """
        expected = ["+user:r", "-user:r", "+__main__:f", "-__main__:f"]
        self.assertEqual(self.body(script, "--noinstrumenter"), expected)
        run = self.good(HEAD + textwrap.dedent(script), "--nopython")
        self.assertEqual(run.trace(), expected)

    def test_enable_and_disable_as_decorators(self):
        script = """
            def f(): pass
            @scorep.instrumenter.enable("on")
            def g(): f()
            @scorep.instrumenter.disable("off")
            def h(): f()
            g(); h()
            """
        self.assertEqual(
            self.body(script, "--noinstrumenter"),
            ["+user_instrumenter:on", "+__main__:g", "+__main__:f", "-__main__:f",
             "-__main__:g", "-user_instrumenter:on"],
        )
        # disable() is on for a moment while it decorates, too
        self.assertEqual(self.body("""
            def f(): pass
            @scorep.instrumenter.disable("off")
            def h(): f()
            h()
            """), ["+user_instrumenter:off", "-user_instrumenter:off"] * 2)

    def test_register_and_unregister(self):
        trace = self.body("""
            def f(): pass
            print(scorep.instrumenter.get_instrumenter().get_registered())
            scorep.instrumenter.unregister()
            print(scorep.instrumenter.get_instrumenter().get_registered())
            f()
            scorep.instrumenter.register()
            f()
            """)
        self.assertEqual(trace, ["+__main__:f", "-__main__:f"])

    def test_instrument_function(self):
        trace = self.body("""
            def f(): pass
            f = scorep.user.instrument_function(f)
            g = scorep.user.instrument_function(f, scorep.instrumenter.enable)
            f()
            """, "--noinstrumenter")
        self.assertEqual(trace, ["+__main__:f", "-__main__:f"])

    def test_parameters(self):
        run = self.good(HEAD + textwrap.dedent("""
            with scorep.user.region("r"):
                scorep.user.parameter_int("i", -3)
                scorep.user.parameter_uint("u", 3)
                scorep.user.parameter_string("s", "größe")
            """), "--noinstrumenter")
        self.assertEqual(
            run.events()[1:4],
            [{"event": "parameter", "name": "i", "value": -3},
             {"event": "parameter", "name": "u", "value": 3},
             {"event": "parameter", "name": "s", "value": "größe"}],
        )

    def test_recording_can_be_switched_off(self):
        run = self.good(HEAD + textwrap.dedent("""
            def f(): pass
            scorep.user.disable_recording()
            f()
            scorep.user.enable_recording()
            f()
            """))
        self.assertEqual(
            run.events()[1:-1],
            [{"event": "recording", "on": False}, {"event": "recording", "on": True},
             {"event": "enter", "region": "__main__:f"},
             {"event": "leave", "region": "__main__:f"}],
        )

    def test_rewinding(self):
        script = HEAD + textwrap.dedent("""
            for i, rewind in enumerate([True, False]):
                scorep.user.rewind_begin("again")
                with scorep.user.region("try %d" % i):
                    pass
                scorep.user.rewind_end("again", rewind)
            """)
        run = self.good(script, "--noinstrumenter")
        self.assertEqual(run.events()[:2], [{"event": "recording", "on": False},
                                            {"event": "recording", "on": True}])
        self.assertEqual(run.trace(), ["+again", "+user:try 1", "-user:try 1", "-again"])

    def test_end_of_a_region_that_never_began(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            scorep.user.region_end("a")
            scorep.user.region_end("b")
            """), "--noinstrumenter")
        self.assertEqual(run.status, 0)
        self.assertEqual(
            run.err,
            "SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!\n"
            'SCOREP_BINDING_PYTHON ERROR: For details look for "error_region" in the trace '
            "or profile.\n",
        )
        self.assertEqual(run.entered(), ["error_region"] * 2)
        self.assertEqual([e["value"] for e in run.events() if e["event"] == "parameter"],
                         ["user:a", "user:b"])


class Ends(DoubleTest):
    def test_sys_exit_inside_with_keeps_everything(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            import sys
            def f(): sys.exit(3)
            with scorep.user.region("a"), scorep.instrumenter.disable("b"):
                with scorep.instrumenter.enable("c"):
                    f()
            """))
        self.assertEqual((run.status, run.err), (3, ""))
        self.assertEqual(
            run.trace()[-5:],
            ["-__main__:f", "-user_instrumenter:c", "-user_instrumenter:b", "-user:a",
             "-" + MODULE],
        )

    def test_exception_inside_with_keeps_everything(self):
        run = self.scorep(HEAD + "with scorep.user.region('a'): 1 / 0")
        self.assertEqual(run.status, 1)
        self.assertIn("ZeroDivisionError", run.err)
        self.assertEqual(run.trace(), ["+" + MODULE, "+user:a", "-user:a", "-" + MODULE])
        self.assertEqual(os.listdir(self.tmp), [])

    def test_an_open_region_aborts_and_loses_everything(self):
        for last in ("", "import sys; sys.exit(3)", "1 / 0"):
            with self.subTest(last):
                run = self.scorep(
                    HEAD + "scorep.user.region_begin('a')\nprint('shown')\n" + last,
                    SCOREP_ENABLE_TRACING="true",
                )
                self.assertEqual((run.status, run.out), (ABORTED, "shown\n"))
                self.assertIn("[Score-P] Fatal: Inconsistent profile", run.err)
                self.assert_lost(run)
                self.assertTrue(run.has("scorep.cfg") and run.has("MANIFEST.md"))

    def test_an_open_region_aborts_without_the_instrumenter_too(self):
        run = self.scorep(HEAD + "scorep.user.region_begin('a')", "--noinstrumenter")
        self.assertEqual(run.status, ABORTED)
        self.assertIn("region 'user:a' is still open", run.err)
        self.assert_lost(run)

    def test_regions_that_cross_abort(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            scorep.user.region_begin("a")
            scorep.user.region_begin("b")
            scorep.user.region_end("a")
            scorep.user.region_end("b")
            """))
        self.assertEqual(run.status, ABORTED)
        self.assertIn("Expected exit for region 'user:b'. Exited region 'user:a'", run.err)
        self.assert_lost(run)

    def test_taking_the_profiler_away_inside_a_function_aborts(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            import sys
            def f():
                sys.setprofile(None)
                sys.exit(0)
            with scorep.user.region("a"):
                f()
            """))
        self.assertEqual(run.status, ABORTED)
        self.assert_lost(run)

    def test_os_exit_loses_everything(self):
        run = self.scorep("import os; os._exit(5)")
        self.assertEqual(run.status, 5)
        self.assert_lost(run)

    def test_exit_handlers_of_the_script_come_before_the_end(self):
        run = self.good(HEAD + textwrap.dedent("""
            import atexit
            def late():
                with scorep.user.region("late"):
                    pass
            atexit.register(late)
            """), "--noinstrumenter")
        self.assertEqual(run.trace(), ["+user:late", "-user:late"])

    def signalled(self, script):
        """Start the script, wait until it says 'ready', send SIGTERM."""
        self.write("script.py", script)
        process = subprocess.Popen(
            [sys.executable, "-m", "scorep", "script.py"], cwd=self.folder,
            env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.assertEqual(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=TIMEOUT)
        return Run(process.returncode, out, err, self.path("exp"))

    def test_sigterm_loses_everything(self):
        run = self.signalled("import signal\nprint('ready', flush=True)\nsignal.pause()\n")
        self.assertEqual(run.status, 143)
        self.assert_lost(run)

    def test_a_handler_that_finalizes_keeps_everything(self):
        run = self.signalled(HEAD + textwrap.dedent("""
            import os, signal
            def stop(number, frame):
                scorep.instrumenter.unregister()
                scorep.user.force_finalize()
                os._exit(128 + number)
            signal.signal(signal.SIGTERM, stop)
            def work():
                print("ready", flush=True)
                while True:
                    step()
            def step(): pass
            with scorep.user.region("outer"), scorep.user.region("inner"):
                work()
            """))
        self.assertEqual(run.status, 143)
        self.assertEqual(
            run.err,
            'SCOREP_BINDING_PYTHON ERROR: For details look for "error_region" in the trace '
            "or profile.\n",
        )
        entered, left = run.entered(), [e[1:] for e in run.trace() if e.startswith("-")]
        self.assertEqual(sorted(entered), sorted(left))
        self.assertEqual(run.trace()[-3:], ["-user:inner", "-user:outer", "-" + MODULE])
        self.assertEqual(len(os.listdir(self.tmp)), 1)  # the handler's to remove

    def test_nothing_is_recorded_after_force_finalize(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            with scorep.user.region("a"):
                scorep.user.force_finalize()
                with scorep.user.region("b"):
                    print("goes on")
            scorep.user.region_begin("c")
            """))
        self.assertEqual((run.status, run.out), (0, "goes on\n"))
        self.assertEqual(run.trace(), ["+" + MODULE, "+user:a", "-user:a", "-" + MODULE])


class Threads(DoubleTest):
    SCRIPT = textwrap.dedent("""
        import threading
        def work(): pass
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        print("done")
        """)

    def test_without_the_option_everything_is_lost(self):
        run = self.scorep(self.SCRIPT)
        self.assertEqual((run.status, run.out), (ABORTED, "done\n"))
        self.assertIn("Inconsistent profile", run.err)
        self.assert_lost(run)

    def test_with_the_option_each_thread_is_a_location(self):
        run = self.good(self.SCRIPT, "--thread=pthread")
        work = [e for e in run.events() if e.get("region") == "__main__:work"]
        self.assertEqual(
            work,
            [{"event": "enter", "region": "__main__:work", "location": 1},
             {"event": "leave", "region": "__main__:work", "location": 1}],
        )

    def test_threads_with_the_instrumenter_off_are_harmless(self):
        script = HEAD + "with scorep.instrumenter.disable():\n" + textwrap.indent(
            self.SCRIPT, "    ")
        self.assertEqual(self.good(script).trace(), ["+" + MODULE, "-" + MODULE])

    def test_children_of_a_fork_are_not_measured(self):
        run = self.good("""
            import os
            def child(): pass
            def parent(): pass
            pid = os.fork()
            if pid == 0:
                child()
                os._exit(0)
            os.waitpid(pid, 0)
            parent()
            """)
        self.assertEqual(run.trace()[1:-1], ["+__main__:parent", "-__main__:parent"])

    def test_a_child_that_ends_normally_writes_nothing_and_checks_nothing(self):
        run = self.scorep(HEAD + textwrap.dedent("""
            import os, sys
            pid = os.fork()
            if pid == 0:
                scorep.user.region_begin("open")
                sys.exit(0)
            print(os.waitpid(pid, 0)[1], sorted(os.listdir("exp")))
            """), "--keep-files", "--noinstrumenter")
        self.assertEqual(run.out, "0 ['MANIFEST.md', 'scorep.cfg']\n")
        self.assertEqual(run.trace(), [])

    def test_a_pool_of_processes(self):
        self.write("work.py", "def square(x): return x * x\n")
        run = self.good("""
            import multiprocessing, work
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work.square, range(4)))
            """, "--thread=pthread")
        self.assertEqual(run.out, "[0, 1, 4, 9]\n")
        self.assertNotIn("work:square", run.entered())


class Variables(DoubleTest):
    def test_booleans(self):
        values = {
            "true": True, "TRUE": True, "Yes": True, "on": True, "1": True, "7": True,
            "-1": True, "00": False, "0": False, "false": False, "ture": False, "t": False,
            "": False, "1x": False, "enabled": False,
        }
        for value, expected in values.items():
            with self.subTest(value):
                run = self.good("pass", SCOREP_ENABLE_TRACING=value)
                self.assertEqual(run.has("traces.otf2"), expected)
                self.assertTrue(run.has("profile.cubex"))

    def test_results_by_substrate(self):
        run = self.good("pass", SCOREP_ENABLE_PROFILING="false", SCOREP_ENABLE_TRACING="true")
        self.assertEqual(
            sorted(os.listdir(run.experiment)),
            ["MANIFEST.md", "events.jsonl", "functions.jsonl", "scorep.cfg", "traces",
             "traces.def", "traces.otf2"],
        )
        run = self.good("pass")
        self.assertEqual(
            sorted(os.listdir(run.experiment)),
            ["MANIFEST.md", "events.jsonl", "functions.jsonl", "profile.cubex", "scorep.cfg"],
        )

    def test_both_off_records_nothing_and_ends_well(self):
        run = self.good("print('ran')", SCOREP_ENABLE_PROFILING="ture")
        self.assertEqual(run.out, "ran\n")
        self.assert_lost(run)
        self.assertTrue(run.has("scorep.cfg"))
        self.good("pass", SCOREP_ENABLE_PROFILING="0", SCOREP_FORCE_CFG_FILES="false",
                  SCOREP_EXPERIMENT_DIRECTORY="none")
        self.assertFalse(os.path.exists(self.path("none")))

    def test_sizes(self):
        for value in ("16000000", "3g", "3G", "64Mb", "1kB", "0"):
            with self.subTest(value):
                self.good("pass", SCOREP_CUDA_BUFFER=value)

    def test_a_bad_size_aborts_at_start(self):
        for name, value in (
            ("SCOREP_TOTAL_MEMORY", "3q"), ("SCOREP_TOTAL_MEMORY", "3 G"),
            ("SCOREP_TOTAL_MEMORY", "3gib"), ("SCOREP_PAGE_SIZE", "-1"),
            ("SCOREP_PROFILING_MAX_CALLPATH_DEPTH", "1k"),
        ):
            with self.subTest(name + "=" + value):
                run = self.scorep("print('ran')", **{name: value})
                self.assertEqual((run.status, run.out), (ABORTED, ""))
                self.assertIn(name, run.err)

    def test_too_much_memory_is_reduced(self):
        for value in ("4g", "4294967296", "1T"):
            run = self.scorep("print('ran')", SCOREP_TOTAL_MEMORY=value)
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
        self.assertIn("Out of memory. Please increase SCOREP_TOTAL_MEMORY=1048576 and try again.",
                      run.err)
        self.assert_lost(run)
        self.good(self.CHAIN % 2000, SCOREP_TOTAL_MEMORY="2M", SCOREP_ENABLE_PROFILING="0",
                  SCOREP_ENABLE_TRACING="1")

    def test_a_trace_that_does_not_fit_is_flushed(self):
        calls = "def f(): pass\nfor i in range(60000): f()"
        self.good(calls, SCOREP_TOTAL_MEMORY="1M")
        run = self.scorep(calls, SCOREP_TOTAL_MEMORY="1M", SCOREP_ENABLE_TRACING="1")
        self.assertEqual(run.status, 0)
        self.assertEqual(run.err.count("Trace buffer flush on rank 0."), 1)
        self.assertEqual(len(run.entered()), 60001)

    def test_variables_are_read_once(self):
        run = self.good("""
            import os
            os.environ["SCOREP_ENABLE_TRACING"] = "true"
            os.environ["SCOREP_EXPERIMENT_DIRECTORY"] = "elsewhere"
            """)
        self.assertTrue(run.has())
        self.assertFalse(run.has("traces.otf2"))
        self.assertFalse(os.path.exists(self.path("elsewhere")))

    def test_scorep_cfg_lists_what_was_set(self):
        run = self.good("pass", SCOREP_METRIC_RUSAGE="ru_maxrss, ru_stime")
        self.assertEqual(
            run.read("scorep.cfg"),
            "SCOREP_EXPERIMENT_DIRECTORY=exp\nSCOREP_METRIC_RUSAGE=ru_maxrss, ru_stime\n",
        )

    RECURSION = """
        def f(n):
            if n > 1: f(n - 1)
        f(%d)
        """

    def test_deep_calls_are_reported(self):
        run = self.scorep(self.RECURSION % 110)
        self.assertEqual(run.status, 0)
        self.assertIn("callpath depth limitation of 100 exceeded", run.err)
        self.assertIn("Consider setting SCOREP_PROFILING_MAX_CALLPATH_DEPTH to 111", run.err)

    def test_depth_within_the_limit_or_without_profile_is_silent(self):
        self.good(self.RECURSION % 99)
        self.good(self.RECURSION % 110, SCOREP_PROFILING_MAX_CALLPATH_DEPTH="111")
        self.good(self.RECURSION % 110, SCOREP_ENABLE_PROFILING="false",
                  SCOREP_ENABLE_TRACING="true")


class ExperimentDirectory(DoubleTest):
    def test_missing_parent(self):
        run = self.scorep("print('ran')", SCOREP_EXPERIMENT_DIRECTORY="no/exp")
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn("Can't create experiment directory", run.err)
        self.assertFalse(os.path.exists(self.path("no")))

    def test_an_existing_one_is_renamed_first(self):
        os.mkdir(self.path("exp"))
        self.write("exp/old", "")
        run = self.good("pass")
        self.assertTrue(run.has())
        self.assertFalse(run.has("old"))
        (renamed,) = glob.glob(glob.escape(self.path("exp")) + "-*")
        self.assertRegex(renamed, r"exp-\d{8}_\d{4}_\d+$")
        self.assertTrue(os.path.exists(os.path.join(renamed, "old")))

    def test_overwriting_can_be_forbidden(self):
        os.mkdir(self.path("exp"))
        run = self.scorep("print('ran')", SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY="false")
        self.assertEqual((run.status, run.out), (1, ""))
        self.assertIn("exists and overwriting is disabled", run.err)

    def test_a_file_of_that_name(self):
        self.write("exp", "")
        run = self.scorep("print('ran')")
        self.assertEqual((run.status, run.out), (1, ""))

    def test_relative_to_where_the_process_starts(self):
        os.mkdir(self.path("sub"))
        run = self.good("import os; os.chdir('sub')")
        self.assertTrue(run.has())
        self.assertEqual(os.listdir(self.path("sub")), [])

    def unnamed(self):
        return sorted(n for n in os.listdir(self.folder) if n.startswith("scorep-"))

    def test_without_a_name(self):
        run = self.good("""
            import os
            print([n for n in os.listdir() if n.startswith("scorep-")])
            """, SCOREP_EXPERIMENT_DIRECTORY=None)
        self.assertEqual(run.out, "['scorep-measurement-tmp']\n")
        (name,) = self.unnamed()
        self.assertRegex(name, r"^scorep-\d{8}_\d{4}_\d+$")
        self.assertTrue(os.path.exists(self.path(name, "events.jsonl")))

    def test_what_a_failed_run_leaves_without_a_name(self):
        self.scorep("import os; os._exit(1)", SCOREP_EXPERIMENT_DIRECTORY=None)
        self.assertEqual(self.unnamed(), ["scorep-measurement-tmp"])
        self.good("pass", SCOREP_EXPERIMENT_DIRECTORY=None)
        good, failed = self.unnamed()
        self.assertRegex(failed, r"^scorep-failed-\d{8}_\d{4}_\d+$")
        self.assertTrue(os.path.exists(self.path(good, "events.jsonl")))


class Files(DoubleTest):
    """What readers of a measurement look at, and what a kill leaves of it."""

    def test_profile_is_an_archive(self):
        run = self.good("pass")
        with tarfile.open(os.path.join(run.experiment, "profile.cubex")) as archive:
            self.assertEqual(archive.getnames(), ["0.data", "anchor.xml"])

    def test_event_files_grow_with_flushes(self):
        script = """
            import os
            def f(): pass
            for i in range(2000): f()
            print(os.stat("exp/traces/0.evt").st_size)
            """
        run = self.scorep(script, SCOREP_ENABLE_TRACING="true", SCOREP_ENABLE_PROFILING="false",
                          SCOREP_TOTAL_MEMORY="20k")
        self.assertEqual(run.status, 0)
        size = os.stat(os.path.join(run.experiment, "traces/0.evt")).st_size
        self.assertEqual(run.err.count("Trace buffer flush on rank 0."), 2)
        self.assertEqual(size, 12 * len(run.trace()))
        self.assertGreater(size, int(run.out))
        self.assertGreater(int(run.out), 20480)

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
        self.assertEqual([e["region"] for e in run.events()], ["user:rank 0"] * 2)
        for rank in (1, 2):
            events = run.events("events.%d.jsonl" % rank)
            self.assertEqual([e["region"] for e in events], ["user:rank %d" % rank] * 2)
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
        run = self.good("print('ran')", "--mpp=mpi")
        self.assertEqual(run.out, "ran\n")
        self.assertFalse(os.path.exists(run.experiment))


class Package(unittest.TestCase):
    def test_scorep_config_can_be_started(self):
        program = os.path.join(DOUBLE, "bin", "scorep-config")
        done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, check=True)
        self.assertIn(b"8.4", done.stdout)

    def test_scorep_config_tells_what_is_taken(self):
        program = os.path.join(DOUBLE, "bin", "scorep-config")
        done = subprocess.run([program, "--help"], stdout=subprocess.PIPE, check=True)
        for word in (b" pthread", b" omp:opari2", b" omp:ompt", b" mpi", b" posix", b"--cuda",
                     b"--opencl", b"--openacc", b"--kokkos", b"--memory", b"--compiler"):
            self.assertIn(word, done.stdout)
        self.assertNotIn(b"shmem", done.stdout)

    def test_modules_stay_small_and_carry_no_path_of_a_machine(self):
        for path in glob.glob(os.path.join(DOUBLE, "scorep", "**", "*.py"), recursive=True):
            with open(path, encoding="utf-8") as text:
                lines = text.read().splitlines()
            self.assertLessEqual(len(lines), 300, path)
            self.assertLessEqual(max(map(len, lines)), 100, path)
            self.assertIsNone(re.search(r"/(home|work|root|Users)/", "\n".join(lines)), path)
            self.assertTrue(lines[0].startswith('"""'), path)


if __name__ == "__main__":
    unittest.main()
