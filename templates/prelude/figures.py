# requires: on_import quiet rank
# All functions here are quiet: some run in the user's calls, and the user's globals, in which
# names such as print or open may have changed, are copied for them.
class _nbscorep_figures:
    """What is known of figures."""
    backend = "module://_nbscorep_inline"
    folder = path = pid = None
    results = ""  # the folder of a sweep's set that FOLDER is in; empty: none
    display = None  # _nbscorep_display, where the script has it
    saves = False  # in rank 0 only
    keeps = False  # figures stay open, as those in windows and widgets do
    gui = None  # the first that %matplotlib has asked for
    cell = "cell"
    saved = {}  # cell -> number of its figures
    made = []  # since figures were last shown
    drawn = False  # a figure was made in this cell
    settings = {"close_figures": True, "figure_format": "", "figure_formats": {"png"},
                "print_figure_kwargs": {"bbox_inches": "tight"}, "rc": {}}
    formats = {"png": 1}  # suffix -> factor of the resolution
    options = settings["print_figure_kwargs"]


@_nbscorep_quiet
def _nbscorep_usage_error(text):
    """The exception that IPython raises for wrong arguments of a magic."""
    return type("UsageError", (Exception,), {"__module__": "builtins"})(text)


@_nbscorep_quiet
def _nbscorep_figure_formats(formats, options):
    """Figures are saved as FORMATS from now on, with OPTIONS for print_figure()."""
    known = {"png": ("png", 1), "png2x": ("png", 2), "retina": ("png", 2), "jpg": ("jpg", 1),
             "jpeg": ("jpg", 1), "svg": ("svg", 1), "pdf": ("pdf", 1)}
    bad = [name for name in formats if name not in known]
    if bad:
        raise ValueError("supported formats are: %s not %s"
                         % (",".join(map(repr, known)), ",".join(map(repr, bad))))
    # In this order a png of double resolution wins, as in Jupyter.
    _nbscorep_figures.formats = dict(known[name] for name in sorted(formats))
    _nbscorep_figures.options = options


@_nbscorep_quiet
def _nbscorep_set_formats(*formats, **options):
    """matplotlib_inline's set_matplotlib_formats()"""
    usual = _nbscorep_figures.settings["print_figure_kwargs"]
    _nbscorep_figure_formats(set(formats), {**usual, **options})


@_nbscorep_quiet
def _nbscorep_set_close(close=True):
    """matplotlib_inline's set_matplotlib_close()"""
    _nbscorep_figures.settings["close_figures"] = close


@_nbscorep_quiet
def _nbscorep_draw_figure(figure, suffix, scale):
    """The bytes of FIGURE as Jupyter would show it."""
    import io
    options = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor(),
               "dpi": figure.dpi * scale, "bbox_inches": "tight", **_nbscorep_figures.options}
    data = io.BytesIO()
    figure.canvas.print_figure(data, format=suffix, **options)
    return data.getvalue()


@_nbscorep_quiet
def _nbscorep_enter_folder(descriptor, name):
    """A descriptor of the folder NAME in that of DESCRIPTOR, which is closed; it is made if missing. A link
    is an error."""
    import os
    try:
        try:
            os.mkdir(name, dir_fd=descriptor)
        except FileExistsError:
            pass
        return os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
    except NotADirectoryError as error:
        raise OSError(error.errno, f"'{name}' is not a folder, or a link to one") from None
    finally:
        os.close(descriptor)


@_nbscorep_quiet
def _nbscorep_open_figures_folder():
    """A descriptor of the folder of figures. In the folder of a sweep's set, which others may have filled
    before the run, no link is followed."""
    import os
    state = _nbscorep_figures
    if not state.results:
        os.makedirs(state.path, exist_ok=True)
        return os.open(state.path, os.O_DIRECTORY)
    descriptor = os.open(state.results, os.O_DIRECTORY)
    for name in filter(None, state.folder.split("/")):
        descriptor = _nbscorep_enter_folder(descriptor, name)
    return descriptor


