import asyncio as _nbscorep_asyncio
_nbscorep_loop = _nbscorep_asyncio.new_event_loop()
_nbscorep_asyncio.set_event_loop(_nbscorep_loop)
_nbscorep_await = _nbscorep_loop.run_until_complete
