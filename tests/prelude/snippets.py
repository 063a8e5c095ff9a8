"""The snippets of templates/prelude as a script has them: in the order they require each other."""
import pathlib
import subprocess
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "runner"))
from harness import clean_environment  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "templates" / "prelude"


def order(names, found=None):
    """NAMES and what they require, each once, behind what it requires."""
    found = [] if found is None else found
    for name in names:
        first = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()[0]
        if first.startswith("# requires:"):
            order(first.split(":")[1].split(), found)
        if name not in found:
            found.append(name)
    return found


def prelude(*names):
    """The text of a script's prelude with the snippets NAMES."""
    parts = [(FOLDER / "scorep.py").read_text(encoding="utf-8")]
    parts.append("with scorep.instrumenter.disable():\n    pass\n")
    for name in order(names):
        for line in (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines():
            parts.append(f"    {line}\n" if line else "\n")
    return "".join(parts)


def run(script, *names, python=sys.executable, arguments=(), **options):
    """Runs SCRIPT behind the prelude of NAMES as a process of its own, its output as text."""
    return subprocess.run([python, "-c", prelude(*names) + script, *arguments],
                          capture_output=True, encoding="utf-8", check=False,
                          **{"env": clean_environment()} | options)
