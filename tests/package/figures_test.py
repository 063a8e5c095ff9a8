"""Figures: which are saved, when, as what. Jupyter's inline backend is the reference."""
import ast
import base64
import hashlib
import os
import pathlib
import re
import shutil
import struct
import tempfile
import unittest

import scripts
import traced

INLINE = [
    "%config InlineBackend.rc = {'figure.figsize': (2, 1)}",
    "import matplotlib, matplotlib.pyplot as plt\nprint(plt.isinteractive())",
    "print('a'); plt.plot([1, 2]); print('b'); plt.show(); print('c')\nplt.plot([3]); plt.figure()",
    "fig, ax = plt.subplots(1, 2, dpi=50, facecolor='red'); fig",
    "plt.plot([1]); plt.title(chr(92) + 'foo'); fig.show(); None",
    "plt.figure(); plt.plot([1]); plt.figure(); plt.plot([2]); 1 / 0",
    "%config InlineBackend.rc = {'figure.figsize': (3, 1)}\nplt.plot([1]); None",
    "%matplotlib inline\nplt.plot([1]); None",
    "plt.ioff(); plt.plot([1]); None",
    "plt.figure(); print(len(plt.get_fignums()))",
    "plt.show(block=False)",
    "plt.ion(); plt.plot([1]); plt.show(close=False); print('x')",
    "plt.close('all')",
    "%config InlineBackend.close_figures = False\nplt.plot([1]); None",
    "plt.title('more'); print(len(plt.get_fignums()))",
    "plt.figure(); plt.plot([1]); None",
    "plt.show(); print(len(plt.get_fignums()))",
    "plt.show(True); print(len(plt.get_fignums()))",
    "%config InlineBackend.close_figures = True\nfrom matplotlib.pyplot import *",
    "with ioff():\n    figure(); plot([1])",
    "plot([2]); show(); print('shown')",
    "matplotlib.use('Agg'); plt.plot([1]); plt.show(); None",
    "plt.title('x'); print(len(plt.get_fignums())); None",
    "%matplotlib inline\nprint(len(plt.get_fignums())); plt.plot([1]); None",
    "import os\npid = os.fork()\nif pid == 0:\n    plt.plot([1]); plt.show(); os._exit(0)",
    "os.waitpid(pid, 0); None",
    "class Mine(matplotlib.figure.Figure):\n    def __repr__(self):\n        return 'mine'",
    "plt.figure(FigureClass=Mine).gca(); None",
    "plt.figure().text(.5, .5, 'no axes'); plt.figure().add_artist(plt.Line2D([0, 1], [0, 1]))\n"
    "None",
    "import pickle\nfig = plt.figure(); plt.plot([1]); text = pickle.dumps(fig); plt.close(); None",
    "pickle.loads(text); None",
    "plt.rcParams['savefig.dpi'] = 30; plt.rcdefaults(); plt.plot([1]); None",
    "import numpy as np\nfig, ax = plt.subplots(2, 2, constrained_layout=True)\n"
    "fig.colorbar(ax[0, 0].imshow(np.eye(9)), ax=ax); ax[1, 1].set_ylabel('y'); None",
    "plt.plot([1, 2]); plt.xlabel('x'); plt.tight_layout(); plt.show()\nplt.style.use('ggplot')",
    "fig = plt.figure(layout='tight'); ax = fig.add_subplot(projection='3d')\n"
    "ax.plot([1, 2], [1, 2], [1, 2]); fig.set(edgecolor='blue', linewidth=9, dpi=40)\n"
    "plt.rcParams.update({'savefig.edgecolor': 'red', 'savefig.facecolor': 'red'})",
    "print = repr\nplt.plot([1]); None",
]

