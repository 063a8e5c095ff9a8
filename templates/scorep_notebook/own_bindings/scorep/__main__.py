"""python3 -m scorep [ARGUMENT...] SCRIPT [ARGUMENT...]: runs a script recorded, as Score-P's bindings do."""
import os
import sys

from . import _recorder
from .instrumenter import get_instrumenter

USAGE = "usage: python3 -m scorep [--noinstrumenter] [--instrumenter-file=FILE] SCRIPT [ARGUMENT...]\n"
KNOWN = ("--keep-files", "--verbose", "-v", "--user", "--nouser", "--compiler", "--nocompiler", "--memory",
         "--thread=", "--mpp=", "--instrumenter-type=")


def read_file(path):
    with open(path, "rb") as file:
        return compile(file.read(), path, "exec", dont_inherit=True)


def main(words):
    instruments, files = True, []
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, _, value = word.partition("=")
        if word == "--help":
            sys.stdout.write(USAGE)
            return
        if word in ("--noinstrumenter", "--nopython", "--instrumenter-type=dummy"):
            instruments = False
        elif name == "--instrumenter-file" and value:
            files.append(value)
        elif not word.startswith(KNOWN):
            _recorder.tell(f"'{word}' is for Score-P; the recorder does not know it")
    if not words:
        sys.stderr.write(USAGE)
        sys.exit(2)
    if _recorder.module is None and "NBSCOREP_RECORD" in os.environ:
        problem = _recorder.start(os.path.abspath(words[0]))
        if problem:
            _recorder.tell(problem)
    elif _recorder.module is None:
        _recorder.tell("nothing is recorded: 'nbscorep record -- python3 -m scorep ...' does")
    sys.argv[:] = words
    sys.path[0] = os.path.dirname(os.path.abspath(words[0]))
    script = sys.modules["__main__"] = type(sys)("__main__")
    vars(script).update(__file__=words[0], __builtins__=__builtins__)
    code = read_file(words[0])
    for file in files:
        exec(read_file(file), {"__name__": "__main__", "__file__": file})
    if instruments:
        get_instrumenter().run(code, vars(script), vars(script))
    else:
        exec(code, vars(script))


main(sys.argv[1:])
