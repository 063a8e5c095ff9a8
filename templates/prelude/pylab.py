# requires: matplotlib
@_nbscorep_quiet
def _nbscorep_figsize(sizex, sizey):
    """Sets the default size of figures, in inches."""
    import matplotlib
    matplotlib.rcParams["figure.figsize"] = [sizex, sizey]


@_nbscorep_quiet
def _nbscorep_getfigs(*numbers):
    """The open figures, or those with these NUMBERS."""
    figures = {figure.number: figure for figure in _nbscorep_open_figures()}
    for number in numbers:
        if number not in figures:
            print(f"Warning: figure {number} not available.")
    return [figures[number] for number in numbers or figures if number in figures]


@_nbscorep_quiet
def _nbscorep_pylab_names(everything):
    """What %pylab puts into the user's namespace."""
    names = {"figsize": _nbscorep_figsize, "getfigs": _nbscorep_getfigs}
    exec("import matplotlib, numpy, numpy as np, matplotlib.pyplot as plt\n"
         "from matplotlib import mlab, pylab, pyplot", names)
    if everything:
        exec("from matplotlib.pylab import *\nfrom numpy import *", names)
    del names["__builtins__"]
    return names


@_nbscorep_quiet
def _nbscorep_pylab(arguments, *scopes):
    """%pylab [--no-import-all] [GUI]"""
    import warnings
    text = _nbscorep_expand(arguments, *scopes)
    flags, gui = _nbscorep_gui_arguments(text, "--no-import-all")
    user = scopes[0]
    _nbscorep_enable_matplotlib(gui)
    names = _nbscorep_pylab_names(not flags)
    changed = sorted(name for name in names if user.get(name, names[name]) is not names[name])
    user.update(names)
    if "_nbscorep_display" in user:
        user.setdefault("display", user["_nbscorep_display"])
    print("%pylab is deprecated, use %matplotlib inline and import the required libraries.\n"
          "Populating the interactive namespace from numpy and matplotlib")
    if changed:
        warnings.warn(f"pylab import has clobbered these variables: {changed}\n"
                      "`%matplotlib` prevents importing * from pylab and numpy", stacklevel=2)
