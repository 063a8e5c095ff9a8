"""display() and the values of cells, shown as text that is readable in a log."""
import builtins
import contextlib
import functools
import importlib.util
import os
import sys
import traceback
import types

import scorep.instrumenter

from .outputs import is_plain, kept
from .readable import describe, readable, says_nothing
from .running import run, start


class shown:
    """The state of display()."""
    figure = None  # function of an object and whether it is a cell's value: shows a figure, returns true if it is one
    sink = None  # gets data and metadata instead of standard output
    stream = None  # standard output, if it differs from sys.stdout
    page = None  # gets data, metadata and the text as well (executed.py)
    texts = {}  # last text by display_id: an update that looks the same prints nothing
    last = kept.plain  # the builtin _
    values = not hasattr(start.displayhook, "nbscorep_hides")  # false on ranks that show no values


class Printer:
    """The part of IPython's pretty printer that methods _repr_pretty_ use. Does not break long lines."""

    repr = staticmethod(repr)

    def __init__(self):
        self.parts = []
        self.indentation = 0
        self.active = []
        self.text = self.parts.append

    def breakable(self, separator=" "):
        self.text(separator)

    def break_(self):
        self.text("\n" + " " * self.indentation)

    def pretty(self, value):
        method = pretty_method(value)
        if method is None:
            self.text(Printer.repr(value))
            return
        cycle = id(value) in self.active
        self.active.append(id(value))
        method(value, self, cycle)
        self.active.pop()

    def begin_group(self, indent=0, open=""):
        self.text(open)
        self.indentation += indent

    def end_group(self, dedent=0, close=""):
        self.indentation -= dedent
        self.text(close)

    def group(self, indent=0, open="", close=""):
        """The same as a context manager."""
        stack = contextlib.ExitStack()
        self.begin_group(indent, open)
        stack.callback(self.end_group, indent, close)
        return stack

    def indent(self, indent):
        return self.group(indent)


def pretty_method(value):
    """_repr_pretty_ of VALUE's class, or None if a class before it defines __repr__."""
    for kind in type(value).__mro__[:-1]:
        if "_repr_pretty_" in vars(kind):
            return kind._repr_pretty_
        if "__repr__" in vars(kind):
            return None


def text_of(value):
    """The text/plain of VALUE, by IPython if that is installed."""
    formats = Printer.repr is not repr  # as %precision says
    if not formats and is_plain(value):
        return repr(value)
    pretty = None if formats else ipythons_pretty()
    if pretty is not None:
        return pretty(value)
    printer = Printer()
    printer.pretty(value)
    return "".join(printer.parts)


def ipythons_pretty():
    """IPython's pretty printer, or None. The notebook can register types with that which it has loaded."""
    loaded = sys.modules.get("IPython.lib.pretty")
    return pretty_alone() if loaded is None else loaded.pretty


@functools.lru_cache(maxsize=None)
def pretty_alone():
    """The pretty printer without the rest of IPython, which takes half a second: that would be counted to the
    measured line that first shows a value. Under Jupyter it is loaded before the first cell."""
    module = None
    if "IPython" not in sys.modules:
        try:
            folders = importlib.util.find_spec("IPython").submodule_search_locations
            sys.modules["IPython"] = types.ModuleType("IPython")
            sys.modules["IPython"].__path__ = folders
            module = importlib.import_module("IPython.lib.pretty")
        except Exception:  # not installed, or another version that needs the rest
            pass
        for name in [name for name in sys.modules if name.split(".")[0] == "IPython"]:
            del sys.modules[name]
    try:
        return (module or importlib.import_module("IPython.lib.pretty")).pretty
    except Exception:  # not installed, or a stand-in
        return None


def attempt(function, *arguments, **options):
    """The value of FUNCTION. If it fails, prints a traceback and returns None, as IPython's formatters do."""
    try:
        return function(*arguments, **options)
    except Exception as error:
        if run.executed is None:
            traceback.print_exc()
        else:
            run.executed.show_error(error, error.__traceback__, traceback.format_exc(), ends=False)


def call_method(value, name, **options):
    """Data and metadata (or None) from the method NAME of VALUE's class."""
    method = getattr(type(value), name, None)
    given = None if method is None else attempt(method, value, **options)
    return given if isinstance(given, tuple) and len(given) == 2 else (given, None)


FORMATS = (
    ("text/html", "html"), ("text/markdown", "markdown"), ("image/svg+xml", "svg"),
    ("image/png", "png"), ("image/jpeg", "jpeg"), ("application/pdf", "pdf"),
    ("text/latex", "latex"), ("application/json", "json"),
    ("application/javascript", "javascript"))


