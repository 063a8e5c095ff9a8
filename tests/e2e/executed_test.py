#!/usr/bin/env python3
"""The executed notebook: what it has of the outputs, and that it is valid whatever is killed."""
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
import unittest

import jsonschema
import nbformat

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import wait_for  # noqa: E402
from support import UNDER_DOUBLE, Case, binary, clean_environment, code, markdown, notebook  # noqa: E402

TEXT, OBJECT, TIME, SECONDS = {"type": "string"}, {"type": "object"}, {"type": ["string", "null"],
                              "pattern": r"^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$"}, {"type": ["number", "null"]}
PAPERMILL = {"type": "object", "additionalProperties": False, "properties": {
    "default_parameters": OBJECT, "environment_variables": OBJECT, "parameters": OBJECT, "input_path": TEXT,
    "output_path": TEXT, "version": TEXT, "start_time": TIME, "end_time": TIME, "duration": SECONDS,
    "exception": {"type": ["boolean", "null"]}}}
PAPERMILL_CELL = {"type": "object", "additionalProperties": False, "properties": {
    "start_time": TIME, "end_time": TIME, "duration": SECONDS, "exception": {"type": ["boolean", "null"]},
    "status": {"enum": ["pending", "running", "completed", "failed"]}}}
for schema in PAPERMILL, PAPERMILL_CELL:
    schema["required"] = list(schema["properties"])
# The order of what two streams get within some microseconds is not known, so one is read before the other gets more.
UNTIL_READ = "import fcntl, termios\nwhile any(fcntl.ioctl(1, termios.FIONREAD, b'    ')): pass\n"
PARAMETERS = code("n = 1", metadata={"tags": ["parameters"]})


class ExecutedCase(Case):
    def environment(self, **more):
        return clean_environment(**UNDER_DOUBLE | {"PYTHON": sys.executable, "NBSCOREP": binary(),
                                                   "NBSCOREP_MEASUREMENT": "none"} | more)

    def make(self, *cells):
        self.write("heat.ipynb", notebook(*cells))

    def run_executed(self, *options, status=0, **more):
        done = self.run_command(binary(), "run", "-q", "--executed", *options, env=self.environment(**more))
        self.assertEqual(done.status, status, done)
        return done

    def begin(self, *cells, **streams):
        """The run script of CELLS, which runs."""
        self.make(*cells)
        self.build("-q", "heat.ipynb")
        return self.start_script(**streams)

    def start_script(self, **streams):
        process = subprocess.Popen(["./heat_run.sh"], cwd=self.folder, env=self.environment(NBSCOREP_EXECUTED="yes"),
                                   **{"stdout": subprocess.PIPE, **streams})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for stream in filter(None, (process.stdout, process.stderr)):
            self.addCleanup(stream.close)
        return process

    def read(self, name="heat_executed.ipynb"):
        found = nbformat.read(self.path(name), 4)
        nbformat.validate(found)
        return found

    def cells(self, name="heat_executed.ipynb"):
        """Of each code cell its count, papermill's status and its outputs."""
        return [(cell.execution_count, cell.metadata.papermill.status, [self.shown(each) for each in cell.outputs])
                for cell in self.read(name).cells if cell.cell_type == "code"]

    def shown(self, output):
        if output.output_type == "stream":
            return output.name, output.text
        if output.output_type == "error":
            return output.ename, output.evalue
        return output.output_type, {mime: text for mime, text in output.data.items() if mime != "image/png"}


