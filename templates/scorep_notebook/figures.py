"""Figures of matplotlib, which are saved to files at the end of a cell, and those that are pages (pages.py), which are
saved when they are shown."""
import atexit
import contextlib
import functools
import io
import os
import re
import sys

import scorep.instrumenter

from . import calls, job, pages
from .on_import import on_import
from . import frames
from .rich_display import shown
from .running import run


TYPES = {"png": "image/png", "svg": "image/svg+xml", "jpg": "image/jpeg", "pdf": "application/pdf"}  # by suffix


class state:
    """Where and how figures are saved."""
    backend = "module://scorep_notebook_inline"
    folder = path = pid = None
    results = ""  # the folder of a sweep's set that FOLDER is in; empty: none
    saves = False  # True in rank 0, or in all ranks
    keeps = False  # figures stay open, as those in windows and widgets do
    gui = None  # the first GUI that %matplotlib has requested
    cell = "cell"
    cells = []  # those around an included cell
    saved = {}  # cell -> number of its figures
    made = []  # since figures were last shown
    drawn = False  # a figure was made in this cell
    has_plotly = False  # plotly.min.js is in the folder
    settings = {"close_figures": True, "figure_format": "", "figure_formats": {"png"},
                "print_figure_kwargs": {"bbox_inches": "tight"}, "rc": {}}
    formats = {"png": 1}  # suffix -> factor of the resolution
    options = settings["print_figure_kwargs"]


def figure_formats(formats, options):
    """Sets the FORMATS of figures, and OPTIONS for print_figure()."""
    known = {"png": ("png", 1), "png2x": ("png", 2), "retina": ("png", 2), "jpg": ("jpg", 1),
             "jpeg": ("jpg", 1), "svg": ("svg", 1), "pdf": ("pdf", 1)}
    bad = [name for name in formats if name not in known]
    if bad:
        raise ValueError("supported formats are: %s not %s"
                         % (",".join(map(repr, known)), ",".join(map(repr, bad))))
    # In this order a png of double resolution wins, as in Jupyter.
    state.formats = dict(known[name] for name in sorted(formats))
    state.options = options


def set_formats(*formats, **options):
    """matplotlib_inline's set_matplotlib_formats()"""
    usual = state.settings["print_figure_kwargs"]
    figure_formats(set(formats), {**usual, **options})


def set_close(close=True):
    """matplotlib_inline's set_matplotlib_close()"""
    state.settings["close_figures"] = close


def draw_figure(figure, suffix, scale):
    """The bytes of FIGURE as Jupyter would show it."""
    options = {"facecolor": figure.get_facecolor(), "edgecolor": figure.get_edgecolor(),
               "dpi": figure.dpi * scale, "bbox_inches": "tight", **state.options}
    data = io.BytesIO()
    figure.canvas.print_figure(data, format=suffix, **options)
    return data.getvalue()


def page_of(figure, library):
    """FIGURE as HTML, with the files beside it that it needs."""
    if library == "plotly" and not state.has_plotly:
        from plotly.offline import get_plotlyjs
        write_figure("plotly.min.js", get_plotlyjs().encode())
        state.has_plotly = True
    return pages.page_of(figure, library)


def enter_folder(descriptor, name):
    """Opens the folder NAME in the folder of DESCRIPTOR, which it closes. Makes NAME if it is missing; a
    link is an error."""
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
        return os.open(name, os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
    except NotADirectoryError as error:
        raise OSError(error.errno, f"'{name}' is not a folder, or a link to one") from None
    finally:
        os.close(descriptor)


def open_figures_folder():
    """Opens the folder of figures. The folder of a sweep's set may contain untrusted files, so no link in
    it is followed."""
    if not state.results:
        os.makedirs(state.path, exist_ok=True)
        return os.open(state.path, os.O_DIRECTORY)
    descriptor = os.open(state.results, os.O_DIRECTORY)
    for name in filter(None, state.folder.split("/")):
        descriptor = enter_folder(descriptor, name)
    return descriptor


def write_figure(name, data):
    """Makes the complete file NAME in the folder of figures, or no file. An existing file is replaced, not
    opened, because it may be a link."""
    folder = open_figures_folder()
    part = name + ".part"
    made = False
    try:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part, dir_fd=folder)
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


