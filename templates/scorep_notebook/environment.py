"""%env: variables of the environment."""
import os
import re

from . import calls
from .magic_arguments import UsageError, expand


@calls.unrecorded
def getenv(name, *scopes):
    """%env [NAME]: all variables without likely secrets, or one"""
    if name and name not in os.environ:
        raise UsageError(f"Environment does not have key: {name}")
    secret = re.compile("key|token|secret", re.IGNORECASE).search
    return os.environ[name] if name else {
        key: "<hidden>" if secret(key) else value for key, value in os.environ.items()}


@calls.unrecorded
def setenv(name, value, *scopes):
    """%env NAME=VALUE"""
    os.environ[name] = expand(value, *scopes)
    print(f"env: {name}={os.environ[name]}")
