"""Stand-in for the Score-P Python bindings 4.5.1 on Score-P 8.4, for tests without Score-P.

Fact: `import scorep` imports neither scorep.user nor scorep.instrumenter, and none of the
first generation's names (scorep.register, scorep.user_region_begin, ...) exists.
"""

__all__ = ["user", "instrumenter", "__version__"]

from scorep._version import __version__