class Outputs(ExecutedCase):
    def test_in_their_order(self):
        self.make(markdown("# Title"), PARAMETERS, f"import sys\nprint('a')\n{UNTIL_READ}print('b', file=sys.stderr)\nn * 2",
                  "# nothing runs here", "import os\nos.write(1, b'raw\\n'); os.system('echo child'); None",
                  code("skipped", metadata={"tags": ["skip-execution"]}))
        for measurement in "none", "builtin", "scorep":
            done = self.run_executed("-p", "n=5", "heat.ipynb", NBSCOREP_MEASUREMENT=measurement)
            self.assertEqual(done.out, b"a\n10\nraw\nchild\n")
            self.assertEqual(done.err, b"b\n")
            self.assertEqual(self.cells(), [
                (1, "completed", []), (2, "completed", []),
                (3, "completed", [("stdout", "a\n"), ("stderr", "b\n"), ("execute_result", {"text/plain": "10"})]),
                (4, "completed", []), (5, "completed", [("stdout", "raw\nchild\n")]), (None, "pending", [])])
            found = self.read()
            self.assertEqual(found.cells[0].source, "# Title")
            self.assertEqual(found.cells[2].metadata.tags, ["injected-parameters"])
            self.assertEqual(found.cells[2].source, "# Parameters\nn = 5")
            self.assertEqual(found.metadata.papermill.parameters, {"n": 5})
            self.assertEqual(found.metadata.nbscorep_run, {"status": 0, "measurement": measurement})
            self.assertEqual([path for path in self.files() if "journal" in path or "part" in path], [])

    def test_metadata_of_papermill(self):
        """As papermill documents and reads them: https://papermill.readthedocs.io/en/latest/usage-inspect.html"""
        self.make(PARAMETERS, "n", "1 / 0", "3")
        self.run_executed("-p", "n=2", "heat.ipynb", status=1)
        found = self.read()
        jsonschema.validate(found.metadata.papermill, PAPERMILL)
        for cell in found.cells:
            if cell.cell_type == "code":
                jsonschema.validate(cell.metadata.papermill, PAPERMILL_CELL)
        self.assertEqual([cell.metadata.papermill.exception for cell in found.cells if cell.cell_type == "code"],
                         [False, False, False, True, None])

    def test_displays(self):
        self.make("from IPython.display import HTML, Markdown, clear_output, display\nprint('gone')\nclear_output()\n"
                  "shown = display(HTML('<b>x</b>'), display_id=True)\nprint('between')",
                  "shown.update(Markdown('*y*'))\nprint('old')\nclear_output(wait=True)\nprint('new')",
                  "%%capture kept\nprint('captured')", "kept.show()")
        self.assertIn(b"gone\n", self.run_executed("heat.ipynb").out)
        plain = {"text/plain": "<IPython.core.display.Markdown object>"}
        self.assertEqual([outputs for _, _, outputs in self.cells()], [
            [("display_data", {"text/markdown": "*y*", **plain}), ("stdout", "between\n")],
            [("stdout", "new\n")], [], [("stdout", "captured\n")]])

    def test_figures(self):
        self.make("import matplotlib.pyplot as plt\nplt.plot([1]); None", "plt.plot([2])\nplt.show()",
                  "f = plt.figure(); f.gca(); plt.close()\nf", "plt.figure(); None")
        self.run_executed("heat.ipynb")
        self.assertEqual([[(output.output_type, sorted(output.data)) for output in cell.outputs]
                          for cell in self.read().cells],
                         [[("display_data", ["image/png", "text/plain"])]] * 2
                         + [[("execute_result", ["image/png", "text/plain"])], [("display_data", ["text/plain"])]])

    def test_errors(self):
        self.make("def f(x):\n    return 1 / x", code("f(0)", metadata={"tags": ["raises-exception"]}), "f(0)", "1")
        done = self.run_executed("heat.ipynb", status=1)
        self.assertTrue(done.err.endswith(b"ZeroDivisionError: division by zero\nnbscorep: heat.ipynb, cell 1, line 2 "
                                          b"(heat.py:9)\n"), done)
        error = [("ZeroDivisionError", "division by zero")]
        self.assertEqual(self.cells(), [(1, "completed", []), (2, "failed", error), (3, "failed", error),
                                        (None, "pending", [])])
        tags = [cell.metadata.get("tags") for cell in self.read().cells if cell.cell_type == "markdown"]
        self.assertEqual(tags, [["papermill-error-cell-tag"]] * 2)
        self.assertTrue(self.read().metadata.papermill.exception)
        self.write("heat.ipynb", self.path("heat_executed.ipynb").read_text().replace("f(0)", "f(1)"))
        self.run_executed("heat.ipynb")  # without papermill's cells
        self.assertEqual([cell.cell_type for cell in self.read("heat_executed.ipynb").cells], ["code"] * 4)

    def test_as_in_jupyter(self):
        """What a terminal, IPython's UsageError, and the formatters' errors make of it."""
        self.make("!echo out; echo err >&2", "%%html\n<b>x</b>", "%%nosuch\n1", "class C:\n    def _repr_html_(self): 1 / 0\nC()",
                  "import sys\ndef f(x):\n    return x\nf(1) + [ ]")
        self.run_executed("--allow-errors", "heat.ipynb")
        outputs = [outputs for _, _, outputs in self.cells()]
        html = "<b>x</b>\n"
        self.assertEqual(outputs.pop(1), [("display_data", {"text/html": html, "text/plain":
                                                            "<IPython.core.display.HTML object>"})])
        self.assertEqual(outputs[:2], [[("stdout", "out\nerr\n")],
                                       [("stderr", "UsageError: Cell magic `%%nosuch` not found.\n")]])
        self.assertEqual(outputs[2][0], ("ZeroDivisionError", "division by zero"))
        self.assertEqual([status for _, status, _ in self.cells()], ["completed", "completed", "failed",
                                                                   "completed", "failed"])
        self.assertIn("----> 4 f(1) + [ ]", "\n".join(self.read().cells[4].outputs[0].traceback))

    def test_much_text(self):
        self.make("for i in range(200_000): print('x' * 99)", "print('after')")
        done = self.run_executed("heat.ipynb")
        self.assertEqual(len(done.out), 20_000_000 + 6)
        text, note = self.cells()[0][2]
        self.assertEqual(len(text[1]), 10 << 20)
        self.assertEqual(note, ("stderr", f"[nbscorep: {20_000_000 - (10 << 20)} more bytes of output are only in the log]\n"))

    def test_file(self):
        self.make("print(1)")
        self.write("heat_executed.ipynb", "mine")
        self.assertIn(b"was not written by nbscorep; it is left as it is", self.run_executed("heat.ipynb").err)
        self.assertEqual(self.path("heat_executed.ipynb").read_text(), "mine")
        done = self.nbscorep("run", "-q", "--executed=heat.ipynb", "heat.ipynb", env=self.environment())
        self.assertIn(b"is the notebook itself", done.err)
        self.path("sub").mkdir()
        for options in [], ["--temporary"]:
            done = self.nbscorep("run", "--executed=sub/out.ipynb", *options, "heat.ipynb", env=self.environment())
            self.assertIn(b"nbscorep: executed notebook: %s/sub/out.ipynb\n" % bytes(self.folder), done.err)
            self.assertEqual(self.cells("sub/out.ipynb"), [(1, "completed", [("stdout", "1\n")])])

    def test_places_where_it_cannot_be(self):
        self.make("print(1)", "1 / 0")
        self.path("file").write_text("")
        for name, reason in ("file/x.ipynb", b"Not a directory"), ("none/x.ipynb", b"No such file or directory"):
            done = self.nbscorep("run", "-q", f"--executed={name}", "heat.ipynb", env=self.environment())
            self.assertEqual((done.status, done.out), (1, b"1\n"))
            self.assertRegex(done.err, b"^nbscorep: no executed notebook: .*" + reason + b"\nTraceback")
            self.assertRegex(done.err, b"\nZeroDivisionError: division by zero\nnbscorep: heat.ipynb, cell 2, line 1 .*\n$")

    def test_notebook_that_has_changed(self):
        self.make("print(1)")
        self.build("-q", "heat.ipynb")
        for text, reason in ((notebook(markdown("x"), "print(1)"), b"the notebook has changed since the script was built"),
                             (b"{", b"no executed notebook: cannot read '"), (b"[]", b"no executed notebook: cannot read '")):
            self.write("heat.ipynb", text)
            done = self.run_command("./heat_run.sh", env=self.environment(NBSCOREP_EXECUTED="yes"))
            self.assertEqual((done.status, done.out), (0, b"1\n"))
            self.assertTrue(done.err.startswith(b"nbscorep: ") and reason in done.err, done)

    def test_two_at_once(self):
        """The second one has no notebook, and leaves that of the first one alone."""
        first = self.begin("import os, time\nprint('runs', flush=True)\n"
                           "while not os.path.exists('go'): time.sleep(.01)")
        self.assertEqual(first.stdout.readline(), b"runs\n")
        second = self.start_script(stderr=subprocess.PIPE)
        self.assertEqual(second.stdout.readline(), b"runs\n")
        self.path("go").write_text("")
        self.assertIn(b"no executed notebook: another run writes it\n", second.communicate()[1])
        first.communicate()
        self.assertEqual(self.cells(), [(1, "completed", [("stdout", "runs\n")])])

    def test_child_that_is_left(self):
        run = self.begin("import os, time\nif os.fork() == 0:\n    while not os.path.exists('go'): time.sleep(.01)\n"
                         "    os.write(1, b'late\\n'); os._exit(0)", "1")
        self.assertEqual(run.wait(), 0)
        self.assertEqual(self.cells()[1], (2, "completed", [("execute_result", {"text/plain": "1"})]))
        self.path("go").write_text("")
        self.assertEqual(run.stdout.read(), b"1\nlate\n")

    def test_old_format(self):
        self.write("heat.ipynb", '{"worksheets": [{"cells": [{"cell_type": "heading", "level": 2, "source": "T"}, '
                   '{"cell_type": "code", "input": ["print(1)\\n", "2"], "language": "python", "outputs": []}]}], '
                   '"metadata": {"name": "x"}, "nbformat": 3, "nbformat_minor": 0}')
        self.run_executed("heat.ipynb")
        self.assertEqual(self.read().cells[0].source, "## T")
        self.assertEqual(self.cells(), [(1, "completed", [("stdout", "1\n"), ("execute_result", {"text/plain": "2"})])])

    def test_sets_of_a_sweep(self):
        self.make(PARAMETERS, "n")
        self.write("sweep.yaml", "grid: {n: [3, 4]}")
        self.run_executed("--sweep=sweep.yaml", "heat.ipynb")
        for number in 1, 2:
            found = self.cells(f"heat_sweep/{number}/heat_executed.ipynb")
            self.assertEqual(found[-1][2], [("execute_result", {"text/plain": str(number + 2)})])


