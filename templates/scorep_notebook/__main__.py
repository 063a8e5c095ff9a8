"""python FOLDER [OPTION...] SCRIPT [ARGUMENT...]: runs the compiled notebook SCRIPT (launch.py).

The first lines also have to work where Python is too old. The package in this folder is loaded under the
folder's name, but the folders of the script and of the notebook are not on sys.path until the script
starts: a notebook may be called like a module that is needed here.
"""
import sys

if sys.version_info < (3, 8):
    sys.stderr.write("nbscorep: Python 3.8 or newer is required; '%s' is Python %s\n"
                     % (sys.executable, sys.version.split()[0]))
    sys.exit(3)


def load():
    """Returns the module `launch` of this package. The package itself is not initialised yet."""
    import importlib.util
    import os
    folder = os.path.dirname(os.path.abspath(__file__))
    del sys.path[0]  # this folder
    name = os.path.basename(folder)
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])
    sys.modules[name] = importlib.util.module_from_spec(spec)
    return importlib.import_module(name + ".launch")


if __name__ == "__main__":
    load().main(sys.argv[1:])
