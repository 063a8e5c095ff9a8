"""What several modules of the package need."""

import os
import sys


def print_err(*args):
    """Print to stderr, as the Python code of the bindings does."""
    sys.stderr.write(" ".join(map(str, args)) + "\n")
    sys.stderr.flush()


def write_error(text: str):
    """Write to descriptor 2, as C code does: it goes on where nobody reads it."""
    try:
        os.write(2, (text + "\n").encode("utf-8", "surrogateescape"))
    except OSError:
        pass


def score_p_message(severity: str, text: str):
    """A line in the form of Score-P's own messages (without its source positions)."""
    write_error("[Score-P] %s: %s" % (severity, text))
