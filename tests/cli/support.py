"""What the tests from outside share: folders to work in, notebooks, processes; harness.py's, too.

NBSCOREP names the binary to test (ctest sets it). A test file also runs alone:
NBSCOREP=build/src/nbscorep python3 tests/cli/build_test.py
"""
import atexit
import contextlib
import errno
import functools
import json
import os
import pathlib
import pty
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import binary, clean_environment, setting  # noqa: E402,F401  for those that import this

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = {path.parent.name: path.parent for path in sorted((ROOT / "fixtures").glob("*/*/why.txt"))}
DOUBLE = ROOT / "tests" / "double"
# Variables of a program that the double measures.
UNDER_DOUBLE = {"PYTHONPATH": str(DOUBLE), "PATH": f"{DOUBLE}/bin:{os.environ['PATH']}"}
TIMEOUT = 300  # seconds; only what hangs takes that long, on a busy machine too
NO_SPACE = b"No space left on device"
NOBODY = 65534
IS_ROOT = os.getuid() == 0
# Arguments of run_command() and nbscorep() for what file permissions apply to.
UNPRIVILEGED = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if IS_ROOT else {}
CASE_FILES = {"why.txt", "args", "no-run", "no-compile", "expected"}


def code(source, **more):
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source} | more


def markdown(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def notebook(*cells, **metadata):
    """A notebook (nbformat 4.4) as bytes; a str is a code cell."""
    return json.dumps({
        "cells": [code(c) if isinstance(c, str) else c for c in cells],
        "metadata": {"language_info": {"name": "python"}} | metadata,
        "nbformat": 4, "nbformat_minor": 4}).encode()


def prints(text):
    return "printf %s " + shlex.quote(text)


def scorep_config(version="8.4", text="8.4-all.txt", shared=True):
    """The commands of a scorep-config of this VERSION."""
    libraries = "echo ' libscorep.so'" if shared else (
        "echo \"[Score-P] ERROR: Unsupported option: '--preload-libs'.\n"
        "                 This installation contains no shared Score-P libraries.\" >&2; exit 1")
    help_text = prints((ROOT / "tests/unit/data/scorep-config" / text).read_text())
    return (f"case $1 in --version) printf {version} ;; --help) {help_text} ;;"
            f" --preload-libs) {libraries} ;; *) exit 1 ;; esac")


@functools.lru_cache(None)
def binary_for_others():
    """A copy of the nbscorep to test that every user can reach: the checkout may be below a folder
    of mode 0700."""
    folder = tempfile.mkdtemp(prefix="nbscorep-test-binary-")
    atexit.register(shutil.rmtree, folder)
    os.chmod(folder, 0o755)
    return shutil.copy(binary(), folder)


def process_state(pid):
    """As ps has it: "S", "Z"; empty if there is no such process."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def is_in_package(path):
    """True for the runtime package and its files."""
    return any(part.startswith("scorep_notebook_") for part in path.parts)


class Done:
    """A finished process."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    def __repr__(self):
        return f"status {self.status}, stdout {self.out!r}, stderr {self.err!r}"


class Case(unittest.TestCase):
    """A test with a folder of its own, which is also where processes start."""
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nbscorep-test-")).resolve()
        self.folder.chmod(0o755)
        self.addCleanup(self.remove_folder)

    def remove_folder(self):
        for path in [self.folder, *self.folder.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise
            self.wait_until(lambda: not self.is_used())  # a process that is ending has just written its last file
            shutil.rmtree(self.folder)

    def is_used(self):
        """True if a process runs in the folder."""
        for link in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            try:
                if os.readlink(link).startswith(str(self.folder)):
                    return True
            except OSError:  # it has ended, or is another user's
                pass
        return False

    def path(self, name):
        return self.folder / name

    def write(self, name, content):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def tool(self, name, commands, folder="bin"):
        """A program, as FOLDER/NAME."""
        path = self.write(f"{folder}/{name}", f"#!/bin/sh\n{commands}\n")
        path.chmod(0o755)
        return path

    def run_command(self, *command, cwd=None, stdin=b"", env=None, timeout=TIMEOUT, **more):
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
        return Done(subprocess.run([*command], cwd=cwd or self.folder, input=stdin,
                                   env=clean_environment() if env is None else env,
                                   timeout=timeout, **streams))

    def nbscorep(self, *arguments, **more):
        program = binary_for_others() if "user" in more else binary()
        done = self.run_command(program, *arguments, **more)
        self.assertIn(done.status, (0, 1, 2, 3), f"{arguments}: {done}")
        return done

    def on_terminal(self, stream, *arguments, cwd=None, env=None):
        """Status and text of a call whose STREAM is a terminal."""
        leader, follower = pty.openpty()
        with subprocess.Popen([binary(), *arguments], cwd=cwd or self.folder, env=env, **{stream: follower}) as process:
            os.close(follower)
            text = b""
            with contextlib.suppress(OSError):  # Linux has no other end of it
                while piece := os.read(leader, 4096):
                    text += piece
            os.close(leader)
            return process.wait(timeout=TIMEOUT), text

    def ended(self, status, says, *arguments, **more):
        """A call that ends with STATUS and says SAYS, bytes or text, on standard error."""
        done = self.nbscorep(*arguments, **more)
        self.assertEqual(done.status, status, done)
        self.assertIn(says, done.err if isinstance(says, bytes) else done.err.decode())
        return done

    def build(self, *arguments, **more):
        """A build that must succeed without a word."""
        done = self.nbscorep("build", *arguments, **more)
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done

    def files(self, folder=None):
        """Relative name -> bytes of each regular file; other things -> what they are. Without the
        runtime package, which lies beside scripts."""
        top = folder or self.folder
        found = {}
        for path in sorted(top.rglob("*")):
            name = str(path.relative_to(top))
            if is_in_package(path):
                continue
            if path.is_symlink():
                found[name] = ("link", os.readlink(path))
            elif path.is_file():
                found[name] = path.read_bytes() if os.access(path, os.R_OK) else "unreadable"
            elif not path.is_dir():
                found[name] = "special"
        return found

    def assert_gone(self, *pids):
        """These processes end, if they have not. A dead one may have a parent that does not wait."""
        self.wait_until(lambda: all(process_state(pid) in ("", "Z") for pid in pids))

    def wait_until(self, holds):
        end = time.monotonic() + TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), end, "what the test waits for has not come")
            time.sleep(0.001)

    def assert_no_rest(self):
        """No temporary file was left behind."""
        rest = [name for name in self.files() if "nbscorep-" in os.path.basename(name)]
        self.assertEqual(rest, [])

    def copy_fixture(self, name, to):
        """The files of the fixture NAME that a build sees. Returns the arguments of its build."""
        to.mkdir(parents=True, exist_ok=True)
        for item in FIXTURES[name].iterdir():
            if item.name not in CASE_FILES:
                (shutil.copytree if item.is_dir() else shutil.copy)(item, to / item.name)
        args = FIXTURES[name] / "args"
        return shlex.split(args.read_text()) if args.exists() else ["notebook.ipynb"]
