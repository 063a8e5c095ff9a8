"""nbscorep record: what is recorded of a Python program, on each version of Python that is installed."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from recorded import DUMP, NBSCOREP, Profile, RecordCase, TIMEOUT, clean_environment, pythons, setting

RECORDER = subprocess.run([NBSCOREP, "where", "recorder"], capture_output=True, text=True).stdout.strip()

CALLS = """
class Shape:
    def area(self):
        return square(2)
def square(x):
    return x * x
def numbers():
    yield 1
    yield 2
def fail():
    raise ValueError
def caught():
    try:
        fail()
    except ValueError:
        pass
def after():
    pass
class Closed:
    def outer(self):
        def inner(x):
            return lambda: (self, x)
        return inner(1)
Shape().area()
for number in numbers():
    square(number)
caught()
after()
Closed().outer()
"""
CALLED = [(0, "__main__:<module>"), (1, "__main__:Shape"), (1, "__main__:Closed"), (1, "__main__.Shape:area"),
          (2, "__main__:square"),
          (1, "__main__:numbers"), (1, "__main__:square"), (1, "__main__:numbers"), (1, "__main__:square"),
          (1, "__main__:numbers"), (1, "__main__:caught"), (2, "__main__:fail"), (1, "__main__:after"),
          (1, "__main__.Closed:outer"), (2, "__main__.Closed:inner")]


class Versions(RecordCase):
    """The same on each version."""

    def for_each(self, name, text, check):
        self.write(name, text)
        for version, python in pythons().items():
            with self.subTest(python=version):
                done = self.record(python, name)
                check(done)

    def test_calls(self):
        def check(done):
            self.assertEqual(self.trace().calls(), CALLED)
            self.assertEqual(self.profile().by_region(), collections.Counter(region for _, region in CALLED))
            region = self.trace().regions["__main__:fail"]
            self.assertEqual((os.path.basename(region[0]), region[1]), ("calls.py", 10))
            self.assertEqual(self.profile().regions["__main__:fail"], region)
        self.for_each("calls.py", CALLS, check)

    def test_the_profile_is_the_traces(self):
        def check(done):
            self.assertEqual(self.profile().by_region(), self.trace(counts=True).visits())
        self.for_each("imports.py", "import json, threading\n"
                      "def work(n):\n    return json.loads(json.dumps(list(range(n))))\n"
                      "threads = [threading.Thread(target=work, args=(9,)) for _ in range(3)]\n"
                      "[each.start() for each in threads]\n[each.join() for each in threads]\n", check)

    def test_threads(self):
        def check(done):
            trace = self.trace()
            found = sorted(trace.calls(location)[0] for location in trace.names if location != "0")
            self.assertEqual(found, [(0, "__main__:low"), (0, "threading.Thread:run"), (0, "threading.Thread:run")])
            for location in trace.names:
                if location != "0" and trace.calls(location)[0][1] == "threading.Thread:run":
                    self.assertEqual(trace.calls(location)[1], (1, "__main__:high"))
        self.for_each("threads.py", "import _thread, threading\n"
                      "done = threading.Semaphore(0)\n"
                      "def high():\n    pass\n"
                      "def low():\n    done.release()\n"
                      "threads = [threading.Thread(target=high) for _ in range(2)]\n"
                      "[each.start() for each in threads]\n[each.join() for each in threads]\n"
                      "_thread.start_new_thread(low, ())\ndone.acquire()\n", check)

    def test_processes(self):
        """Children of fork and of multiprocessing are processes of their own."""
        def check(done):
            trace = self.trace()
            visits = collections.Counter(trace.groups[location] for location in trace.names
                                         for kind, region in trace.events[location]
                                         if (kind, region) == ("enter", "__main__:work")
                                         or (kind, region) == ("enter", "__mp_main__:work"))
            self.assertEqual(sorted(visits.values()), [1, 1, 1, 1])
        self.for_each("processes.py", "import multiprocessing, os\n"
                      "def work():\n    pass\n"
                      "if __name__ == '__main__':\n"
                      "    for way in 'fork', 'spawn', 'forkserver':\n"
                      "        child = multiprocessing.get_context(way).Process(target=work)\n"
                      "        child.start()\n        child.join()\n"
                      "    if os.fork() == 0:\n        work()\n        os._exit(0)\n    os.wait()\n", check)

    def test_switches(self):
        """The bindings' API has the meaning that it has there."""
        def check(done):
            self.assertEqual([call for call in self.trace().calls() if "importlib" not in call[1]
                              and "zipimport" not in call[1]][1:], [
                (1, "__main__:f"), (1, "user:one"), (2, "__main__:f"), (1, "user_instrumenter:off"),
                (2, "user:in it"), (3, "user_instrumenter:on"), (4, "__main__:f"), (1, "__main__:f")])
        self.for_each("switches.py", "import sys\nquiet = sys.modules['scorep._recorder'].module\n"
                      "quiet.disable()\nimport scorep.instrumenter, scorep.user\nquiet.enable()\n"
                      "def f():\n    pass\n"
                      "f()\n"
                      "with scorep.user.region('one'):\n    f()\n"
                      "with scorep.instrumenter.disable('off'):\n    f()\n"
                      "    with scorep.user.region('in it'):\n        f()\n"
                      "        with scorep.instrumenter.enable('on'):\n            f()\n"
                      "f()\n", check)

    def test_what_is_open_at_the_end(self):
        """A function that still runs has time until the process ends; one that was open when its thread stopped to
        record has time until then, and so has one where recording was switched off for good."""
        def seconds(name):
            own = subprocess.run([NBSCOREP, "report", "out", "--format=json"], cwd=self.folder, check=True,
                                 env=clean_environment(), capture_output=True, timeout=TIMEOUT).stdout
            rows = json.loads(own)["measurement"]["functions"]
            measured = {row["function"]: row["inclusive"] for row in rows}
            kept = sum(value for path, value in self.profile().seconds.items() if path[-1] == name)
            self.assertAlmostEqual(measured[name], kept, delta=1e-3)
            return kept

        def check(done):
            least, most, _ = map(float, done.stdout.split())
            self.assertGreaterEqual(seconds("__main__:stays"), least)
            self.assertLessEqual(seconds("__main__:leaves"), most)
        text = ("import sys, threading, time\nrecorder = sys.modules['scorep._recorder'].module\n"
                "has_begun = threading.Event()\n"
                "def stays():\n    global begin\n    begin = time.perf_counter()\n    has_begun.set()\n"
                "    while True:\n        time.sleep(0.001)\n"
                "def leaves():\n    has_begun.wait()\n    OFF\n"
                "start = time.perf_counter()\nthreading.Thread(target=stays, daemon=True).start()\n"
                "before = time.perf_counter()\nleaves()\nafter = time.perf_counter()\n"
                "time.sleep(0.2)\nprint(time.perf_counter() - begin, after - before, after - start)\n")
        self.for_each("open.py", text.replace("OFF", "recorder.disable()"), check)

        def check_off(done):
            _, *most = map(float, done.stdout.split())
            self.assertLessEqual(seconds("__main__:leaves"), most[0])
            self.assertLessEqual(seconds("__main__:stays"), most[1])
        self.for_each("off.py", text.replace("OFF", "recorder.set_on(False)"), check_off)

    def test_threads_of_libraries(self):
        """Threads that C code starts are measured from Python 3.12 on, before it they are counted."""
        def check(done):
            said = "1 thread of a library ran Python code" in done.stderr
            measured = self.trace(counts=True).visits()["__main__:work"] == 1
            self.assertNotEqual(said, measured, done)
        self.for_each("foreign.py", "import ctypes, time\n"
                      "@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)\n"
                      "def work(_):\n    while time.process_time() < 0.5:\n        pass\n"
                      "thread, libc = ctypes.c_ulong(), ctypes.CDLL(None)\n"
                      "libc.pthread_create(ctypes.byref(thread), None, work, None)\n"
                      "libc.pthread_join(thread, None)\n", check)

    def test_other_profilers(self):
        """cProfile works inside, and what is recorded stays balanced."""
        def check(done):
            self.assertIn("function calls", done.stdout)
            self.assertIn((1, "__main__:after"), self.trace().calls())
        self.for_each("profiler.py", "import cProfile\n"
                      "def f():\n    pass\n"
                      "def after():\n    pass\n"
                      "cProfile.run('f()')\n"
                      "import sys\nsys.modules['scorep._recorder'].module.disable()\n"
                      "sys.modules['scorep._recorder'].module.enable()\n"
                      "after()\n", check)


