# requires: quiet
import asyncio as _nbscorep_asyncio
_nbscorep_loop = _nbscorep_asyncio.new_event_loop()
_nbscorep_asyncio.set_event_loop(_nbscorep_loop)


@_nbscorep_quiet
def _nbscorep_await(function, name):
    """Runs a cell with top-level await, whose asynchronous FUNCTION a trace shows as NAME."""
    function.__code__ = function.__code__.replace(co_name=name)
    return _nbscorep_loop.run_until_complete(function())
