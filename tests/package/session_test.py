"""The names of a session, and its end, are what they are in Jupyter."""
import unittest

import kernel
import scripts

NAMES = "import os\nfrom os import path\na = b = object()\n_own = 1\nnumber = 5\ntext = 'x'"
LEFT = "sorted(n for n in ('a', 'b', 'os', 'path', '_own', 'number', 'text') if n in globals())"


COMPARED = (  # with Jupyter, each in a session of its own
    ["%who_ls", NAMES, "%who_ls", "%who_ls object module", "x = %who_ls int str\nx", "kind = 'int'\n%who_ls $kind"],
    [cell for options in ("", "-f", "-s", "-f -s", "-sf", "-q", "-s array")
     for cell in (NAMES, f"%reset {options}", LEFT, "%who_ls")],
    [NAMES, "%reset -f in Bla DHIST", "%reset -f array", LEFT, "%cd -", "%cd home", "%dhist", "%reset -f dhist",
     "%dhist", "%cd nope"],
    ["import numpy as np\nx = np.zeros(3)\n_y = x\nz = 1", "%reset -f array", "'x' in globals(), '_y' in globals(), z"],
    [NAMES, "%reset_selective", "%reset_selective -f", "%reset_selective -f ^pa", LEFT, r"%reset_selective ^n\w", LEFT,
     "%reset_selective (", "%reset_selective o", LEFT],
    [NAMES, "1", "%xdel a", LEFT, "%xdel none", "%xdel -n none", "same = text", "%xdel -n text", LEFT, "same",
     "%xdel __builtins__", "%xdel -x a", "name = 'number'", "1", "%xdel $name", LEFT],
    # An object is deleted, and not another one that equals it.
    ["a = [1]\nb = [1]\nc = a", "%xdel a", "sorted({'a', 'b', 'c'} & set(globals()))"],
)


class NamesTest(kernel.Case):
    def test_compared(self):
        for cells in COMPARED:
            with self.subTest(cells):
                self.compare(cells)

    def test_reset_of_output(self):
        self.compare(["%reset -f out", "7", "%reset out"], pattern="[0-9]+ entries",
                     replacement="entries")
        results = self.in_script(["7", "%reset -f out", "_", "%reset -f out"])
        self.assertEqual(results[1:], [
            ("Flushing output cache (1 entries)\n", ""),
            ("", "NameError: name '_' is not defined\n"),
            ("Flushing output cache (0 entries)\n", "")])

    def test_what_is_shown_last_goes_with_its_name(self):
        results = self.in_script(["x = 10 ** 20", "x", "%xdel x", "_"])
        self.assertEqual(results[3], ("", "NameError: name '_' is not defined\n"))

    def test_the_script_goes_on_after_a_reset(self):
        script = """
import pickle, sys
x = None
scorep_notebook.xdel("x")
y = 1
scorep_notebook.reset("--aggressive")
with scorep.user.region("cell 2"):
    print(sorted(name for name in globals() if not name.startswith("_")), __name__, __doc__)
    scorep_notebook.echo(scorep_notebook.who_ls(""))
"""
        done = scripts.run(script)
        self.assertEqual((done.returncode, done.stdout), (
            0, "['scorep', 'scorep_notebook'] __main__ None\n[]\n"), done.stderr)
        self.assertIn("--aggressive", done.stderr)

    def test_names_given_by_the_script_stay(self):
        script = """
shown = display
scorep_notebook.reset("-f")
shown("still there")
"""
        done = scripts.run(script, "display")
        self.assertEqual(done.stdout, "'still there'\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
