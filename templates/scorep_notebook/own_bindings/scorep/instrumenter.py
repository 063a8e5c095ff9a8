"""Recording calls of Python functions, and not recording them. The names are those of Score-P's bindings."""
import functools

module = None  # the shared object, once _recorder.py has started it
global_instrumenter = None
_regions = {}  # the number of a region by its module and name


def _region(module_name, name, file="", line=0):
    key = module_name, name
    if key not in _regions:
        _regions[key] = module.define(module_name, name, file or "", line or 0)
    return _regions[key]


class Instrumenter:
    """Records through the recorder, if it was started."""

    def register(self):
        """Records the calls of this thread from now on."""
        if module is not None:
            module.enable()

    def unregister(self):
        if module is not None:
            module.disable()

    def get_registered(self):
        return module is not None and module.is_enabled()

    def recorder(self):
        """What records calls of this thread, or None."""
        return module if self.get_registered() else None

    def region_begin(self, module_name, name, file="", line=0, code=None):
        if module is not None:
            module.enter(_region(module_name, name, file, line))

    def region_end(self, module_name, name, code=None):
        if module is not None:
            module.leave(_region(module_name, name))

    def run(self, code, globals=None, locals=None):
        """Executes CODE and records its calls."""
        self.register()
        try:
            exec(code, globals, locals)
        finally:
            self.unregister()

    def set_recording(self, on):
        """Records calls and regions of all threads, or nothing."""
        if module is not None:
            module.set_on(on)

    def force_finalize(self):
        if module is not None:
            module.end()

    def reregister_exit_handler(self):
        """The recorder's data are in files already."""

    def __getattr__(self, name):
        """rewind_begin, parameter_int and others: what is not recorded."""
        if name.startswith("__"):
            raise AttributeError(name)

        def ignore(*arguments, **options):
            if module is not None:
                from . import _recorder
                _recorder.tell(f"'{name}' is for Score-P; the recorder ignores it")

        return ignore


def get_instrumenter(enable_instrumenter=False, instrumenter_type="dummy"):
    global global_instrumenter
    if global_instrumenter is None:
        global_instrumenter = Instrumenter()
    return global_instrumenter


def has_c_instrumenter():
    return True


def register():
    get_instrumenter().register()


def unregister():
    get_instrumenter().unregister()


class _Switch:
    """A context manager and decorator; a name shows as a region where the call changes the state."""

    def __init__(self, region_name=""):
        self.region_name = region_name

    def __call__(self, function):
        with disable():
            @functools.wraps(function)
            def inner(*arguments, **options):
                with self:
                    return function(*arguments, **options)
        return inner

    def begin_region(self):
        if self.region_name:
            get_instrumenter().region_begin("user_instrumenter", self.region_name)

    def end_region(self):
        if self.region_name:
            get_instrumenter().region_end("user_instrumenter", self.region_name)


class enable(_Switch):
    """Records calls of Python functions."""

    def __enter__(self):
        self.registered = get_instrumenter().get_registered()
        if not self.registered:
            self.begin_region()
            get_instrumenter().register()

    def __exit__(self, *exception):
        if not self.registered:
            get_instrumenter().unregister()
            self.end_region()


class disable(_Switch):
    """Records no calls of Python functions."""

    def __enter__(self):
        self.registered = get_instrumenter().get_registered()
        if self.registered:
            get_instrumenter().unregister()
            self.begin_region()

    def __exit__(self, *exception):
        if self.registered:
            self.end_region()
            get_instrumenter().register()


def __getattr__(name):
    """Names of other versions of the bindings."""
    return getattr(get_instrumenter(), name)
