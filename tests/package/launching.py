"""Compiled notebooks that the launcher runs, as a run script starts it, under the double of the bindings."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import clean_environment, members  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOUBLE = ROOT / "tests" / "double"
PACKAGE = "scorep_notebook_0_1_test"
BUILD = "0123456789abcdef"
TIMEOUT = 120
HEAD = (f"# Compiled by nbscorep from heat.ipynb. Edit the notebook, then build again.\n"
        f"# nbscorep build {BUILD}\n"
        f"import {PACKAGE} as scorep_notebook  # the folder beside this file\n"
        "import scorep.instrumenter, scorep.user\n")

# What nbscorep writes for a plain notebook, with OPTIONS and exported functions put in.
RUN_SCRIPT = r"""#!/usr/bin/env bash
set -eu
here=${0%/*}
CDPATH='' cd -P -- "$here"
@FUNCTIONS@
exec "${PYTHON:-python3}" "$PWD/@PACKAGE@" --build=@BUILD@ @OPTIONS@ "$PWD/heat.py" "$@"
"""

# A launcher that starts N processes as Open MPI does, and passes signals on as mpirun does: USR1, USR2.
LAUNCHER = """#!/usr/bin/python3
import os, signal, subprocess, sys
number, words = int(sys.argv[2]), sys.argv[3:]
ranks = []
for name in "USR1", "USR2":
    signal.signal(getattr(signal, "SIG" + name), lambda n, f: [rank.send_signal(n) for rank in ranks])
def kill(number, frame):
    for rank in ranks:
        rank.kill()
    sys.exit(1)
signal.signal(signal.SIGTERM, kill)
for rank in range(number):
    ranks.append(subprocess.Popen(words, env=dict(
        os.environ, OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE=str(number))))
status = max(rank.wait() for rank in ranks)
sys.exit(128 - status if status < 0 else status)
"""


def cells(*texts):
    """A script of cells with these TEXTS."""
    script = HEAD
    for number, text in enumerate(texts, 1):
        script += f"\n# %% cell {number}\nwith scorep.user.region(\"cell {number}\"):\n"
        script += "".join(f"    {line}\n" for line in text.splitlines())
    return script


class LaunchCase(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="nbscorep-test-launch-")
        self.addCleanup(holder.cleanup)
        self.top = pathlib.Path(holder.name).resolve()
        self.tmp, self.tools = self.top / "tmp", self.top / "tools"
        self.tmp.mkdir()
        self.tools.mkdir()
        self.folder = self.make_folder("nb")

    def make_folder(self, name):
        folder = self.top / name
        folder.mkdir(parents=True)
        (folder / PACKAGE).symlink_to(ROOT / "templates" / "scorep_notebook")
        return folder

    def environment(self, **more):
        return clean_environment(**{
            "PATH": f"{self.tools}:{DOUBLE}/bin:{os.environ['PATH']}", "PYTHON": sys.executable,
            "PYTHONPATH": str(DOUBLE), "TMPDIR": str(self.tmp), **more})

    def unmeasured(self, **more):
        return self.environment(**{"NBSCOREP_MEASUREMENT": "none", **more})

    def tool(self, name, text):
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)

    def make(self, *texts, options="", functions=""):
        """Writes heat.py with cells of these TEXTS, and its run script."""
        (self.folder / "heat.py").write_text(cells(*texts))
        run = self.folder / "heat_run.sh"
        run.write_text(RUN_SCRIPT.replace("@FUNCTIONS@", functions).replace("@PACKAGE@", PACKAGE)
                       .replace("@BUILD@", BUILD).replace("@OPTIONS@", options))
        run.chmod(0o755)

    def run_script(self, *arguments, env=None, **options):
        return subprocess.run([self.folder / "heat_run.sh", *arguments], env=env or self.environment(),
                              capture_output=True, encoding="utf-8", timeout=TIMEOUT, check=False,
                              **{"stdin": subprocess.DEVNULL, **options})

    def begin(self, *arguments, env=None, **options):
        """The run script in a session of its own, as soon as the script has opened the FIFO `ready`."""
        ready = self.folder / "ready"
        if not ready.exists():
            os.mkfifo(ready)
        process = subprocess.Popen([self.folder / "heat_run.sh", *arguments], env=env or self.environment(),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   encoding="utf-8", start_new_session=True, **options)
        self.addCleanup(self.end_session, process)
        return process

    def wait_ready(self, times=1):
        with open(self.folder / "ready") as ready:
            text = ready.read(times)
        while len(text) < times:
            with open(self.folder / "ready") as ready:
                text += ready.read(times - len(text))

    def end_session(self, process):
        for each in members(process.pid):
            os.kill(each, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        process.stderr.close()

    def assert_none_left(self, process):
        until = time.monotonic() + TIMEOUT
        while members(process.pid):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.01)

    def experiments(self):
        return sorted(path for path in self.folder.iterdir()
                      if path.is_dir() and path.name.startswith("scorep-") and path.name != PACKAGE)

    def regions(self, folder=None, name="events.jsonl"):
        """What was entered, and in the end left."""
        stack, entered = [], []
        for line in ((folder or self.experiments()[0]) / name).read_text().splitlines():
            event = json.loads(line)
            if event["event"] == "enter":
                stack.append(event["region"])
                entered.append(event["region"])
            elif event["event"] == "leave":
                self.assertEqual(stack.pop(), event["region"])
        self.assertEqual(stack, [])
        self.assertEqual([each for each in entered if "notebook" in each or each.startswith("scorep")], [])
        return entered
