"""What several modules of the package need."""

import sys


def print_err(*args):
    """Print to stderr, past any buffering, as the C code of Score-P does."""
    sys.stderr.write(" ".join(map(str, args)) + "\n")
    sys.stderr.flush()


def score_p_message(severity: str, text: str):
    """A line in the form of Score-P's own messages (without its source positions)."""
    print_err("[Score-P] %s: %s" % (severity, text))
