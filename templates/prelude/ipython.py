# requires: quiet expand
@_nbscorep_apart
def _nbscorep_shell_class():
    """IPython's shell without what changes the process it lives in."""
    import sys
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        init_sys_modules = init_prompts = init_virtualenv = lambda self: None

        def _showtraceback(self, kind, error, lines):
            print(self.InteractiveTB.stb2text(lines), file=sys.stderr)

    return Shell


@_nbscorep_apart
def _nbscorep_shell_outputs(names):
    """IPython's hooks for shown values, so that they go where those of the script go."""
    import sys
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher

    class Hook(DisplayHook):
        def __call__(self, value=None):
            if value is not None:
                self.fill_exec_result(value)
                names.get("_nbscorep_echo", sys.__displayhook__)(value)

    class Publisher(DisplayPublisher):
        def publish(self, data, *arguments, **options):
            show = names.get("_nbscorep_publish")
            if show is not None:
                show(data, *arguments, **options)
            elif "text/plain" in data:
                print(data["text/plain"])

        def clear_output(self, wait=False):
            pass

    return {"displayhook_class": Hook, "display_pub_class": Publisher}


@_nbscorep_apart
def _nbscorep_start_shell(names):
    """A shell with NAMES as its namespace: no profile, history, threads or work at exit."""
    import atexit
    import sys
    import tempfile
    from IPython.core.release import version_info
    from traitlets.config import Config
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor" if version_info[0] < 9 else "nocolor"
    folder = tempfile.TemporaryDirectory(prefix="ipython-")
    main = sys.modules.get("__main__")
    options = {"user_module": main} if vars(main) is names else {"user_ns": names}
    shell = _nbscorep_shell_class().instance(
        config=config, ipython_dir=folder.name, **options, **_nbscorep_shell_outputs(names))
    atexit.unregister(shell.atexit_operations)
    shell.nbscorep_folder = folder  # lives as long as the shell
    return shell


@_nbscorep_apart
def _nbscorep_restore(names, before, *kept):
    """NAMES as they were BEFORE, but for those KEPT."""
    for name in set(names) - set(before) - set(kept):
        del names[name]
    names.update(before)


@_nbscorep_apart
def _nbscorep_ipython_shell(names):
    """The shell that runs the magics of the script with the globals NAMES."""
    import builtins
    from IPython.core.displaypub import DisplayPublisher  # no stand-in has this
    from IPython.core.interactiveshell import InteractiveShell
    if InteractiveShell.initialized():
        return InteractiveShell.instance()
    before = dict(names), dict(vars(builtins))
    try:
        return _nbscorep_start_shell(names)
    finally:
        _nbscorep_restore(names, before[0], "_ih", "_oh", "_dh")
        _nbscorep_restore(vars(builtins), before[1])


@_nbscorep_apart
def _nbscorep_find_magic(place, kind, name, arguments, scopes):
    """IPython's shell, and the magic as a function of its arguments."""
    import functools
    body = arguments[1:]
    sign = "%%" if kind == "cell" else "%"
    try:
        shell = _nbscorep_ipython_shell(scopes[0])
        from IPython.core.error import UsageError
    except ImportError as error:
        raise RuntimeError(f"{place}: '{sign}{name}' needs IPython, which this Python does "
                           "not have") from error
    if name == "store" and "store" not in shell.magics_manager.magics["line"]:
        shell.extension_manager.load_extension("storemagic")  # as Jupyter's kernel does
    function = shell.magics_manager.magics[kind].get(name)
    if function is None or body == ("",):
        try:  # IPython says best what is wrong
            return shell, getattr(shell, f"run_{kind}_magic")(name, *arguments)
        except UsageError as error:
            raise RuntimeError(f"{place}: {error}") from None
    text = arguments[0]
    if not getattr(function, "_ipython_magic_no_var_expand", False):
        text = _nbscorep_expand(text, *scopes)
    options = {}
    if getattr(function, "needs_local_scope", False):
        options["local_ns"] = scopes[-1] if kind == "line" else scopes[0]
    return shell, functools.partial(function, text, *body, **options)


@_nbscorep_quiet
def _nbscorep_ipython_magic(place, kind, name, arguments, scopes):
    """What IPython's magic gives."""
    off = scorep.instrumenter.disable()
    with off:
        shell, call = _nbscorep_find_magic(place, kind, name, arguments, scopes)
        trap = shell.builtin_trap
        trap.__enter__()
    try:
        return call()
    finally:
        with off:
            trap.__exit__(None, None, None)


@_nbscorep_quiet
def _nbscorep_call_magic(place, kind, name, arguments, scopes):
    """What the magic gives: one that the script has registered, else one of IPython."""
    with scorep.instrumenter.disable():
        own = scopes[0].get("_nbscorep_magics", {}).get((name, kind))
    if own is not None:
        return own[0](own[1] + arguments[0], *arguments[1:], *scopes)
    return _nbscorep_ipython_magic(place, kind, name, arguments, scopes)


@_nbscorep_quiet
def _nbscorep_line_magic(place, name, text, *scopes):
    """What the line magic NAME gives."""
    return _nbscorep_call_magic(place, "line", name, (text,), scopes)


@_nbscorep_quiet
def _nbscorep_cell_magic(place, name_and_arguments, body, *scopes):
    """What the cell magic gives."""
    name, _, arguments = name_and_arguments.strip().partition(" ")
    return _nbscorep_call_magic(place, "cell", name, (arguments.strip(), body), scopes)
