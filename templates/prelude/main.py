# requires: quiet
class _nbscorep_main(type(__import__("sys"))):
    """The module __main__ where the bindings run the script in a dictionary that is no module's."""

    __dict__ = property(_nbscorep_quiet(lambda self: _nbscorep_globals))

    @_nbscorep_quiet
    def __getattr__(self, name):
        try:
            return _nbscorep_globals[name]
        except KeyError:
            raise AttributeError(f"module '__main__' has no attribute '{name}'") from None

    @_nbscorep_quiet
    def __setattr__(self, name, value):
        _nbscorep_globals[name] = value

    @_nbscorep_quiet
    def __delattr__(self, name):
        if _nbscorep_globals.pop(name, self) is self:
            raise AttributeError(name)


if vars(__import__("sys").modules["__main__"]) is not _nbscorep_globals:
    __import__("sys").modules["__main__"] = _nbscorep_main("__main__")