def save_figure(figure, library):
    """Saves FIGURE in each format. Returns the names of the files, and their contents by suffix. Prints a warning for
    an error."""
    drawn = {}
    if not library and not figure.axes and not figure.lines:  # it has no picture in Jupyter
        return [], drawn
    number = state.saved[state.cell] = state.saved.get(state.cell, 0) + 1
    files = []
    for suffix, scale in {"html": 1}.items() if library else state.formats.items():
        name = f"{state.cell}-{number}.{suffix}"
        shown = os.path.join(state.folder, name)
        try:
            drawn[suffix] = page_of(figure, library) if library else draw_figure(figure, suffix, scale)
            write_figure(name, drawn[suffix])
            files.append(shown)
        except Exception as error:
            reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
            print(f"nbscorep: warning: cannot save {shown}:", *reason.split(), file=sys.stderr)
    return files, drawn


def show_figure(figure, result=False, library=None):
    """Saves FIGURE and prints its text. Returns False if it is not a figure, or figures are not saved. RESULT: it is the
    value of a cell. LIBRARY: that of a page (pages.py), if it is known."""
    known = getattr(sys.modules.get("matplotlib.figure"), "Figure", ())
    library = library or pages.library_of(figure)
    if state.folder is None or not (library or isinstance(figure, known)):
        return False
    with scorep.instrumenter.disable():
        # Jupyter shows no figures of a forked child either.
        if state.saves and os.getpid() == state.pid:
            files, drawn = save_figure(figure, library)
            text = pages.text_of(figure, library)
            if shown.page is not None and shown.sink is None:
                bundle = pages.bundle_of(figure, library) if library else {"text/plain": repr(figure), **{
                    TYPES[suffix]: data.decode() if suffix == "svg" else data for suffix, data in drawn.items()}}
            text += f" ({', '.join(files)})" if files else ""
            if shown.sink is not None:  # of %%capture
                shown.sink({"text/plain": text}, {})
            elif shown.page is not None:
                shown.page(bundle, {}, text, result=result)
            else:
                print(text)
    return True


def open_figures():
    """The figures that pyplot holds open."""
    pyplot = sys.modules.get("matplotlib._pylab_helpers")
    managers = pyplot.Gcf.get_all_fig_managers() if pyplot else []
    return [manager.canvas.figure for manager in managers]


def show_figures(close=None, block=None):
    """plt.show() of the inline backend: shows all open figures, then closes them."""
    with scorep.instrumenter.disable():
        figures = open_figures()
        for figure in figures:
            show_figure(figure)
            figure.stale = False
        state.made = []
        if close is None:
            close = state.settings["close_figures"] and not state.keeps
        if close and figures:
            sys.modules["matplotlib._pylab_helpers"].Gcf.destroy_all()


def flush_figures():
    """Shows the figures that a cell leaves open, as Jupyter does at its end."""
    with scorep.instrumenter.disable():
        made, drawn = state.made, state.drawn
        state.made, state.drawn = [], False
        if state.keeps:
            shown = [figure for figure in open_figures() if figure.stale]
        elif drawn and state.settings["close_figures"]:
            return show_figures(True)
        else:
            shown = [figure for figure in made if figure in open_figures()]
        for figure in shown:
            show_figure(figure)
            figure.stale = False


def begin_cell(number):
    """Saves figures of the previous cell, and sets the names of the next ones."""
    flush_figures()
    state.cell = f"cell-{number}"


def begin_included(file, number):
    """The same for a cell of an included notebook, which runs inside a cell."""
    flush_figures()
    state.cells.append(state.cell)
    state.cell += f"-{os.path.splitext(file)[0]}-{number}"


def end_included(file, number):
    flush_figures()
    state.cell = state.cells.pop()


def manage_figure(num, figure):
    """The manager of FIGURE, which is shown at the end of the cell."""
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


def make_figure(num, *args, **kwargs):
    """A new figure's manager."""
    make = kwargs.pop("FigureClass", None) or sys.modules["matplotlib.figure"].Figure
    return manage_figure(num, make(*args, **kwargs))


