#!/usr/bin/env python3
"""display(): what it prints is what Jupyter records as text, with IPython, and without it."""
import importlib.util
import unittest

import kernel
import scripts
import traced

PRETTY = """
class Pretty:
    def __init__(self, *parts): self.parts = parts
    def _repr_pretty_(self, p, cycle):
        if cycle:
            return p.text('Pretty(...)')
        with p.group(4, 'Pretty(', ')'):
            for part in self.parts:
                p.breakable()
                p.pretty(part)
            if not self.parts:
                p.break_()
                p.text('none')
class Hidden(Pretty):
    def __repr__(self): return 'own'
"""
FORMATS = """
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/plain': 'bundled', 'text/html': '<b>'}, {'text/html': {'a': 1}}
class Html:
    def _repr_html_(self): return '<i>'
    def __repr__(self): return 'plain'
class Itself:
    def _ipython_display_(self): print('itself')
class Unwilling:
    def _ipython_display_(self): raise NotImplementedError
    def __repr__(self): return 'unwilling'
"""


class DisplayTest(kernel.Case):
    def test_pretty(self):
        self.compare([PRETTY, "display(Pretty(1, 'a'))", "Pretty(Pretty(2), Hidden())",
                      "display(Hidden(1))", "display(Pretty())",
                      "p = Pretty()\np.parts = p, 1\np"], "display")

    def test_formats(self):
        self.compare([FORMATS, "display(Bundle(), Html(), Itself(), Unwilling())", "Bundle()",
                      "Html()", "Itself()", "display(Itself, Bundle)",
                      "display(Html(), include=['text/html'])",
                      "display(Html(), exclude=['text/plain'])",
                      "display(Html(), include=['text/plain'])"], "display",
                     pattern=r"<class '(.*)'>", replacement=r"\1")

    def test_raw(self):
        self.compare(["display({'text/plain': 'raw', 'text/html': 'x'}, raw=True)",
                      "display({'image/png': 'x'}, raw=True)"], "display")

    def test_a_failing_repr_does_not_stop_the_cell(self):
        script = ("class Bad:\n    def __repr__(self): raise ValueError('no')\n"
                  "display(Bad(), 2)\n")
        done = scripts.run(script, "display")
        self.assertEqual((done.returncode, done.stdout), (0, "2\n"))
        self.assertIn("ValueError: no", done.stderr)

    def test_errors(self):
        self.compare(["from IPython.display import update_display",
                      "update_display(1, display_id='')"], "ipython_display")


class HandleTest(unittest.TestCase):
    SCRIPTS = (  # and what they print
        ("h = display(1, display_id='x'); print(h)\nh.update(2); h.update(2); h.display(2)",
         "1\n<DisplayHandle display_id=x>\n2\n2\n"),
        ("a = display(display_id=True); b = display(display_id=True)\n"
         "print(len(a.display_id), a.display_id != b.display_id)", "32 True\n"),
        ("from scorep_notebook_test.rich_display import shown\n"
         "shown.figure = lambda v, result: v == 1 and print('F') or v == 1\ndisplay(1, 2)", "F\n2\n"),
        ("scorep_notebook.echo(5)\nprint(_)\nscorep_notebook.echo(None)\nprint(_)\n"
         "import builtins; builtins._ = str\nscorep_notebook.echo(6)\nprint(_(7))", "5\n5\n5\n6\n7\n"),
        ("display(chr(233))", "'\\xe9'\n"))

    def test_scripts(self):
        """With a narrow encoding."""
        for script, expected in self.SCRIPTS:
            with self.subTest(script):
                done = scripts.run(script, "display", env=scripts.environment(PYTHONIOENCODING="ascii"))
                self.assertEqual((done.returncode, done.stderr, done.stdout), (0, "", expected))

    def test_the_builtin_underscore_after_plain_values(self):
        script = ("scorep_notebook.echo(5)\nprint(_)\nclass Own: pass\nvalue = Own()\n"
                  "scorep_notebook.echo(value)\nprint(_ is value)\nscorep_notebook.echo(6)\nprint(_)")
        self.assertRegex(scripts.run(script).stdout, r"^5\n5\n<__main__\.Own .*>\nTrue\n6\n6\n$")


