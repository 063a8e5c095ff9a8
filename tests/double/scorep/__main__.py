"""`python3 -m scorep [options] script.py [arguments]`.

Facts: the first start prepares and execs itself; the script is exec'd in a fresh dict, not in that
of sys.modules['__main__']; sys.path[0] is the script's folder; sys.argv and __file__ are the
script's; scorep.instrumenter is loaded by then and scorep.user is not.

No `from __future__` here: compile() below would hand it on to the script.
"""

import os
import sys

import scorep.instrumenter
import scorep.subsystem
from scorep import _options
from scorep.helper import print_err


def _err_exit(msg: str):
    print_err("scorep: " + msg)
    sys.exit(1)


def _prepare_and_restart(options):
    scorep.subsystem.init_environment(options.config, options.keep_files, options.verbose)
    os.environ["SCOREP_PYTHON_BINDINGS_INITIALISED"] = "true"
    arguments = [sys.executable, "-m", "scorep"] + sys.argv[1:]
    os.execve(sys.executable, arguments, os.environ)


def _start_measurement():
    """With the real bindings this happens while ld.so loads Score-P, before Python runs."""
    from scorep import _bindings

    _bindings.start(scorep.subsystem.loaded_config())
    scorep.subsystem.reset_preload()


def _run_instrumenter_file(path: str):
    with open(path) as text:
        exec(compile(text.read(), path, "exec"), {"__name__": "__main__", "__file__": path})


def _run(options):
    sys.argv = options.program
    script = options.program[0]
    sys.path[0] = os.path.split(script)[0]
    instrumenter = scorep.instrumenter.get_instrumenter(
        options.instrument, options.instrumenter_type
    )
    if options.instrumenter_file:
        _run_instrumenter_file(options.instrumenter_file)
    try:
        with open(script) as text:
            code = compile(text.read(), script, "exec")
        namespace = {
            "__file__": script,
            "__name__": "__main__",
            "__package__": None,
            "__cached__": None,
        }
        instrumenter.run(code, namespace, namespace)
    except OSError as error:  # as in the real one, this catches the script's own OSErrors too
        _err_exit("Cannot run file %r because: %s" % (sys.argv[0], error))
    finally:
        scorep.subsystem.clean_up(options.keep_files)


def scorep_main():
    options = _options.parse(sys.argv[1:])
    if options.help:
        print(_options.USAGE, end="")
        return
    if not options.program:
        _err_exit("Did not find a script to run")
    if os.environ.get("SCOREP_PYTHON_BINDINGS_INITIALISED") != "true":
        _prepare_and_restart(options)
    _start_measurement()
    _run(options)


def main(argv=None):
    """The script is not sys.modules['__main__'], so code that looks there for main finds this."""
    _err_exit(
        "Someone called scorep.__main__.main(argv).\n"
        "This is not supposed to happen, but might be triggered, if your application calls "
        "\"sys.modules['__main__'].main\"."
    )


if __name__ == "__main__":
    scorep_main()
