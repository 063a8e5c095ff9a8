"""Records nothing; what a script gets that plain Python runs."""


def _nothing(*_arguments):
    return None


class ScorepDummy:
    def __init__(self, enable_instrumenter: bool = True):
        pass

    def run(self, code, globals=None, locals=None):
        exec(code, globals, locals)

    register = unregister = get_registered = staticmethod(_nothing)
    region_begin = region_end = code_enter = code_leave = staticmethod(_nothing)
    set_recording = staticmethod(_nothing)
    parameter_int = parameter_uint = parameter_string = staticmethod(_nothing)
    force_finalize = reregister_exit_handler = staticmethod(_nothing)