class Choices(ExecutedCase):
    def test_cells_that_are_left_out(self):
        self.make("#| label: x\n#| eval: false\n1", code("2", metadata={"tags": ["active-ipynb"]}),
                  code("3", metadata={"tags": ["draft"]}), "#| eval: true\n4", "print()\n#| eval: false")
        self.run_executed("--skip-tag=draft", "heat.ipynb")
        self.assertEqual([status for _, status, _ in self.cells()], ["pending"] * 3 + ["completed"] * 2)

    def test_cell_timeout(self):
        tagged = code("def wait():\n    while True: pass\nwait()", metadata={"tags": ["timeout=0.2"]})
        for measurement, cells, options in (
                ("none", [tagged], []), ("builtin", [tagged], ["--cell-timeout=200"]), ("scorep", [tagged], []),
                ("none", [code("import time", metadata={"tags": ["timeout=100"]}), "time.sleep(100)"],
                 ["--cell-timeout=0.2", "--allow-errors"])):
            self.make("print('before')", *cells, "print('after')")
            done = self.run_executed(*options, "heat.ipynb", status=124, NBSCOREP_MEASUREMENT=measurement)
            self.assertEqual(done.out, b"before\n")
            self.assertRegex(done.err, rb"(?m)^Traceback.*\n  File .*heat.py.*\n(.*\n)+TimeoutError: the cell ran for more "
                             rb"than 0.2 s\nnbscorep: heat.ipynb, cell [23], line [12] ")
            failed, after = self.cells()[-2:]
            self.assertEqual((failed[1:], after[1]), (("failed", [("TimeoutError", "the cell ran for more than 0.2 s")]),
                                                      "pending"))
            self.assertEqual(self.read().metadata.nbscorep_run.status, 124)

    def test_time_that_is_none(self):
        self.make(code("1", metadata={"tags": ["timeout=soon"]}))
        self.assertIn(b"warning: the tag 'timeout=soon' names no time in seconds", self.nbscorep("build", "heat.ipynb").err)
        for text in "soon", "-1", "inf":
            done = self.run_command("./heat_run.sh", env=self.environment(NBSCOREP_CELL_TIMEOUT=text))
            self.assertEqual((done.status, done.err),
                             (2, b"nbscorep: NBSCOREP_CELL_TIMEOUT is not a time in seconds: '%s'\n" % text.encode()))

    def test_allow_errors(self):
        self.make("1 / 0", "%%time\nraise SystemExit(3)", "import asyncio\nawait asyncio.sleep(0)\n[][0]", "4")
        for measurement in "none", "scorep":
            done = self.run_executed("--allow-errors", "heat.ipynb", NBSCOREP_MEASUREMENT=measurement)
            self.assertIn(b"ZeroDivisionError: division by zero\n", done.err)
            self.assertEqual([status for _, status, _ in self.cells()], ["failed"] * 3 + ["completed"])
            self.assertFalse(self.read().metadata.papermill.exception)

    def test_folder(self):
        self.make("import os, matplotlib.pyplot as plt\nprint(os.getcwd())\nopen('made', 'w').close(); plt.plot([1]);")
        self.path("data").mkdir()
        self.run_executed("--cwd=data", "heat.ipynb")
        self.assertEqual(self.cells()[0][2][0], ("stdout", f"{self.folder}/data\n"))
        self.assertLess({"data/made", "heat_figures/cell-1-1.png"}, set(map(str, self.files())))
        done = self.run_executed("--cwd=none", "heat.ipynb", status=1)
        self.assertEqual(done.err, b"nbscorep: cannot run in '%s/none': No such file or directory\n" % bytes(self.folder))

    def test_page(self):
        self.make("print('found')")
        self.write("mine.html", "<p>mine</p>")
        self.run_executed("--html", "heat.ipynb")
        self.assertIn("found", self.path("heat_executed.html").read_text())
        self.run_executed("--html", "heat.ipynb")  # again
        self.path("heat_executed.ipynb").unlink()
        self.run_command(binary(), "run", "-q", "--html", "--temporary", "heat.ipynb", env=self.environment())
        self.assertEqual(self.cells(), [(1, "completed", [("stdout", "found\n")])])
        for command, option in (("run", "executed"), ("run", "html"), ("submit", "executed"), ("submit", "html")):
            done = self.nbscorep(command, "--sweep=x.yaml", f"--{option}=x", "heat.ipynb", env=self.environment())
            self.assertEqual((done.status, done.err.splitlines()[0]),
                             (2, b"nbscorep: '--sweep' and '--%s=FILE' exclude each other" % option.encode()))
        done = self.run_executed("--html=mine.html", "heat.ipynb")
        self.assertIn(b"was not written by nbscorep; it is left as it is", done.err)
        self.assertEqual(self.path("mine.html").read_text(), "<p>mine</p>")

    def test_figures_of_the_monitor(self):
        # A busy sampler may read both marks of a short cell at once, and knows no processor time of it then.
        self.make(PARAMETERS, code("import time\nx = bytearray(50_000_000)\nwhile time.process_time() < .5: pass",
                                   metadata={"nbscorep": {"mine": 1}}))
        for run in "parent", "script":
            if run == "parent":
                self.run_executed("--monitor=10ms", "-p", "n=2", "heat.ipynb")
            else:
                self.run_command("./heat_run.sh", env=self.environment(NBSCOREP_EXECUTED="yes", NBSCOREP_MONITOR="0.01"))
            first, injected, second = [cell.metadata.get("nbscorep", {}) for cell in self.read().cells]
            self.assertEqual((first["cell"], injected, second["cell"], second["mine"]), (1, {}, 2, 1))
            self.assertGreater(second["memory_change"], 40_000_000)
            self.assertLess(first.get("memory_change", 0), 40_000_000)
            self.assertLess({"seconds", "core_seconds", "memory_peak", "counters", "gauges"}, set(second))
        done = self.nbscorep("report", "--notebook=heat.ipynb", "heat.samples")
        self.assertEqual(done.err, b"nbscorep: cannot add figures to 'heat.ipynb': "
                         b"it is not an executed notebook of nbscorep\n")

    def test_output_limit(self):
        self.make("print('x' * 3000)", "from IPython.display import clear_output\nfor i in range(50):\n    print('y' * 900)\n"
                  "    clear_output(wait=i % 2)\nprint('z' * 1000)")
        self.run_executed("--output-limit=1K", "heat.ipynb")
        self.assertEqual(self.cells()[0][2], [("stdout", "x" * 1024), (
            "stderr", "[nbscorep: 1977 more bytes of output are only in the log]\n")])
        self.assertEqual(self.cells()[1][2], [("stdout", "z" * 1000 + "\n")])  # what is cleared takes no room


