"""The event loop of the script: as in Jupyter, it is a running one for all code, which may start tasks. They run while a
cell with top-level await does, which is a function here."""
import asyncio
import threading


class state:
    loop = None


def set_running(running):
    asyncio._set_running_loop(state.loop if running else None)
    state.loop._thread_id = threading.get_ident() if running else None  # loop.is_running() asks this


def use_event_loop(names):
    """Makes the event loop of the script, which its cells share."""
    state.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(state.loop)
    set_running(True)


def run_async(function, name=None):
    """Runs a cell's asynchronous FUNCTION `_cell_7`, which a trace shows as NAME or "cell 7"."""
    name = name or function.__name__.strip("_").replace("_", " ")
    function.__code__ = function.__code__.replace(co_name=name)
    set_running(False)
    try:
        return state.loop.run_until_complete(function())
    finally:
        set_running(True)
