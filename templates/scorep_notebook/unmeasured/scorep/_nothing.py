"""What the functions and classes of the stand-in do."""
import contextlib


class Nothing(contextlib.ContextDecorator):
    """Can be called, entered and used as a decorator; it is false."""

    def __init__(self, region_name="", *arguments, **options):
        self.region_name = region_name

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def __bool__(self):
        return False


def accept_anything(module, name):
    """The attribute NAME of MODULE: a function that takes any arguments."""
    if name.startswith("__"):
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    return lambda *arguments, **options: None
