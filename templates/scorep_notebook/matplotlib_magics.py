"""%matplotlib, %pylab, and %config of figures."""
import logging
import re
import sys
import types
import warnings

from . import calls, commands
from .figures import figure_formats, open_figures, state
from .magic_arguments import UsageError, expand, merged_names
from .rich_display import display


def gui_arguments(arguments, *flags):
    """(flags, name) in the arguments of %matplotlib or %pylab."""
    words = arguments.split()
    given = [word for word in words if word in flags]
    names = [word for word in words if word not in flags]
    extra = [word for word in names if word[0] == "-"] or names[1:]
    if extra:
        raise UsageError("unrecognized arguments: " + " ".join(extra))
    return given, names[0] if names else None


GUI_NAMES = ("tk gtk gtk3 gtk4 wx qt4 qt5 qt6 qt osx nbagg notebook agg svg pdf ps "
             "inline ipympl widget").split()


def choose_gui(name):
    """NAME, or the first GUI that was requested: a process can have only one."""
    if name == "inline":
        return name
    if name is None:
        return state.gui or "inline"
    gui = None if name == "agg" else name
    state.gui = state.gui or gui
    if gui != state.gui:
        print(f"Warning: Cannot change to a different GUI toolkit: {gui}."
              f" Using {state.gui} instead.")
    return state.gui or name


def enable_matplotlib(gui):
    """The common part of %matplotlib and %pylab. Figures are saved with any GUI."""
    import matplotlib.pyplot
    name = None if gui in (None, "auto") else gui
    if name is not None and name not in GUI_NAMES:
        raise KeyError(name)
    state.keeps = choose_gui(name) != "inline"
    matplotlib.interactive(True)
    matplotlib.rcParams["backend"] = state.backend
    matplotlib.pyplot.switch_backend(state.backend)
    if not state.keeps:
        matplotlib.rcParams.update(state.settings["rc"])
    if name is None:
        print("Using matplotlib backend: agg")


@calls.unrecorded
def matplotlib(arguments, *scopes):
    """%matplotlib [--list] [GUI]"""
    text = expand(arguments, *scopes)
    flags, gui = gui_arguments(text, "-l", "--list")
    if flags:
        print("Available matplotlib backends:", GUI_NAMES)
    else:
        enable_matplotlib(gui and gui.lower())


def figsize(sizex, sizey):
    """Sets the default size of figures, in inches."""
    import matplotlib
    matplotlib.rcParams["figure.figsize"] = [sizex, sizey]


def getfigs(*numbers):
    """The open figures, or those with these NUMBERS."""
    figures = {figure.number: figure for figure in open_figures()}
    for number in numbers:
        if number not in figures:
            print(f"Warning: figure {number} not available.")
    return [figures[number] for number in numbers or figures if number in figures]


def pylab_names(everything):
    """The names that %pylab adds to the script."""
    names = {"figsize": figsize, "getfigs": getfigs}
    exec("import matplotlib, numpy, numpy as np, matplotlib.pyplot as plt\n"
         "from matplotlib import mlab, pylab, pyplot", names)
    if everything:
        exec("from matplotlib.pylab import *\nfrom numpy import *", names)
    del names["__builtins__"]
    return names


@calls.unrecorded
def pylab(arguments, *scopes):
    """%pylab [--no-import-all] [GUI]"""
    text = expand(arguments, *scopes)
    flags, gui = gui_arguments(text, "--no-import-all")
    user = scopes[0]
    enable_matplotlib(gui)
    names = pylab_names(not flags)
    changed = sorted(name for name in names if user.get(name, names[name]) is not names[name])
    user.update(names)
    user.setdefault("display", display)
    print("%pylab is deprecated, use %matplotlib inline and import the required libraries.\n"
          "Populating the interactive namespace from numpy and matplotlib")
    if changed:
        warnings.warn(f"pylab import has clobbered these variables: {changed}\n"
                      "`%matplotlib` prevents importing * from pylab and numpy", stacklevel=2)


def config_values(line, scopes):
    """What the statement LINE assigns to InlineBackend, by name."""
    names = merged_names(*scopes)
    config = types.SimpleNamespace(InlineBackend=types.SimpleNamespace())
    expanded = expand(line, *scopes)
    try:
        exec("config." + expanded, names, {"config": config})
    except NameError:
        # IPython expands {'svg'} to svg and raises an error. The job should not fail for that.
        if expanded == line:
            raise
        exec("config." + line, names, {"config": config})
    return vars(config.InlineBackend)


def config_check(name, value):
    """VALUE in the type of the setting NAME; raises TypeError if that is impossible."""
    kind, text = {"close_figures": (bool, "a boolean"), "figure_format": (str, "a unicode string"),
                  "figure_formats": (set, "a set"), "print_figure_kwargs": (dict, "a dict"),
                  "rc": (dict, "a dict")}[name]
    if kind is set and isinstance(value, (list, tuple, str)):
        value = {value} if isinstance(value, str) else set(value)
    if not isinstance(value, kind):
        raise TypeError(f"The '{name}' trait of an InlineBackend instance expected {text},"
                        f" not the {type(value).__name__} {value!r}.")
    return value


def config_set(name, value):
    """Sets one setting; figure_format sets figure_formats to a set of one element."""
    settings = dict(state.settings)
    settings[name] = config_check(name, value)
    if settings == state.settings:
        return  # as in Jupyter, formats of set_matplotlib_formats() remain
    if name == "figure_format" and value:
        settings["figure_formats"] = {value}
    if name in ("figure_format", "figure_formats", "print_figure_kwargs"):
        figure_formats(settings["figure_formats"], settings["print_figure_kwargs"])
    state.settings = settings


def config_show(line):
    """%config InlineBackend[.NAME]"""
    settings = state.settings
    if line == "InlineBackend":
        print("InlineBackend options\n---------------------")
        for name, value in settings.items():
            print(f"InlineBackend.{name}\n    Current: {value!r}")
        return None
    name = line.split(".")[1]
    if name not in settings:
        raise AttributeError(f"'InlineBackend' object has no attribute '{name}'")
    return settings[name]


@calls.unrecorded
def config(text, *scopes):
    """%config InlineBackend..., and of InteractiveShell that commands which fail raise an exception"""
    line = text.strip()
    raises = re.fullmatch(r"\w*InteractiveShell\.system_raise_on_error\s*=(.*)", line)
    if raises:
        commands.settings.raises = bool(eval(raises[1], *scopes))
        return None
    if re.fullmatch(r"InlineBackend(\.\w+)?", line):
        return config_show(line)
    if "=" not in line:
        raise UsageError(f"Invalid config statement: {line!r},"
                         " should be `Class.trait = value`.")
    for name, value in config_values(line, scopes).items():
        if name not in state.settings:
            print(f"Config option `{name}` not recognized by `InlineBackend`.", file=sys.stderr)
            continue
        try:
            config_set(name, value)
        except (TypeError, ValueError) as error:
            logging.error(error)
