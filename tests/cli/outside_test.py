#!/usr/bin/env python3
"""What a notebook names is read inside of its project only, and no line of it is shown unless it is a
notebook or a Python file of the project. What the user names is read wherever it is."""
import itertools
import os
import re
import tempfile
import unittest

from support import IS_ROOT, NOBODY, Case, clean_environment, code, notebook

MARK = "SECRET"
# A fault in each form, so that something is said of the file.
SECRET = f"{MARK} = = 1 {MARK} @{MARK}@\n"
ALLOW = b"use --allow-outside to permit this"
FORMS = "text", "json", "sarif"


def metadata(**config):
    return notebook("x = 1", nbscorep=config)


# How a notebook names a file: {path} is where it is, {folder} and {stem} its parts. The file has the
# ending. Whether a build goes on without it.
NAMED = {
    "%load": (".py", lambda p: notebook(f"%load {p}"), 0),
    "%load without .py": (".py", lambda p: notebook(f"%load {p[:-3]}"), 0),
    "%load of a text": (".txt", lambda p: notebook(f"%load {p}"), 0),
    "%run of a notebook": (".ipynb", lambda p: notebook(f"%run {p}"), 0),
    "%run of IPython's": (".ipy", lambda p: notebook(f"%run {p}"), 0),
    "filter in a cell": (".filt", lambda p: notebook(f"%env SCOREP_FILTERING_FILE={p}"), 0),
    "filter in scorep_env": (".filt", lambda p: notebook(
        f"%%scorep_env\nSCOREP_FILTERING_FILE={p}"), 0),
    "filter in env": (".filt", lambda p: metadata(env={"SCOREP_FILTERING_FILE": p}), 0),
    "filter": (".filt", lambda p: metadata(build={"filter": p}), 0),
    "regions": (".txt", lambda p: metadata(build={"regions": p}), 1),
    "template-dir": ("slurm.header", lambda p: metadata(build={"template-dir": os.path.dirname(p)}), 1),
}
# Found by what the notebook imports or runs: only a remark.
MODULES = {
    "import": lambda p: notebook(
        f"import sys\nsys.path.append('{os.path.dirname(p)}')\nimport {os.path.basename(p)[:-3]}"),
    "%run of a script": lambda p: notebook(f"%run {p}"),
    "%cd and import": lambda p: notebook(
        f"%cd {os.path.dirname(p)}\nimport {os.path.basename(p)[:-3]}"),
}


def file_of(top, what, ending):
    folder = top + re.sub(r"\W", "", what)
    return f"{folder}/{ending}" if ending == "slurm.header" else f"{folder}/a{ending}"


class Outside(Case):
    def setUp(self):
        super().setUp()
        self.path("project/.git").mkdir(parents=True)
        self.path("project/nb").mkdir()
        self.path("out").mkdir()

    def outputs(self, top="project"):
        """What was written, and the texts of it."""
        return b"".join(content for name, content in self.files(self.path(top)).items()
                        if isinstance(content, bytes) and name.endswith((".py", ".sh")))

    def said(self, *arguments, name="x", **more):
        """What a check and a build say in all forms, and what the build writes; and its status."""
        texts = b""
        for form in FORMS:
            done = self.nbscorep("check", "--no-verify", f"--diagnostics-format={form}", *arguments,
                                 f"project/nb/{name}.ipynb", **more)
            texts += done.out + done.err
        done = self.nbscorep("build", "--output-dir=out", *arguments, f"project/nb/{name}.ipynb", **more)
        texts += done.out + done.err
        status = done.status
        done = self.nbscorep("ir", *arguments, f"project/nb/{name}.ipynb", **more)
        return status, texts + done.out + done.err + self.outputs("out")

    def with_file(self, path, make):
        """A notebook that names the file at PATH, which has the secret."""
        self.write(path, SECRET if not path.endswith(".ipynb") else notebook(SECRET))
        self.write("project/nb/x.ipynb", make(os.path.relpath(self.path(path), self.path("project/nb"))))


