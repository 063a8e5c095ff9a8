"""Names of the bindings 0.x for what the current bindings have."""
import atexit

import scorep.instrumenter
import scorep.user


def first_generation(names):
    register, unregister = scorep.instrumenter.register, scorep.instrumenter.unregister

    def switch_on():
        atexit.unregister(scorep.user.force_finalize)
        register()

    def switch_off():
        """Ends the measurement at exit before Python's own frames end: Score-P aborts if a region is
        still open, and these regions end unrecorded now."""
        unregister()
        atexit.unregister(scorep.user.force_finalize)
        atexit.register(scorep.user.force_finalize)

    scorep.register, scorep.unregister = switch_on, switch_off
    for name in ("region_begin", "region_end", "enable_recording", "disable_recording",
                 "parameter_int", "parameter_uint", "parameter_string"):
        setattr(scorep, f"user_{name}", getattr(scorep.user, name))
