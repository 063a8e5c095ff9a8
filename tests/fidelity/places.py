"""Where a notebook runs: folders of its own, and an environment that is the same for everybody."""
import base64
import os
import pathlib
import re
import shutil
import sys

import written

HERE = pathlib.Path(__file__).resolve().parent
NOTEBOOKS = HERE / "notebooks"
SUPPORT = HERE / "support"
IMAGE = re.compile(r"(?:.*/)?cell-(\d+)-(\d+)\.(png|svg|jpe?g)")


class Place:
    """Folders for one run: `work` holds the notebook and its files."""

    def __init__(self, top, name):
        self.name = name
        self.top = top
        self.work = top / "work"
        self.home = top / "home"
        self.temporary = top / "tmp"
        for folder in (self.work, self.home, self.temporary):
            folder.mkdir(parents=True)

    def take_notebook(self):
        text = written.notebook_of(NOTEBOOKS / f"{self.name}.ipy")
        (self.work / f"{self.name}.ipynb").write_text(text, encoding="utf-8")
        shutil.copytree(NOTEBOOKS / "files", self.work / "files")

    def environment(self, shared, **more):
        """SHARED: a folder with what is made once for all runs."""
        return {"PATH": f"{shared / 'bin'}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8",
                "HOME": str(self.home), "TMPDIR": str(self.temporary),
                "IPYTHONDIR": str(self.top / "ipython"), "JUPYTER_PATH": str(shared / "jupyter"),
                "MPLCONFIGDIR": str(shared / "matplotlib"), "PYTHONPATH": str(SUPPORT),
                "PYTHONHASHSEED": "0",
                "PYDEVD_DISABLE_FILE_VALIDATION": "1"} | more

    def files(self):
        """Relative name -> bytes of what lies in the folder, except notebook and scripts."""
        ours = {f"{self.name}{end}" for end in (".ipynb", ".py", "_script.py", "_run.sh")}
        found = {}
        for path in sorted(self.work.rglob("*")):
            name = str(path.relative_to(self.work))
            if "__pycache__" in path.parts or re.match(r"scorep_notebook_\d", name):
                continue  # a cache of Python's own, with times in it; the runtime package
            if path.is_symlink():
                found[name] = os.readlink(path).encode()
            elif path.is_file() and name not in ours:
                found[name] = path.read_bytes()
        return found


def size_of_image(kind, data):
    """Width and height in pixels; unknown for what has none of its own."""
    if kind != "png":
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


def image_outputs(number, data):
    """The image of an output of cell NUMBER, as [(cell, kind, size)]."""
    for kind, mime in (("png", "image/png"), ("svg", "image/svg+xml"), ("jpg", "image/jpeg")):
        if mime in data:
            raw = base64.b64decode(data[mime]) if kind != "svg" else data[mime].encode()
            return [(number, kind, size_of_image(kind, raw))]
    return []


def take_images(files):
    """Takes the images of cells out of FILES, a script's, likewise."""
    found = []
    for name in list(files):
        match = IMAGE.fullmatch(name)
        if match:
            kind = match[3].replace("jpeg", "jpg")
            data = files.pop(name)
            found.append((int(match[1]), int(match[2]), kind, size_of_image(kind, data)))
    return [(cell, kind, size) for cell, _, kind, size in sorted(found)]


def make_shared(folder):
    """What all runs use: `python` and `python3` that are this Python, and a kernel of it."""
    kernel = folder / "jupyter" / "kernels" / "python3"
    for made in (folder / "bin", folder / "matplotlib", kernel):
        made.mkdir(parents=True)
    for name in ("python", "python3"):
        path = folder / "bin" / name
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        path.chmod(0o755)
    (kernel / "kernel.json").write_text(
        '{"argv": ["%s", "-m", "ipykernel_launcher", "-f", "{connection_file}"],'
        ' "display_name": "Python 3", "language": "python"}' % sys.executable)
