#!/usr/bin/env python3
"""record.py NBSCOREP [PYTHON...]: what recording costs, beside cProfile of the same interpreter.

Ratios of medians: the kinds alternate in one process, and all times are processor time. A process records either
a trace or a profile, because the recorder starts once."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROUNDS, CALLS = 15, 200_000
# Public figures, ns added per call: the fastest public tracer, VizTracer, and Score-P's bindings 4.5.1.
PUBLIC = "for comparison, ns per call: VizTracer 172 (3.11), 75 (3.12), 79-85 (3.13); Score-P's bindings 156-162 (3.11)"


def f():
    pass


def left_out():
    pass


def calls(function):
    begin = time.process_time()
    for _ in range(CALLS):
        function()
    return (time.process_time() - begin) / CALLS * 1e9


def spent(program):
    begin = time.process_time()
    program()
    return time.process_time() - begin


def measure(own_bindings, mode):
    """In a process of its own. Prints medians as JSON."""
    import cProfile
    sys.path.insert(0, own_bindings)
    from scorep import _recorder
    from record_programs import PROGRAMS
    folder = tempfile.mkdtemp(prefix="nbscorep-bench-")
    os.environ.update(NBSCOREP_RECORD=folder, NBSCOREP_RECORD_LIMIT="0",
                      SCOREP_ENABLE_TRACING=str(mode == "tracing").lower(),
                      SCOREP_ENABLE_PROFILING=str(mode == "profiling").lower())
    rules = pathlib.Path(folder, "rules")
    rules.write_text("SCOREP_REGION_NAMES_BEGIN EXCLUDE *left_out SCOREP_REGION_NAMES_END\n")
    os.environ["SCOREP_FILTERING_FILE"] = str(rules)
    found = {}

    def note(name, value):
        found.setdefault(name, []).append(value)

    def alternate(measures):
        """With nothing, under cProfile, and recorded."""
        for _ in range(ROUNDS):
            for name, run in measures:
                note(f"{name} bare", run())
            profile = cProfile.Profile()
            profile.enable()
            for name, run in measures:
                note(f"{name} cProfile", run())
            profile.disable()
            if mode != "lines":
                _recorder.module.enable()
            for name, run in measures:
                note(f"{name} recorded", run())
            if mode != "lines":
                note("off", calls(f)) if _recorder.module.disable() else None

    script = str(HERE / "record_programs.py") if mode == "lines" else ""
    problem = _recorder.start(script)
    if problem:
        sys.exit(problem)
    alternate([("call", lambda: calls(f)), ("excluded", lambda: calls(left_out))])
    alternate([(program.__name__, lambda program=program: spent(program)) for program in PROGRAMS])
    subprocess.run(["rm", "-rf", folder], check=True)
    print(json.dumps({name: statistics.median(values) for name, values in found.items()}))


def run(python, own_bindings, mode, environment):
    done = subprocess.run([python, __file__, "--measure", own_bindings, mode], env=environment, stdout=subprocess.PIPE)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def geometric_mean(found, kind):
    ratios = [found[f"{name} {kind}"] / found[f"{name} bare"] for name in
              ("nbody", "richards", "deltablue", "json_texts", "regex", "stencil")]
    return statistics.geometric_mean(ratios)


def main(nbscorep, *pythons):
    recorder = subprocess.run([nbscorep, "where", "recorder"], stdout=subprocess.PIPE, text=True, check=True)
    path = recorder.stdout.strip()
    environment = {**os.environ, "NBSCOREP_RECORDER": path}
    own_bindings = str(pathlib.Path(path).parent)
    print("python      ns/call: cProfile  tracing  ratio  profiling  of tracing  excluded  off    "
          "programs: cProfile  tracing  profiling  lines")
    for python in pythons or [sys.executable]:
        version = subprocess.run([python, "-c", "import platform; print(platform.python_version())"],
                                 stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        tracing = run(python, own_bindings, "tracing", environment)
        profiling = run(python, own_bindings, "profiling", environment)
        lines = run(python, own_bindings, "lines", environment)
        added = {name: found["call " + kind] - found["call bare"] for name, found, kind in
                 (("cProfile", tracing, "cProfile"), ("tracing", tracing, "recorded"),
                  ("profiling", profiling, "recorded"))}
        excluded = tracing["excluded recorded"] / tracing["excluded bare"]
        print(f"{version:11} {added['cProfile']:17.1f} {added['tracing']:8.1f} "
              f"{added['tracing'] / added['cProfile']:6.2f} {added['profiling']:10.1f} "
              f"{added['profiling'] / added['tracing']:11.2f} {excluded:9.2f} {tracing['off'] / tracing['call bare']:4.2f} "
              f"{geometric_mean(tracing, 'cProfile'):21.2f} {geometric_mean(tracing, 'recorded'):8.2f} "
              f"{geometric_mean(profiling, 'recorded'):10.2f} {geometric_mean(lines, 'recorded'):6.3f}", flush=True)
    print(PUBLIC)


if __name__ == "__main__":
    if sys.argv[1] == "--measure":
        measure(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
