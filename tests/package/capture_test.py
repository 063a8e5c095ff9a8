#!/usr/bin/env python3
"""%%capture, and what child processes write while sys.stdout is not the process's own."""
import os
import pathlib
import signal
import tempfile
import textwrap
import unittest

import kernel
import scripts
import traced

SHELL = "scorep_notebook.shell({!r})"


def captured(arguments, body):
    """%%capture around BODY as nbscorep writes it."""
    lines = [SHELL.format(line[1:]) if line.startswith("!") else line
             for line in body.split("\n")]
    text = textwrap.indent(kernel.call("\n".join(lines)), "    ")
    return f"with scorep_notebook.capture({arguments!r}):\n{text}"


class CaptureTest(kernel.Case):
    def compare_captures(self, *cells):
        """CELLS, of which pairs are a %%capture, print the same in both."""
        in_jupyter = [cell if isinstance(cell, str) else "%%capture {}\n{}".format(*cell)
                      for cell in cells]
        in_script = [kernel.call(cell) if isinstance(cell, str) else captured(*cell)
                     for cell in cells]
        actual = self.in_script(in_script)
        # A terminal of IPython's is between it and a child.
        expected = [(out.replace("\\r", "").replace("\r", ""), err)
                    for out, err in self.in_kernel(in_jupyter)]
        self.assertEqual(list(zip(cells, actual)), list(zip(cells, expected)))

    def test_all_streams(self):
        self.compare_captures(
            "import sys, os",
            ("cap", "print(1)\nprint(2, file=sys.stderr)\ndisplay('d', 5)\n!echo sh\n3 + 4"),
            "print(repr(cap.stdout), repr(cap.stderr), [o.data for o in cap.outputs])",
            "cap.show()", "cap()", "print(cap)", "cap.outputs[1].display()",
            "display(cap.outputs[0])", "cap.outputs[0].metadata",
            ("", "print('gone')\n7"),
            ("  cap  --no-stdout", "print('out')\nprint('x', file=sys.stderr)"),
            "cap.stdout, cap.stderr",
            ("cap --no-stderr", "print('out')\nprint('x', file=sys.stderr)"),
            "cap.stdout, cap.stderr",
            ("--no-display cap", "print(1)\ndisplay(2)\n3"), "cap.stdout, cap.outputs",
            ("cap", "print(type(sys.stdout).__name__, sys.stdout.isatty())"), "cap.stdout")

    def test_formats_of_outputs(self):
        self.compare_captures(
            "class Html:\n    def _repr_html_(self): return '<i>', {'a': 1}\n"
            "    def __repr__(self): return 'plain'",
            ("cap", "display(Html())\ndisplay({'text/html': 'x'}, raw=True)\nHtml()"),
            "for o in cap.outputs: print(o.data, o.metadata)")

    def test_an_error_is_shown_and_the_script_goes_on(self):
        script = captured("cap", "print('a')\ndisplay(1)\n1 / 0\nprint('b')")
        done = scripts.run(script + "\nprint('on', repr(cap.stdout), len(cap.outputs))")
        self.assertEqual((done.returncode, done.stdout), (0, "on 'a\\n' 1\n"))
        self.assertIn("ZeroDivisionError: division by zero", done.stderr)
        self.assertNotIn(scripts.PACKAGE, done.stderr.replace(script, ""))

    def test_ctrl_c_ends_the_script_and_gives_the_streams_back(self):
        script = ("import atexit\natexit.register(print, 'end')\n"
                  + captured("cap", "raise KeyboardInterrupt"))
        done = scripts.run(script)
        self.assertEqual((done.returncode, done.stdout), (-2, "end\n"))

    def test_nested(self):
        inner = captured("inner --no-display", "print('in')\ndisplay(2)")
        script = (f"with scorep_notebook.capture('outer'):\n{textwrap.indent(inner, '    ')}\n"
                  "    print('out')\nprint([inner.stdout, inner.outputs, outer.stdout, "
                  "[o.data for o in outer.outputs]])")
        done = scripts.run(script)
        self.assertEqual((done.stdout, done.stderr),
                         ("['in\\n', [], 'out\\n', [{'text/plain': '2'}]]\n", ""))

    def test_name_of_a_variable(self):
        done = scripts.run("n = 1\n" + captured("cap{n}", "print(5)") + "\nprint(cap1.stdout)")
        self.assertEqual((done.stdout, done.stderr), ("5\n\n", ""))

    def test_wrong_arguments(self):
        for arguments in "a b", "--wrong", "a --no-such":
            done = scripts.run(captured(arguments, "print(5)"))
            self.assertEqual(done.stderr.splitlines()[-1], "ValueError: %%capture: unrecognized "
                             f"arguments: {arguments}")


