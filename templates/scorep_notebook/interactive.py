"""get_ipython(): the parts of an interactive shell that notebooks use."""
import ast
import functools
import os
import sys

import scorep.instrumenter

from . import magics
from .on_import import on_import
from .captured import goes_on
from .commands import getoutput, settings, shell
from .ipython import cell_magic, ipython_shell, line_magic
from .magic_arguments import as_python, expand


class Idle:
    """Part of an interactive shell that accepts any call, does nothing and contains nothing."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments, **options):
        return self

    __getitem__ = __call__

    def __setitem__(self, key, value):
        pass

    def __contains__(self, key):
        return False

    def __iter__(self):
        return iter(())

    def _ipython_display_(self):
        """As the value of a cell it prints nothing, as the None of IPython's own methods."""


class ExecutionResult:
    """The result of run_cell()."""
    result = error_in_exec = error_before_exec = None
    success = True

    def raise_error(self):
        if not self.success:
            raise self.error_before_exec or self.error_in_exec


def find_helper(kind, name, text, place):
    """The function for a magic, the text before its argument, and whether it runs code of the user; None
    if the magic does nothing in batch."""
    if (name, kind) in magics.OWN:
        return magics.OWN[name, kind], "", True
    if name == "config" and not text.startswith("InlineBackend") and "system_raise_on_error" not in text:
        return None
    if name in magics.IDLE or (name in ("load_ext", "reload_ext")
                               and text.strip() in magics.EXTENSIONS):
        return None
    if (name, kind) in magics.MAGICS:
        function, front = magics.MAGICS[name, kind]
        function = getattr(sys.modules[__package__], function)
        return function.with_names, front, function.is_recorded
    if kind == "line":
        return functools.partial(line_magic.with_names, place, name), "", True
    return functools.partial(cell_magic.with_names, place), f"{name} ", True


def run_magic(caller, names, kind, name, text, *body):
    """The value of a magic that is called from the frame CALLER."""
    with scorep.instrumenter.disable():
        place = f"{os.path.basename(caller.f_code.co_filename)}, line {caller.f_lineno}"
        found = find_helper(kind, name, text, place)
        if found is None:
            return None
        call, front, is_recorded = found
        arguments = (front + text, *body, names, caller.f_locals)
        if not is_recorded:
            return call(*arguments)
    return call(*arguments)


def parse(text, keep):
    """Compiles TEXT so that it assigns the value of its last expression to KEEP."""
    tree = ast.parse(text)
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";"):
        assignment = ast.parse(f"{keep} = 0").body[0]
        assignment.value = tree.body[-1].value
        tree.body[-1] = ast.copy_location(assignment, tree.body[-1])
    return compile(ast.fix_missing_locations(tree), "<run_cell>", "exec")


class Shell:
    """The value of get_ipython() in the script."""
    config = events = display_formatter = display_pub = Idle()
    ast_node_interactivity = "last_expr"

    def __init__(self, names):
        self.user_ns = self.user_global_ns = names

    def __getattr__(self, name):
        """Other attributes are those of IPython's shell."""
        with scorep.instrumenter.disable():
            try:
                if not name.startswith("__"):
                    return getattr(ipython_shell(self.user_ns), name)
            except ImportError:
                pass
            raise AttributeError(f"'TerminalInteractiveShell' object has no attribute {name!r}")

    @property
    def system_raise_on_error(self):
        return settings.raises

    @system_raise_on_error.setter
    def system_raise_on_error(self, value):
        settings.raises = bool(value)

    def run_line_magic(self, magic_name, line="", _stack_depth=1):
        return run_magic(sys._getframe(1), self.user_ns, "line", magic_name, line)

    def run_cell_magic(self, magic_name, line, cell):
        return run_magic(sys._getframe(1), self.user_ns, "cell", magic_name, line, cell)

    def magic(self, arg_s):
        name, _, text = arg_s.lstrip("%").strip().partition(" ")
        return run_magic(sys._getframe(1), self.user_ns, "line", name, text.strip())

    def system(self, cmd):
        with scorep.instrumenter.disable():
            shell.with_names(cmd, self.user_ns, sys._getframe(1).f_locals)

    system_piped = system_raw = system

    def getoutput(self, cmd, split=True, depth=0):
        with scorep.instrumenter.disable():
            lines = getoutput.with_names(cmd, self.user_ns, sys._getframe(1).f_locals)
            return lines if split else "\n".join(lines)

    def ev(self, expr):
        return eval(expr, self.user_ns)

    def ex(self, cmd):
        exec(cmd, self.user_ns)

    def run_cell(self, raw_cell, store_history=False, silent=False, shell_futures=True,
                 cell_id=None):
        """Runs Python code in the script's names. Prints an error instead of raising it."""
        names, result = self.user_ns, ExecutionResult()
        try:
            with scorep.instrumenter.disable():
                code = parse(as_python(raw_cell, names), "scorep_notebook_value")
            exec(code, names)
            with scorep.instrumenter.disable():
                result.result = names.pop("scorep_notebook_value", None)
                sys.displayhook(result.result)
        except BaseException as error:
            with scorep.instrumenter.disable():
                if not goes_on(type(error), error, error.__traceback__):
                    raise
                result.error_in_exec = error
                result.success = False
        return result

    def push(self, variables, interactive=True):
        """Adds VARIABLES to the script: a dictionary, or names of the caller's variables."""
        with scorep.instrumenter.disable():
            if not isinstance(variables, dict):
                scope = sys._getframe(1).f_locals
                words = variables.split() if isinstance(variables, str) else variables
                variables = {name: scope[name] for name in words}
            self.user_ns.update(variables)

    def set_next_input(self, text, replace=False):
        pass

    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        with scorep.instrumenter.disable():
            register(magic_kind, func, magic_name)


Shell.__name__ = Shell.__qualname__ = "TerminalInteractiveShell"


def register(kind, function, name=None):
    """Makes FUNCTION the magic NAME of the script: "line", "cell" or "line_cell"."""
    def scope(scopes):
        wanted = scopes and getattr(function, "needs_local_scope", False)
        return {"local_ns": scopes[-1]} if wanted else {}

    def line(text, *scopes):
        with scorep.instrumenter.disable():
            text = expand(text, *scopes)
            more = scope(scopes)
        return function(text, **more)

    def cell(text, body, *scopes):
        with scorep.instrumenter.disable():
            text = expand(text, *scopes)
            more = scope(scopes)
        return function(text, body, **more)

    for one, call in (("line", line), ("cell", cell)):
        if one in kind.split("_"):
            magics.OWN[name or function.__name__, one] = call
    return function


class state:
    names = None  # the globals of the script
    shell = None  # what get_ipython() gives to it


def get_ipython():
    """The shell of the script, as in a notebook."""
    return state.shell


def take_get_ipython(module):
    """Makes IPython's get_ipython return the script's shell to the script, and the real one to others."""
    real = module.get_ipython

    def get_ipython_for():
        caller = sys._getframe(1)
        if caller.f_globals.get("__name__") == "IPython.core.magic":
            caller = caller.f_back  # @register_line_magic asks for the code that uses it
        return state.shell if caller.f_globals is state.names else real()

    module.get_ipython = get_ipython_for


def begin(names):
    """Makes the shell of the script with the globals NAMES."""
    state.names, state.shell = names, Shell(names)
    on_import("IPython.core.getipython", take_get_ipython)
