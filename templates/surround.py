import os, sys
folder = os.path.dirname(os.path.abspath(sys.argv[sys.modules["__main__"].__spec__ is None]))
sys.path.insert(0, folder)  # the runtime package
import @package@.surround
sys.path.remove(folder)
@begin@
