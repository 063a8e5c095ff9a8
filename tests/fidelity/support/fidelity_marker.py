"""Marks in both output streams where a cell of the compiled script begins."""
import os
import sys


def cell(number):
    """Writes the marker past sys.stdout and sys.stderr, which a notebook may replace."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        stream.flush()
    for descriptor in (1, 2):
        os.write(descriptor, b"\x1e%d\x1f" % number)
