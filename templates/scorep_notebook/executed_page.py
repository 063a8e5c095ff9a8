"""The executed notebook as a page, made by nbconvert."""
import os
import shutil
import subprocess
import sys
import tempfile

MARK = '<meta name="generator" content="nbscorep">'  # of pages that may be replaced
LIMIT = 300  # seconds for nbconvert
TAIL = 300  # characters of what nbconvert says


def make_page(notebook, page):
    """Writes PAGE, that of the file NOTEBOOK. Returns why it cannot, or None."""
    try:
        if os.path.lexists(page):
            if not os.path.isfile(page):
                return f"'{page}' is not a file"
            with open(page, encoding="utf-8", errors="replace") as file:
                if MARK not in file.read(4096):
                    return f"'{page}' was not written by nbscorep; it is left as it is"
        with tempfile.TemporaryDirectory() as folder:
            problem = convert(notebook, folder)
            if problem:
                return problem
            with open(os.path.join(folder, "page.html"), encoding="utf-8", errors="replace") as file:
                text = file.read()
            with tempfile.TemporaryDirectory(dir=os.path.dirname(page)) as beside:
                part = os.path.join(beside, "page.html")
                with open(part, "w", encoding="utf-8") as file:
                    file.write(text.replace("<head>", "<head>" + MARK, 1))
                os.replace(part, page)
    except OSError as error:
        return f"{error.filename or page}: {error.strerror}"
    return None


def convert(notebook, folder):
    """Writes page.html into FOLDER. Returns why it cannot, or None."""
    program = shutil.which("jupyter-nbconvert")
    command = [program] if program else [sys.executable, "-m", "nbconvert"]
    try:
        done = subprocess.run([*command, "--to=html", "--output-dir=" + folder, "--output=page.html", notebook],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"nbconvert took more than {LIMIT} s"
    text = done.stderr.decode("utf-8", "replace").strip()
    if not program and "No module named nbconvert" in text:
        return "nbconvert is not installed (Debian: jupyter-nbconvert)"
    return None if done.returncode == 0 else f"nbconvert failed: {text[-TAIL:]}"