OBJECTS = ["from IPython.display import *",
           "display(HTML('<b>'), SVG(data='<svg></svg>'))",
           "Javascript('x')", "Image(data=b'\\x89PNG')",
           "Audio(data=b'x')", "Pretty('two\\nlines')", "Code('x = 1')",
           "FileLink('notes/a.txt')", "FileLinks('notes')", "print(FileLink('notes/a.txt').path)",
           "HTML(filename='notes/a.txt').data, HTML('notes/a.txt').filename",
           "Image('notes/a.txt', format='png').data", "JSON('[1]').data",
           "YouTubeVideo('abc', width=3).src", "print(IFrame('http://x', 1, 2).height)",
           "type(IFrame('x', 1, 2)).__module__", "Image(filename='missing.png')",
           "display_pretty('a')", "clear_output(wait=True)",
           "import IPython, IPython.core.display\n"
           "IPython.display.display(IPython.core.display.HTML(''))",
           "p = ProgressBar(2)\nprint(p, p.progress)",
           "from IPython import get_ipython, display as d\nd.display(1)",
           "from IPython.core.interactiveshell import InteractiveShell\n"
           "InteractiveShell.ast_node_interactivity = 'last_expr'",
           "issubclass(Markdown, TextDisplayObject), issubclass(Image, DisplayObject)",
           "set_matplotlib_formats('svg')",
           "publish_display_data({'text/plain': 'published'})"]


TABLE = ("<style>td {}</style><table><thead><tr><th>&nbsp;</th><th>mass</th></tr></thead>\\n"
         "<tr><td>0</td> <td>1.5</td></tr>\\n<tr><td>1</td><td>2 &lt; 3</td></tr></table>")
# What Jupyter draws, and IPython has no text for, has one in a log.
READABLE = [
    ("HTML('<h1>A  title</h1><p>some <b>bold</b> text<br>x &amp; y</p><script>no()</script>"
     "<ul><li>one<li>two</ul> end')", "A title\nsome bold text\nx & y\none\ntwo\nend\n"),
    (f"HTML('{TABLE}')", "mass\n0  1.5\n1  2 < 3\n"),
    ("HTML('v<sub>max</sub> = <b>3</b>.14,\\n<i>a </i><b>b</b> <code>f</code>(x)')",
     "vmax = 3.14, a b f(x)\n"),
    ("display(JSON({(1, 2): 3}))\nprint('after')", "<IPython.core.display.JSON object>\nafter\n"),
    ("HTML('<pre>  a\\n    b </pre>')", "  a\n    b\n"),
    ("Markdown('see ![p](data:image/png;base64,' + 'A' * 200 + ') here')", "see ![p](data:image/png) here\n"),
    ("Markdown('# title\\n*x*')", "# title\n*x*\n"), ("Latex('$x$')", "$x$\n"),
    ("Math('x')", "$\\displaystyle x$\n"), ("JSON({'a': 1})", '{"a": 1}\n'),
    ("Image(url='http://x/y.png')", "<Image: http://x/y.png>\n"),
    ("Image(filename='notes/a.txt', format='png')", "<Image: notes/a.txt>\n"),
    ("Video('http://x/y.mp4')", "<Video: http://x/y.mp4>\n"),
    ("IFrame('http://x', 1, 2)", "<IFrame: http://x>\n"),
    ("display(HTML('<i>a</i>'), HTML('<p>b</p>'))", "a\nb\n"),
    ("display_html('<b>c</b>', raw=True)", "c\n"),
    ("display({'text/html': 'x', 'text/plain': '<pkg.Thing at 0x7f>'}, raw=True)", "x\n"),
    (f"class Styler:\n    def _repr_html_(self): return '{TABLE}'\nStyler()",
     "mass\n0  1.5\n1  2 < 3\n"),
    ("class A:\n    def _repr_html_(self): return '<b>no</b>'\n"
     "    def __repr__(self): return 'A()'\nA()", "A()\n"),
    ("class A:\n    def _repr_html_(self): return 3\n    _repr_markdown_ = lambda self: None\n"
     "display(A()) if 0 else type(A()).__name__", "'A'\n"),
]


