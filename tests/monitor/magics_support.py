"""What the tests of the JUmPER extension's magics share."""
import csv
import json
import pathlib
import sys

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position
from support import Case, binary, clean_environment, notebook  # noqa: E402

LOAD_EXT = "%load_ext jumper_extension"
START = "%perfmonitor_start 0.01"
BURNS = ("import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end:\n"
         "    pass")


class MagicsCase(Case):
    def environment(self, **more):
        return clean_environment(**{"NBSCOREP": binary()} | more)

    def compile(self, *cells, options=()):
        self.write("heat.ipynb", notebook(*cells))
        done = self.nbscorep("build", "--force", *options, "heat.ipynb")
        self.assertEqual(done.status, 0, done)
        return done

    def script(self, *cells, status=0, err=b"", options=(), again=False, **more):
        """What the script prints under plain Python. AGAIN: an earlier one has left samples."""
        if again:
            self.path("heat_monitor.samples").unlink()
        self.compile(*cells, options=options)
        done = self.run_command(sys.executable, "heat.py", env=self.environment(**more))
        self.assertEqual((done.status, done.err), (status, err), done)
        return done.out.decode()

    def report(self, *options, file="heat_monitor.samples"):
        done = self.nbscorep("report", "--format=json", *options, file)
        self.assertEqual(done.status, 0, done)
        return json.loads(done.out)

    def table(self, name):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def no_pandas(self):
        """A folder for PYTHONPATH."""
        self.write("lib/pandas.py", "raise ImportError")
        return str(self.path("lib"))

    def samples(self, name="heat_monitor.samples"):
        return samples.read(self.path(name))
