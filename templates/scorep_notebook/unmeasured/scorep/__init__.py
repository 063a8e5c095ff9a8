"""A stand-in for Score-P's Python bindings, for scripts that run unmeasured: nothing is recorded."""
