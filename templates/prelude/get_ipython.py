# requires: quiet on_import register ipython shell getoutput raises
class _nbscorep_idle:
    """Part of an interactive shell that takes everything and does nothing; it holds nothing."""

    @_nbscorep_quiet
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    @_nbscorep_quiet
    def __call__(self, *arguments, **options):
        return self

    __getitem__ = __call__

    @_nbscorep_quiet
    def __setitem__(self, key, value):
        pass

    @_nbscorep_quiet
    def __contains__(self, key):
        return False

    @_nbscorep_quiet
    def __iter__(self):
        return iter(())


class _nbscorep_result:
    """What run_cell() returns."""

    @_nbscorep_quiet
    def __init__(self):
        self.result = self.error_in_exec = self.error_before_exec = None
        self.success = True

    @_nbscorep_quiet
    def raise_error(self):
        if not self.success:
            raise self.error_before_exec or self.error_in_exec


@_nbscorep_apart
def _nbscorep_find_helper(kind, name, text, place, names):
    """The function for a magic, and what to put before its argument; None if it does nothing."""
    import functools
    if name == "config" and not text.startswith("InlineBackend"):
        return None
    table = names.get("_nbscorep_magics", {})
    if (name, kind) in table:
        return table[name, kind]
    if name in ("load_ext", "reload_ext") and text.strip() in ("autoreload", "jumper_extension"):
        return None
    if kind == "line":
        return functools.partial(_nbscorep_line_magic, place, name), ""
    return functools.partial(_nbscorep_cell_magic, place), f"{name} "


@_nbscorep_apart
def _nbscorep_runs_code(function):
    """Whether the user's code runs in FUNCTION, so that it wants the instrumenter on."""
    function = getattr(function, "func", function)
    return getattr(function, "__globals__", {}).get("__name__", "").startswith("scorep")


@_nbscorep_quiet
def _nbscorep_run_magic(caller, names, kind, name, text, *body):
    """What a magic gives that is run from the frame CALLER."""
    with scorep.instrumenter.disable():
        import os
        place = f"{os.path.basename(caller.f_code.co_filename)}, line {caller.f_lineno}"
        found = _nbscorep_find_helper(kind, name, text, place, names)
        if found is None:
            return None
        call, front = found
        arguments = (front + text, *body, names, caller.f_locals)
        if not _nbscorep_runs_code(call):
            return call(*arguments)
    return call(*arguments)


@_nbscorep_apart
def _nbscorep_parse(text, keep):
    """TEXT as code; KEEP stands for the value of its last expression."""
    import ast
    tree = ast.parse(text)
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not text.rstrip().endswith(";"):
        assignment = ast.parse(f"{keep} = 0").body[0]
        assignment.value = tree.body[-1].value
        tree.body[-1] = ast.copy_location(assignment, tree.body[-1])
    return compile(ast.fix_missing_locations(tree), "<run_cell>", "exec")


@_nbscorep_quiet
def _nbscorep_run_cell(names, text):
    """Python in the script's namespace; an error is shown, not raised."""
    result = _nbscorep_result()
    try:
        with scorep.instrumenter.disable():
            import sys
            code = _nbscorep_parse(text, "_nbscorep_value")
        exec(code, names)
        with scorep.instrumenter.disable():
            result.result = names.pop("_nbscorep_value", None)
            sys.displayhook(result.result)
    except BaseException as error:
        with scorep.instrumenter.disable():
            if not _nbscorep_goes_on(type(error), error, error.__traceback__):
                raise
            result.error_in_exec = error
            result.success = False
    return result


class _nbscorep_interactive:
    """What get_ipython() gives in the script: it runs what notebooks run through it."""
    config = events = display_formatter = display_pub = _nbscorep_idle()
    ast_node_interactivity = "last_expr"

    @_nbscorep_quiet
    def __init__(self, names):
        self.user_ns = self.user_global_ns = names

    @_nbscorep_quiet
    def __getattr__(self, name):
        """Anything else is IPython's."""
        with scorep.instrumenter.disable():
            try:
                if not name.startswith("__"):
                    return getattr(_nbscorep_ipython_shell(self.user_ns), name)
            except ImportError:
                pass
            raise AttributeError(f"'TerminalInteractiveShell' object has no attribute {name!r}")

    @_nbscorep_quiet
    def run_line_magic(self, magic_name, line="", _stack_depth=1):
        import sys
        return _nbscorep_run_magic(sys._getframe(1), self.user_ns, "line", magic_name, line)

    @_nbscorep_quiet
    def run_cell_magic(self, magic_name, line, cell):
        import sys
        return _nbscorep_run_magic(sys._getframe(1), self.user_ns, "cell", magic_name, line, cell)

    @_nbscorep_quiet
    def magic(self, arg_s):
        import sys
        name, _, text = arg_s.lstrip("%").strip().partition(" ")
        return _nbscorep_run_magic(sys._getframe(1), self.user_ns, "line", name, text.strip())

    @_nbscorep_quiet
    def system(self, cmd):
        with scorep.instrumenter.disable():
            import sys
            _nbscorep_shell(cmd, self.user_ns, sys._getframe(1).f_locals)

    system_piped = system_raw = system

    @_nbscorep_quiet
    def getoutput(self, cmd, split=True, depth=0):
        with scorep.instrumenter.disable():
            import sys
            lines = _nbscorep_getoutput(cmd, self.user_ns, sys._getframe(1).f_locals)
            return lines if split else "\n".join(lines)

    @_nbscorep_quiet
    def ev(self, expr):
        return eval(expr, self.user_ns)

    @_nbscorep_quiet
    def ex(self, cmd):
        exec(cmd, self.user_ns)

    @_nbscorep_quiet
    def run_cell(self, raw_cell, store_history=False, silent=False, shell_futures=True,
                 cell_id=None):
        return _nbscorep_run_cell(self.user_ns, raw_cell)

    @_nbscorep_quiet
    def push(self, variables, interactive=True):
        """Puts names into the script's: a dictionary, or names of the caller's."""
        with scorep.instrumenter.disable():
            if not isinstance(variables, dict):
                import sys
                scope = sys._getframe(1).f_locals
                words = variables.split() if isinstance(variables, str) else variables
                variables = {name: scope[name] for name in words}
            self.user_ns.update(variables)

    @_nbscorep_quiet
    def set_next_input(self, text, replace=False):
        pass

    @_nbscorep_quiet
    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        with scorep.instrumenter.disable():
            _nbscorep_register(magic_kind, func, magic_name)


_nbscorep_interactive.__name__ = _nbscorep_interactive.__qualname__ = "TerminalInteractiveShell"
_nbscorep_interactive_shell = _nbscorep_interactive(globals())


@_nbscorep_quiet
def _nbscorep_get_ipython():
    """The stand-in for the shell."""
    return _nbscorep_interactive_shell


@_nbscorep_quiet
def _nbscorep_take_get_ipython(module):
    """Makes IPython's get_ipython give the stand-in to the script, and to nobody else."""
    real = module.get_ipython

    @_nbscorep_quiet
    def get_ipython():
        import sys
        caller = sys._getframe(1)
        if caller.f_globals.get("__name__") == "IPython.core.magic":
            caller = caller.f_back  # @register_line_magic asks for who uses it
        return caller.f_globals.get("_nbscorep_interactive_shell") or real()

    module.get_ipython = get_ipython


_nbscorep_on_import("IPython.core.getipython", _nbscorep_take_get_ipython)
get_ipython = _nbscorep_get_ipython