CONFIG = [
    "%config InlineBackend.figure_format = 'retina' # sharp",
    "import matplotlib, matplotlib.pyplot as plt\nplt.plot([1]); None",
    "%config InlineBackend.figure_format",
    "%config InlineBackend.figure_format = 'tiff'",
    "%config InlineBackend.figure_format = 3",
    "%config InlineBackend.close_figures = 'no'",
    "%config InlineBackend.rc = [1]",
    "%config InlineBackend.figure_formats = 3",
    "%config InlineBackend.figure_formats = {'png','retina'}\nplt.plot([1]); None",
    "%config InlineBackend.figure_formats = set(['svg', 'jpg', 'pdf'])\nplt.plot([1]); None",
    "wanted = ['png', 'jpeg']\n%config InlineBackend.figure_formats = wanted",
    "plt.plot([1]); None",
    "name = 'svg'\n%config InlineBackend.figure_format = '{name}'",
    "plt.plot([1]); None",
    "%config InlineBackend.figure_format = 'png2x'",
    "%config InlineBackend.print_figure_kwargs = {'bbox_inches':None, 'facecolor': 'red'}",
    "plt.plot([1]); None",
    "%config InlineBackend.figure_formats = ('png',)",
    "plt.plot([1]); None",
    "from matplotlib_inline.backend_inline import set_matplotlib_formats, set_matplotlib_close",
    "set_matplotlib_formats('svg', 'png', dpi=30)\nplt.plot([1]); None",
    "import IPython.display\nimport warnings; warnings.simplefilter('ignore')",
    "IPython.display.set_matplotlib_formats('retina', bbox_inches='tight')\nplt.plot([1]); None",
    "set_matplotlib_formats('tiff')",
    "set_matplotlib_formats('png', dpi=20)",
    "set_matplotlib_close(False); plt.plot([1]); None",
    "print(len(plt.get_fignums())); set_matplotlib_close()",
    "%config InlineBackend.figure_formats = ['png']",
    "%config InlineBackend.nothing here",
    "%matplotlib --list",
    "%matplotlib -l",
    "x = %matplotlib --list",
    "print(x)",
    "%matplotlib Inline # comment",
    "%matplotlib nonsense",
    "gui = 'inline'\n%matplotlib $gui",
    "cos = 3; e = 4; np = None",
    "%pylab --no-import-all inline",
    "print(cos, e, np is numpy, plt is pyplot, mlab, pylab.plot is plt.plot)",
    "cos = 3; e = 4",
    "%pylab inline",
    "print(cos, e, sum)",
    "figsize(1, 2); plot([1]); print(getfigs(), getfigs(7))",
    "%pylab Inline",
]

FUNCTIONS = {"matplotlib": "scorep_notebook.matplotlib", "pylab": "scorep_notebook.pylab",
             "config": "scorep_notebook.config"}


def python_of(source):
    """SOURCE with its magics as calls, and with its last value shown."""
    def call(found):
        name, magic, arguments = found.groups()
        return f"{name or ''}{FUNCTIONS[magic]}({arguments!r})"

    source = re.sub(r"(?m)^(\w+ = )?%(\w+) ?(.*)$", call, source)
    last = ast.parse(source).body[-1]
    if not isinstance(last, ast.Expr):
        return source
    lines = source.split("\n")
    line = lines[last.lineno - 1]
    start = last.col_offset
    lines[last.lineno - 1] = f"{line[:start]}scorep_notebook.echo({line[start:]}"
    return "\n".join(lines) + ")"


def script_of(cells):
    """The cells as a script in which an error does not end more than its cell."""
    parts = ["with scorep.instrumenter.disable():\n    scorep_notebook.save_figures('out')\n"]
    for number, source in enumerate(cells, 1):
        code = python_of(source).replace("\n", "\n    ")
        parts.append(f"scorep_notebook.cell({number}, measured=True)\n"
                     f"__builtins__.print('\\0== {number}')\ntry:\n    {code}\n"
                     "except Exception as error:\n    __import__('sys').stderr.write("
                     "f'{type(error).__name__}: {error}\\n')\n")
    return "".join(parts)


def kind(name, data):
    """What is compared of an image: its kind, and all of a png, of which the size can be read."""
    if name != "png":
        return name
    width, height = struct.unpack(">II", data[16:24])
    return f"png {width}x{height} {hashlib.sha256(data).hexdigest()}"


def errors(text):
    """The lines that tell an error; some list a set in any order."""
    lines = re.findall(r"^(?:ERROR:root|\w+Error):.*", text, re.MULTILINE)
    return [sorted(re.split("[ ,]", line)) if "supported" in line else line for line in lines]


