"""The version of the bindings that this package stands in for."""

__version__ = "4.5.1"
