"""Stand-in for the C++ extension module: it names regions and feeds the measurement.

Without `start()` (a script run by plain Python) nothing reaches it: the instrumenter is the dummy.
"""

import atexit
import operator

from scorep import _experiment, _variables
from scorep._measurement import Measurement

_measurement = None
_regions = {}  # id(code) -> (code, region or None); holding the code keeps its id unique
_user_regions = set()

# A thread's first frames are entered before its instrumenter is on.
_EXIT_WITHOUT_ENTER = frozenset(
    "threading%s:_bootstrap%s" % (kind, inner)
    for kind in ("", ".Thread", "._MainThread", ".Timer")
    for inner in ("", "_inner")
)


def start(config: list):
    """Read the variables and make the experiment directory: once, before anything else."""
    global _measurement
    variables = _variables.read()
    experiment = _experiment.Experiment(variables, config)
    _measurement = Measurement(variables, config, experiment)
    atexit.register(_measurement.at_exit)


# -- regions of code objects, named at the first call

def _module_name(frame) -> str:
    """Fact: `module:function` and `module.Class:method`; the class is that of `self`."""
    name = frame.f_globals.get("__name__")
    name = name if isinstance(name, str) else "unkown"  # sic, in the real bindings
    if "self" in frame.f_locals:
        return name + "." + type(frame.f_locals["self"]).__name__
    return name


def _name_of_frame(frame):
    """None for the bindings' own code, which is not recorded."""
    module = _module_name(frame)
    if module[:6] == "scorep":
        return None
    return module + ":" + frame.f_code.co_name


def _define(code, name):
    """The region of CODE, with the place that the real bindings put into its definition."""
    known = _regions[id(code)] = (code, name)
    if name is not None:
        _measurement.define(name, code.co_filename, code.co_firstlineno)
    return known


def frame_enter(frame):
    if not _measurement.active:
        return
    known = _regions.get(id(frame.f_code))
    if known is None:
        known = _define(frame.f_code, _name_of_frame(frame))
    if known[1] is not None:
        _measurement.check_thread()
        _measurement.enter(known[1])


def frame_leave(frame):
    if not _measurement.active:
        return
    known = _regions.get(id(frame.f_code))
    if known is None:
        name = _name_of_frame(frame)
        if name is not None and name not in _EXIT_WITHOUT_ENTER:
            _measurement.leave_unknown(name)
    elif known[1] is not None:
        _measurement.leave(known[1])


def code_enter(code, module: str, function: str):
    """A decorated function while the instrumenter is off."""
    known = _regions.get(id(code)) or _define(code, module + ":" + function)
    _measurement.enter(known[1])


def code_leave(code):
    _measurement.leave(_regions[id(code)][1])


# -- regions of names

def _text(value) -> str:
    if not isinstance(value, str):
        raise TypeError("argument must be str, not %s" % type(value).__name__)
    value.encode("utf-8")  # any UTF-8 name works, a lone surrogate does not
    return value


def region_begin(group: str, name: str):
    region = group + ":" + _text(name)
    _user_regions.add(region)
    _measurement.enter(region)


def region_end(group: str, name: str):
    region = group + ":" + _text(name)
    if region in _user_regions:
        _measurement.leave(region)
    else:
        _measurement.leave_unknown(region)


def parameter_int(name: str, value: int):
    value = operator.index(value)
    if not -(1 << 63) <= value < 1 << 63:
        raise OverflowError("int too big to convert")
    _measurement.parameter(_text(name), value)


def parameter_uint(name: str, value: int):
    _measurement.parameter(_text(name), operator.index(value) & ((1 << 64) - 1))


def parameter_string(name: str, value: str):
    _measurement.parameter(_text(name), _text(value))


def set_recording(on: bool):
    _measurement.set_recording(on)


def force_finalize():
    _measurement.force_finalize()
