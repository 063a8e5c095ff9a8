@_nbscorep_quiet
def _nbscorep_command_shell():
    """The user's, as in Jupyter, where it is on this node and runs commands."""
    import os
    import shutil
    asked = os.environ.get("SHELL") or "sh"
    runs_none = os.path.basename(asked) in ("false", "nologin")
    return not runs_none and shutil.which(asked) or "/bin/sh"
