"""What a trace shows of a script that uses the package."""
import os
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import scripts  # noqa: E402
from double_test import DoubleTest  # noqa: E402


class TraceCase(DoubleTest):
    """A test that runs code under the double of the bindings, with both kinds of instrumenter."""

    def environment(self, **variables):
        changed = super().environment(**variables)
        return {**changed, "PYTHONPATH": os.pathsep.join([changed["PYTHONPATH"], str(scripts.FOLDER)])}

    def entered_in(self, cell, kind, *names):
        """What is entered while CELL runs, with an instrumenter of this KIND."""
        head = scripts.head(*names) + "with scorep.user.region('head'): pass\n"
        entered = self.good(head + cell, f"--instrumenter-type={kind}").entered()
        return entered[entered.index("user:head") + 1:]

    def assert_trace(self, code, regions, *names, setup="pass", **variables):
        """CODE, instrumented behind SETUP that is not, enters REGIONS of functions, in order."""
        script = (f"{scripts.head(*names)}with scorep.instrumenter.disable():\n"
                  f"{indented(setup)}with scorep.instrumenter.enable():\n{indented(code)}")
        for kind in "profile", "trace":
            with self.subTest(code, instrumenter=kind):
                run = self.good(script, f"--instrumenter-type={kind}", "--noinstrumenter",
                                **variables)
                entered = [name for name in run.entered() if not is_frame_of_imports(name)]
                self.assertEqual(entered, regions)


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


def is_frame_of_imports(name):
    return "importlib" in name or name.startswith("user_instrumenter:")
