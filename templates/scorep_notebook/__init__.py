"""What compiled notebooks call: display, shell commands, timing, figures and other things of Jupyter.

A script imports this package before its first cell and calls `scorep_notebook.NAME(...)`. NAME is
loaded from the module in _MODULES when it is first used, with the instrumenter off. Score-P's bindings
never record a module whose name begins with "scorep", so no trace shows this package.

`python3 FOLDER [OPTION...] SCRIPT [ARGUMENT...]` runs a script (__main__.py). A script that is started
as `python3 SCRIPT` or `python3 -m scorep SCRIPT` works, too.
"""
import builtins
import importlib
import os
import sys

try:
    import scorep.instrumenter
    import scorep.user
except ImportError:  # no bindings: regions do nothing
    sys.modules.pop("scorep", None)  # a folder of that name
    sys.path.append(os.path.join(os.path.dirname(__file__), "own_bindings"))
    import scorep.instrumenter
    import scorep.user

from . import adjustments, frames

_MODULES = {
    "asynchronous": "run_async",
    "captured": "capture may_raise",
    "cell_limit": "cell_timeout",
    "commands": "getoutput getoutput_cell install shell",
    "environment": "getenv setenv",
    "figures": "save_figures",
    "files": "pycat writefile",
    "folders": "cd dhist dirs popd pushd pwd",
    "frames": "cell",
    "inclusion": "include",
    "interactive": "get_ipython",
    "ipython": "cell_magic line_magic",
    "jumper": "monitor_cells perfmonitor_start",
    "jumper_data": "perfmonitor_export_perfdata perfmonitor_load_perfdata",
    "jumper_help": "perfmonitor_help perfmonitor_resources",
    "jumper_history": "cell_history perfmonitor_export_cell_history perfmonitor_load_cell_history",
    "jumper_plot": "perfmonitor_plot",
    "jumper_reports": "perfmonitor_disable_perfreports perfmonitor_enable_perfreports"
                      " perfmonitor_fast_setup perfmonitor_perfreport perfmonitor_stop",
    "jumper_sessions": "export_session import_session",
    "matplotlib_magics": "config matplotlib pylab",
    "namespace": "reset reset_selective who_ls xdel",
    "number_format": "precision",
    "outputs": "echo out",
    "parameters": "set_parameters take_parameters",
    "profiling": "prun prun_cell",
    "programs": "killbgscripts script",
    "rich_display": "display",
    "run_magic": "run",
    "timing": "time_text timed timed_value timeit timeit_cell",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name):
    """Loads what a script uses for the first time."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    with scorep.instrumenter.disable():
        module = importlib.import_module(f".{_MODULE_OF[name]}", __name__)
        if name == "get_ipython":
            module.begin(sys._getframe(1).f_globals)
        value = getattr(module, name)
    globals()[name] = value
    return value


_FEATURES = {  # the module and the function of each, which gets the script's names
    "event_loop": ("asynchronous", "use_event_loop"),  # top-level await
    "first_generation": ("bindings_0", "first_generation"),  # names of the bindings 0.x
    "folders": ("folders", "keep_folders"),  # _dh
    "ipython_display": ("ipython_display", "join_ipython"),
    "kept_names": ("namespace", "keep_names"),
    "outputs": ("outputs", "keep_values"),  # Out, _3
}


def provide(*features):
    """Gives the script the features of Jupyter that its notebook uses, before its first cell."""
    names = sys._getframe(1).f_globals
    with scorep.instrumenter.disable():
        for feature in features:
            module, function = _FEATURES[feature]
            getattr(importlib.import_module(f".{module}", __name__), function)(names)


def _display(*objects, **options):
    """The builtin `display`, which IPython also gives to modules."""
    return sys.modules[__name__].display(*objects, **options)


_display.__name__ = _display.__qualname__ = "display"
if not hasattr(builtins, "display"):
    builtins.display = _display
adjustments.adjust()
frames.watch()