def collect(value, data, metadata, *wanted):
    """Adds the formats of VALUE other than plain text to DATA; with WANTED only these."""
    for mime, name in FORMATS:
        if mime not in (wanted or (mime,)):
            continue
        if mime not in data:
            found, about = call_method(value, f"_repr_{name}_")
            if found is not None:
                data[mime] = found
            if about is not None:
                metadata[mime] = about


def bundle(value, include=None, exclude=None):
    """The data and metadata of VALUE by MIME type that IPython would publish, at least text/plain."""
    data, metadata = call_method(value, "_repr_mimebundle_",
                                 include=include, exclude=exclude)
    data = dict(data or {})
    metadata = dict(metadata or {})
    if "text/plain" not in data and (not include or "text/plain" in include):
        text = attempt(text_of, value)
        if text is not None:
            data["text/plain"] = text
    if shown.sink is not None or shown.page is not None:
        collect(value, data, metadata)
    elif says_nothing(data.get("text/plain") or "<>"):
        collect(value, data, metadata, "text/markdown", "text/latex", "text/html",
                "application/json")
        if readable(data) == data.get("text/plain"):
            data["text/plain"] = describe(value) or data.get("text/plain")
    for kind in list(data):
        if (include and kind not in include) or (exclude and kind in exclude):
            del data[kind]
            metadata.pop(kind, None)
    return data, metadata


def write(text):
    """Prints TEXT on standard output with any encoding."""
    stream = shown.stream or sys.stdout
    try:
        print(text, file=stream)
    except UnicodeEncodeError:
        encoding = stream.encoding
        print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream)


def publish(data, metadata=None, source=None, transient=None, update=False, result=False, **options):
    """Prints the text of DATA, a dictionary by MIME type, or passes DATA to the sink. RESULT: it is the value
    of a cell."""
    if shown.sink is not None:
        shown.sink(data, metadata or {})
        return
    text, name = readable(data), (transient or {}).get("display_id")
    if text is not None and update and shown.texts.get(name) == text:
        text = None
    elif text is not None and name is not None:
        shown.texts[name] = text
    if shown.page is not None:
        shown.page(data, metadata, text, transient, update, result)
    elif text is not None:
        write(text)


def clear_output(wait=False):
    """Clears the outputs of the cell in the executed notebook; what was printed stays."""
    if shown.page is not None:
        with scorep.instrumenter.disable():
            run.executed.send("clear", wait=bool(wait))


def shows_itself(value):
    """Calls _ipython_display_ of VALUE. Returns a true value if VALUE has this method and supports it."""
    method = getattr(type(value), "_ipython_display_", None)
    try:
        return method is not None and (method(value), True)
    except NotImplementedError:
        return False


def show_one(value, include=None, exclude=None, metadata=None, result=False, **options):
    figure = shown.figure
    if figure is not None and shown.sink is None and figure(value, result):
        return
    if attempt(shows_itself, value):
        return
    data, found = bundle(value, include, exclude)
    if data:
        publish(data, {**found, **(metadata or {})}, result=result, **options)


def show_all(objects, raw=False, clear=False, display_id=None, transient=None,
             update=False, **options):
    """display() with the instrumenter off."""
    if update and not display_id:
        raise TypeError("display_id required for update_display")
    if display_id is True:
        display_id = os.urandom(16).hex()
    if display_id:
        transient = {**(transient or {}), "display_id": display_id}
    for value in objects:
        show = publish if raw else show_one
        show(value, transient=transient, update=update, **options)
    return DisplayHandle(display_id) if display_id else None


def display(*objects, **options):
    """Shows objects as IPython.display.display does, as text."""
    with scorep.instrumenter.disable():
        return show_all(objects, **options)


def update_display(value, *, display_id, **options):
    """Shows VALUE again, on a new line: a printed line cannot be replaced."""
    with scorep.instrumenter.disable():
        show_all((value,), display_id=display_id, update=True, **options)


class DisplayHandle:
    """The value of display() with a display_id."""

    def __init__(self, display_id=None):
        with scorep.instrumenter.disable():
            self.display_id = display_id or os.urandom(16).hex()

    def __repr__(self):
        return f"<DisplayHandle display_id={self.display_id}>"

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        update_display(value, display_id=self.display_id, **options)


def show_value(value):
    """A sys.displayhook that shows values as display() does."""
    if value is not None:
        with scorep.instrumenter.disable():
            if shown.values:
                show_all((value,), result=True)
            if getattr(builtins, "_", shown.last) is shown.last:  # else other code has set it, such as gettext
                builtins._ = shown.last = value


sys.displayhook = show_value
