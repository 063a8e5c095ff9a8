#!/usr/bin/env python3
"""Makes docs/report.png, README's picture of the page of `nbscorep report`, from a run of fixtures/examples/heat.

    tests/readme/picture.py NBSCOREP
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
import chromium  # noqa: E402

SIZE_MAX = 100_000  # bytes


def main(nbscorep):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "fixtures/examples/heat/notebook.ipynb", f"{folder}/heat.ipynb")
        for words in (["run", "-q", "--monitor=20ms", "-p", "points=301", "heat.ipynb"],
                      ["report", "-o", "heat.html", "heat.samples"]):
            subprocess.run([nbscorep, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        browser = chromium.Chromium(chromium.find())
        try:
            browser.open(f"{folder}/heat.html", width=1120, height=545)
            browser.picture(ROOT / "docs/report.png")
        finally:
            browser.close()
    size = (ROOT / "docs/report.png").stat().st_size
    print(f"docs/report.png: {size} bytes")
    return size > SIZE_MAX


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
