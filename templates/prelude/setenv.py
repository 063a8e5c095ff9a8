# requires: expand
def _nbscorep_setenv(name, value, *scopes):
    """%env NAME=VALUE"""
    import os
    os.environ[name] = _nbscorep_expand(value, *scopes)
    print(f"env: {name}={os.environ[name]}")