@_nbscorep_quiet
def _nbscorep_write_figure(name, data):
    """Makes the file NAME in the folder of figures, or nothing. What is there under a name of its own is
    replaced, not opened: it may be a link."""
    import os
    folder = _nbscorep_open_figures_folder()
    part = name + ".part"
    made = False
    try:
        try:
            os.unlink(part, dir_fd=folder)
        except FileNotFoundError:
            pass
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666, dir_fd=folder)
        made = True
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(part, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        if made:
            os.unlink(part, dir_fd=folder)
        raise
    finally:
        os.close(folder)


@_nbscorep_quiet
def _nbscorep_save_figure(figure):
    """Saves FIGURE in each format; the files that this has made. An error is a warning."""
    import os
    import sys
    state = _nbscorep_figures
    if not figure.axes and not figure.lines:
        return []
    number = state.saved[state.cell] = state.saved.get(state.cell, 0) + 1
    files = []
    for suffix, scale in state.formats.items():
        name = f"{state.cell}-{number}.{suffix}"
        shown = os.path.join(state.folder, name)
        try:
            _nbscorep_write_figure(name, _nbscorep_draw_figure(figure, suffix, scale))
            files.append(shown)
        except Exception as error:
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            print(f"nbscorep: warning: cannot save {shown}:", *reason.split(), file=sys.stderr)
    return files


@_nbscorep_quiet
def _nbscorep_show_figure(figure):
    """Saves FIGURE and prints its text; false when it is none, or figures are not saved."""
    import os
    import sys
    state = _nbscorep_figures
    known = getattr(sys.modules.get("matplotlib.figure"), "Figure", ())
    if state.folder is None or not isinstance(figure, known):
        return False
    with scorep.instrumenter.disable():
        # In a forked child Jupyter shows none either.
        if state.saves and os.getpid() == state.pid:
            files = _nbscorep_save_figure(figure)
            text = repr(figure) + (f" ({', '.join(files)})" if files else "")
            keep = getattr(state.display, "sink", None)  # of %%capture
            print(text) if keep is None else keep({"text/plain": text}, {})
    return True


@_nbscorep_quiet
def _nbscorep_figure_echo(value):
    """Shows a cell's last value: a figure as a file, all else as sys.displayhook does."""
    import builtins
    import sys
    if _nbscorep_show_figure(value):
        builtins._ = value
    else:
        sys.displayhook(value)


@_nbscorep_quiet
def _nbscorep_open_figures():
    """The figures that pyplot holds open."""
    import sys
    pyplot = sys.modules.get("matplotlib._pylab_helpers")
    managers = pyplot.Gcf.get_all_fig_managers() if pyplot else []
    return [manager.canvas.figure for manager in managers]


@_nbscorep_quiet
def _nbscorep_show_figures(close=None, block=None):
    """plt.show(), with the arguments of the inline backend: all open figures, then closed."""
    import sys
    state = _nbscorep_figures
    with scorep.instrumenter.disable():
        figures = _nbscorep_open_figures()
        for figure in figures:
            _nbscorep_show_figure(figure)
            figure.stale = False
        state.made = []
        if close is None:
            close = state.settings["close_figures"] and not state.keeps
        if close and figures:
            sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()


@_nbscorep_quiet
def _nbscorep_flush_figures():
    """Shows what a cell leaves behind, as Jupyter does at its end."""
    state = _nbscorep_figures
    with scorep.instrumenter.disable():
        made, drawn = state.made, state.drawn
        state.made, state.drawn = [], False
        if state.keeps:
            shown = [figure for figure in _nbscorep_open_figures() if figure.stale]
        elif drawn and state.settings["close_figures"]:
            return _nbscorep_show_figures(True)
        else:
            shown = [figure for figure in made if figure in _nbscorep_open_figures()]
        for figure in shown:
            _nbscorep_show_figure(figure)
            figure.stale = False


@_nbscorep_quiet
def _nbscorep_begin_cell(name):
    """Ends the cell before, and gives the next one's figures their name."""
    _nbscorep_flush_figures()
    _nbscorep_figures.cell = name


@_nbscorep_quiet
def _nbscorep_manage_figure(num, figure):
    """The manager of a figure that the cell's end shall show."""
    state = _nbscorep_figures
    with scorep.instrumenter.disable():
        import matplotlib.backends.backend_agg
        agg = matplotlib.backends.backend_agg
        manager = agg.new_figure_manager_given_figure(num, figure)
        # figure.show() would warn where there is a display.
        manager.show = lambda: None
        if matplotlib.is_interactive():
            state.made.append(figure)
            state.drawn = True
    return manager


@_nbscorep_quiet
def _nbscorep_make_figure(num, *args, **kwargs):
    """A new figure's manager."""
    import sys
    make = kwargs.pop("FigureClass", None) or sys.modules["matplotlib.figure"].Figure
    return _nbscorep_manage_figure(num, make(*args, **kwargs))


class _nbscorep_figure_backend:
    """Finds and loads the backend that does as Jupyter's inline backend does, but saves."""

    @_nbscorep_quiet
    def find_spec(self, name, path=None, target=None):
        if not _nbscorep_figures.backend.endswith("/" + name):
            return None
        with scorep.instrumenter.disable():
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, self)

    @_nbscorep_quiet
    def create_module(self, spec):
        return None

    @_nbscorep_quiet
    def exec_module(self, module):
        with scorep.instrumenter.disable():
            import atexit
            import matplotlib
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            module.FigureCanvas = FigureCanvasAgg
            module.new_figure_manager = _nbscorep_make_figure
            module.new_figure_manager_given_figure = _nbscorep_manage_figure
            module.show = _nbscorep_show_figures
            matplotlib.interactive(True)
            matplotlib.rcParams.update(_nbscorep_figures.settings["rc"])
            # pyplot, which is there by now, closes all figures at exit; this runs before.
            atexit.register(_nbscorep_flush_figures)


