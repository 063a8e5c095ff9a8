"""Imported by notebooks."""

__all__ = ["answer"]


def answer():
    return 42
