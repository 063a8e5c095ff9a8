# A folder scorep on the search path is a package without origin, a file scorep.py a module without
# search locations.
import importlib.util
found = importlib.util.find_spec("scorep")
good = found and found.origin and found.submodule_search_locations
print("nbscorep:found" if good else "nbscorep:missing")
