# requires: quiet
@_nbscorep_apart
def _nbscorep_search_here():
    """The current folder, as IPython has it: behind what the kernel began with, and Python's own."""
    import os
    import sys
    if "" not in sys.path:
        sites = [os.path.basename(folder).endswith("-packages") for folder in sys.path]
        sys.path.insert((sites + [True]).index(True), "")


_nbscorep_search_here()
