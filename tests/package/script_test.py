"""%%bash and its like do what they do in Jupyter."""
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import kernel
import scripts
import traced


def wait_for(path):
    """Waits until a script in the background has made the file PATH."""
    return f"import os, time\nwhile not os.path.exists({path!r}): time.sleep(0.01)"


class ScriptTest(kernel.Case):
    def test_arguments(self):
        self.compare([
            "x = 'my own'", '%%bash -s "$x" a b\necho "$0:$1:$2:$3"', "%%bash -s {1 + 1}\necho $1",
            "%%script bash -e\nfalse\necho no", "%%bash -s -- --out x\necho \"$@\"",
            "%%script --no-raise-error bash -c 'cat; exit 4'\nunchanged {x} $x",
            '%%perl -w\nprint "hi\\n";', "%%script cat\nno line end",
            "%%sh -c 'echo $0 $1' a b\n\n",
            "%%bash 'open\necho"])

    def test_failures(self):
        self.compare(["%%bash\necho out; echo err >&2; exit 3", "%%bash\nkill -9 $$",
                      "%%script nosuch -x\nfoo", "%%script /etc/passwd\nfoo", "%%bash --out\nfoo",
                      "%%bash --nosuch\necho not run", "%%script"],
                     pattern="bash: line 1: .*", replacement="")

    def test_no_program(self):
        self.compare(["%%script\nfoo", "%%script --out x\nfoo"],
                     pattern="TypeError: .*", replacement="TypeError")

    def test_what_is_raised(self):
        script = """
try:
    scorep_notebook.script("bash", "exit 3")
except Exception as problem:
    print(type(problem).__name__, problem.args, problem.returncode, problem.cmd)
"""
        done = scripts.run(script)
        self.assertEqual(done.stdout, "CalledProcessError (3, b'exit 3\\n') 3 b'exit 3\\n'\n")

    def test_variables(self):
        # IPython 8.5 keeps only the last line in them; 8.6 keeps all.
        cells = ["%%bash --out o --err e\necho 1; echo 2; echo 3 >&2", "o, e",
                 "%%bash --err e --out o\ntrue", "o, e",
                 "%%bash --out o --no-raise-error\necho x; echo y >&2; exit 2", "o"]
        self.assertEqual(self.in_script(cells), [
            ("", ""), ("('1\\n2\\n', '3\\n')\n", ""), ("", ""), ("('', '')\n", ""), ("", "y\n"),
            ("'x\\n'\n", "")])

    def test_output_comes_at_once(self):
        script = ("scorep_notebook.script('bash', 'echo first; read line < wait; echo $line')\n")
        with tempfile.TemporaryDirectory() as folder:
            os.mkfifo(os.path.join(folder, "wait"))
            with subprocess.Popen([os.sys.executable, "-c", scripts.head() + script],
                                  cwd=folder, stdout=subprocess.PIPE, text=True,
                                  env=scripts.environment()) as process:
                self.assertEqual(process.stdout.readline(), "first\n")
                pathlib.Path(folder, "wait").write_text("second\n", encoding="utf-8")
                self.assertEqual(process.stdout.read(), "second\n")

    def test_large_input(self):
        script = "scorep_notebook.script('sh -c \"wc -c\"', 'x' * 1000000)\n"
        self.assertEqual(scripts.run(script).stdout.strip(), "1000001")


class TraceTest(traced.TraceCase):
    def test_nothing_is_seen_of_what_runs_in_the_background(self):
        cell = """
with scorep.user.region("cell 1"):
    with scorep.instrumenter.disable():
        scorep_notebook.script("bash --bg --proc p --out o", "echo 1; exit 3")
    result = o.readline(), list(o), p.wait(), p.returncode, p.stdout.read(), p.pid, repr(p)
    async def cell_1():
        await p.wait()
    scorep_notebook.run_async(cell_1)
with scorep.instrumenter.disable():
    assert result[:5] == (b"1\\n", [], 3, 3, b""), result
"""
        regions = self.entered_in(cell, "profile", "event_loop")
        ours = [name for name in regions if "nbscorep" in name or "subprocess" in name]
        self.assertEqual((regions[0], ours), ("user:cell 1", []))
        self.assertFalse([name for name in regions if name.startswith("__main__")
                          and name not in ("__main__:<module>", "__main__:cell 1")], regions)


