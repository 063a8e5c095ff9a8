"""Cells with top-level await: functions that run to their end in one event loop."""
import asyncio


class state:
    loop = None


def use_event_loop(names):
    """Makes the event loop of the script, which its cells share."""
    state.loop = asyncio.new_event_loop()
    asyncio.set_event_loop(state.loop)


def run_async(function, name=None):
    """Runs a cell's asynchronous FUNCTION `_cell_7`, which a trace shows as NAME or "cell 7"."""
    name = name or function.__name__.strip("_").replace("_", " ")
    function.__code__ = function.__code__.replace(co_name=name)
    return state.loop.run_until_complete(function())
