# requires: expand
_nbscorep_usage_error = type("UsageError", (Exception,), {})


@_nbscorep_apart
def _nbscorep_words(text, *scopes):
    """The words of a magic's arguments, expanded; quotes are those of a shell."""
    import shlex
    return shlex.split(_nbscorep_expand(text, *scopes))


@_nbscorep_apart
def _nbscorep_options(words, short, *long):
    """The options that WORDS begin with, each with the list of its values, and the other words."""
    import getopt
    try:
        found, words = getopt.getopt(words, short, long)
    except getopt.GetoptError as problem:
        allowed = f'( allowed: "{short}" {" ".join(long)})'
        raise _nbscorep_usage_error(f"{problem.msg} {allowed}") from None
    options = {}
    for option, value in found:
        options.setdefault(option.lstrip("-"), []).append(value)
    return options, words


@_nbscorep_apart
def _nbscorep_parser(name):
    """A parser of a cell magic's options, which raises IPython's UsageError."""
    import argparse

    def error(message):
        raise _nbscorep_usage_error(message)

    parser = argparse.ArgumentParser(prog=name, add_help=False)
    parser.error = error
    return parser
