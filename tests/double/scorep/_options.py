"""Command lines: what the bindings take themselves and what scorep-config would accept."""

import re
from collections import namedtuple

from scorep.helper import print_err

USAGE = """\
usage: python3 -m scorep [options] script.py [arguments]

  --help                   show this text
  --keep-files             keep the temporary folder
  --verbose, -v            tell what is set up
  --nopython, --noinstrumenter
                           record only user regions and enabled parts
  --instrumenter-type=TYPE profile, trace, cProfile (default), cTrace or dummy
  --instrumenter-file=FILE execute FILE before the script
  --mpi                    deprecated, use --mpp=mpi

Every other option is handed to scorep-config.
"""

Options = namedtuple(
    "Options",
    "help keep_files verbose instrument instrumenter_type instrumenter_file config program",
)

# Fact: "Every other option goes to scorep-config: ..."
_CONFIG_OPTION = re.compile(
    r"""--(
        mpp=(none|mpi)
      | thread=(none|pthread|omp(:opari2|:ompt)?)
      | io=((runtime|linktime):)?posix | io=none
      | (no)?(user|compiler|memory|cuda|opencl|openacc|kokkos|pomp)
      | memory=.+
      | libwrap=.+
    )""",
    re.VERBOSE,
)


def parse(arguments: list) -> Options:
    """Split at the first argument without a leading '-'. Fact: '--' does not end the options."""
    values = {
        "help": False,
        "keep_files": False,
        "verbose": False,
        "instrument": True,
        "instrumenter_type": "cProfile",
        "instrumenter_file": None,
        "config": [],
        "program": [],
    }
    for index, argument in enumerate(arguments):
        if not argument.startswith("-"):
            values["program"] = list(arguments[index:])
            break
        _take(argument, values)
    if "--nocompiler" not in values["config"]:
        values["config"].append("--compiler")
    return Options(**values)


def _take(argument: str, values: dict):
    name, _, value = argument.partition("=")
    if argument == "--help":
        values["help"] = True
    elif argument == "--keep-files":
        values["keep_files"] = True
    elif argument in ("--verbose", "-v"):
        values["verbose"] = True
    elif argument in ("--nopython", "--noinstrumenter"):
        values["instrument"] = False
    elif name == "--instrumenter-type":
        values["instrumenter_type"] = value
    elif name == "--instrumenter-file":
        values["instrumenter_file"] = value
    elif argument == "--mpi":
        print_err("scorep: --mpi is deprecated, use --mpp=mpi")
        values["config"].append("--mpp=mpi")
    else:
        values["config"].append(argument)


def unknown_config_option(config: list):
    """The first option that scorep-config would refuse, or None."""
    for option in config:
        if not _CONFIG_OPTION.fullmatch(option):
            return option
    return None
