def quiet(usual):
    """USUAL, which imports, but with the instrumenter off. In the main thread only: the others
    share the instrumenter's state, but each has an instrumentation of its own."""
    import functools
    import threading
    main = threading.main_thread().ident

    @functools.wraps(usual)
    def quiet_import(*args, **kwargs):
        instrumenter = scorep.instrumenter.global_instrumenter  # making one would import, too
        measures = (instrumenter is not None and instrumenter.get_registered()
                    and threading.get_ident() == main)
        if measures:
            instrumenter.unregister()
        try:
            return usual(*args, **kwargs)
        except BaseException as error:  # not through here, where Python (3.11) lets that be said
            error.__traceback__ = error.__traceback__.tb_next
            raise
        finally:
            # The child of a fork has another one, which does nothing.
            if measures and instrumenter is scorep.instrumenter.global_instrumenter:
                instrumenter.register()

    # What warns of its import means the importing line: so does Python skip its own importing code.
    name = "<nbscorep importlib._bootstrap>"
    quiet_import.__code__ = quiet_import.__code__.replace(co_filename=name)
    return quiet_import


def quieten_imports():
    """--imports=quiet"""
    import builtins
    import importlib
    for module, names in (builtins, ["__import__"]), (importlib, ["import_module", "reload"]):
        for name in names:
            setattr(module, name, quiet(getattr(module, name)))


if measured:
    quieten_imports()
