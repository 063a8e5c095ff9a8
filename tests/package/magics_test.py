#!/usr/bin/env python3
"""Magics that IPython runs, and get_ipython()."""
import importlib.util
import os
import pathlib
import tempfile
import unittest

import scripts
import traced

HAS_IPYTHON = importlib.util.find_spec("IPython") is not None
EXTENSION = """
from IPython.core.magic import register_line_magic, needs_local_scope
from IPython.display import display, HTML

def load_ipython_extension(shell):
    def double(line, cell=None): return 2 * eval(cell or line, shell.user_ns)
    def shows(line): display(HTML('x'), 5); print('printed')
    @needs_local_scope
    def local(line, local_ns=None): return sorted(set(local_ns) & set(line.split()))
    def runs(line, cell): shell.run_cell(cell); return line
    for function in double, shows, local:
        shell.register_magic_function(function, 'line', function.__name__)
    for function in double, runs:
        shell.register_magic_function(function, 'cell', function.__name__)
"""


def line(name, text=""):
    return f"scorep_notebook.line_magic('heat.ipynb, cell 4, line 2', {name!r}, {text!r})"


def cell(head, body):
    return f"scorep_notebook.cell_magic('heat.ipynb, cell 4, line 1', {head!r}, {body!r})"


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "extension.py").write_text(EXTENSION, encoding="utf-8")
        (self.folder / "home").mkdir()

    def start(self, script, *names, bare=False):
        env = scripts.environment(
            HOME=str(self.folder / "home"), TMPDIR=str(self.folder / "home"),
            PYTHONPATH=scripts.BARE if bare else str(self.folder))
        return scripts.run(script, *names, env=env, cwd=self.folder)

    def out(self, script, *names, bare=False):
        done = self.start(script, *names, bare=bare)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def error(self, script, *names, bare=False):
        done = self.start(script, *names, bare=bare)
        self.assertEqual(done.returncode, 1)
        return done.stderr.splitlines()[-1]


@unittest.skipUnless(HAS_IPYTHON, "no IPython here")
class IPythonTest(Case):
    LOAD = line("load_ext", "extension") + "\n"

    def test_local_scope(self):
        self.assertEqual(self.out(f"{self.LOAD}g = 1\ndef f():\n    here = 1\n"
                                  f"    return {line('local', 'here name text')}, "
                                  f"{line('local', '$here')}\nprint(f())"), "(['here'], [])\n")

    def test_shown_objects(self):
        for names in (), ("display",), ("ipython_display",):
            self.assertEqual(self.out(self.LOAD + line("shows"), *names), "x\n5\nprinted\n")

    def test_display_of_the_script(self):
        script = f"{self.LOAD}with scorep_notebook.capture('c'): {line('shows')}\n"
        self.assertEqual(self.out(script + "print(c.stdout, len(c.outputs))"), "printed\n 2\n")

    def test_code_that_a_magic_runs(self):
        body = "x = 5\nprint(get_ipython() is not None)\nx + 1\n"
        self.assertEqual(self.out(f"{self.LOAD}print({cell('runs a', body)}, x)"),
                         "True\n6\na 5\n")

    def test_an_error_in_code_that_a_magic_runs(self):
        done = self.start(self.LOAD + cell("runs", "1 / 0\n") + "\nprint('on')")
        self.assertEqual((done.returncode, done.stdout), (0, "on\n"))
        self.assertIn("ZeroDivisionError: division by zero\n", done.stderr)
        self.assertNotIn("\x1b", done.stderr)

    def test_empty_body(self):
        self.assertEqual(self.error(self.LOAD + cell("double", "")), "IPython.core.error.UsageError: %%double is a "
                         "cell magic, but the cell body is empty. Did you mean the line magic %double (single %)?")

    def test_the_process_stays_as_it_was(self):
        script = (
            "import atexit, builtins, os, sys, threading\n"
            "In = Out = _ = exit = 'mine'\natexit.register(lambda: print('end', In, mine))\n"
            "def state():\n    return (set(vars(builtins)), builtins.exit, sys.excepthook, "
            "sys.displayhook, sys.modules['__main__'], list(sys.path), hasattr(sys, 'ps1'),\n"
            "            threading.active_count(), In, Out, _, exit, sys.stdout)\n"
            f"mine = 1\nnames = set(globals())\nbefore = state()\n{line('who_ls')}\n"
            "print(state() == before, sorted(set(globals()) - names - {'names', 'before'}))\n"
            "import pickle\nprint(pickle.loads(pickle.dumps(state)) is state)\n")
        self.assertEqual(self.out(script, "display"), "True ['_dh', '_ih', '_oh']\nTrue\nend mine 1\n")
        self.assertEqual(os.listdir(self.folder / "home"), [])

    def test_the_users_profile_does_not_matter(self):
        profile = self.folder / "home" / ".ipython" / "profile_default"
        (profile / "startup").mkdir(parents=True)
        (profile / "startup" / "a.py").write_text("print('startup')", encoding="utf-8")
        (profile / "ipython_config.py").write_text("print('config')", encoding="utf-8")
        self.assertEqual(self.out(line("who_ls")), "")

    def test_home_that_cannot_be_written(self):
        script = f"import os\nos.environ['HOME'] = '/dev/null/home'\nprint({line('who_ls')})"
        self.assertEqual(self.out(script), "['os', 'scorep', 'scorep_notebook']\n")