# Programs, by what could show them that they are recorded.
UNCHANGED = {
    "the life of arguments, to which no reference is kept":
        "class A:\n    def __del__(self):\n        print('gone')\n"
        "    def drop(self):\n        del self\n        print('dropped')\n"
        "def steps(self):\n    del self\n    yield 1\n    yield 2\n"
        "A().drop()\nfor step in steps(A()):\n    print(step)\n",
    "code of classes, which does not run to find a name":
        "class Names(dict):\n    def __missing__(self, name):\n        print('asked', name)\n"
        "        raise KeyError(name)\n"
        "class Meta(type):\n    def __prepare__(*a, **b):\n        return Names()\n"
        "    def __getattribute__(cls, name):\n        print('meta', name)\n"
        "        return type.__getattribute__(cls, name)\n"
        "class A(metaclass=Meta):\n    def m(self):\n"
        "        class B(metaclass=Meta):\n            x = self\n        return B\nA().m()\n",
    "warnings of threads by fork()":
        "import os, sys\nchild = os.fork()\nif child == 0:\n    os._exit(3)\n"
        "print(os.waitpid(child, 0)[1])\nfor i in range(100000): pass\n"
        "print(len(os.listdir('/proc/self/task')) < 3)\n",
    "errors of functions for threads":
        "import _thread\nfor words in (), (1, ()), (print,), (print, 1), (print, (), 1):\n"
        "    try:\n        _thread.start_new_thread(*words)\n    except TypeError as error:\n        print(error)\n",
    "another interpreter of the process, which is not recorded":
        "try:\n    import _xxsubinterpreters as sub\n"
        "except ImportError:\n    import _interpreters as sub\nother = sub.create()\n"
        "sub.run_string(other, 'print(1)')\nsub.destroy(other)\n",
}