def plain(text):
    """TEXT without what differs between two processes."""
    return re.sub(r"0x[0-9a-f]+", "0x", text)


def jupyter(cells):
    """What nbclient records: per cell the text and the images; and the errors of all."""
    import nbclient
    import nbformat
    notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
    nbclient.NotebookClient(notebook, allow_errors=True, timeout=300,
                            kernel_name="python3").execute()
    cells = [jupyter_cell(cell.outputs) for cell in notebook.cells]
    return [(out, images) for out, _, images in cells], errors("".join(cell[1] for cell in cells))


def jupyter_cell(outputs):
    out, err, images = "", "", []
    for output in outputs:
        if output.output_type == "stream":
            out += output.text if output.name == "stdout" else ""
            err += output.text if output.name == "stderr" else ""
        elif output.output_type == "error":
            err += f"{output.ename}: {output.evalue}\n"
        else:
            out += output.data["text/plain"] + "\n"
            found = {key.split("/")[1].split("+")[0]: value for key, value in output.data.items()
                     if key != "text/plain"}
            images.append({kind(name.replace("jpeg", "jpg"),
                                base64.b64decode(data) if name == "png" else data)
                           for name, data in found.items()})
    return plain(out), err, [image for image in images if image]


def batch(cells, folder):
    """The same of a script, and the names of its files in order."""
    done = run(script_of(cells), folder)
    assert done.returncode == 0, done.stderr
    results, names = [], []
    for number, text in enumerate(done.stdout.split("\0")[1:], 1):
        out, images = text.split("\n", 1)[1], []
        for line in re.findall(r" \((out/[^)]*)\)$", out, re.MULTILINE):
            files = [pathlib.Path(folder, name) for name in line.split(", ")]
            images.append({kind(file.suffix[1:], file.read_bytes()) for file in files})
            names.append([file.name for file in files])
        results.append((plain(re.sub(r"(?m) \(out/[^)]*\)$", "", out)), images))
    return results, names, errors(done.stderr)


def run(script, folder, environment=(), **options):
    return scripts.run(script, cwd=folder,
                       env=scripts.environment(**dict(environment)), **options)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def files(self, folder="out"):
        return sorted(path.name for path in (self.folder / folder).glob("*"))


class LikeJupyter(InFolder):
    maxDiff = None

    def compare(self, cells):
        got, names, got_errors = batch(cells, self.folder)
        wanted, wanted_errors = jupyter(cells)
        for number, source in enumerate(cells, 1):
            with self.subTest(cell=number, source=source):
                self.assertEqual(got[number - 1], wanted[number - 1])
        self.assertEqual(got_errors, wanted_errors)
        return names

    def test_inline_backend(self):
        names = self.compare(INLINE)
        self.assertEqual(names[:6], [["cell-3-1.png"], ["cell-3-2.png"], ["cell-4-1.png"],
                                     ["cell-4-2.png"], ["cell-5-1.png"], ["cell-6-1.png"]])
        self.assertEqual(self.files(), sorted(name for row in names for name in row))

    def test_settings(self):
        names = self.compare(CONFIG)
        self.assertIn(["cell-10-1.jpg", "cell-10-1.pdf", "cell-10-1.svg"], names)


BEGIN = """
with scorep.instrumenter.disable():
    scorep_notebook.save_figures("out")
    scorep_notebook.cell(1, measured=True)
"""
NEXT = """
with scorep.instrumenter.disable():
    scorep_notebook.cell(2, measured=True)
"""
PLOT = "import matplotlib.pyplot as plt\nplt.plot([1])\n"
LINE = "<Figure size 640x480 with 1 Axes> (out/%s)\n"


ALONE = LINE % "cell-1-1.png"
PRESENT = "before = {*globals()}\n" + PLOT + NEXT + ("plt.plot([1])\nscorep_notebook.echo(plt.gcf())\n"
                                                  "print(_ is plt.gcf())\nplt.close()\n"
                                                  "print({*globals()} - before - {'before', 'plt'})\n")