class WithoutIPythonTest(Case):
    def test_it_says_so(self):
        for names in (), ("ipython_display",):
            for text, sign, at in ((line("R", "x"), "%R", 2), (cell("R x", "y"), "%%R", 1)):
                self.assertEqual(self.error(text, *names, bare=True),
                                 f"RuntimeError: heat.ipynb, cell 4, line {at}: '{sign}' needs "
                                 "IPython, which this Python does not have")

    def test_own_magics(self):
        script = ("from IPython.core.magic import register_line_magic, register_cell_magic, "
                  "register_line_cell_magic\n"
                  "@register_line_magic\ndef up(line): return line.upper()\n"
                  "@register_cell_magic('down')\ndef f(line, cell): return line + cell.lower()\n"
                  "@register_line_cell_magic\ndef both(line, cell=None): return line, cell\n"
                  f"n = 5\nprint({line('up', 'a{n}')}, {cell('down $n', 'ABC')}, "
                  f"{line('both', 'x')}, {cell('both x', 'y')})")
        expected = "A5 5abc ('x', None) ('x', 'y')\n"
        self.assertEqual(self.out(script, "ipython_display", bare=True), expected)
        if HAS_IPYTHON:
            self.assertEqual(self.out(script, "get_ipython"), expected)

    @unittest.skipUnless(HAS_IPYTHON, "needs IPython")
    def test_own_magics_that_want_the_local_scope(self):
        script = ("from IPython.core.magic import register_line_magic, needs_local_scope\n"
                  "@register_line_magic\n@needs_local_scope\n"
                  "def add(line, local_ns): return local_ns['n'] + int(line)\n"
                  f"n = 5\ndef f():\n    n = 7\n    return {line('add', '2')}\n"
                  f"print({line('add', '1')}, f())")
        self.assertEqual(self.out(script, "get_ipython"), "6 9\n")


TABLE = """
from scorep_notebook_test import calls
made = {"__name__": "scorep_notebook_test.made"}
exec("def first(text, *scopes): return text, sorted(scopes[-1])[:1]\\n"
     "def second(text, body, *scopes): return scopes[0]['inner'](text, body)", made)
scorep_notebook.shell = calls.unrecorded(made["first"])  # %ls
scorep_notebook.timeit_cell = calls.recorded(made["second"])
def inner(*values): return values
"""


