# requires: on_import
@_nbscorep_quiet
def _nbscorep_spare_children(spawn):
    """Children that multiprocessing spawns do not run the script again: of a notebook they know
    nothing either. What %run runs is a script of its own."""
    prepare = spawn.get_preparation_data

    @_nbscorep_quiet
    def get_preparation_data(name):
        import sys
        data = prepare(name)
        main = sys.modules["__main__"]
        if getattr(main, "__file__", None) == _nbscorep_globals.get("__file__"):
            data.pop("init_main_from_path", None)
        return data

    spawn.get_preparation_data = get_preparation_data


@_nbscorep_quiet
def _nbscorep_spare_workers(pool):
    """The same for those of mpi4py."""
    begin = pool.MPIPoolExecutor.__init__

    @_nbscorep_quiet
    def __init__(self, *arguments, **options):
        begin(self, *arguments, **{"main": False, **options})

    pool.MPIPoolExecutor.__init__ = __init__


_nbscorep_on_import("multiprocessing.spawn", _nbscorep_spare_children)
_nbscorep_on_import("mpi4py.futures.pool", _nbscorep_spare_workers)
