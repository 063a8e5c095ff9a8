#!/usr/bin/env python3
"""A script that the launcher runs, measured or not, behaves as under plain `python3 heat.py`."""
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from launching import DOUBLE, TIMEOUT, LaunchCase  # noqa: E402


class RunnerCase(LaunchCase):
    def plainly(self, *arguments):
        """The script under plain Python, with the path that the launcher gives it."""
        return subprocess.run([sys.executable, self.folder / "heat.py", *arguments], capture_output=True,
                              encoding="utf-8", cwd=self.folder, timeout=TIMEOUT, check=False,
                              env=self.environment(PYTHONPATH=f"{self.folder}:{DOUBLE}", MPLBACKEND="Agg"))

    def ways(self, *arguments, **more):
        yield "measured", self.run_script(*arguments, env=self.environment(**more))
        yield "unmeasured", self.run_script(*arguments, env=self.unmeasured(**more))
        yield "with teardown", self.with_teardown(*arguments, **more)

    def with_teardown(self, *arguments, **more):
        run = self.folder / "heat_run.sh"
        text = run.read_text()
        run.write_text(text.replace("exec ", "export NBSCOREP_TEARDOWN=true\nexec ").replace("--build=", "--teardown=NBSCOREP_TEARDOWN --build="))
        try:
            return self.run_script(*arguments, env=self.environment(**more))
        finally:
            run.write_text(text)

    def assert_same(self, *texts, arguments=("a b", "", "-x", "--ranks=3")):
        self.make(*texts, options="--thread=pthread")
        plain = self.plainly(*arguments)
        for way, done in self.ways(*arguments):
            with self.subTest(way):
                self.assertEqual((done.returncode, done.stdout, re.sub("nbscorep: .*\n", "", done.stderr)),
                                 (plain.returncode, plain.stdout, plain.stderr))
        return plain


