#!/usr/bin/env python3
"""nbscorep.yaml: layers, profiles, mistakes, what comes of it."""
import os
import unittest

from support import IS_ROOT, NOBODY, Case, clean_environment, notebook


class ConfigCase(Case):
    def setUp(self):
        super().setUp()
        self.write("x.ipynb", notebook("1 + 1"))
        self.env = clean_environment(XDG_CONFIG_HOME=str(self.path("home")))

    def config(self, text, name="nbscorep.yaml"):
        return self.write(name, text)

    def exports(self, *options, path="x.ipynb", **more):
        """Name -> value of what the run script exports, without what is built in."""
        done = self.nbscorep("check", "--no-verify", "--print-env", *options, path,
                             **{"env": self.env} | more)
        self.assertEqual((done.status, done.err), (0, b""), done)
        lines = [line.split("  # ") for line in done.out.decode().splitlines()[1:]]
        return {name.split("=")[0][7:]: (name.split("=", 1)[1], origin)
                for name, origin in lines if origin != "built in"}


class Trust(ConfigCase):
    @unittest.skipUnless(IS_ROOT, "needs a file of somebody else")
    def test_file_of_anybody(self):
        """In /tmp anybody can put an nbscorep.yaml above other people's notebooks."""
        self.write("open/nb/x.ipynb", notebook("1"))
        path = self.config("env: {A: 1}", "open/nbscorep.yaml")
        self.path("open").chmod(0o777)
        self.assertEqual(list(self.exports(path="open/nb/x.ipynb")), ["A"])
        os.chown(path, NOBODY, NOBODY)
        done = self.nbscorep("check", "--print-env", "open/nb/x.ipynb", env=self.env)
        self.assertIn(b"open/nbscorep.yaml: warning:", done.err)
        self.assertIn(b"[config-ignored]", done.err)
        self.assertNotIn(b"A=1", done.out)
        self.assertIn("A", self.exports("--config=open/nbscorep.yaml", path="open/nb/x.ipynb"))
        self.assertNotIn("A", self.exports("--no-config", path="open/nb/x.ipynb"))


if __name__ == "__main__":
    unittest.main()
