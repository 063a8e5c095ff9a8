"""Magics that IPython runs, in the names of the script."""
import atexit
import builtins
import functools
import importlib
import sys
import tempfile

import scorep.instrumenter

from .magic_arguments import expand
from . import calls, magics
from .rich_display import publish as publish_data, show_value


def shell_class():
    """IPython's shell, without the parts that change its process."""
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        init_sys_modules = init_prompts = init_virtualenv = lambda self: None

        def _showtraceback(self, kind, error, lines):
            print(self.InteractiveTB.stb2text(lines), file=sys.stderr)

    return Shell


def shell_outputs(names):
    """IPython's hooks for shown values, which show them as the script does."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher

    class Hook(DisplayHook):
        def __call__(self, value=None):
            if value is not None:
                self.fill_exec_result(value)
                show_value(value)

    class Publisher(DisplayPublisher):
        def publish(self, data, *arguments, **options):
            publish_data(data, *arguments, **options)

        def clear_output(self, wait=False):
            pass

    return {"displayhook_class": Hook, "display_pub_class": Publisher}


def start_shell(names):
    """A shell with NAMES as its namespace: no profile, history, threads or work at exit."""
    from IPython.core.release import version_info
    from traitlets.config import Config
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor" if version_info[0] < 9 else "nocolor"
    folder = tempfile.TemporaryDirectory(prefix="ipython-")
    main = sys.modules.get("__main__")
    options = {"user_module": main} if vars(main) is names else {"user_ns": names}
    shell = shell_class().instance(
        config=config, ipython_dir=folder.name, **options, **shell_outputs(names))
    atexit.unregister(shell.atexit_operations)
    shell.temporary_folder = folder  # lives as long as the shell
    return shell


def restore(names, before, *kept):
    """Restores NAMES to their state BEFORE, except those KEPT."""
    for name in set(names) - set(before) - set(kept):
        del names[name]
    names.update(before)


def ipython_shell(names):
    """The shell that runs the magics of the script with the globals NAMES."""
    importlib.import_module("IPython.core.displaypub")  # ends with ImportError without IPython
    from IPython.core.interactiveshell import InteractiveShell
    if InteractiveShell.initialized():
        return InteractiveShell.instance()
    before = dict(names), dict(vars(builtins))
    try:
        return start_shell(names)
    finally:
        restore(names, before[0], "_ih", "_oh", "_dh")
        restore(vars(builtins), before[1])


def find_magic(place, kind, name, arguments, scopes):
    """IPython's shell, and the magic as a function of its arguments."""
    body = arguments[1:]
    sign = "%%" if kind == "cell" else "%"
    try:
        shell = ipython_shell(scopes[0])
    except ImportError as error:
        raise RuntimeError(f"{place}: '{sign}{name}' needs IPython, which this Python does "
                           "not have") from error
    if name == "store" and "store" not in shell.magics_manager.magics["line"]:
        shell.extension_manager.load_extension("storemagic")  # as Jupyter's kernel does
    function = shell.magics_manager.magics[kind].get(name)
    if function is None or body == ("",):
        return shell, getattr(shell, f"run_{kind}_magic")(name, *arguments)  # which says what is wrong
    text = arguments[0]
    if not getattr(function, "_ipython_magic_no_var_expand", False):
        text = expand(text, *scopes)
    options = {}
    if getattr(function, "needs_local_scope", False):
        options["local_ns"] = scopes[-1] if kind == "line" else scopes[0]
    return shell, functools.partial(function, text, *body, **options)


def ipython_magic(place, kind, name, arguments, scopes):
    """The value of a magic of IPython."""
    off = scorep.instrumenter.disable()
    with off:
        shell, call = find_magic(place, kind, name, arguments, scopes)
        trap = shell.builtin_trap
        trap.__enter__()
    try:
        return call()
    finally:
        with off:
            trap.__exit__(None, None, None)


def call_magic(place, kind, name, arguments, scopes):
    """The value of a magic that the script has registered, or else of IPython's magic."""
    with scorep.instrumenter.disable():
        own = magics.OWN.get((name, kind))
    if own is not None:
        return own(*arguments, *scopes)
    return ipython_magic(place, kind, name, arguments, scopes)


@calls.recorded
def line_magic(place, name, text, *scopes):
    """The value of the line magic NAME."""
    return call_magic(place, "line", name, (text,), scopes)


@calls.recorded
def cell_magic(place, name_and_arguments, body, *scopes):
    """The value of the cell magic."""
    name, _, arguments = name_and_arguments.strip().partition(" ")
    return call_magic(place, "cell", name, (arguments.strip(), body), scopes)
