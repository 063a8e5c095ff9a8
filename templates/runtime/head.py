"""What surrounds a script while it runs: signals, uncaught exceptions, places in the notebook.

The run script hands this to Python as the bindings' instrumenter file, or, where nothing is
measured, as Python's program with the script behind it. Its functions are those of a module
scorep..., which the bindings never record. Given: cells, the table that place.py reads; agrees,
whether the script talks to other ranks; all_ranks, whether all of them show and save things."""
import __future__  # a script's own import of it would be recorded
import os
import signal
import sys

measured = sys.modules["__main__"].__spec__ is not None  # python3 -m scorep
if measured:
    import scorep.instrumenter
    import scorep.user
else:
    program = sys.argv.pop(0)
script = sys.argv[0]
