"""Regions, parameters and other calls of a user, which do nothing."""
from ._nothing import Nothing, accept_anything


class region(Nothing):
    """A region that is not recorded."""


def instrument_function(function, *arguments, **options):
    return function


def __getattr__(name):
    return accept_anything(__name__, name)
