"""IPython.display for scripts: that of IPython, or stand-ins where IPython is not installed."""
import builtins
import importlib.machinery
import importlib.util
import json
import os
import sys
import types

import scorep.instrumenter

from .on_import import on_import
from . import interactive
from .rich_display import DisplayHandle, FORMATS, clear_output, display, publish, show_all, update_display


def load_object(self, data, url, filename):
    """Distinguishes data, address and file name, and reads the file."""
    if isinstance(data, (str, os.PathLike)):
        data = os.fspath(data)
        if data.startswith("http") and url is None:
            data, url = None, data
        elif filename is None and "\0" not in data and os.path.exists(data):
            data, filename = None, data
    if filename is not None and self._mode:
        with open(filename, self._mode, encoding=None if "b" in self._mode else "utf-8") as file:
            data = file.read()
    if self._kind == "json" and isinstance(data, str):
        data = json.loads(data)
    if self._kind == "text" and not isinstance(data, (str, type(None))):
        raise TypeError(f"{type(self).__name__} expects text, not {data!r}")
    self.data, self.url, self.filename = data, url, filename


def init_object(self, data=None, url=None, filename=None, metadata=None, **options):
    with scorep.instrumenter.disable():
        vars(self).update(options, metadata=metadata or {})
        load_object(self, data, url, filename)


def repr_object(self):
    return f"<{type(self).__module__}.{type(self).__name__} object>"


def data(self, *printer):
    return self.data


def math(self):
    return "$\\displaystyle %s$" % self.data.strip("$")


def print_data(self, printer, cycle):
    printer.text(self.data)


def init_frame(self, src, width=400, height=300, extras=(), **options):
    self.src = self._address.format(src)
    self.id, self.width, self.height = src, width, height
    self.extras, self.params = extras, options


def init_link(self, path, *arguments, **options):
    self.path = os.fspath(path)


def repr_link(self):
    return os.path.abspath(self.path)


def repr_links(self):
    """The folders and files below the path."""
    with scorep.instrumenter.disable():
        lines = []
        for folder, _, names in sorted(os.walk(self.path.rstrip("/"))):
            if names:
                lines += [f"{folder}/", *(f"  {name}" for name in names)]
        return "\n".join(lines)


class ProgressBar:
    """IPython.display.ProgressBar: a line for each step."""

    def __init__(self, total):
        self.total = total
        self.shown = 0
        self.text_width = 60

    def __repr__(self):
        filled = "=" * int(self.shown / self.total * self.text_width)
        return f"[{filled:{self.text_width}}] {self.shown}/{self.total}"

    def display(self):
        display(self, display_id=f"progress {id(self)}")

    def update(self):
        display(self, display_id=f"progress {id(self)}", update=True)

    @property
    def progress(self):
        return self.shown

    @progress.setter
    def progress(self, value):
        self.shown = value
        self.update()

    def __iter__(self):
        self.display()
        self.shown = -1
        return self

    def __next__(self):
        self.progress += 1
        if self.shown >= self.total:
            raise StopIteration
        return self.shown


def class_maker(module, classes):
    """A function that adds a class of MODULE to CLASSES; its base is another one of these, or none."""
    def add(name, base=object, **members):
        classes[name] = type(name, (classes.get(base, base),), {"__module__": module, **members})

    return add


def object_classes():
    """The classes of IPython.core.display."""
    classes = {}
    add = class_maker("IPython.core.display", classes)
    add("DisplayObject", __init__=init_object, __repr__=repr_object,
        _mode="r", _kind=None)
    add("TextDisplayObject", "DisplayObject", _kind="text")
    add("Pretty", "TextDisplayObject", _repr_pretty_=print_data)
    add("HTML", "TextDisplayObject", _repr_html_=data, __html__=data)
    add("Markdown", "TextDisplayObject", _repr_markdown_=data)
    add("Math", "TextDisplayObject", _repr_latex_=math)
    add("Latex", "TextDisplayObject", _repr_latex_=data)
    add("Javascript", "TextDisplayObject", _repr_javascript_=data)
    add("SVG", "DisplayObject", _repr_svg_=data)
    add("JSON", "DisplayObject", _kind="json", _repr_json_=data)
    add("GeoJSON", "JSON")
    add("Image", "DisplayObject", _mode="rb")
    add("Video", "DisplayObject", _mode=None)
    classes["ProgressBar"] = ProgressBar
    return classes


