# requires: expand figures
@_nbscorep_quiet
def _nbscorep_gui_arguments(arguments, *flags):
    """(flags, name) in the arguments of %matplotlib or %pylab."""
    words = arguments.split()
    given = [word for word in words if word in flags]
    names = [word for word in words if word not in flags]
    extra = [word for word in names if word[0] == "-"] or names[1:]
    if extra:
        raise _nbscorep_usage_error("unrecognized arguments: " + " ".join(extra))
    return given, names[0] if names else None


_nbscorep_gui_names = ("tk gtk gtk3 gtk4 wx qt4 qt5 qt6 qt osx nbagg notebook agg svg pdf ps "
                       "inline ipympl widget").split()


@_nbscorep_quiet
def _nbscorep_choose_gui(name):
    """NAME, or the first that was asked for, since a process can have one only."""
    state = _nbscorep_figures
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


@_nbscorep_quiet
def _nbscorep_enable_matplotlib(gui):
    """What %matplotlib and %pylab do; all figures are saved, with any GUI."""
    import matplotlib.pyplot
    state = _nbscorep_figures
    name = None if gui in (None, "auto") else gui
    if name is not None and name not in _nbscorep_gui_names:
        raise KeyError(name)
    state.keeps = _nbscorep_choose_gui(name) != "inline"
    matplotlib.interactive(True)
    matplotlib.rcParams["backend"] = state.backend
    matplotlib.pyplot.switch_backend(state.backend)
    if not state.keeps:
        matplotlib.rcParams.update(state.settings["rc"])
    if name is None:
        print("Using matplotlib backend: agg")


@_nbscorep_quiet
def _nbscorep_matplotlib(arguments, *scopes):
    """%matplotlib [--list] [GUI]"""
    text = _nbscorep_expand(arguments, *scopes)
    flags, gui = _nbscorep_gui_arguments(text, "-l", "--list")
    if flags:
        print("Available matplotlib backends:", _nbscorep_gui_names)
    else:
        _nbscorep_enable_matplotlib(gui and gui.lower())