@_nbscorep_quiet
def _nbscorep_backend_kind(name):
    """"inline", "window" (or a widget), or "file"."""
    import re
    if re.fullmatch(r"(?i)inline|module://(\w+\.)*\w*_inline", name):
        return "inline"
    windows = r"(?i)(module://)?(gtk|ipympl|macosx|nbagg|notebook|qt|tk|webagg|widget|wx)"
    return "window" if re.match(windows, name) else "file"


@_nbscorep_quiet
def _nbscorep_choose_backend(name):
    """The backend for NAME: ours for Jupyter's and for those with windows."""
    import sys
    state = _nbscorep_figures
    if not isinstance(name, str) or name == state.backend:
        return name
    with scorep.instrumenter.disable():
        kind = _nbscorep_backend_kind(name)
        state.keeps = kind == "window"
        if state.keeps and state.saves:
            print(f"nbscorep: backend {name} has no windows in batch: figures are saved",
                  file=sys.stderr)
        return name if kind == "file" else state.backend


@_nbscorep_quiet
def _nbscorep_wrap_choice(function):
    """FUNCTION, which sets a backend, with ours in place of what cannot be in batch."""
    import functools
    choose = _nbscorep_choose_backend
    return functools.wraps(function)(lambda *names, **more: function(
        *map(choose, names), **{key: choose(value) for key, value in more.items()}))


@_nbscorep_quiet
def _nbscorep_patch_matplotlib(module):
    """Ours is the backend, unless the environment names another that has no windows."""
    import os
    with scorep.instrumenter.disable():
        name = os.environ.get("MPLBACKEND") or "Agg"
        if name.lower() == "agg" or _nbscorep_backend_kind(name) != "file":
            module.rcParams["backend"] = _nbscorep_figures.backend
        module.use = _nbscorep_wrap_choice(module.use)


@_nbscorep_quiet
def _nbscorep_patch_pyplot(module):
    """plt.switch_backend()"""
    with scorep.instrumenter.disable():
        module.switch_backend = _nbscorep_wrap_choice(module.switch_backend)


@_nbscorep_quiet
def _nbscorep_patch_inline(module):
    """The functions of Jupyter's own backend act on ours."""
    module.set_matplotlib_formats = _nbscorep_set_formats
    module.set_matplotlib_close = _nbscorep_set_close
    module.flush_figures = _nbscorep_flush_figures
    module.show = _nbscorep_show_figures


@_nbscorep_apart
def _nbscorep_figures_to(folder, all_ranks=False):
    """Figures go to FOLDER, relative to the current one or to that of a sweep's set; with None they
    are only closed. Ranks but 0 save theirs only if ALL_RANKS, to folders in it."""
    import os
    import sys
    state = _nbscorep_figures
    rank = _nbscorep_rank()
    if folder is not None and rank > 0:
        folder = os.path.join(folder, f"rank-{rank}")
    state.folder = folder
    # A run of a sweep has a folder of its own.
    given = os.environ.get("NBSCOREP_RESULTS", "")
    state.path = folder and os.path.abspath(os.path.join(given, folder))
    if given and folder and not os.path.isabs(folder):
        state.results = os.path.abspath(given)
    state.pid = os.getpid()
    state.saves = folder is not None and (all_ranks or rank == 0)
    os.environ["MPLBACKEND"] = os.environ.get("MPLBACKEND") or "Agg"
    sys.meta_path.append(_nbscorep_figure_backend())
    _nbscorep_on_import("matplotlib", _nbscorep_patch_matplotlib)
    _nbscorep_on_import("matplotlib.pyplot", _nbscorep_patch_pyplot)
    _nbscorep_on_import("matplotlib_inline.backend_inline", _nbscorep_patch_inline)
    state.display = _nbscorep_globals.get("_nbscorep_display")
    if state.display is not None:
        state.display.figure = _nbscorep_show_figure
    else:
        _nbscorep_globals["_nbscorep_echo"] = _nbscorep_figure_echo