class Refused(Outside):
    def test_each_way(self):
        for what, (ending, make, status) in NAMED.items():
            with self.subTest(what):
                self.with_file(file_of("elsewhere", what, ending), make)
                got, texts = self.said()
                self.assertEqual(got, status, texts)
                self.assertIn(ALLOW, texts)
                self.assertNotIn(MARK.encode(), texts)

    def test_modules(self):
        for what, make in MODULES.items():
            with self.subTest(what):
                self.with_file("elsewhere/tools.py", make)
                got, texts = self.said()
                self.assertEqual(got, 0, texts)
                self.assertIn(b"[module-not-read]", texts)
                self.assertIn(ALLOW, texts)
                self.assertNotIn(MARK.encode(), texts)

    def test_each_path(self):
        """Absolute, through links to files and folders and to links."""
        secret = self.write("elsewhere/a.py", SECRET)
        self.path("project/link.py").symlink_to(secret)
        self.path("project/relative.py").symlink_to("../elsewhere/a.py")
        self.path("project/chain.py").symlink_to("nb/more.py")
        self.path("project/nb/more.py").symlink_to("../relative.py")
        self.path("project/folder").symlink_to("../elsewhere")
        for path in (str(secret), "../link.py", "../relative.py", "../chain.py", "../folder/a.py",
                     "../../elsewhere/a.py", "../../project/../elsewhere/a.py",
                     f"{self.folder}/project/nb/../folder/a.py"):
            with self.subTest(path):
                self.write("project/nb/x.ipynb", notebook(f"%load {path}"))
                _, texts = self.said()
                self.assertIn(ALLOW, texts)
                self.assertNotIn(MARK.encode(), texts)

    def test_inside(self):
        """By the same paths, what lies in the project is read."""
        inside = self.write("project/lib/a.py", "inside = 1\n")
        self.path("project/link.py").symlink_to(inside)
        self.path("project/folder").symlink_to("../project/lib")
        for path in (str(inside), "../link.py", "../folder/a.py", "../../project/lib/a.py"):
            with self.subTest(path):
                self.write("project/nb/x.ipynb", notebook(f"%load {path}"))
                status, texts = self.said()
                self.assertEqual(status, 0)
                self.assertNotIn(ALLOW, texts)
                self.assertIn(b"inside = 1", self.outputs("out"))

    def test_system(self):
        """/proc, /sys and /dev are never read, whatever is permitted."""
        env = clean_environment(NB_TOKEN=MARK)
        for arguments, path in itertools.product(
                ((), ("--allow-outside",)),
                ("/proc/self/environ", "/proc/self/../self/environ", "/dev/zero", "/dev/stdin",
                 "../link")):
            with self.subTest(path, arguments=arguments):
                if not self.path("project/link").is_symlink():
                    self.path("project/link").symlink_to("/proc/self/environ")
                self.write("project/nb/x.ipynb", notebook(f"%load {path}"))
                _, texts = self.said(*arguments, env=env)
                self.assertRegex(texts, rb"/proc, /sys or /dev|no such file|outside of the project")
                self.assertNotIn(MARK.encode(), texts)
                self.write("project/nb/x.ipynb", metadata(build={"filter": path}))
                _, texts = self.said(*arguments, env=env)
                self.assertRegex(texts, rb"/proc, /sys or /dev|no regular file|outside of the project")
                self.assertNotIn(MARK.encode(), texts)

    @unittest.skipUnless(os.access("/dev/shm", os.W_OK), "no folder below /dev that can be written")
    def test_regular_file_below_dev(self):
        with tempfile.NamedTemporaryFile("w", dir="/dev/shm", suffix=".py") as file:
            file.write(f"x = '{MARK}'\n")
            file.flush()
            self.write("project/nb/x.ipynb", notebook(f"%load {file.name}"))
            _, texts = self.said("--allow-outside")
        self.assertIn(b"/proc, /sys or /dev", texts)

    def test_links_in_a_folder(self):
        self.write("elsewhere/secret", SECRET)
        self.write("elsewhere/fine.ipynb", notebook("y = 2"))
        self.write("project/nb/a.ipynb", notebook("x = 1"))
        self.path("project/nb/b.ipynb").symlink_to("../../elsewhere/secret")
        self.path("project/nb/c.ipynb").symlink_to("../../elsewhere/fine.ipynb")
        self.path("project/nb/d.ipynb").symlink_to("a.ipynb")
        for form in FORMS:
            done = self.nbscorep("check", "--no-verify", f"--diagnostics-format={form}", "project/nb")
            texts = done.out + done.err
            self.assertEqual(done.status, 1)
            self.assertEqual(texts.count(ALLOW), 2, texts)
            self.assertNotIn(MARK.encode(), texts)
        done = self.nbscorep("check", "--no-verify", "--allow-outside", "project/nb")
        self.assertEqual(done.err.count(b"error: "), 1, done)  # of b.ipynb, whose line is not shown
        self.assertNotIn(MARK.encode(), done.err)
        done = self.nbscorep("check", "--no-verify", "project/nb/c.ipynb")  # named by the user
        self.assertEqual((done.status, done.err), (0, b""), done)

    def test_configuration_behind_a_link(self):
        """A project's file may be a link inside of the project."""
        self.write("elsewhere/secret", f"env: {{A: {MARK}}}\n{MARK} = :\n")
        self.write("project/nb/x.ipynb", notebook("x = 1"))
        link = self.path("project/nb/nbscorep.yaml")
        link.symlink_to("../../elsewhere/secret")
        status, texts = self.said()
        self.assertEqual(status, 0)
        self.assertIn(b"[config-ignored]", texts)
        self.assertNotIn(MARK.encode(), texts)
        link.unlink()
        self.write("project/shared.yaml", "env: {A: inside}\n")
        link.symlink_to("../shared.yaml")
        done = self.nbscorep("check", "--no-verify", "--print-env", "project/nb/x.ipynb")
        self.assertIn(b"A=inside", done.out)
        self.assertEqual(done.err, b"")


