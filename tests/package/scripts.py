"""Scripts that use the package templates/scorep_notebook, as compiled notebooks do."""
import atexit
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import clean_environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = "scorep_notebook_test"  # a build also gives it another name than that of its folder

_holder = tempfile.TemporaryDirectory(prefix="nbscorep-test-package-")
atexit.register(_holder.cleanup)
FOLDER = pathlib.Path(_holder.name)  # for PYTHONPATH
(FOLDER / PACKAGE).symlink_to(ROOT / "templates" / "scorep_notebook")

# For PYTHONPATH: hides all packages but the standard library.
BARE = str(FOLDER / "bare")
os.mkdir(BARE)
pathlib.Path(BARE, "sitecustomize.py").write_text(
    "import sys\nsys.path[:] = [p for p in sys.path if '-packages' not in p]\n", encoding="utf-8")

FEATURES = {
    "display": "display = scorep_notebook.display\n",
    "get_ipython": "get_ipython = scorep_notebook.get_ipython\n",
    "event_loop": "scorep_notebook.provide('event_loop')\n",
    "ipython_display": "scorep_notebook.provide('ipython_display')\n",
    "outputs": "scorep_notebook.provide('outputs')\n",
}


def head(*features):
    """The top of a script that has FEATURES of Jupyter."""
    return (f"import {PACKAGE} as scorep_notebook\nimport scorep.instrumenter, scorep.user\n"
            + "".join(FEATURES[name] for name in features))


def environment(**more):
    """A login shell's environment, changed by MORE, in which scripts find the package."""
    changed = clean_environment(**more)
    path = [changed["PYTHONPATH"]] if changed.get("PYTHONPATH") else []
    return {**changed, "PYTHONPATH": os.pathsep.join([*path, str(FOLDER)])}


def run(script, *features, python=sys.executable, arguments=(), **options):
    """Runs SCRIPT below the head for FEATURES as a process of its own, its output as text."""
    return subprocess.run([python, "-c", head(*features) + script, *arguments],
                          capture_output=True, encoding="utf-8", check=False,
                          **{"env": environment(), **options})
