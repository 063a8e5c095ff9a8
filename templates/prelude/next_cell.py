_nbscorep_next_cell = getattr(scorep.instrumenter, "nbscorep_next_cell", int)
