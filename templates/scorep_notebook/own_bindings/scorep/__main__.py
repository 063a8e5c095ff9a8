"""python3 -m scorep [ARGUMENT...] SCRIPT [ARGUMENT...]: runs a script recorded, as Score-P's bindings do."""
import os
import sys

from . import _recorder
from .instrumenter import get_instrumenter

USAGE = "usage: python3 -m scorep [--noinstrumenter] [--instrumenter-file=FILE] SCRIPT [ARGUMENT...]\n"


def main(words):
    if words[:1] == ["--help"]:
        sys.stdout.write(USAGE)
        return
    instruments, files = _recorder.read_arguments(words)
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
    code = _recorder.read_file(words[0])
    for file in files:
        exec(_recorder.read_file(file), {"__name__": "__main__", "__file__": file})
    if instruments:
        get_instrumenter().run(code, vars(script), vars(script))
    else:
        exec(code, vars(script))


main(sys.argv[1:])
