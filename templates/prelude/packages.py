# requires: expand rank
@_nbscorep_apart
def _nbscorep_install_command(command):
    """COMMAND, so that it installs for the running interpreter and asks nothing."""
    import re
    import shlex
    import sys
    python = shlex.quote(sys.executable)
    pip = re.match(r"(?:python[\d.]*\s+-m\s+)?pip[\d.]*(?=\s|$)", command)
    if pip:
        return f"{python} -m pip{command[pip.end():]}"
    conda = re.match(r"(?:conda|mamba|micromamba)\s+(?:install|update|upgrade|remove|uninstall)\b",
                     command)
    if conda and not re.search(r"\s(-y|--yes)\b", command):
        return f"{conda[0]} -y{command[conda.end():]}"
    return command


@_nbscorep_apart
def _nbscorep_install(command, *scopes):
    """Installs packages, on one process of a parallel program only; the others do not wait."""
    import importlib
    import subprocess
    import sys
    if _nbscorep_rank() != 0:
        return
    command = _nbscorep_install_command(_nbscorep_expand(command, *scopes).strip())
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    status = subprocess.call(["/bin/sh", "-c", command])
    if status != 0:
        raise subprocess.CalledProcessError(status, command)
    importlib.invalidate_caches()
