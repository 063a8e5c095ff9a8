"""What multiprocessing runs in a spawned process in place of the script: what the notebook defines is an error
when it is used. Without this the workers of a pool would die of each task, and new ones would start forever."""


class Missing:
    """A function or class of the notebook, or an instance."""

    def __init__(self, *arguments, **named):
        raise RuntimeError(self.explain())

    def __setstate__(self, state):
        pass

    def __getattr__(self, name):
        raise AttributeError(self.explain())

    def explain(self):
        return (f"'{type(self).__name__}' is defined in the notebook, which a spawned process does not run; "
                "define it in a module, or use the start method 'fork'")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Missing,), {})