# Scripts behind BEGIN, variables, and what they print, which names all files.
PRINTED = {
    "nothing is imported for them": (
        "import sys, os\nprint({'matplotlib', 'numpy', 'IPython'} & {*sys.modules}, os.environ['MPLBACKEND'])\n" + NEXT,
        {}, "set() Agg\n"),
    "at the end of the script": (PLOT, {}, ALONE),
    "not in a forked child": (PLOT + "import os, sys\nif os.fork() == 0:\n    sys.exit()\nos.wait()\nprint('waited')",
                              {}, "waited\n" + ALONE),
    "the folder is where the script started": ("import os\nos.mkdir('sub')\nos.chdir('sub')\n" + PLOT, {}, ALONE),
    "a name that comes again overwrites nothing": (
        PLOT + NEXT + "scorep_notebook.cell(1, measured=True)\nplt.plot([2])", {}, ALONE + LINE % "cell-1-2.png"),
    "none: they are closed": (
        "scorep_notebook.save_figures(None)\n" + PLOT + NEXT
        + "print(plt.get_fignums())\nplt.plot([2]); plt.show()\nprint(plt.get_fignums())\n"
        "from scorep_notebook_test.figures import show_figure\nprint(show_figure(plt.figure()))",
        {}, "[]\n[]\nFalse\n"),
    "other ranks only close": (PLOT + "scorep_notebook.echo(plt.gcf())\n" + NEXT + "print(plt.get_fignums())",
                               {"SLURM_PROCID": "0", "PMI_RANK": "1"}, "[]\n"),
    "no warning where there is a display": (PLOT + "plt.gcf().show()\nplt.show()", {"DISPLAY": ":99"}, ALONE),
    "one GUI only": (
        "".join(f"scorep_notebook.matplotlib('{name}')\n" for name in ("", "agg", "qt", "tk", "agg", "inline", "auto")),
        {}, "Using matplotlib backend: agg\nWarning: Cannot change to a different GUI toolkit: tk. Using qt instead.\n"
        "Warning: Cannot change to a different GUI toolkit: None. Using qt instead.\nUsing matplotlib backend: agg\n"),
    "a set that IPython takes for a field": (
        "scorep_notebook.config(\"InlineBackend.figure_formats = {'svg'}\")\n" + PLOT, {}, LINE % "cell-1-1.svg"),
    "display() shows figures so": (PLOT + "display(3, plt.gcf())", {}, "3\n" + ALONE + LINE % "cell-1-2.png"),
    "names of the user": (PRESENT, {}, ALONE + LINE % "cell-2-1.png" + "True\nset()\n"),
}


