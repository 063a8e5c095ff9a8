"""Does once what each start of the bindings does: `prepare.py FOLDER OPTION... SCRIPT`.

It lets the bindings start as they always do and stops them where they would start themselves again
with the variables they need. FOLDER/environment gets those, each with a NUL behind it, and FOLDER
their files. That way it knows nothing of a version's options or variables."""
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
sys.exit("the bindings started the script at once")
