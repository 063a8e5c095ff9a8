# requires: quiet
@_nbscorep_apart
def _nbscorep_expand(text, *scopes):
    """What IPython makes of {expression}, $name and $$ in a command; TEXT itself if that fails."""
    import re
    import string
    names = {}
    for scope in scopes:
        names.update(scope)

    def value(expression, conversion=None):
        return format(string.Formatter().convert_field(eval(expression, names), conversion))

    def dollar(found):
        # An odd number of quotes behind it: it stands in single quotes, so it is the shell's.
        if found.string.count("'", found.end()) % 2:
            return found[0]
        return found[1] if found[1][0] == "$" else value(found[1])

    try:
        parts = []
        for literal, field, spec, conversion in string.Formatter().parse(text):
            parts.append(re.sub(r"\$(\$?[\w.]+)", dollar, literal))
            if field is not None:
                # The colon of a slice looks like that of a format.
                parts.append(value(f"{field}:{spec}" if spec else field, conversion))
        return "".join(parts)
    except Exception:
        return text