class Figures(InFolder):
    def output(self, script, stderr="", returncode=0, **options):
        done = run(BEGIN + script, self.folder, **options)
        self.assertEqual((done.stderr, done.returncode), (stderr, returncode))
        return done.stdout

    def test_printed(self):
        for what, (script, environment, expected) in PRINTED.items():
            with self.subTest(what):
                shutil.rmtree(self.folder / "out", ignore_errors=True)
                self.assertEqual(self.output(script, environment=environment), expected)
                self.assertEqual(self.files(), re.findall(r"out/([^)]+)\)", expected))

    def test_after_an_exception_and_exit(self):
        done = run(BEGIN + PLOT + "1 / 0", self.folder)
        self.assertEqual((done.stdout, done.returncode), (LINE % "cell-1-1.png", 1))
        out = self.output(PLOT + "raise SystemExit(5)", returncode=5)
        self.assertEqual(out, LINE % "cell-1-1.png")

    def test_errors_are_warnings(self):
        (self.folder / "out").write_text("a file")
        out = self.output(PLOT + NEXT + "print('on')",
                          "nbscorep: warning: cannot save out/cell-1-1.png: File exists\n")
        self.assertEqual(out, "<Figure size 640x480 with 1 Axes>\non\n")

    def plant(self, place, target):
        path = self.folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.folder / target)

    def test_planted_files(self):
        """No link is written through, no FIFO opened, and what a run left half is replaced."""
        foreign = self.folder / "foreign"
        foreign.write_text("foreign")
        for kind, name, results in (("link", "cell-1-1.png", ""), ("link", "cell-1-1.png.part", ""),
                                    ("link", "cell-1-1.png.part", "set"),
                                    ("lost link", "cell-1-1.png.part", ""),
                                    ("fifo", "cell-1-1.png.part", ""),
                                    ("file", "cell-1-1.png.part", "")):
            with self.subTest(kind=kind, name=name, results=results):
                out = self.folder / results / "out"
                shutil.rmtree(out, ignore_errors=True)
                out.mkdir(parents=True)
                if kind == "fifo":
                    os.mkfifo(out / name)
                elif kind == "file":
                    (out / name).write_text("half")
                else:
                    self.plant(out / name, "foreign" if kind == "link" else "new")
                shown = self.output(PLOT, timeout=60, environment={"NBSCOREP_RESULTS": results})
                self.assertEqual(shown, LINE % "cell-1-1.png")
                self.assertEqual(self.files(out), ["cell-1-1.png"])
                saved = out / "cell-1-1.png"
                self.assertTrue(saved.is_file() and not saved.is_symlink())
                self.assertEqual(saved.read_bytes()[:4], b"\x89PNG")
                self.assertEqual(foreign.read_text(), "foreign")
                self.assertFalse((self.folder / "new").exists())

    def test_planted_folders(self):
        """A set's folder of figures is none that a link leads to; that of a run may be."""
        (self.folder / "foreign").mkdir()
        ranks = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}
        for place, more in (("out", {}), ("out", ranks), ("out/rank-1", ranks)):
            with self.subTest(place, **more):
                script = BEGIN.replace('"out"', '"out", True') + PLOT
                self.plant(f"set/{place}", "foreign")
                done = run(script, self.folder, {"NBSCOREP_RESULTS": "set", **more})
                self.assertEqual(done.returncode, 0)
                self.assertRegex(done.stderr, r"^nbscorep: warning: cannot save out/\S+: "
                                 rf"'{place.split('/')[-1]}' is not a folder, or a link to one\n$")
                self.assertEqual(self.files("foreign"), [])
                shutil.rmtree(self.folder / "set")
        self.plant("out", "foreign")
        self.output(PLOT)
        self.assertEqual(self.files("foreign"), ["cell-1-1.png"])

    def test_a_full_disk_leaves_nothing(self):
        limit = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, -1))\n"
        self.output(PLOT + limit,
                    "nbscorep: warning: cannot save out/cell-1-1.png: File too large\n")
        self.assertEqual(self.files(), [])

    def test_what_cannot_be_drawn(self):
        done = run(BEGIN + PLOT + "plt.title('$' + chr(92) + 'foo$')", self.folder)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Anbscorep: warning: cannot save out/cell-1-1.png: "
                         r"ValueError: .*Unknown symbol.*\n\Z")

    def test_windows_are_files_and_stay_open(self):
        note = "nbscorep: backend %s has no windows in batch: figures are saved\n"
        more = "plt.title('x')\n" + NEXT + "plt.show()\nplt.figure()\n"
        wanted = (LINE % "cell-1-1.png" + LINE % "cell-2-1.png" + LINE % "cell-2-2.png"
                  + "<Figure size 640x480 with 0 Axes>\n")
        for script, stderr in (
                ("import matplotlib\nmatplotlib.use('TkAgg')\n" + PLOT, note % "TkAgg"),
                ("import matplotlib\nmatplotlib.use(backend='nbAgg')\n" + PLOT, note % "nbAgg"),
                (PLOT + "plt.switch_backend('qt5agg')\nplt.plot([1])", note % "qt5agg"),
                ("scorep_notebook.matplotlib('widget')\n" + PLOT, ""),
                ("scorep_notebook.matplotlib('notebook')\n" + PLOT, "")):
            self.assertEqual(self.output(script + NEXT + more, stderr), wanted, script)

    def test_the_environment_names_a_backend(self):
        for name, count in (("TkAgg", 1), ("agg", 1), ("svg", 0),
                            ("module://matplotlib_inline.backend_inline", 1)):
            out = self.output(PLOT, environment={"MPLBACKEND": name})
            self.assertEqual(out.count("Figure"), count, name)

    def test_without_matplotlib(self):
        done = run(BEGIN + "import sys\nsys.modules['matplotlib'] = None\n"
                   "scorep_notebook.matplotlib('inline')", self.folder)
        self.assertIn("ModuleNotFoundError: ", done.stderr)

    def test_settings_are_shown(self):
        out = self.output("scorep_notebook.config('InlineBackend')")
        self.assertIn("\nInlineBackend.close_figures\n    Current: True\n", out)
        self.output("scorep_notebook.config('InlineBackend.more = 1')",
                    "Config option `more` not recognized by `InlineBackend`.\n")