class Results(ExecutedCase):
    GLUE = ("from IPython.display import display\n"
            "def glue(name, data):\n"
            "    display({'application/scrapbook.scrap.json+json': {'name': name, 'data': data, 'encoder': 'json',"
            " 'version': 1}}, raw=True)\n")

    def results(self, *words, status=0):
        done = self.nbscorep("results", *words, env=self.environment())
        self.assertEqual(done.status, status, done)
        return done

    def test_sweep(self):
        self.make(PARAMETERS, self.GLUE + "glue('loss', 1 / n)", "glue('n', [n])", "if n == 2: 1 / 0")
        self.write("sweep.yaml", "grid: {n: [1, 10, 2]}")
        self.nbscorep("run", "-q", "--executed", "--sweep=sweep.yaml", "heat.ipynb", env=self.environment())
        text = self.results("--format=csv", "--sort=-n", "heat_sweep").out.decode()
        found = [[word for at, word in enumerate(line.split(",")) if at != 2] for line in text.splitlines()]
        self.assertEqual(found, [["notebook", "status", "cell", "n", "loss", "n (scrap)"],
                                 ["heat_sweep/2/heat_executed.ipynb", "0", "", "10", "0.1", "[10]"],
                                 ["heat_sweep/3/heat_executed.ipynb", "1", "4", "2", "0.5", "[2]"],
                                 ["heat_sweep/1/heat_executed.ipynb", "0", "", "1", "1.0", "[1]"]])
        lines = self.results("--sort", "loss", ".").out.decode().splitlines()
        self.assertRegex(lines[1], r"^\./heat_sweep/2/heat_executed\.ipynb +0 +[\d.]+ +10 +0\.1 +\[10\]$")
        self.assertEqual(len(lines), 4)
        found = json.loads(self.results("--format=json", "heat_sweep/3/heat_executed.ipynb").out)
        self.assertEqual([found[0][name] for name in ("status", "cell", "parameters", "scraps")],
                         [1, 4, {"n": 2}, {"loss": 0.5, "n": [2]}])
        self.assertEqual(self.results("--sort=x", "heat_sweep", status=2).err,
                         b"nbscorep: no column is called 'x'; the columns are notebook, status, seconds, cell, n, loss, n (scrap)\n")

    def test_papermill(self):
        """A notebook that papermill has executed, with scraps of its first versions."""
        papermill = {"parameters": {"a": "x"}, "start_time": "2020-01-01T00:00:00.5", "end_time": "2020-01-01T00:00:02",
                     "duration": 1.5, "exception": None}
        scrap = {"output_type": "display_data", "metadata": {}, "data": {"application/papermill.record+json": {"b": 2}}}
        self.write("p.ipynb", notebook(code("1", outputs=[scrap]), papermill=papermill))
        self.assertEqual(self.results("p.ipynb").out, b"notebook  status  seconds  a  b\np.ipynb        0      1.5  x  2\n")

    def test_killed(self):
        process = self.begin("print('first', flush=True)\nimport time\ntime.sleep(1000)")
        self.assertEqual(process.stdout.readline(), b"first\n")
        wait_for(lambda: "running" in self.path("heat_executed.ipynb").read_text())
        found = json.loads(self.results("--format=json", ".").out)
        self.assertEqual((found[0]["status"], found[0]["cell"]), ("running", 1))
        for number in [process.pid, *pids(f"executed-writer=.*{self.folder}/")]:
            os.kill(number, signal.SIGKILL)
        process.wait()
        found = json.loads(self.results("--format=json", ".").out)
        self.assertEqual((found[0]["status"], found[0]["cell"]), ("killed", 1))
        self.assertEqual(self.cells(), [(1, "failed", [("stdout", "first\n")])])
        self.assertFalse(self.path(".heat_executed.ipynb.journal").exists())

    def test_journal_of_a_stranger(self):
        """It names another file, but says nothing where it is."""
        self.path("sub").mkdir()
        self.write("victim", "kept")
        order = {"order": {"path": str(self.path("victim")), "limit": 1, "left_out": [], "version": "", "input": "",
                           "measurement": ""}, "kind": "begun", "time": 0}
        source = notebook("1")
        self.write("sub/.x.ipynb.journal", json.dumps(order | {"size": len(source)}).encode() + b"\n" + source + b"\n")
        self.assertEqual(json.loads(self.results("--format=json", "sub").out)[0]["status"], "killed")
        self.assertEqual(self.path("victim").read_text(), "kept")
        self.write("sub/.victim.ipynb.journal", "{")
        self.write("sub/victim.ipynb", "kept")
        self.assertIn(b"cannot complete 'sub/victim.ipynb': 'sub/victim.ipynb' was not written by nbscorep",
                      self.results("sub", status=1).err)
        self.assertEqual(self.path("sub/victim.ipynb").read_text(), "kept")

    def test_wrong_input(self):
        self.write("text.ipynb", "x")
        self.write("list.ipynb", "[]")
        self.write("fresh.ipynb", notebook("1"))
        self.path("none").mkdir()
        for name, reason in (("text.ipynb", b"'text.ipynb' is not an executed notebook: Expecting value"),
                             ("list.ipynb", b"'list.ipynb' is not an executed notebook"),
                             ("fresh.ipynb", b"neither nbscorep nor papermill has executed it"),
                             ("missing", b"cannot read 'missing': No such file or directory"),
                             ("none", b"no executed notebook in 'none'; 'nbscorep run --executed' writes one")):
            done = self.results(name, status=1)
            self.assertTrue(done.err.startswith(b"nbscorep: ") and reason in done.err, done)
            self.assertEqual(done.out, b"")