class GetIPythonTest(Case):
    def show(self, text, *names, bare=True):
        return self.out(f"{TABLE}ip = get_ipython()\n{text}", "get_ipython", *names, bare=bare)

    def test_magics_of_the_table(self):
        self.assertEqual(self.show(
            "def f():\n    a = 1\n    return ip.run_line_magic('ls', 'x')\n"
            "print(f(), ip.magic('%ls  y')[0], ip.magic('ls')[0])\n"
            "print(ip.run_cell_magic('timeit', 'a', 'b'), ip.run_line_magic('who', "
            "''), ip.magic('load_ext autoreload'))"),
                         "('ls -F x', ['a']) ls -F y ls -F \n('a', 'b') None None\n")

    def test_magics_that_need_ipython(self):
        self.assertRegex(self.error("get_ipython().run_line_magic('R', '')", "get_ipython",
                                    bare=True),
                         r"^RuntimeError: <string>, line \d+: '%R' needs IPython, ")
        if HAS_IPYTHON:
            self.assertEqual(self.show("ip.magic('load_ext extension')\nn = 4\n"
                                       "print(ip.magic('double n'), ip.run_cell_magic('double', "
                                       "'', 'n'))", bare=False), "8 8\n")

    def test_shell_commands(self):
        self.assertEqual(self.show(
            "def f():\n    a = 1\n    ip.system('echo {a}; exit 3')\n"
            "    return ip.getoutput('echo $a; echo 2')\nx = f()\n"
            "print(x, x.s, _exit_code, repr(ip.getoutput('echo 1; echo 2', split=False)))"),
                         "1\n['1', '2'] 1 2 3 '1\\n2'\n")

    def test_names(self):
        self.assertEqual(self.show(
            "def f():\n    local = 1\n    ip.push('local')\n    ip.push({'b': 2})\n"
            "f(); print(local, b, ip.ev('b + 1'), ip.ex('c = 4'), c, ip.user_ns is globals(), "
            "ip.user_global_ns['b'])"), "1 2 3 None 4 True 2\n")

    def test_run_cell(self):
        done = self.start(
            "ip = get_ipython()\nr = ip.run_cell('a = 1\\na + 1')\nprint(r.result, r.success)\n"
            "r = ip.run_cell('1 / 0')\nprint(r.success, type(r.error_in_exec).__name__)\n"
            "print(ip.run_cell('1 +').success, ip.run_cell('5;').result)\n"
            "try: r.raise_error()\nexcept ZeroDivisionError: print('raised')\n"
            "ip.run_cell('raise KeyboardInterrupt')", "get_ipython", bare=True)
        self.assertEqual(done.stdout, "2\n2 True\nFalse ZeroDivisionError\nFalse None\nraised\n")
        self.assertEqual(done.returncode, -2)
        self.assertIn("ZeroDivisionError: division by zero\n", done.stderr)
        self.assertIn("SyntaxError: invalid syntax\n", done.stderr)

    def test_run_cell_with_magics(self):
        """By IPython, and without it."""
        code = ("ip = get_ipython()\nr = ip.run_cell('print(42)\\n!echo HI\\nif 1:\\n    %cd /')\n"
                "print(r.success)\n")
        for bare in False, True:
            self.assertEqual(self.out(code, "get_ipython", bare=bare), "42\nHI\n/\nTrue\n")

    def test_interactive_parts_do_nothing(self):
        self.assertEqual(self.show(
            "ip.events.register('post_run_cell', print); ip.set_next_input('x')\n"
            "ip.display_formatter.formatters['text/html'].for_type(int, str)\n"
            "ip.config.InlineBackend.figure_format = 'svg'\nip.ast_node_interactivity = 'all'\n"
            "scorep_notebook.echo(ip.events.register('pre_run_cell', print))\n"
            "print('IPKernelApp' in ip.config, list(ip.config), hasattr(ip, 'kernel'))"),
                         "False [] False\n")

    def test_it_looks_like_a_terminal(self):
        self.assertEqual(self.show("print(ip.__class__.__name__, 'zmq' in str(ip).lower(), "
                                   "get_ipython() is ip)"), "TerminalInteractiveShell False True\n")

    def test_imports_of_it(self):
        (self.folder / "module.py").write_text(
            "from IPython import get_ipython\nfound = get_ipython()\n", encoding="utf-8")
        script = ("from IPython import get_ipython\nimport IPython\nimport sys\n"
                  f"sys.path.insert(0, {str(self.folder)!r})\nimport module\n"
                  "print(get_ipython() is IPython.get_ipython() is ip, module.found)")
        for bare in (True, False) if HAS_IPYTHON else (True,):
            self.assertEqual(self.show(script, "ipython_display", bare=bare), "True None\n")

    @unittest.skipUnless(HAS_IPYTHON, "no IPython here")
    def test_names_of_python_do_not_start_ipython(self):
        script = ("from IPython.core.interactiveshell import InteractiveShell\n"
                  "print(hasattr(ip, '__array__'), InteractiveShell.initialized(),\n"
                  "      ip.builtin_trap is not None, InteractiveShell.initialized(), hasattr(ip, 'kernel'))")
        self.assertEqual(self.show(script, bare=False), "False False True True False\n")


class TraceTest(traced.TraceCase):
    SETUP = "def inner(*values): return 1\ndef after(): pass"

    def test_get_ipython(self):
        code = ("ip = get_ipython()\nip.ev('after()'); ip.system('true'); ip.getoutput('true')\n"
                "ip.run_line_magic('ls', 'x'); ip.run_cell_magic('timeit', '', '')\n"
                "ip.push({}); ip.events.register('a', 1); ip.config.a = 1; ip.set_next_input('')")
        self.assert_trace(code, ["__main__:<module>", "__main__:after", "__main__:inner"],
                          "get_ipython", setup=TABLE + self.SETUP)

    def test_magics_of_the_script(self):
        code = f"{line('own', 'x')}\nafter()"
        self.assert_trace(code, ["__main__:inner", "__main__:after"],
                          setup=self.SETUP + "\nfrom scorep_notebook_test.interactive import register\n"
                          "register('line', inner, 'own')")


if __name__ == "__main__":
    unittest.main()
