# requires: quiet statement
@_nbscorep_apart
def _nbscorep_limit(text):
    """A limit for pstats: a number of lines, a part of them, or a pattern."""
    for kind in int, float:
        try:
            return kind(text)
        except ValueError:
            pass
    return text


@_nbscorep_apart
def _nbscorep_prun_report(stats, limits):
    """The text that pstats prints."""
    import io
    shown, stats.stream = stats.stream, io.StringIO()
    try:
        stats.print_stats(*map(_nbscorep_limit, limits))
        return stats.stream.getvalue().rstrip()
    finally:
        stats.stream = shown


@_nbscorep_apart
def _nbscorep_prun_save(name, what, write, stopped):
    """Writes a file and says so."""
    write(name)
    print(f"\n*** {what} file {name!r}.{stopped}")


@_nbscorep_quiet
def _nbscorep_prun_cell(arguments, body, *scopes):
    """%%prun: the profiler takes the place of Score-P's instrumenter meanwhile."""
    with scorep.instrumenter.disable():
        import cProfile
        import pathlib
        import pstats
        options, statement = _nbscorep_statement_options(arguments, "D:l:rs:T:q")
        given = {key: [value for name, value in options if name == key] for key, _ in options}
        profile = cProfile.Profile()
        names = _nbscorep_names(*scopes)
        stopped = ""
        try:
            profile.runctx(_nbscorep_outdent(f"{statement}\n{body}"), names, names)
        except SystemExit:
            stopped = "*** SystemExit exception caught in code being profiled."
        stats = pstats.Stats(profile).strip_dirs().sort_stats(*given.get("-s", ["time"]))
        report = _nbscorep_prun_report(stats, given.get("-l", []))
        if "-q" not in given:
            print(report)
        print(stopped, end=" ")
        if "-D" in given:
            _nbscorep_prun_save(given["-D"][0], "Profile stats marshalled to",
                                profile.dump_stats, stopped)
        if "-T" in given:
            _nbscorep_prun_save(given["-T"][0], "Profile printout saved to text", lambda name:
                                pathlib.Path(name).write_text(report, "utf-8"), stopped)
        return stats if "-r" in given else None


@_nbscorep_quiet
def _nbscorep_prun(arguments, *scopes):
    """%prun"""
    return _nbscorep_prun_cell(arguments, "", *scopes)
