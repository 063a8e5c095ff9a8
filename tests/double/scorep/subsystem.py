"""Preparation: the temporary folder, the 'compiled' init library and the variables for ld.so.

Fact: the first start runs scorep-config, compiles an init library into a temporary folder, sets
LD_PRELOAD, LD_LIBRARY_PATH, SCOREP_LD_PRELOAD_BACKUP, SCOREP_PYTHON_BINDINGS_TEMP_DIR and
SCOREP_PYTHON_BINDINGS_INITIALISED, and execs itself. One process may do it for many
(`init_environment(config, keep_files=True)`).

The library here is a link to one that Python has loaded anyhow: preloading it changes nothing,
yet ld.so complains, as it would about the real one, when the folder is gone.
"""

import os
import re
import shutil
import sys
import tempfile

from scorep._options import unknown_config_option
from scorep.helper import print_err

_CONFIG_MARK = "/* scorep-config: "


def _print_info(msg: str):
    print_err("scorep: " + msg)


def generate_subsystem_lib_name() -> str:
    return "libscorep_init_subsystem-%d.%d.so" % sys.version_info[:2]


def _harmless_library():
    """Path of a shared library which this process has loaded already, or None."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            text = maps.read()
    except OSError:
        return None
    for pattern in (r"(/\S*/libm[.-]\S*)", r"(/\S*/libc[.-]\S*)", r"(/\S*/ld-musl\S*)"):
        found = re.search(pattern, text)
        if found:
            return found.group(1)
    return None


def _count_preparation(config: list):
    """Tests count the compiler calls by the lines of this file."""
    path = os.environ.get("NBSCOREP_DOUBLE_PREPARATIONS")
    if path:
        with open(path, "a", encoding="utf-8") as out:
            out.write(" ".join(config) + "\n")


def generate(config: list, keep_files: bool = False):
    """Make the temporary folder with the library; returns (library name, folder)."""
    unknown = unknown_config_option(config)
    if unknown is not None:
        raise ValueError(
            "given config %s is not supported\nstdout: \nstrerr: Unknown option: '%s'"
            % (config, unknown)
        )
    folder = tempfile.mkdtemp(prefix="scorep.")
    if keep_files:
        _print_info("Score-P files are kept at: " + folder)
    with open(os.path.join(folder, "scorep_init.c"), "w", encoding="utf-8") as out:
        out.write(_CONFIG_MARK + "\n".join(config) + "\n*/\n")
    name = generate_subsystem_lib_name()
    carrier = _harmless_library()
    if carrier is not None:
        os.symlink(carrier, os.path.join(folder, name))
    _count_preparation(config)
    os.environ["SCOREP_PYTHON_BINDINGS_TEMP_DIR"] = folder
    preload = name if carrier is None else carrier + " " + name
    return preload, folder


def init_environment(scorep_config: list, keep_files: bool = False, verbose: bool = False):
    """Prepare and set the variables in os.environ; SCOREP_PYTHON_BINDINGS_INITIALISED is the
    caller's to set. Fact: --user is always added."""
    if "libscorep" in os.environ.get("LD_PRELOAD", ""):
        raise RuntimeError("Score-P is already loaded. This should not happen at this point")
    if "--user" not in scorep_config:
        scorep_config.append("--user")
    if verbose:
        _print_info("Score-P config: %s" % scorep_config)

    preload, folder = generate(scorep_config, keep_files)
    old_path = os.environ.get("LD_LIBRARY_PATH", "")
    os.environ["LD_LIBRARY_PATH"] = folder + (":" + old_path if old_path else "")
    old_preload = os.environ.get("LD_PRELOAD", "")
    if old_preload:
        print_err(
            "LD_PRELOAD is already specified. If Score-P is already loaded this might lead to "
            "errors."
        )
        preload = old_preload + " " + preload
    os.environ["SCOREP_LD_PRELOAD_BACKUP"] = old_preload
    os.environ["LD_PRELOAD"] = preload
    if verbose:
        for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"):
            _print_info('%s="%s"' % (name, os.environ[name]))


def loaded_config() -> list:
    """What the init library of this process was built for: that decides about threads and MPI,
    not the options of this start. Without the library the real extension module cannot load."""
    name = generate_subsystem_lib_name()
    if name in os.environ.get("LD_PRELOAD", ""):
        for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
            source = os.path.join(folder, "scorep_init.c")
            if folder and os.path.exists(source):
                with open(source, encoding="utf-8") as text:
                    return text.read()[len(_CONFIG_MARK):].split("\n")[:-2]
    raise ImportError("undefined symbol: scorep_subsystems (%s is not preloaded)" % name)


def reset_preload():
    """Give LD_PRELOAD back its old value, so that children of the script are not measured."""
    backup = os.environ.get("SCOREP_LD_PRELOAD_BACKUP")
    if backup == "":
        del os.environ["LD_PRELOAD"]
    elif backup is not None:
        os.environ["LD_PRELOAD"] = backup


def clean_up(keep_files: bool = True):
    folder = os.environ.get("SCOREP_PYTHON_BINDINGS_TEMP_DIR")
    if folder and not keep_files:
        shutil.rmtree(folder)