class Unchanged(RecordCase):
    """A program does not notice that it is recorded."""

    def test_output(self):
        for version, python in pythons().items():
            for what, text in UNCHANGED.items():
                with self.subTest(what, version=version):
                    self.write("main.py", text)
                    options = ["-W", "always"] * ("warnings" in what)
                    plain = subprocess.run([python, *options, "main.py"], cwd=self.folder, capture_output=True,
                                           text=True, env=clean_environment(), timeout=TIMEOUT)
                    done = self.record(python, *options, "main.py", status=plain.returncode)
                    self.assertEqual(done.stdout, plain.stdout)
                    self.assertEqual(done.stderr[:len(plain.stderr)], plain.stderr)

    def test_a_moment_without_descriptors(self):
        """Calls are missing then, and only then."""
        self.write("main.py", "import os, resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
                   "def before():\n    pass\ndef during():\n    pass\ndef after():\n    pass\n"
                   "before()\nfiles = []\n"
                   "try:\n    while True:\n        files.append(os.open('/', os.O_RDONLY))\n"
                   "except OSError:\n    during()\n"
                   "for file in files:\n    os.close(file)\nduring()\nafter()\n")
        done = self.record(sys.executable, "main.py")
        self.assertIn("calls are missing from the measurement: Too many open files", done.stderr)
        visits = self.profile().by_region()
        self.assertEqual([visits[f"__main__:{name}"] for name in ("before", "during", "after")], [1, 1, 1])

    def test_names_that_are_cut(self):
        """They are cut between characters."""
        self.write("main.py", "import threading\ndef f():\n    pass\n"
                   "thread = threading.Thread(target=f, name='ä' * 60)\nthread.start()\nthread.join()\n"
                   "K = type('ö' * 300, (), {'m': lambda self: 1})\nK().m()\n")
        self.record(sys.executable, "main.py")
        self.assertIn("ä" * 31, self.profile().locations)


@unittest.skipUnless(setting("NBSCOREP_RECORD_FAIL"), "ctest names what is preloaded")
class OwnTests(RecordCase):
    """CPython's own tests of generators, coroutines and profile hooks, of the oldest and the newest Python that has
    them."""

    def test_passed(self):
        found = [(version, python) for version, python in sorted(pythons().items())
                 if not subprocess.run([python, "-c", "import test.test_generators"], capture_output=True).returncode]
        if not found:
            self.skipTest("no Python has its tests")
        for version, python in {found[0], found[-1]}:
            with self.subTest(python=version):
                names = ["test_generators", "test_coroutines"] + ["test_sys_setprofile"] * (version >= "3.12")
                done = self.record(python, "-m", "test", *names, status=0)
                self.assertIn("SUCCESS", done.stdout)