def pids(pattern):
    found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True)
    return [int(number) for number in found.stdout.split()]


class Hostile(ExecutedCase):
    """What scripts do to their descriptors, threads and children, and what lies in the way."""

    def test_threads(self):
        self.make("from IPython.display import display, HTML\nfrom concurrent.futures import ThreadPoolExecutor\n"
                  "def show(i):\n    for k in range(20): display(HTML(f'<b>{i}</b>' * 20000))\n"
                  "with ThreadPoolExecutor(6) as pool: list(pool.map(show, range(6)))", "2")
        self.run_executed("--output-limit=100M", "heat.ipynb")
        (_, _, shown), (_, _, second) = self.cells()
        texts = [data["text/html"] for kind, data in shown if kind == "display_data"]
        self.assertEqual(sorted(texts), sorted(f"<b>{i}</b>" * 20000 for i in range(6) for _ in range(20)))
        self.assertEqual(second, [("execute_result", {"text/plain": "2"})])

    def test_forked_children(self):
        self.make("import os\nfrom IPython.display import display\nif os.fork() == 0:\n    display('child')\n    1 / 0\n"
                  "os.wait()[1]", "p = os.fork()\nif p: os.wait()", "p == 0")
        done = self.run_executed("heat.ipynb")
        self.assertEqual(done.out, b"'child'\n256\nTrue\nFalse\n")
        self.assertIn(b"ZeroDivisionError: division by zero\n", done.err)
        self.assertEqual(self.cells()[0][1], "completed")

    def test_reader_of_the_log_that_goes(self):
        run = self.begin("while True: print('y' * 100)", stderr=subprocess.PIPE)
        run.stdout.readline()
        run.stdout.close()
        self.assertEqual(run.wait(), 128 + signal.SIGPIPE)
        self.assertEqual(self.read().metadata.nbscorep_run.status, 128 + signal.SIGPIPE)

    def test_descriptors_that_are_closed(self):
        self.make("import os\nos.closerange(3, 100)\nfiles = [open(f'f{i}', 'w') for i in range(30)]", "1 + 1",
                  "for file in files: file.close()")
        self.assertEqual(self.run_executed("heat.ipynb").out, b"2\n")
        self.assertEqual({self.path(f"f{i}").read_text() for i in range(30)}, {""})

    def test_errors_and_values_that_are_odd(self):
        self.make("class E(Exception):\n    def __str__(self): return 1 / 0\nraise E()",
                  "from IPython.display import display\ndeep = []\nfor i in range(900): deep = [deep]\n"
                  "display({'application/json': deep, 'text/plain': 'x'}, raw=True)",
                  "display({'application/json': {(1, 2): float('nan')}, 'text/html': {'a': 1}, 'text/plain': 'y'}, raw=True,"
                  " metadata=[1])", "import sys\nsys.exit('bye')", "import ctypes\nctypes.CDLL(None).puts(b'from C')\nNone")
        self.run_executed("--allow-errors", "heat.ipynb")
        outputs = [outputs for _, _, outputs in self.cells()]
        self.assertEqual(outputs[0], [("E", "<exception str() failed>")])
        self.assertEqual(outputs[2], [("display_data", {"application/json": {"(1, 2)": None}, "text/html": "{'a': 1}",
                                                        "text/plain": "y"})])
        self.assertEqual(outputs[4], [("stdout", "from C\n")])
        self.make("import sys\nsys.exit('bye')")
        self.run_executed("heat.ipynb", status=1)
        self.assertEqual(self.cells()[0][2], [("stderr", "bye\n")])

    def test_hook_that_ends_the_process(self):
        self.make("import os, sys\ndef hook(*error):\n    print('aborts', file=sys.stderr, flush=True)\n    sys.exit(9)\n"
                  "sys.excepthook = hook\n1 / 0")
        self.assertEqual(self.run_executed("heat.ipynb", status=9).err, b"aborts\n")
        self.assertEqual(self.read().metadata.nbscorep_run.status, 9)

    def test_files_in_the_way(self):
        """They stay, and the script runs."""
        for name in ".heat_executed.ipynb.journal", ".heat_executed.ipynb.part":
            for make in (lambda path: path.write_text("precious"), os.mkfifo):
                self.make("print(1)")
                make(self.path(name))
                done = self.run_executed("heat.ipynb")
                self.assertEqual(done.out, b"1\n")
                self.assertIn(b"nbscorep: no executed notebook: ", done.err)
                self.assertTrue(self.path(name).is_fifo() or self.path(name).read_text() == "precious")
                self.path(name).unlink()
                self.assertEqual([path for path in self.files() if path.startswith(".heat")], [])
        os.mkfifo(self.path("heat_executed.ipynb"))
        self.assertIn(b"' is not a file\n", self.run_executed("heat.ipynb").err)

    def test_ids_that_are_taken(self):
        cells = [code("1", id="cell-2"), code("2", id="cell-2"), code("3", id="injected-parameters"), code("1 / 0", id="cell-3")]
        self.write("heat.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
        self.run_executed("heat.ipynb", status=1)
        self.assertEqual(len({cell.id for cell in self.read().cells}), 6)

    def test_results_of_strange_values(self):
        for number, (value, name) in enumerate([(0.9, "a"), (float("nan"), "\u00b2"), (0.95, "x\n"), ("10\u00b2", 5)]):
            scrap = {"output_type": "display_data", "metadata": {},
                     "data": {"application/scrapbook.scrap.json+json": {"name": name, "data": value}}}
            papermill = {"parameters": {"acc": value}, "start_time": "2020-01-01T00:00:00", "end_time": "2020-01-01T00:00:02",
                         "duration": 1.5, "exception": None}
            self.write(f"{number}\u00b2.ipynb", notebook(code("1", outputs=[scrap]), papermill=papermill))
        os.mkfifo(self.path("fifo.ipynb"))
        done = self.nbscorep("results", "--sort=-acc", ".", env=self.environment())
        self.assertEqual((done.status, done.err), (1, b"nbscorep: './fifo.ipynb' is not an executed notebook: "
                                                   b"it is not a file\n"))
        lines = done.out.decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:]],
                         [f"./{number}\u00b2.ipynb" for number in (3, 2, 0, 1)])
        self.assertIn("x\ufffd", lines[0])