class BackgroundTest(kernel.Case):
    def test_awaited_output(self):
        # Futures that await in the kernel; a cell of a script awaits through a loop of its own.
        expected = self.in_kernel([
            "%%bash --bg --proc p --out o --err e\necho 1; echo 2; echo 3 >&2; exit 5",
            "await o.readline(), await o.read(), await e.read(), await p.wait(), p.returncode"])
        script = """
scorep_notebook.script("bash --bg --proc p --out o --err e", "echo 1; echo 2; echo 3 >&2; exit 5")
async def cell_1():
    return (await o.readline(), await o.read(), await e.read(), await p.wait(), p.returncode)
print(scorep_notebook.run_async(cell_1))
"""
        done = scripts.run(script, "event_loop")
        self.assertEqual((done.stdout, done.stderr), expected[1])

    def test_output(self):
        cells = ["%%bash --bg --proc p --out o\necho 1; echo 2; echo 3; echo 4 >&2; exit 5",
                 "o.readline(), list(o)", "p.stderr.read(), p.wait(), p.returncode, p.pid > 1",
                 "%%bash --bg --proc q\necho $((6 * 7))", "q.communicate()"]
        self.assertEqual([out for out, _ in self.in_script(cells)], [
            "", "(b'1\\n', [b'2\\n', b'3\\n'])\n", "(b'4\\n', 5, 5, True)\n", "",
            "(b'42\\n', b'')\n"])

    def test_status_while_it_runs(self):
        cells = ["import os\nos.mkfifo('wait')", "%%bash --bg --proc p\nread line < wait\nexit 2",
                 "p.returncode", "%%bash\necho go > wait",
                 "while p.returncode is None: pass", "p.returncode"]
        self.assertEqual([out for out, _ in self.in_script(cells)], [""] * 5 + ["2\n"])

    def test_output_that_nobody_keeps(self):
        self.compare(["%%bash --bg\necho out; echo err >&2; touch started", wait_for("started"),
                      "%%script --bg nosuch\nx", "%killbgscripts"])

    def test_input_is_not_waited_for(self):
        script = """
scorep_notebook.script("sh --bg --proc p -c 'read a < wait; exec wc -c'", "x" * 999999)
scorep_notebook.script("sh", "echo > wait")
print(p.communicate()[0])
"""
        folder = self.folder()
        os.mkfifo(folder / "wait")
        done = scripts.run(script, cwd=folder, timeout=60)
        self.assertEqual(done.stdout, "b'1000000\\n'\n", done.stderr)

    def test_killing(self):
        bodies = {"sleep": "exec sleep 1000",
                  "deaf": "trap '' INT TERM; touch started; while :; do sleep 0.01; done"}
        cells = [f"%%bash --bg --proc {name}\n{body}" for name, body in bodies.items()]
        cells += [wait_for("started"), "%killbgscripts", "sleep.returncode, deaf.returncode",
                  "%killbgscripts"]
        message = ("All background processes were killed.\n", "")
        expected = f"({-signal.SIGINT}, {-signal.SIGKILL})\n"
        self.assertEqual(self.in_script(cells)[3:], [message, (expected, ""), message])

    def test_end_of_the_script_ends_them(self):
        script = """
scorep_notebook.script("bash --bg --proc p", "exec sleep 1000")
scorep_notebook.killbgscripts("")
scorep_notebook.script("bash --bg --proc q", "exec sleep 1000")
print(q.pid)
raise SystemExit(7)
"""
        done = scripts.run(script)
        self.assertEqual(done.returncode, 7, done.stderr)
        with self.assertRaises(ProcessLookupError):
            os.kill(int(done.stdout.split()[-1]), 0)


if __name__ == "__main__":
    unittest.main()
