"""Prepares the bindings once for several starts: `prepare.py FOLDER OPTION... SCRIPT`.

Starts the bindings normally, and stops them where they would start themselves again with the
variables that they need. Writes these to FOLDER/environment, each followed by a NUL, and the
bindings' files to FOLDER. So it does not depend on the options or variables of a version."""
import os
import runpy
import sys
import tempfile

folder = sys.argv[1]
before = dict(os.environ)


def stop(path, arguments, environment):
    with open(os.path.join(folder, "environment"), "wb") as out:
        for name, value in environment.items():
            if before.get(name) != value:
                out.write(os.fsencode(f"{name}={value}") + b"\0")
    os._exit(0)


os.execve = stop
os.execv = lambda path, arguments: stop(path, arguments, os.environ)
tempfile.tempdir = folder
sys.argv[1:] = ["--keep-files"] + sys.argv[2:]
runpy.run_module("scorep", run_name="__main__", alter_sys=True)
sys.exit("the bindings started the script without starting themselves again")
