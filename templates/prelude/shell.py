# requires: expand
def _nbscorep_shell(command, *scopes):
    """!command: its status goes to _exit_code."""
    import subprocess
    import sys
    sys.stdout.flush()
    sys.stderr.flush()
    command = _nbscorep_expand(command, *scopes)
    scopes[0]["_exit_code"] = subprocess.call(["/bin/sh", "-c", command])
