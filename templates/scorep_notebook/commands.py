"""Commands of a shell: !command, x = !command, and installations of packages."""
import importlib
import pathlib
import re
import shlex
import subprocess
import sys

import scorep.instrumenter

from . import calls, job
from .child import child, command_shell, output_sinks, wait
from .magic_arguments import expand
from .running import run


class settings:
    raises = False  # InteractiveShell.system_raise_on_error


def note_status(status, command, names):
    names["_exit_code"] = status
    if settings.raises and status != 0:
        raise subprocess.CalledProcessError(status, command)


@calls.unrecorded
def shell(command, *scopes):
    """!command: runs it and stores its exit status in _exit_code. In an executed notebook, its errors are in its
    output, as those of Jupyter, which has a terminal for it."""
    sinks = output_sinks()
    command = expand(command, *scopes)
    process = child([command_shell(), "-c", command], sinks, together=run.executed is not None)
    note_status(wait(process, sinks), command, scopes[0])


class SList(list):
    """The lines of a command's output, as IPython gives them."""
    l = list = property(lambda self: self)
    n = nlstr = property("\n".join)
    s = spstr = property(" ".join)

    @property
    def p(self):
        with scorep.instrumenter.disable():
            return [pathlib.Path(line) for line in self if pathlib.Path(line).exists()]

    paths = p

    def grep(self, pattern, prune=False, field=None):
        """The lines in which (or in whose FIELD) PATTERN matches, a regular expression or a function."""
        def part(line):
            words = line.split()
            return line if field is None else words[field] if field < len(words) else ""

        with scorep.instrumenter.disable():
            found = pattern if callable(pattern) else re.compile(pattern, re.IGNORECASE).search
            return type(self)(line for line in self if bool(found(part(line))) != prune)

    def fields(self, *fields):
        """The lines as lists of words; with FIELDS, these words joined by a space."""
        rows = [line.split() for line in self]
        if not fields:
            return rows
        picked = ([row[i] for i in fields if -len(row) <= i < len(row)] for row in rows)
        return type(self)(" ".join(row) for row in picked if row)

    def sort(self, field=None, nums=False):
        """The lines sorted by FIELD: as text, or as the number made of its digits."""
        def key(line):
            words = line.split()
            text = line if field is None else words[field] if field < len(words) else ""
            digits = "".join(c for c in text if c.isdigit())
            return int(digits or 0) if nums else text

        return type(self)(sorted(self, key=key))


@calls.unrecorded
def getoutput(command, *scopes):
    """x = !command: standard output and error as a list of lines."""
    command = expand(command, *scopes)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    done = subprocess.run([command_shell(), "-c", command],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if settings.raises:
        note_status(done.returncode, command, scopes[0])
    return SList(done.stdout.decode(errors="replace").splitlines())


@calls.unrecorded
def getoutput_cell(arguments, text, *scopes):
    """%%sx and %%system [--out NAME]"""
    words = expand(arguments, *scopes).split()
    lines = getoutput.with_names(text, *scopes)
    if words[:1] != ["--out"]:
        return lines
    scopes[0][words[1]] = lines
    return None


def install_command(command):
    """COMMAND, changed to install for the running interpreter and to ask nothing."""
    python = shlex.quote(sys.executable)
    pip = re.match(r"(?:python[\d.]*\s+-m\s+)?pip[\d.]*(?=\s|$)", command)
    if pip:
        return f"{python} -m pip{command[pip.end():]}"
    conda = re.match(r"(?:conda|mamba|micromamba)\s+(?:install|update|upgrade|remove|uninstall)\b",
                     command)
    if conda and not re.search(r"\s(-y|--yes)\b", command):
        return f"{conda[0]} -y{command[conda.end():]}"
    return command


@calls.unrecorded
def install(command, *scopes):
    """Installs packages. Only rank 0 does; the others do not wait for it."""
    if job.rank() != 0:
        return
    command = install_command(expand(command, *scopes).strip())
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    status = subprocess.call(["/bin/sh", "-c", command], stderr=subprocess.STDOUT if run.executed else None)
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    importlib.invalidate_caches()
