try:
    import scorep.instrumenter
except ImportError:  # no bindings here: regions do nothing
    def _nbscorep_stand_in(modules, module_type, decorator):
        class Nothing(decorator):  # can be called, entered, used as a decorator; it is false
            __init__ = lambda self, *args, **kwargs: None
            __enter__ = lambda self: self
            __exit__ = __bool__ = lambda self, *args: False

        class Module(module_type):
            __path__ = []

            def __getattr__(self, name):
                if name.startswith("__"):
                    raise AttributeError(name)
                if name == "instrument_function":
                    return lambda function, *args, **kwargs: function
                known = ("region", "enable", "disable")
                return Nothing if name in known else lambda *args, **kwargs: None

        for name in "scorep", "scorep.instrumenter", "scorep.user":
            modules[name] = Module(name)
        modules["scorep"].instrumenter = modules["scorep.instrumenter"]
        modules["scorep"].user = modules["scorep.user"]

    _nbscorep_stand_in(__import__("sys").modules, type(__import__("sys")),
                       __import__("contextlib").ContextDecorator)
    import scorep.instrumenter