class Same(RunnerCase):
    def test_module(self):
        self.assert_same("import sys, os", "main = sys.modules['__main__']\n"
                         "print(sys.argv, sys.path, __name__, __file__, os.getcwd())\n"
                         "print(main.__dict__ is globals())\n"
                         "print(sorted(globals()), __spec__, __cached__, __package__, __doc__)\n"
                         "print(type(__loader__).__name__, __loader__.name, __loader__.path, __builtins__)\n"
                         "print(sorted(n for n in os.environ if n.startswith('NBSCOREP_') and\n"
                         "             n != 'NBSCOREP_MEASUREMENT'))")

    def test_source_and_lines(self):
        self.assert_same("import inspect, linecache, warnings\ndef f():\n    return 1",
                         "print(inspect.getsource(f), inspect.getfile(f), linecache.getline(__file__, 2))\n"
                         "class A:\n    x: 'B' = 1\nclass B: pass\nimport typing\n"
                         "print(typing.get_type_hints(A))")

    def test_pickle_and_dataclasses(self):
        self.assert_same("import pickle, dataclasses, enum, typing\nclass A: pass\ndef f(): pass\n"
                         "@dataclasses.dataclass\nclass D:\n    x: typing.List[int]\n"
                         "    y: 'ClassVar[int]' = 1\n"
                         "class Color(enum.Enum):\n    RED = 1\nclass N(typing.NamedTuple):\n    a: int",
                         "for each in A, f, D([1]), Color.RED, N(2):\n"
                         "    print(pickle.loads(pickle.dumps(each)) == each)",
                         "import atexit\natexit.register(lambda: print(len(pickle.dumps(D([3])))))")

    def test_multiprocessing(self):
        for kind in "fork", "spawn":
            self.assert_same(f"import multiprocessing\nkind = multiprocessing.get_context('{kind}')\n"
                             "with kind.Pool(2) as p:\n    print(p.map(abs, [-1, 2]))")
        self.assert_same("import multiprocessing\nclass A: n = 3\ndef f(a): return a.n\n"
                         "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
                         "    print(pool.map(f, [A()]))")

    def test_threads(self):
        self.assert_same("import threading, time\nthread = threading.Thread(target=lambda: print('thread'))\n"
                         "thread.start()")

    def test_status(self):
        for end in ("sys.exit(3)", "sys.exit()", "sys.exit('text')", "raise SystemExit(2.5)", "sys.exit(0)",
                    "def f(): sys.exit(7)\nf()", "import os; os._exit(9)", "x = 1"):
            with self.subTest(end):
                self.assert_same("import sys\nprint('begin', flush=True)", end)

    def test_killed(self):
        self.make("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
        self.assertEqual(self.run_script(env=self.unmeasured()).returncode, -9)
        self.assertEqual(self.with_teardown().returncode, 137)

    def test_input(self):
        self.make("print(input(), input())")
        for env in self.environment(), self.unmeasured():
            for run in self.run_script, lambda **o: self.with_teardown():
                done = self.run_script(env=env, stdin=None, input="a\nb\n")
                self.assertEqual((done.returncode, done.stdout), (0, "a b\n"))

    def test_children(self):
        """They import what is beside the notebook."""
        (self.folder / "model.py").write_text("value = 5\n")
        self.make("import model, os, subprocess, sys\n"
                  "subprocess.run([sys.executable, '-c', 'import model; print(model.value)'], cwd='/')\n"
                  "print(os.environ['PYTHONPATH'].split(':')[0] == os.getcwd())")
        for way, done in self.ways():
            self.assertEqual((sorted(done.stdout.split()), done.stderr), (["5", "True"], ""), way)

    def test_recursion(self):
        self.make("def depth(n): return 0 if n == 0 else 1 + depth(n - 1)", "print(depth(2500))")
        self.assertEqual(self.run_script(env=self.unmeasured()).stdout, "2500\n")

    def test_it_becomes_the_program(self):
        self.make("import os; print(os.getpid())")
        for env in self.environment(), self.unmeasured():
            process = subprocess.Popen([self.folder / "heat_run.sh"], stdout=subprocess.PIPE, env=env)
            self.assertEqual(int(process.communicate()[0]), process.pid)


class Tracebacks(RunnerCase):
    def test_errors(self):
        for text in ("def f():\n    1 / 0\nf()", "open('/nowhere')", "raise KeyError('x') from ValueError()",
                     "try:\n    1 / 0\nexcept Exception:\n    raise OSError(5)",
                     "import nowhere_to_be_found"):
            with self.subTest(text):
                self.assert_same("x = 1", text)
                self.assertEqual([done.stderr.count("nbscorep: heat.ipynb, cell 2, line ")
                                  for _, done in self.ways()], [1, 1, 1])

    def test_data_are_kept(self):
        for text, status in (("1 / 0", 1), ("raise KeyboardInterrupt", 130), ("open('/nowhere')", 1),
                             ("import sys; sys.exit(3)", 3)):
            with self.subTest(text):
                self.make("x = 1", f"def f():\n    {text}\nf()")
                name = f"scorep-{status}{text[0]}"
                done = self.run_script(env=self.environment(SCOREP_EXPERIMENT_DIRECTORY=name))
                self.assertEqual(done.returncode, status, done)
                regions = self.regions(self.folder / name)
                self.assertEqual(regions[-2:], ["user:cell 2", "__main__:f"])

    def test_keyboard_interrupt(self):
        self.make("x = 1", "def f():\n    raise KeyboardInterrupt\nf()")
        for way, done in self.ways():
            with self.subTest(way):
                self.assertEqual(done.returncode, 130)
                self.assertRegex(done.stderr, r"^Traceback (.*\n)+KeyboardInterrupt\n"
                                              r"nbscorep: heat.ipynb, cell 2, line 2 \(heat.py:\d+\)\n$")

    def test_syntax_error(self):
        self.make("x = 1", "y = 1\nprint 'z'")
        plain = self.plainly()
        for way, done in self.ways():
            with self.subTest(way):
                self.assertEqual(done.returncode, 1)
                self.assertTrue(done.stderr.startswith(plain.stderr), done)
                self.assertIn("\nnbscorep: heat.ipynb, cell 2, line 2 (heat.py:", done.stderr)
        self.assertEqual(list(self.tmp.iterdir()), [])

    def test_last_error(self):
        self.assert_same("import atexit, sys\natexit.register(lambda: print(sys.last_type, sys.last_value))",
                         "1 / 0")



class Measured(RunnerCase):
    def test_nothing_of_ours_is_recorded(self):
        self.make("import os", "def f(): return 1\nf()", options="--thread=pthread")
        self.run_script()
        self.assertEqual(self.regions(), ["__main__:<module>", "user:cell 1", "user:cell 2", "__main__:f"])

    def test_instrumenters(self):
        for kind in "profile", "trace", "cProfile", "cTrace":
            self.make("def f(): return 1\nf()", options=f"--instrumenter-type={kind}")
            self.run_script(env=self.environment(SCOREP_EXPERIMENT_DIRECTORY=f"scorep-{kind}"))
            self.assertIn("__main__:f", self.regions(self.folder / f"scorep-{kind}"))

    def test_temporary_folder(self):
        """It is gone as soon as the bindings are loaded, unless it is to be kept."""
        for options, count in ("", 0), ("--keep-files", 1):
            self.make("import os\nprint(len(os.listdir(os.environ['TMPDIR'])))", options=options)
            self.assertEqual(self.run_script().stdout, f"{count}\n")
            self.assertEqual(len(list(self.tmp.iterdir())), count)


if __name__ == "__main__":
    unittest.main()