class Killed(ExecutedCase):
    def start(self):
        with open(self.path("log"), "wb") as log:
            process = self.begin("import os\nprint('first', flush=True)",
                                 "import itertools\nfor i in itertools.count(): print(i)", stdout=log, stderr=log)
        wait_for(lambda: b"first\n0\n" in self.path("log").read_bytes())
        return process

    def writer(self):
        return pids(f"executed-writer=.*{self.folder}/")

    def check(self, whole):
        """The notebook has what the log has, if WHOLE: all of it."""
        log = self.path("log").read_text().partition("nbscorep: ")[0]
        text = "".join(output.text for cell in self.read().cells for output in cell.outputs).partition("nbscorep: ")[0]
        # The writer keeps what it reads before it writes the log: a killed one may leave more in the notebook.
        written = "first\n" + "".join(f"{number}\n" for number in range(text.count("\n") + 1))
        self.assertTrue(written.startswith(text) and text.startswith("first\n"), (text[-50:], log[-50:]))
        if whole:
            self.assertEqual(text, log)

    def test_script(self):
        for seed in range(3):
            process = self.start()
            time.sleep(random.Random(seed).uniform(0, .1))  # the moment is random
            process.kill()
            process.wait()
            wait_for(lambda: not self.writer())
            self.check(whole=True)
            self.assertEqual([status for _, status, _ in self.cells()], ["completed", "failed"])

    def test_signal(self):
        process = self.start()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        self.check(whole=True)
        self.assertIn("nbscorep: ended by SIGTERM in cell 2, which ran for ", self.path("log").read_text())
        self.assertEqual(self.read().metadata.nbscorep_run.status, 128 + signal.SIGTERM)

    def test_writer(self):
        """The script goes on, and nothing is missing in the log but what the writer held in its memory, which is at most
        what a read of a pipe gives, and a line that it had written in part."""
        process = self.start()
        wait_for(lambda: self.path("heat_executed.ipynb").exists())
        for number in self.writer():
            os.kill(number, signal.SIGKILL)
        size = self.path("log").stat().st_size
        wait_for(lambda: self.path("log").stat().st_size > size + 5_000_000)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + signal.SIGTERM)
        first, *lines = re.sub("nbscorep: .*\n", "", self.path("log").read_text()).splitlines()
        gaps = [at for at in range(1, len(lines)) if lines[at] != str(int(lines[at - 1]) + 1)]
        self.assertEqual((first, lines[0]), ("first", "0"))
        self.assertLessEqual(len(gaps), 2, gaps)
        if gaps:
            self.assertLessEqual(sum(len(str(n)) + 1 for n in range(int(lines[gaps[0] - 1]), int(lines[gaps[-1]]))), 1 << 20)
        self.check(whole=False)
        self.assertFalse(self.path(".heat_executed.ipynb.journal").exists())

    def test_child_of_a_killed_script(self):
        """What it still writes is no less an output."""
        run = self.begin("import os, subprocess\nprint('first', flush=True)\nsubprocess.Popen('while ! test -e go; "
                         "do sleep .01; done; echo late', shell=True)\nos.kill(os.getpid(), 9)")
        self.assertEqual(run.wait(), -signal.SIGKILL)
        self.path("go").write_text("")
        self.assertEqual(run.stdout.read(), b"first\nlate\n")
        wait_for(lambda: not self.writer())
        self.assertEqual(self.cells(), [(1, "failed", [("stdout", "first\nlate\n")])])

    def test_all(self):
        """What follows recovers the notebook."""
        process = self.start()
        for number in [process.pid, *self.writer()]:
            os.kill(number, signal.SIGKILL)
        process.wait()
        self.make("1 / 0", "2", "3")
        self.run_executed("heat.ipynb", status=1)
        self.assertEqual([status for _, status, _ in self.cells()], ["failed", "pending", "pending"])


if __name__ == "__main__":
    unittest.main()