class Backend:
    """Finds and loads a backend like Jupyter's inline backend that saves figures."""

    def find_spec(self, name, path=None, target=None):
        if not state.backend.endswith("/" + name):
            return None
        with scorep.instrumenter.disable():
            from importlib.machinery import ModuleSpec
            return ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        with scorep.instrumenter.disable():
            import matplotlib
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            module.FigureCanvas = FigureCanvasAgg
            module.new_figure_manager = make_figure
            module.new_figure_manager_given_figure = manage_figure
            module.show = show_figures
            matplotlib.interactive(True)
            matplotlib.rcParams.update(state.settings["rc"])
            # pyplot, which is loaded already, closes all figures at exit; this runs earlier.
            atexit.register(flush_figures)


def backend_kind(name):
    """"inline", "window" (or a widget), or "file"."""
    if re.fullmatch(r"(?i)inline|module://(\w+\.)*\w*_inline", name):
        return "inline"
    windows = r"(?i)(module://)?(gtk|ipympl|macosx|nbagg|notebook|qt|tk|webagg|widget|wx)"
    return "window" if re.match(windows, name) else "file"


def choose_backend(name):
    """The backend for NAME: this package's own in place of Jupyter's and of those with windows."""
    if not isinstance(name, str) or name == state.backend:
        return name
    with scorep.instrumenter.disable():
        kind = backend_kind(name)
        state.keeps = kind == "window"
        if state.keeps and state.saves:
            print(f"nbscorep: backend {name} has no windows in batch: figures are saved",
                  file=sys.stderr)
        return name if kind == "file" else state.backend


def wrap_choice(function):
    """Wraps FUNCTION, which sets a backend, to choose one that works in batch."""
    choose = choose_backend
    return functools.wraps(function)(lambda *names, **more: function(
        *map(choose, names), **{key: choose(value) for key, value in more.items()}))


def patch_matplotlib(module):
    """Sets the backend, unless the environment names another one without windows."""
    name = os.environ.get("MPLBACKEND") or "Agg"
    if name.lower() == "agg" or backend_kind(name) != "file":
        module.rcParams["backend"] = state.backend
    module.use = wrap_choice(module.use)


def patch_pyplot(module):
    """plt.switch_backend()"""
    module.switch_backend = wrap_choice(module.switch_backend)


def patch_inline(module):
    """Makes the functions of Jupyter's backend act on this one."""
    module.set_matplotlib_formats = set_formats
    module.set_matplotlib_close = set_close
    module.flush_figures = flush_figures
    module.show = show_figures


@calls.unrecorded
def save_figures(folder, names, local_names, all_ranks=False):
    """Saves figures in FOLDER, relative to the current folder or to that of a sweep's set; None: only
    closes them. Ranks other than 0 save figures only if ALL_RANKS, in subfolders."""
    rank = job.rank()
    if folder is not None and rank > 0:
        folder = os.path.join(folder, f"rank-{rank}")
    state.folder = folder
    # A run of a sweep has a folder of its own.
    given = os.environ.get("NBSCOREP_RESULTS", "")
    state.path = folder and os.path.abspath(os.path.join(run.folder, given, folder))
    if given and folder and not os.path.isabs(folder):
        state.results = os.path.join(run.folder, given)
    state.pid = os.getpid()
    state.saves = folder is not None and (all_ranks or rank == 0)
    os.environ["MPLBACKEND"] = os.environ.get("MPLBACKEND") or "Agg"
    sys.meta_path.append(Backend())
    on_import("matplotlib", patch_matplotlib)
    on_import("matplotlib.pyplot", patch_pyplot)
    on_import("matplotlib_inline.backend_inline", patch_inline)
    on_import("plotly.io", pages.patch_plotly)
    on_import("altair", pages.patch_altair)
    on_import("bokeh.io.showing", pages.patch_bokeh)
    shown.figure = show_figure
    frames.before.append(begin_cell)
    frames.after.append(lambda number, error: flush_figures())
    frames.before_included.append(begin_included)
    frames.after_included.append(end_included)
