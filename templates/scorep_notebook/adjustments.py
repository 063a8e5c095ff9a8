"""Changes of other modules that each script needs, made when these are imported."""
import builtins
import os
import sys

from .on_import import on_import
from .running import note_folder, run


def adjust_pandas(pandas):
    """Outside of Jupyter pandas takes any output for a terminal and shows as many columns as fit."""
    if hasattr(pandas, "set_option"):  # else another module of this name
        pandas.set_option("display.max_columns", 20)


def adjust_spawn(spawn):
    """A process that multiprocessing spawns does not run the script again, also if a library spawns
    it. As in Jupyter, it does not know what the notebook defines (spawned.py)."""
    prepare = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepare(name)
        main = sys.modules["__main__"]
        if "scorep_notebook" in vars(main) or hasattr(main, "nbscorep_script"):
            data.pop("init_main_from_name", None)
            data["init_main_from_path"] = os.path.join(os.path.dirname(__file__), "spawned.py")
        return data

    spawn.get_preparation_data = get_preparation_data


def adjust_mpi_pool(pool):
    """The same for processes that mpi4py starts."""
    begin = pool.MPIPoolExecutor.__init__

    def __init__(self, *arguments, **options):
        begin(self, *arguments, **{"main": False, **options})

    pool.MPIPoolExecutor.__init__ = __init__


def adjust_ipython(display):
    """What libraries display goes where the notebook's own displays go."""
    if not hasattr(builtins, "__IPYTHON__"):  # a shell of IPython has its own
        from .ipython_display import take_displays
        take_displays()


def adjust_scrapbook(utils):
    """glue() warns outside of kernels that nobody keeps its data; an executed notebook does."""
    is_kernel = utils.is_kernel
    utils.is_kernel = lambda: run.executed is not None or is_kernel()


def adjust_tqdm(notebook):
    """Without ipywidgets, bars for notebooks are those for terminals: tqdm would raise an error."""
    if getattr(notebook, "IProgress", None) is None:
        from tqdm.std import tqdm, trange
        notebook.tqdm = notebook.tqdm_notebook = tqdm
        notebook.trange = notebook.tnrange = trange


def search_here():
    """Adds the current folder to the search path where IPython has it: after Python's own folders."""
    if "" not in sys.path:
        sites = [os.path.basename(folder).endswith("-packages") for folder in sys.path]
        sys.path.insert((sites + [True]).index(True), "")


def adjust():
    note_folder()
    search_here()
    on_import("pandas", adjust_pandas)
    on_import("multiprocessing.spawn", adjust_spawn)
    on_import("mpi4py.futures.pool", adjust_mpi_pool)
    on_import("tqdm.notebook", adjust_tqdm)
    on_import("scrapbook.utils", adjust_scrapbook)
    on_import("IPython.core.display", adjust_ipython)
