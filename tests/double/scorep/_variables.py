"""The SCOREP_* variables: read once at start, parsed as Score-P does."""

import os
import re
import resource

from scorep.helper import score_p_message

_LIMIT = 1 << 32

# name: (type, default); those of the facts that can stop a program, or that this package obeys.
_VARIABLES = {
    "SCOREP_ENABLE_PROFILING": ("bool", "true"),
    "SCOREP_ENABLE_TRACING": ("bool", "false"),
    "SCOREP_FORCE_CFG_FILES": ("bool", "true"),
    "SCOREP_OVERWRITE_EXPERIMENT_DIRECTORY": ("bool", "true"),
    "SCOREP_VERBOSE": ("bool", "false"),
    "SCOREP_EXPERIMENT_DIRECTORY": ("path", ""),
    "SCOREP_CUDA_BUFFER": ("size", "1M"),
    "SCOREP_CUDA_BUFFER_CHUNK": ("size", "8k"),
    "SCOREP_HIP_ACTIVITY_BUFFER_SIZE": ("size", "1M"),
    "SCOREP_OPENCL_BUFFER_QUEUE": ("size", "8k"),
    "SCOREP_PAGE_SIZE": ("size", "8k"),
    "SCOREP_PROFILING_CLUSTER_COUNT": ("size", "64"),
    "SCOREP_PROFILING_TASK_EXCHANGE_NUM": ("size", "1K"),
    "SCOREP_TOTAL_MEMORY": ("size", "16000k"),
    "SCOREP_TRACING_MAX_PROCS_PER_SION_FILE": ("size", "1K"),
    "SCOREP_MPI_MAX_COMMUNICATORS": ("number", "50"),
    "SCOREP_MPI_MAX_EPOCHS": ("number", "50"),
    "SCOREP_MPI_MAX_GROUPS": ("number", "50"),
    "SCOREP_MPI_MAX_WINDOWS": ("number", "50"),
    "SCOREP_PROFILING_MAX_CALLPATH_DEPTH": ("number", "100"),
    "SCOREP_PROFILING_MAX_CALLPATH_NUM": ("number", "1000000000"),
}


def parse_bool(text: str) -> bool:
    """Fact: true, yes, on in any case, or a non-zero integer; everything else is silently false."""
    if text.lower() in ("true", "yes", "on"):
        return True
    return re.fullmatch(r"[+-]?[0-9]+", text) is not None and int(text) != 0


def parse_size(text: str):
    """Fact: digits, at most one of K M G T P E (powers of 1024), perhaps a b; else None."""
    found = re.fullmatch(r"([0-9]+)([kmgtpe]?)b?", text, re.IGNORECASE)
    if found is None:
        return None
    digits, suffix = found.groups()
    return int(digits) << (10 * " kmgtpe".index(suffix.lower() or " "))


def parse_number(text: str):
    return int(text) if re.fullmatch(r"[0-9]+", text) else None


def abort_process():
    """abort() as a C program would: status 134 in a shell, and no core file from a test."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.abort()


def _parse(name: str, kind: str, text: str):
    if kind == "bool":
        return parse_bool(text)
    if kind == "path":
        return text
    value = parse_size(text) if kind == "size" else parse_number(text)
    if value is None:  # fact: `3q` aborts the program at start
        score_p_message("Fatal", "Can't set variable '%s' to value '%s'" % (name, text))
        abort_process()
    return value


def read() -> dict:
    """Every known variable by name, parsed; aborts on what Score-P aborts on."""
    values = {
        name: _parse(name, kind, os.environ.get(name, default))
        for name, (kind, default) in _VARIABLES.items()
    }
    if values["SCOREP_TOTAL_MEMORY"] >= _LIMIT:
        # fact: the memory is per process and below 4 GiB
        largest = _LIMIT - values["SCOREP_PAGE_SIZE"]
        score_p_message(
            "Warning",
            "Requested SCOREP_TOTAL_MEMORY of %d bytes is too large, reducing to %d bytes"
            % (values["SCOREP_TOTAL_MEMORY"], largest),
        )
        values["SCOREP_TOTAL_MEMORY"] = largest
    return values
