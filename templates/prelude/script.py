# requires: expand
def _nbscorep_script(arguments, text, *scopes):
    """%%bash and its like: runs a program with TEXT as its input."""
    import argparse
    import shlex
    import subprocess
    import sys
    parser = argparse.ArgumentParser(prog="%%script", add_help=False, allow_abbrev=False)
    parser.add_argument("--out")
    parser.add_argument("--err")
    parser.add_argument("--bg", action="store_true")
    parser.add_argument("--proc")
    parser.add_argument("--no-raise-error", action="store_true")
    words = shlex.split(_nbscorep_expand(arguments, *scopes))
    options, command = parser.parse_known_args(words)
    names = scopes[0]
    sys.stdout.flush()
    sys.stderr.flush()
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE if options.out else None,
        stderr=subprocess.PIPE if options.err else None)
    if options.proc:
        names[options.proc] = process
    if options.bg:
        process.stdin.write(text.encode())
        process.stdin.close()
        return
    out, err = process.communicate(text.encode())
    if options.out:
        names[options.out] = out.decode(errors="replace")
    if options.err:
        names[options.err] = err.decode(errors="replace")
    if process.returncode != 0 and not options.no_raise_error:
        raise subprocess.CalledProcessError(process.returncode, text)
