"""The measurement: events in memory, checked for consistency, written once at the end.

Facts mirrored here: a region that is open at the end makes Score-P abort (134) and everything is
lost; a leave that does not match does so too; os._exit and signals lose everything because
nothing is written before the end; force_finalize closes what is open and writes at once;
children of a fork are not measured; depth beyond SCOREP_PROFILING_MAX_CALLPATH_DEPTH is reported;
memory that runs out aborts (_memory.py).
"""

import os
import sys
import threading

from scorep._memory import Memory
from scorep._variables import abort_process
from scorep.helper import score_p_message, write_error


class Location:
    """One stream of events: the process, or with --thread=pthread each of its threads."""

    __slots__ = ("number", "stack", "paths", "deepest")

    def __init__(self, number: int):
        self.number = number
        self.stack = []
        self.paths = [(number, None)]  # the call path of each region in stack, behind the root
        self.deepest = 0


class Measurement:
    def __init__(self, variables: dict, config: list, experiment):
        self._variables = variables
        self._experiment = experiment
        self._threads = "--thread=pthread" in config
        self._events = []  # (event, name, value, location number)
        self._functions = []
        self._memory = Memory(variables, experiment)
        self._locations = [Location(0)]
        self._local = threading.local()
        self._local.location = self._locations[0]
        self._main = threading.get_ident()
        self._recording = True
        self._error = None
        self._error_region_told = False
        self._finished = False
        self.active = experiment.writes  # nothing is recorded, or checked, for nobody
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        self.active = False
        self._finished = True
        self._events = []

    def _location(self) -> Location:
        location = getattr(self._local, "location", None)
        if location is None:
            location = self._locations[0]
            if self._threads:
                location = Location(len(self._locations))
                self._locations.append(location)
            self._local.location = location
        return location

    def _record(self, event: str, name, value, location: Location):
        self._events.append((event, name, value, location.number))
        self._memory.add_event(location.number)

    def define(self, region: str, file: str, line: int):
        """The region of a function; several can have the same name."""
        self._functions.append({"region": region, "file": file, "line": line})

    # -- events

    def check_thread(self):
        """Fact: without --thread=pthread a thread under the instrumenter ruins the measurement."""
        if not self._threads and threading.get_ident() != self._main:
            self._inconsistent("event of a thread at location 0")

    def enter(self, region: str):
        if not self._experiment.begun:
            self._experiment.begin()
        if self.active and self._recording:
            location = self._location()
            location.stack.append(region)
            location.deepest = max(location.deepest, len(location.stack))
            self._memory.enter(location, region)
            self._record("enter", region, None, location)

    def leave(self, region: str):
        if not (self.active and self._recording):
            return
        location = self._location()
        if not location.stack:
            self._inconsistent("exit of '%s' at location %d, which is in no region"
                               % (region, location.number))
        elif location.stack[-1] != region:
            self._inconsistent(
                "Exit event for other than current region occurred at location %d: "
                "Expected exit for region '%s'. Exited region '%s'"
                % (location.number, location.stack[-1], region)
            )
        else:
            location.stack.pop()
            location.paths.pop()
            self._record("leave", region, None, location)

    def leave_unknown(self, region: str):
        """A leave of what was never entered: recorded as 'error_region', told once."""
        if not self.active:
            return
        self.enter("error_region")
        self.parameter("leave-region", region)
        self.leave("error_region")
        if not self._error_region_told:
            self._error_region_told = True
            write_error("SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!")
            _tell_error_region()

    def parameter(self, name: str, value):
        if self.active and self._recording:
            self._record("parameter", name, value, self._location())

    def set_recording(self, on: bool):
        if self.active and on != self._recording:
            self._recording = on
            self._record("recording", None, on, self._location())

    # -- the end

    def _inconsistent(self, why: str):
        if self._error is None:
            self._error = why

    def force_finalize(self):
        """Fact: closes what is open, writes, and prints one harmless line."""
        if not self._finished:
            self._abort_if(self._error)
            _tell_error_region()
            self._write()

    def at_exit(self):
        """Registered first, so it runs after every exit handler of the script."""
        if self._finished:
            return
        opened = self._locations[0].stack
        if self._error is None and opened:
            self._inconsistent("region '%s' is still open at the end" % opened[-1])
        self._abort_if(self._error)
        self._write()

    def _abort_if(self, error):
        if error is None:
            return
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass
        score_p_message("Fatal", "Inconsistent profile. Stop profiling: " + error)
        abort_process()

    def _write(self):
        self.active = False
        self._finished = True
        events = self._events + _missing_leaves(self._events)
        self._report_depth()
        self._experiment.write_results([_as_dict(event) for event in events], self._functions,
                                       self._memory.events)

    def _report_depth(self):
        limit = self._variables["SCOREP_PROFILING_MAX_CALLPATH_DEPTH"]
        deepest = max(location.deepest for location in self._locations)
        if self._variables["SCOREP_ENABLE_PROFILING"] and deepest > limit:
            score_p_message(
                "Warning",
                "Score-P callpath depth limitation of %d exceeded.\n"
                "Reached callpath depth was %d.\n"
                "Consider setting SCOREP_PROFILING_MAX_CALLPATH_DEPTH to %d."
                % (limit, deepest, deepest),
            )


def _tell_error_region():
    write_error(
        'SCOREP_BINDING_PYTHON ERROR: For details look for "error_region" in the trace or profile.'
    )


def _missing_leaves(events: list) -> list:
    """Found from the events, not the stacks: a signal handler may finalize between the two."""
    stacks = {}
    for event, name, _, number in events:
        if event == "enter":
            stacks.setdefault(number, []).append(name)
        elif event == "leave":
            stacks[number].pop()
    return [
        ("leave", name, None, number)
        for number, stack in stacks.items()
        for name in reversed(stack)
    ]


_NAME_KEYS = {"enter": "region", "leave": "region", "parameter": "name"}
_VALUE_KEYS = {"parameter": "value", "recording": "on"}


def _as_dict(record: tuple) -> dict:
    event, name, value, location = record
    result = {"event": event}
    if event in _NAME_KEYS:
        result[_NAME_KEYS[event]] = name
    if event in _VALUE_KEYS:
        result[_VALUE_KEYS[event]] = value
    if location != 0:
        result["location"] = location
    return result
