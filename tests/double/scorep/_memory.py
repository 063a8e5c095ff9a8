"""What a measurement takes of SCOREP_TOTAL_MEMORY.

Facts: the memory is one pool for all of a process. The profile keeps a node for each call path, the
definitions an entry for each region; a trace fills what is left and is written to disk when that is
full ("Trace buffer flush"). When the first two do not fit, Score-P prints a page of statistics and
aborts: status 134, no profile, no trace. With the default of 16,384,000 bytes, `import sympy` under
the instrumenter is enough.

The model: fixed sizes. CALL_PATH is what makes `import sympy` (26,502 call paths and 2,476 regions
with sympy 1.11) too much; EVENT is the 12 bytes of OTF2's enter and leave.
"""

from scorep._variables import abort_process
from scorep.helper import score_p_message, write_error

CALL_PATH = 640
REGION = 100  # and its name
EVENT = 12


class Memory:
    def __init__(self, variables: dict, experiment):
        self._total = variables["SCOREP_TOTAL_MEMORY"]
        self._depth = variables["SCOREP_PROFILING_MAX_CALLPATH_DEPTH"]
        self._profiles = variables["SCOREP_ENABLE_PROFILING"]
        self._event = EVENT if variables["SCOREP_ENABLE_TRACING"] else 0
        self._experiment = experiment
        self._regions = set()
        self._paths = set()
        self._used = 0
        self._trace = 0
        self.events = {0: 0}  # bytes of the trace in memory, by location

    def _take(self, size: int):
        self._used += size
        if self._used + self._trace > self._total:
            self._flush_or_abort()

    def enter(self, location, region: str):
        """Adds the call path of REGION to LOCATION's; deeper ones are collapsed into one."""
        path = location.paths[-1]
        if len(location.paths) <= self._depth:
            path = (hash(path), region)  # the hash stands for the path above
        location.paths.append(path)
        if region not in self._regions:
            self._regions.add(region)
            self._take(REGION + len(region))
        if self._profiles and path not in self._paths:
            self._paths.add(path)
            self._take(CALL_PATH)

    def add_event(self, location: int):
        self._trace += self._event
        self.events[location] = self.events.get(location, 0) + self._event
        if self._trace and self._used + self._trace > self._total:
            self._flush_or_abort()

    def _flush_or_abort(self):
        if self._used <= self._total and self._trace > 0:
            self._experiment.write_trace(self.events)
            self._trace = 0
            self.events = {}
            write_error("[Score-P] Trace buffer flush on rank %d.\n"
                        "[Score-P] Increase SCOREP_TOTAL_MEMORY and try again."
                        % self._experiment.rank)
            return
        score_p_message("Error", "No free memory page available: Out of memory. Please increase "
                        "SCOREP_TOTAL_MEMORY=%d and try again." % self._total)
        write_error("[Score-P] Memory usage of rank %d" % self._experiment.rank)
        for name, size in (("Definitions", REGION * len(self._regions)),
                           ("Profile", CALL_PATH * len(self._paths)), ("Trace", self._trace)):
            write_error("[Score-P] %-55s %-15d" % ("Memory used for %s" % name, size))
        abort_process()