class Faults(RecordCase):
    """A call for a file of the recording fails. The program does not notice; what is there can be read."""

    PROGRAM = ("import threading\n"
               "def f(n):\n    return f(n - 1) if n else 0\n"
               "def work():\n    for _ in range(4000):\n        f(2)\n"
               "thread = threading.Thread(target=work)\nthread.start()\nthread.join()\n"
               "import sys\nsys.setrecursionlimit(20000)\nprint(f(5000))\nwork()\nprint('end')\nsys.exit(5)\n")

    def test_each_call(self):
        self.write("main.py", self.PROGRAM)
        for function in "open", "mkdir", "posix_fallocate", "mmap", "pwrite", "write":
            for nth in 1, 2, 5:
                for rest in None, "yes":
                    with self.subTest(function, nth=nth, all=rest):
                        shutil.rmtree(self.folder / "out", ignore_errors=True)
                        self.fail_once(function, nth, rest)

    def fail_once(self, function, nth, rest):
        environment = clean_environment(
            LD_PRELOAD=setting("NBSCOREP_RECORD_FAIL"), NBSCOREP_FAIL=function, NBSCOREP_FAIL_NTH=str(nth),
            NBSCOREP_FAIL_ALL=rest, SCOREP_ENABLE_TRACING="true", PYTHONPATH=str(pathlib.Path(RECORDER).parent),
            NBSCOREP_RECORD=str(self.folder / "out"), NBSCOREP_RECORDER=RECORDER)
        done = subprocess.run([sys.executable, "main.py"], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=TIMEOUT)
        self.assertEqual((done.returncode, done.stdout), (5, "0\nend\n"), done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        recovered = subprocess.run([NBSCOREP, "record", "--recover", "out"], cwd=self.folder, capture_output=True,
                                   text=True, env=clean_environment(), timeout=TIMEOUT)
        self.assertIn(recovered.returncode, (0, 3), recovered.stderr)
        if recovered.returncode == 0 and DUMP:
            self.trace(counts=True)
        elif recovered.returncode == 3:
            self.assertIn("contains no recording", recovered.stderr)
            self.assertIn("nbscorep: ", done.stderr)


class Commands(RecordCase):
    def test_arguments_status_and_output(self):
        self.write("end.py", "import sys\nprint(sys.argv[1:])\nsys.exit(7)\n")
        done = self.record("python3", "end.py", "--help", "x", status=7)
        self.assertEqual(done.stdout, "['--help', 'x']\n")
        self.assertIn("measured 1 process with 1 thread: out", done.stderr)

    def test_bindings_command(self):
        self.write("main.py", CALLS)
        done = self.record("python3", "-m", "scorep", "--thread=pthread", "--nocompiler", "--memory", "--io=posix",
                           "main.py")
        self.assertEqual(re.findall("'(.*)' is for Score-P; the recorder does not know it", done.stderr),
                         ["--memory", "--io=posix"])
        self.assertEqual([region for _, region in self.trace().calls() if region.startswith("__main__:f")],
                         ["__main__:fail"])

    def test_noinstrumenter(self):
        self.write("main.py", "import scorep.user\n" + CALLS + "with scorep.user.region('one'):\n    after()\n")
        self.record("python3", "-m", "scorep", "--noinstrumenter", "main.py")
        self.assertEqual([region for _, region in self.trace().calls() if region.startswith("user")], ["user:one"])

    def test_wrong_arguments(self):
        """Of the functions in C, which only the bindings call."""
        self.write("main.py", "from scorep import _recorder\n"
                   "for name in 'start', 'sample', 'watch', 'define', 'enter', 'leave', 'call_in_thread', 'add_rule':\n"
                   "    try:\n        getattr(_recorder.module, name)()\n"
                   "    except TypeError as error:\n        print(name, error)\n")
        told = self.record("python3", "main.py").stdout.splitlines()
        self.assertEqual(len(told), 8, told)
        self.assertIn("start start() takes 7 arguments, once", told)

    def test_without_python(self):
        done = self.record("true")
        self.assertIn("nothing was recorded", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_inside_of_a_recording(self):
        """A recording that the program starts is one of its own, also where the variable names the outer one's."""
        self.write("main.py", "import subprocess, sys\ndef f(*words):\n"
                   "    subprocess.run([sys.argv[1], 'record', '-q', *words, '--', sys.executable, 'inner.py'])\n"
                   "f('-o', 'inner')\nf()\n")
        self.write("inner.py", "def g(): pass\ng()\n")
        self.record("python3", "main.py", NBSCOREP, SCOREP_EXPERIMENT_DIRECTORY=str(self.folder / "out"))
        inner = [self.folder / "inner", *self.folder.glob("scorep-inner-*")]
        self.assertEqual([Profile(folder).by_region()["__main__:g"] for folder in inner], [1, 1])
        self.assertEqual(Profile(self.folder / "out").by_region()["__main__:f"], 2)

    def test_directory_with_odd_characters(self):
        name = "a\n'b c"
        done = subprocess.run([NBSCOREP, "record", "-o", name, "--", "python3", "-c", "1"], cwd=self.folder,
                              env=clean_environment(), capture_output=True, text=True)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        shown = done.stderr.partition("with: ")[2]
        viewer = shown.split()[0]  # cube, or what is installed
        opened = subprocess.run(["bash", "-c", f"{viewer}() {{ ls -- \"$1\"; }}; {shown}"], cwd=self.folder,
                                capture_output=True, text=True)
        self.assertEqual(opened.stdout, f"{name}/profile.cubex\n", opened.stderr)

    def test_directory_that_cannot_be_made(self):
        done = subprocess.run([NBSCOREP, "record", "-o", "no/such", "--", "true"], cwd=self.folder,
                              capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (
            3, "nbscorep: cannot make the experiment directory 'no/such': No such file or directory\n"))

    def test_missing_command(self):
        done = self.record("./missing", status=127)
        self.assertIn("cannot start './missing'", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_usage(self):
        done = subprocess.run([NBSCOREP, "record"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("'record' requires either '-- COMMAND'", done.stderr)

    def test_existing_directory_is_kept(self):
        self.write("main.py", "pass\n")
        self.assertIn("profile: 1 call path;", self.record("python3", "main.py").stderr)
        (self.folder / "out" / "mine").write_text("kept")
        seconds, rest = divmod((self.folder / "out").stat().st_mtime_ns, 10**9)
        name = time.strftime(f"out-%Y%m%d_%H%M_{rest:09}", time.localtime(seconds))
        self.record("python3", "main.py", SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY="2")  # true to Score-P
        self.record("python3", "main.py", status=3, SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY="false")
        self.assertEqual((self.folder / name / "mine").read_text(), "kept")

    @unittest.skipUnless(os.path.ismount("/dev/shm") and os.access("/dev/shm", os.W_OK), "needs /dev/shm")
    def test_tmpfs(self):
        """A trace there takes memory, and one remark names that."""
        self.write("main.py", "import multiprocessing\n"
                   "if __name__ == '__main__':\n"
                   "    child = multiprocessing.get_context('spawn').Process(target=print)\n"
                   "    child.start()\n    child.join()\n")
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            done = subprocess.run([NBSCOREP, "record", "--tracing", "-o", folder + "/out", "--", "python3", "main.py"],
                                  cwd=self.folder, env=clean_environment(), capture_output=True, text=True)
            self.assertEqual(done.stderr.count("is on tmpfs, so the trace takes memory"), 1, done.stderr)

    def test_children(self):
        self.write("main.py", "import subprocess, sys\nsubprocess.run([sys.executable, 'child.py'])\n")
        self.write("child.py", "def child():\n    pass\nchild()\n")
        self.record("python3", "main.py")
        self.assertNotIn("__main__:child", self.profile().by_region())
        self.record("python3", "main.py", NBSCOREP_RECORD_CHILDREN="yes")
        self.assertEqual(self.profile().by_region()["__main__:child"], 1)

    def test_filter(self):
        self.write("main.py", "import json\nclass A:\n    def kept(self):\n        pass\n    def gone(self):\n"
                   "        pass\ndef gone():\n    A().kept()\n    A().gone()\ngone()\njson.dumps([1])\n")
        self.write("rules", "SCOREP_REGION_NAMES_BEGIN # a comment\n  EXCLUDE *gone __main__.A:*\n"
                   "  INCLUDE MANGLED __main__.A:kept\nSCOREP_REGION_NAMES_END\n"
                   "SCOREP_FILE_NAMES_BEGIN EXCLUDE */json/*\\ b *encoder.py SCOREP_FILE_NAMES_END\n")
        for python in pythons().values():
            with self.subTest(python):
                self.record(python, "main.py", SCOREP_FILTERING_FILE="rules")
                regions = self.trace().visits()
                self.assertEqual({name for name in regions if name.startswith("__main__")},
                                 {"__main__:<module>", "__main__:A", "__main__.A:kept"})
                self.assertFalse([name for name in regions if name.startswith("json.encoder")])
                self.assertIn("json:dumps", regions)

    def test_a_limit_ends_the_trace_and_not_the_profile(self):
        self.write("main.py", "def f():\n    pass\nfor _ in range(300000):\n    f()\nprint('end')\n")
        done = self.record("python3", "main.py", NBSCOREP_RECORD_LIMIT="1")
        self.assertEqual(done.stdout, "end\n")
        self.assertIn("the trace has reached its limit of 1 MiB", done.stderr)
        self.assertEqual(self.profile().by_region()["__main__:f"], 300000)
        self.assertGreater(self.trace(counts=True).visits()["__main__:f"], 50000)


if __name__ == "__main__":
    unittest.main()