class Permitted(Outside):
    def test_each_way(self):
        """With --allow-outside it is read, and no line of it is shown."""
        for what, (ending, make, _) in NAMED.items():
            with self.subTest(what):
                self.with_file(file_of("elsewhere", what, ending), make)
                for form in FORMS:
                    done = self.nbscorep("check", f"--diagnostics-format={form}", "--allow-outside",
                                         "project/nb/x.ipynb")
                    self.assertNotIn(ALLOW, done.out + done.err)
                    self.assertNotIn(MARK.encode(), done.out + done.err)

    def test_what_is_no_code_of_the_project(self):
        """It is read, but its lines are not shown; those of Python files and notebooks are."""
        for what, (ending, make, _) in NAMED.items():
            if ending in (".py", ".ipynb", ".ipy"):
                continue
            with self.subTest(what):
                self.with_file(file_of("project/lib", what, ending), make)
                done = self.nbscorep("check", "project/nb/x.ipynb")
                self.assertNotIn(ALLOW, done.err)
                self.assertNotIn(MARK.encode(), done.err)

    def test_filter_files_of_the_project(self):
        """A cell's is shown where it begins as filter files do; one of the metadata is not."""
        self.write("project/a.filt", f"# filter\n\nSCOREP_REGION_NAMES_BEGIN {MARK} @\n")
        self.write("project/nb/x.ipynb", notebook("%env SCOREP_FILTERING_FILE=../a.filt"))
        done = self.nbscorep("check", "--no-verify", "project/nb/x.ipynb")
        self.assertIn(f"a.filt:3:27: error: '{MARK}' ".encode(), done.err)
        for config in {"build": {"filter": "../a.filt"}}, \
                {"env": {"SCOREP_FILTERING_FILE": "../a.filt"}}:
            self.write("project/nb/x.ipynb", metadata(**config))
            done = self.nbscorep("check", "--no-verify", "project/nb/x.ipynb")
            self.assertIn(b"a.filt:3:27: error: ", done.err)
            self.assertNotIn(MARK.encode(), done.err)

    def test_code_of_the_project(self):
        for name, word in ("a.py", "load"), ("a.ipynb", "run"), ("a.ipy", "run"):
            with self.subTest(name):
                self.with_file(f"project/lib/{name}", lambda p, word=word: notebook(f"%{word} {p}"))
                self.ended(1, MARK.encode(), "check", "project/nb/x.ipynb")

    def test_what_the_user_names(self):
        self.write("project/nb/x.ipynb", notebook(code("x = 1", metadata={"tags": ["parameters"]})))
        self.write("elsewhere/a.filt", SECRET)
        self.write("elsewhere/names", SECRET)
        self.write("elsewhere/values.yaml", f"x: {MARK}\n{SECRET}:\n  - :")
        self.write("elsewhere/c.yaml", f"env: {{A: {MARK}}}")
        for arguments in (["--filter=elsewhere/a.filt"], ["--regions=elsewhere/names"],
                          ["-f", "elsewhere/values.yaml"]):
            with self.subTest(arguments):
                self.ended(1, MARK.encode(), "build", "-n", *arguments, "project/nb/x.ipynb")
        done = self.nbscorep("check", "--no-verify", "--print-env", "--config=elsewhere/c.yaml", "project/nb/x.ipynb")
        self.assertIn(f"A={MARK}".encode(), done.out)

    def test_what_the_projects_file_names(self):
        """nbscorep.yaml is the user's own, too."""
        self.write("project/nb/x.ipynb", notebook("x = 1"))
        self.write("elsewhere/a.filt", SECRET)
        for text in "build: {filter: ../elsewhere/a.filt}", \
                "env: {SCOREP_FILTERING_FILE: ../../elsewhere/a.filt}":
            self.write("project/nbscorep.yaml", text)
            self.ended(1, MARK.encode(), "check", "--no-verify", "project/nb/x.ipynb")