# As plotly 4 to 6: fig.show() and iplot() call plotly.io.show(), which starts a browser.
PLOTLY = {
    "__init__": "",
    "basedatatypes": "class BaseFigure:\n"
                     "    def __init__(self, data=None):\n        self.data = data\n"
                     "    def show(self, *words, **more):\n"
                     "        import plotly.io\n        plotly.io.show(self, *words, **more)\n"
                     "    def to_html(self, include_plotlyjs):\n"
                     "        return f'<p>{self.data} {include_plotlyjs}'\n",
    "graph_objects": "from .basedatatypes import BaseFigure\nclass Figure(BaseFigure): pass\n",
    "io": "def show(figure, renderer=None):\n    print('a browser starts')\n",
    "offline": "def get_plotlyjs():\n    return 'plotly'\n"
               "def iplot(figure):\n    import plotly.io\n    plotly.io.show(figure, 'browser')\n"}


class Plotly(InFolder):
    SCRIPT = ("import plotly.io as pio, plotly.offline, plotly.graph_objects as go\n"
              "figure = go.Figure(7)\nfigure.show('browser')\nplotly.offline.iplot(figure)\n" + NEXT
              + "scorep_notebook.echo(figure)\npio.show({'type': 'bar'})\n")

    def setUp(self):
        super().setUp()
        (self.folder / "plotly").mkdir()
        for name, text in PLOTLY.items():
            (self.folder / "plotly" / f"{name}.py").write_text(text)

    def output(self, script, **more):
        done = run(script, self.folder, more)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout

    def test_saved(self):
        names = "cell-1-1.html", "cell-1-2.html", "cell-2-1.html", "cell-2-2.html"
        self.assertEqual(self.output(BEGIN + self.SCRIPT), "".join(f"<plotly.Figure> (out/{name})\n" for name in names))
        self.assertEqual(self.files(), [*names, "plotly.min.js"])
        self.assertEqual((self.folder / "out/cell-2-2.html").read_text(), "<p>{'type': 'bar'} directory")
        self.assertEqual((self.folder / "out/plotly.min.js").read_text(), "plotly")

    def test_never_a_browser(self):
        """Without figures, and on other ranks than the first."""
        out = self.output("scorep_notebook.save_figures(None)\n" + self.SCRIPT.replace(NEXT, "").replace(
            "scorep_notebook.echo(figure)\n", ""))
        self.assertEqual(out, "")
        self.assertNotIn("browser", self.output(BEGIN + self.SCRIPT, PMI_RANK="1", PMI_SIZE="2"))
        self.assertEqual(self.files(), [])

    def test_renderer_of_the_user(self):
        self.assertEqual(self.output(BEGIN + "import plotly.io\nplotly.io.show(1)", PLOTLY_RENDERER="png"),
                         "a browser starts\n")


class Trace(traced.TraceCase):
    def test_shows_the_user_only(self):
        run = self.good(scripts.head() + BEGIN + PLOT + "plt.show()\nplt.figure().gca()\n"
                              "scorep_notebook.echo(plt.gcf())\nplt.show()\n"
                              "plt.switch_backend('inline')\nplt.plot([1])\n"
                              + NEXT + "plt.plot([2])", SCOREP_TOTAL_MEMORY="512M")
        regions = set(run.entered())
        self.assertEqual(re.findall(r"out/(\S*)\)", run.out), [
            "cell-1-1.png", "cell-1-2.png", "cell-1-3.png", "cell-1-4.png", "cell-2-1.png"])
        self.assertIn("matplotlib.pyplot:show", regions)
        wrong = r"scorep|__main__:(?!<module>)|:print_figure|:print_png|:get_tightbbox"
        self.assertEqual({name for name in regions if re.search(wrong, name)}, set())


if __name__ == "__main__":
    unittest.main()
