"""Prints what to do and ends with status 3 if the bindings or scorep-config are missing."""
import importlib.util, os, sys

found = importlib.util.find_spec("scorep")  # a plain folder has no origin, a module no locations
found = found and found.origin and found.submodule_search_locations
programs = [os.path.join(folder, "scorep-config") for folder in os.get_exec_path()]
config = any(os.path.isfile(path) and os.access(path, os.X_OK) for path in programs)
if not (found and config):
    reason = ("Score-P bindings are installed, but" if found else
              f"'{sys.executable}' has no Score-P bindings (module 'scorep')")
    reason += "" if config else ("" if found else ", and") + " no scorep-config is on PATH"
    print(f"nbscorep: cannot measure: {reason}\n"
          "Install the bindings (pip install scorep) into a virtual environment, and set PYTHON to "
          "its python\nor build with --python; put Score-P's programs on PATH; or set "
          "NBSCOREP_MEASURE=no to run unmeasured", file=sys.stderr)
    sys.exit(3)