class IPythonDisplayTest(kernel.Case):
    def files(self, folder):
        (folder / "notes").mkdir()
        (folder / "notes" / "a.txt").write_text("text", encoding="utf-8")

    def test_with_and_without_ipython(self):
        pattern = r"DeprecationWarning[^\n]*\n[^\n]*\n|0x[0-9a-f]+|UserWarning: JSON.*\n.*\n|/\S+: "
        options = {"pattern": pattern, "replacement": ""}
        expected = [("".join(one), cell) for one, cell in zip(self.in_kernel(OBJECTS), OBJECTS)]
        for path in "", scripts.BARE:
            actual = self.in_script(OBJECTS, "ipython_display", PYTHONPATH=path)
            self.assertEqual(clean(zip(map("".join, actual), OBJECTS), **options),
                             clean(expected, **options))

    def test_texts_for_a_log(self):
        cells = [OBJECTS[0]] + [cell for cell, _ in READABLE]
        expected = [(cell, text, "") for cell, text in READABLE]
        for path in "", scripts.BARE:
            found = self.in_script(cells, "ipython_display", PYTHONPATH=path)[1:]
            self.assertEqual([(cell, *texts) for cell, texts in zip(cells[1:], found)], expected)

    def test_declaration_that_html_does_not_have(self):
        """Parsers of Python before the end of 2025 raise an exception, later ones read a comment."""
        cells = [OBJECTS[0], "display(HTML('a (?<![b-c]) d'))\nprint('after')"]
        for path in "", scripts.BARE:
            (out, err), = self.in_script(cells, "ipython_display", PYTHONPATH=path)[1:]
            self.assertIn(out, ("<IPython.core.display.HTML object>\nafter\n", "a (?\nafter\n"))
            self.assertEqual(err, "")

    def test_a_progress_bar_is_a_line_for_each_step(self):
        script = "from IPython.display import ProgressBar\nfor step in ProgressBar(2): pass\n"
        for path in "", scripts.BARE:
            done = scripts.run(script, "ipython_display",
                               env=scripts.environment(PYTHONPATH=path))
            self.assertEqual([line[-3:] for line in done.stdout.splitlines()],
                             ["0/2", "1/2", "2/2"])

    @unittest.skipUnless(importlib.util.find_spec("IPython"), "else there are stand-ins")
    def test_ipython_is_not_imported_before_the_script_does(self):
        """It would be in the time of a measured line: not for its printer either, with what scripts add to it."""
        done = scripts.run(
            "import sys\ndisplay({'b': {3, 1}, 'a': lambda: 0})\nprint('IPython' in sys.modules)\n"
            "from IPython.lib.pretty import for_type\nfor_type(slice, lambda value, p, cycle: p.text('cut'))\n"
            "display(slice(3))\nprint('IPython.core' in sys.modules)", "display", "ipython_display")
        self.assertEqual(done.stdout, "{'b': {1, 3}, 'a': <function __main__.<lambda>()>}\nFalse\ncut\nTrue\n")

    def test_what_needs_ipython_says_so(self):
        for text, name in (("from IPython.core.magic import Magics", "IPython.core.magic.Magics"),
                           ("import IPython.parallel", "IPython.parallel"),
                           ("from IPython.html.widgets import interact", "IPython.html"),
                           ("import IPython; IPython.embed()", "IPython.embed")):
            done = scripts.run(text, "ipython_display",
                               env=scripts.environment(PYTHONPATH=scripts.BARE))
            self.assertEqual(done.stderr.splitlines()[-1].split(": ", 1)[1],
                             f"{name} needs IPython, which this Python does not have")

    def test_get_ipython_is_none_elsewhere(self):
        for path in "", scripts.BARE:
            done = scripts.run("from IPython import get_ipython\nprint(get_ipython())",
                               "ipython_display", env=scripts.environment(PYTHONPATH=path))
            self.assertEqual(done.stdout, "None\n")


def clean(rows, pattern, replacement):
    import re
    return [(re.sub(pattern, replacement, text), cell) for text, cell in rows]


class TraceTest(traced.TraceCase):
    SETUP = ("class Shown:\n    def __repr__(self): return 'x'\n"
             "def after(): pass\nh = display(1, display_id='h')")

    def test_display(self):
        self.assert_trace("display(Shown()); h.update(2); h.display(3); scorep_notebook.echo(Shown())\n"
                          "after()", ["__main__:after"], "display", setup=self.SETUP)

    def test_stand_ins(self):
                self.assert_trace("from IPython.display import HTML, ProgressBar, display_html\n"
                          "HTML('x'); display(HTML('x')); display_html('x')\n"
                          "for _ in ProgressBar(2): after()",
                          ["__main__:after"] * 2, "ipython_display", setup=self.SETUP,
                          PYTHONPATH=f"{scripts.BARE}:{scripts.ROOT}/tests/double")


if __name__ == "__main__":
    unittest.main()