class Project(Outside):
    """Which folder is the project."""

    def reads(self, path, env=None):
        """Does the notebook a/b/c/x.ipynb read the file PATH?"""
        relative = os.path.relpath(self.path(path), self.path("a/b/c"))
        self.write("a/b/c/x.ipynb", notebook(f"%load {relative}"))
        self.write(path, "inside = 1\n")
        done = self.nbscorep("check", "--no-verify", "a/b/c/x.ipynb", env=env)
        self.assertEqual(done.status, 0, done)
        self.assertIn(done.err.count(ALLOW), (0, 1))
        return not done.err

    def test_without_a_mark(self):
        self.assertTrue(self.reads("a/b/c/f.py"))
        self.assertTrue(self.reads("a/b/c/below/f.py"))
        self.assertFalse(self.reads("a/b/f.py"))

    def test_marks(self):
        self.write("a/nbscorep.yaml", "")
        self.assertTrue(self.reads("a/f.py"))
        self.assertFalse(self.reads("f.py"))
        self.write("a/b/nbscorep.yaml", "")  # the nearest one
        self.assertFalse(self.reads("a/f.py"))
        self.path("a/.git").mkdir()  # a repository is one project
        self.assertTrue(self.reads("a/f.py"))
        self.write("a/b/.git", "gitdir: ../.git/modules/b\n")  # a submodule is one of its own
        self.assertFalse(self.reads("a/f.py"))
        self.assertTrue(self.reads("a/b/f.py"))

    def test_home_is_no_project(self):
        """A file for all notebooks of the user, a repository of dotfiles."""
        for mark in ".git", "nbscorep.yaml":
            self.write(f"a/{mark}", "")
            self.assertTrue(self.reads("a/f.py"))
            for home in "a", "a/b":
                env = clean_environment(HOME=str(self.path(home)))
                self.assertFalse(self.reads("a/f.py", env=env))
            self.path(f"a/{mark}").unlink()

    @unittest.skipUnless(IS_ROOT, "needs files of somebody else")
    def test_mark_of_somebody_else(self):
        self.write("a/nbscorep.yaml", "")
        self.path("a").chmod(0o1777)
        self.assertTrue(self.reads("a/f.py"))
        os.lchown(self.path("a/nbscorep.yaml"), NOBODY, NOBODY)
        self.write("a/b/c/x.ipynb", notebook("%load ../../f.py"))
        done = self.nbscorep("check", "--no-verify", "a/b/c/x.ipynb")
        self.assertIn(ALLOW, done.err)

    def test_standard_input(self):
        self.write("f.py", "inside = 1\n")
        self.path("sub").mkdir()
        for cwd, name, said in (".", "f.py", b""), ("sub", "../f.py", ALLOW):
            done = self.ended(0, said, "check", "--no-verify", "-", stdin=notebook(f"%load {name}"), cwd=self.path(cwd))
            self.assertEqual(bool(done.err), bool(said))

    def test_place(self):
        """The message has the place of the magic, of the variable, of the metadata."""
        self.write("f.py", "")
        self.write("a/x.ipynb", notebook("y = 1\n%load ../f.py",
                                         "%env SCOREP_FILTERING_FILE=../f.py", "import f",
                                         "import sys; sys.path += ['..']",
                                         nbscorep={"build": {"regions": "../f.py"}}))
        done = self.nbscorep("build", "-n", "--set=build.regions=defs", "a/x.ipynb")
        for place in (b"cell 1:2:1: warning: cannot include '../f.py'",
                      b"cell 2:1:28: warning: 'a/../f.py' is not looked at",
                      b"cell 3:1:8: remark: 'a/../f.py' is not checked"):
            self.assertIn(place, done.err)
        self.assertIn(b"[not-read]", done.err)
        done = self.nbscorep("build", "-n", "a/x.ipynb")
        self.assertRegex(done.err, rb"a/x.ipynb:\d+: error: 'a/../f.py' is not read: ")
        self.assertIn(b"[outside]", done.err)


if __name__ == "__main__":
    unittest.main()
