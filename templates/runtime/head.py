"""The runtime around a script: signals, uncaught exceptions, places in the notebook.

The run script passes this to Python as the bindings' instrumenter file, or, if nothing is measured,
as Python's program, followed by the script. Its functions belong to a module scorep..., which the
bindings never record. Given: cells, the table that place.py reads; agrees, true if the script
communicates with other ranks; all_ranks, true if all ranks show values and save figures."""
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