class ChildTest(unittest.TestCase):
    def run_script(self, script, *names):
        done = scripts.run(script, *names, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_redirected(self):
        script = ("import contextlib, io, sys\nout, err = io.StringIO(), io.StringIO()\n"
                  "with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):\n"
                  "    print(1)\n    " + SHELL.format("echo 2; echo 3 >&2; exit 4") + "\n"
                  "    scorep_notebook.script('sh', 'echo 5; echo 6 >&2\\n')\n"
                  "print([out.getvalue(), err.getvalue(), _exit_code])")
        self.assertEqual(self.run_script(script), "['1\\n2\\n5\\n', '3\\n6\\n', 4]\n")

    def test_not_redirected_it_inherits(self):
        script = "import os\nprint(os.readlink('/proc/self/fd/1'))\n"
        first, second = self.run_script(
            script + SHELL.format("readlink /proc/$$/fd/1")).splitlines()
        self.assertEqual(first, second)

    def test_output_comes_while_the_child_runs(self):
        """The child waits for a sign that the test gives when it sees the first line."""
        script = ("import os, sys\nclass Tee:\n    def flush(self): pass\n"
                  "    def write(self, text):\n        sys.__stdout__.write(text)\n"
                  "        if 'first' in text: os.close(os.open('fifo', os.O_WRONLY))\n"
                  "os.mkfifo('fifo')\nsys.stdout = Tee()\n"
                  + SHELL.format("echo first; cat fifo; echo second"))
        with tempfile.TemporaryDirectory() as folder:
            done = scripts.run(script, cwd=folder, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("first\nsecond\n", ""))

    def captured_output(self, command):
        return self.run_script(captured("cap", "!" + command) + "\nprint(cap.stdout, end='')")

    def test_a_process_in_the_background_is_not_waited_for(self):
        pid = int(self.captured_output("sleep 1000 & echo $!"))
        os.kill(pid, signal.SIGKILL)

    def test_much_output_of_both_streams(self):
        command = "yes 12345678 | head -20000 | tee /dev/stderr"
        self.assertEqual(self.captured_output(command), "12345678\n" * 20000)

    def test_characters_of_several_bytes(self):
        text = "a" + "\xe9" * 100000
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "text"
            name.write_text(text, encoding="utf-8")
            self.assertEqual(self.captured_output(f"cat {name}; printf '\\377'"),
                             text + "\ufffd")

    def test_interrupted_it_ends_the_child(self):
        # The child's first word comes when it is waited for; before, nobody could end it.
        script = ("import signal, os, sys, io\n"
                  "def stop(*_): raise KeyboardInterrupt\nsignal.signal(signal.SIGUSR1, stop)\n"
                  "class Out(io.StringIO):\n"
                  "    def write(self, text): os.kill(os.getpid(), signal.SIGUSR1)\n"
                  "sys.stdout = Out()\ntry:\n    "
                  + SHELL.format("echo $$ > pid; echo started; exec sleep 1000")
                  + "\nexcept KeyboardInterrupt:\n"
                  "    try: os.kill(int(open('pid').read()), 0)\n"
                  "    except ProcessLookupError: print('gone', file=sys.__stdout__)\n")
        with tempfile.TemporaryDirectory() as folder:
            done = scripts.run(script, cwd=folder, timeout=60)
        self.assertEqual((done.stdout, done.stderr), ("gone\n", ""))


class TraceTest(traced.TraceCase):
    def test_the_code_is_measured_and_nothing_else(self):
        setup = "def inner(): print(1)\ndef after(): pass"
        code = (captured("cap --no-stderr", "inner()\ndisplay(1)\n5")
                + "\ncap.show(); cap.stdout; str(cap); cap.outputs[0].display(); after()\n"
                + captured("", "try: 1 / 0\nexcept ZeroDivisionError: inner()"))
        self.assert_trace(code, ["__main__:inner", "__main__:after", "__main__:inner"], setup=setup)


if __name__ == "__main__":
    unittest.main()