def link_classes(core):
    """The classes of IPython.lib.display, on those of IPython.core.display."""
    classes = {}
    add = class_maker("IPython.lib.display", classes)
    add("Audio", core["DisplayObject"], _mode="rb")
    add("Code", core["TextDisplayObject"], __repr__=data)
    add("IFrame", __init__=init_frame, _address="{}")
    add("YouTubeVideo", "IFrame", _address="https://www.youtube.com/embed/{}")
    add("VimeoVideo", "IFrame", _address="https://player.vimeo.com/video/{}")
    add("ScribdDocument", "IFrame", _address="https://www.scribd.com/embeds/{}/content")
    add("FileLink", __init__=init_link, __repr__=repr_link)
    add("FileLinks", "FileLink", __repr__=repr_links)
    return classes


def display_as(mime):
    """A function that shows objects in one format only."""
    def display_as(*objects, **options):
        with scorep.instrumenter.disable():
            if options.get("raw"):
                objects = [{mime: value} for value in objects]
            show_all(objects, include=[mime], **options)

    return display_as


def publish_data(*arguments, **options):
    with scorep.instrumenter.disable():
        publish(*arguments, **options)


def registrar(kind):
    """register_line_magic() and similar: a decorator, with or without the magic's name."""
    def register(magic):
        with scorep.instrumenter.disable():
            if callable(magic):
                return interactive.register(kind, magic)

        def named(function):
            with scorep.instrumenter.disable():
                return interactive.register(kind, function, magic)

        return named

    return register


class no_ipython:
    """A finder that reports why a module of IPython cannot be imported."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.startswith("IPython."):
            raise ModuleNotFoundError(f"{name} needs IPython, which this Python does not have",
                                      name=name)


def add_module(name, members, package):
    """A module that stands in for one of IPython's."""

    def missing(attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise ImportError(f"{name}.{attribute} needs IPython, which this Python does not have")

    module = types.ModuleType(name)
    vars(module).update(members, __getattr__=missing)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=package)
    if package:
        module.__path__ = []
    sys.modules[name] = module
    parent, _, last = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], last, module)


def stand_in_get_ipython():
    """IPython.get_ipython(): the shell of the script; None for its modules, as outside of IPython."""
    state = interactive.state
    return state.shell if sys._getframe(1).f_globals is state.names else None


def stand_in_for_ipython(functions):
    """Adds modules for scripts that use IPython only to show objects."""
    get_ipython = {"get_ipython": stand_in_get_ipython}
    shell = type("InteractiveShell", (), {
        "ast_node_interactivity": "last_expr",
        "initialized": classmethod(lambda kind: False)})
    magic = {f"register_{kind}_magic": registrar(kind)
             for kind in ("line", "cell", "line_cell")}
    one_format = {f"display_{name}": display_as(mime) for mime, name in (("text/plain", "pretty"), *FORMATS)}
    core = {**functions, **one_format, **object_classes()}
    links = link_classes(core)
    for name, members in (
            ("IPython", get_ipython), ("IPython.core", {}), ("IPython.lib", {}),
            ("IPython.core.getipython", get_ipython),
            ("IPython.core.interactiveshell", {"InteractiveShell": shell}),
            ("IPython.core.magic", magic), ("IPython.core.display_functions", functions),
            ("IPython.core.display", core), ("IPython.lib.display", links),
            ("IPython.display", {**core, **links})):
        add_module(name, members, name in ("IPython", "IPython.core", "IPython.lib"))
    sys.meta_path.insert(0, no_ipython)


def of_figures(name):
    """The function NAME of figures.py, which does nothing where no figures are saved."""
    def call(*arguments, **options):
        with scorep.instrumenter.disable():
            figures = sys.modules.get(f"{__package__}.figures")
            if figures is not None:
                getattr(figures, name)(*arguments, **options)
    return call


shown = {
    "display": display, "update_display": update_display,
    "publish_display_data": publish_data, "DisplayHandle": DisplayHandle,
    "clear_output": clear_output, "set_matplotlib_formats": of_figures("set_formats"),
    "set_matplotlib_close": of_figures("set_close")}


def take_displays():
    """Replaces the display functions of IPython's modules."""
    def take(module):
        for name, function in shown.items():
            if name in vars(module):
                setattr(module, name, function)

    for name in "core.display_functions", "core.display", "display":
        on_import(f"IPython.{name}", take)


def join_ipython(names):
    """Replaces the display functions of IPython; adds stand-ins for its modules if it is not installed."""
    if "IPython" not in sys.modules and importlib.util.find_spec("IPython") is None:
        stand_in_for_ipython(shown)
    elif not hasattr(builtins, "__IPYTHON__"):
        take_displays()
