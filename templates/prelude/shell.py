# requires: expand child command_shell
@_nbscorep_apart
def _nbscorep_shell(command, *scopes):
    """!command: its status goes to _exit_code."""
    sinks = _nbscorep_sinks()
    command = _nbscorep_expand(command, *scopes)
    process = _nbscorep_child([_nbscorep_command_shell(), "-c", command], sinks)
    scopes[0]["_exit_code"] = _nbscorep_wait(process, sinks)
