"""The instrumenter that records nothing."""
from ._nothing import Nothing, accept_anything


class enable(Nothing):
    """Would turn the instrumenter on."""


class disable(Nothing):
    """Would turn the instrumenter off."""


def __getattr__(name):
    return accept_anything(__name__, name)
