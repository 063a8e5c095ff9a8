# requires: quiet
def _nbscorep_first_generation():
    """Names of the first bindings (0.x) for what today's have."""
    import atexit
    register, unregister = scorep.instrumenter.register, scorep.instrumenter.unregister

    @_nbscorep_quiet
    def switch_on():
        atexit.unregister(scorep.user.force_finalize)
        register()

    @_nbscorep_quiet
    def switch_off():
        """What runs then ends unseen, and Score-P aborts at what is open at the script's end."""
        unregister()
        atexit.unregister(scorep.user.force_finalize)
        atexit.register(scorep.user.force_finalize)

    scorep.register, scorep.unregister = switch_on, switch_off
    for name in ("region_begin", "region_end", "enable_recording", "disable_recording",
                 "parameter_int", "parameter_uint", "parameter_string"):
        setattr(scorep, f"user_{name}", getattr(scorep.user, name))


_nbscorep_first_generation()
