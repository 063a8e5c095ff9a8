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
    import importlib.machinery  # importlib.util takes 2 ms
    import os
    folder = os.path.dirname(os.path.abspath(__file__))
    del sys.path[0]  # this folder
    name = os.path.basename(folder)
    path = os.path.join(folder, "__init__.py")
    loader = importlib.machinery.SourceFileLoader(name, path)
    package = sys.modules[name] = type(sys)(name)
    package.__spec__ = importlib.machinery.ModuleSpec(name, loader, origin=path, is_package=True)
    package.__spec__.submodule_search_locations.append(folder)
    package.__spec__.has_location = True
    package.__file__, package.__loader__, package.__package__, package.__path__ = path, loader, name, [folder]
    return importlib.import_module(name + ".launch")


if __name__ == "__main__":
    load().main(sys.argv[1:])
