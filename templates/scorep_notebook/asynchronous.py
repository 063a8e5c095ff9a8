"""The event loop of the script: as in Jupyter, it is a running one for all code, which may start tasks. They run while a
cell with top-level await does, which is a function here."""
import asyncio


class state:
    loop = None


def use_event_loop(names):
    """Makes the event loop of the script, which its cells share."""
    state.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(state.loop)
    asyncio._set_running_loop(state.loop)


def run_async(function, name=None):
    """Runs a cell's asynchronous FUNCTION `_cell_7`, which a trace shows as NAME or "cell 7"."""
    name = name or function.__name__.strip("_").replace("_", " ")
    function.__code__ = function.__code__.replace(co_name=name)
    asyncio._set_running_loop(None)
    try:
        return state.loop.run_until_complete(function())
    finally:
        asyncio._set_running_loop(state.loop)
