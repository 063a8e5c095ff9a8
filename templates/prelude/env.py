# requires: expand options
@_nbscorep_apart
def _nbscorep_getenv(name, *scopes):
    """%env [NAME]: all variables without likely secrets, or one"""
    import os
    import re
    if name and name not in os.environ:
        raise _nbscorep_usage_error(f"Environment does not have key: {name}")
    secret = re.compile("key|token|secret", re.IGNORECASE).search
    return os.environ[name] if name else {
        key: "<hidden>" if secret(key) else value for key, value in os.environ.items()}


@_nbscorep_apart
def _nbscorep_setenv(name, value, *scopes):
    """%env NAME=VALUE"""
    import os
    os.environ[name] = _nbscorep_expand(value, *scopes)
    print(f"env: {name}={os.environ[name]}")
