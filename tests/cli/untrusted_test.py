#!/usr/bin/env python3
"""--untrusted: a tree of somebody else's is checked, and nothing else is read, followed or run."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import unittest

from support import Case, binary, clean_environment, notebook, setting

MARK = "SECRET"
STRACE = shutil.which("strace")
TOOLS = "%load {0}", "%run {0}", "%run {0}.ipynb", "%loadpy {0}"


def allowed_places():
    """Where nbscorep and Python are installed, and what the system gives every program."""
    python = pathlib.Path(sys.executable).resolve()
    paths = {python.parent, sysconfig.get_paths()["stdlib"], sysconfig.get_paths()["platstdlib"],
             sys.base_prefix + "/lib", os.path.dirname(binary()), "/lib", "/lib64", "/usr/lib",
             "/usr/lib64", "/usr/share/locale", "/etc/ld.so.cache", "/etc/ld.so.preload",
             "/etc/locale.alias", "/etc/localtime", "/usr/share/zoneinfo", "/dev/null",
             "/dev/urandom"}
    return [os.path.realpath(path) for path in paths]


class Untrusted(Case):
    def setUp(self):
        super().setUp()
        self.write("secret", f"{MARK} = = {MARK}\n")
        self.write("secret.py", f"{MARK} = = {MARK}\n")
        self.write("secret.ipynb", notebook(f"{MARK} = = {MARK}"))
        self.write("home/.netrc", f"{MARK}\n")
        self.path("tree").mkdir()

    def environment(self, /, **more):
        return clean_environment(**({"PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin",
                                     "HOME": str(self.path("home")), "NB_TOKEN": MARK,
                                     "VIRTUAL_ENV": None} | more))

    def make_hostile_tree(self):
        """Every way to name a file that is not the tree's, and to be run."""
        outside = ["../secret", "../secret.py", "../../secret.py", str(self.path("secret.py")),
                   "/proc/self/environ", "/etc/passwd", "~/.netrc", "link.py", "folder/secret.py",
                   "folder/../../secret.py", "sub/../../secret.py", "/dev/stdin", "loop.py"]
        cells = [tool.format(path) for path in outside for tool in TOOLS]
        cells += [f"%env SCOREP_FILTERING_FILE={path}" for path in outside]
        cells += ["import sys\n" + "\n".join(f"sys.path.append({os.path.dirname(path)!r})"
                                            for path in outside),
                  "import secret, folder.secret, link, loop, helper, scorep", "%cd ..\nimport secret"]
        evil = "open('" + str(self.path("hit")) + "', 'w')\n"
        script = f"#!/bin/sh\ntouch '{self.path('hit')}'\nexec {sys.executable} \"$@\"\n"
        for name in ("sitecustomize.py", "usercustomize.py", "helper.py", "encodings/__init__.py",
                     "codecs.py", "json.py", "ast.py", "__main__.py", "verify.py", "scorep.py",
                     "site-packages/evil.py", ".python-version", "lib/python3/os.py"):
            self.write(f"tree/{name}", evil)
        self.write("tree/evil.pth", "import helper\n")
        self.write("tree/pyvenv.cfg", f"home = {self.path('tree')}\n")
        for name in "python3", "python", "python3.11", "bash", "sh", "scorep-config", "git", "env":
            self.write(f"tree/{name}", script).chmod(0o755)
        config = {"python": "./python3", "setup": [f"touch {self.path('hit')}"], "launcher": "./sh",
                  "env": {"LD_PRELOAD": "./evil.so", "SCOREP_FILTERING_FILE": "../secret"},
                  "build": {"filter": "../secret", "regions": "../secret",
                            "template-dir": "templates"}}
        for folder in "", "sub/":
            self.write(f"tree/{folder}nbscorep.yaml", f"{config}")
            self.write(f"tree/{folder}a.ipynb", notebook(*cells, nbscorep=config))
            self.write(f"tree/{folder}b.ipynb", notebook("x = 1\nx"))
        for name, target in (("link.py", "../secret.py"), ("folder", ".."), ("sub/up", "../.."),
                             ("c.ipynb", "../secret.ipynb"), ("d.ipynb", "/proc/self/environ"),
                             ("e.ipynb", "folder/secret.ipynb"), ("loop.py", "loop.py"),
                             ("f.ipynb", "b.ipynb"), ("templates", ".."), ("gone.ipynb", "gone"),
                             ("b.py", "../secret.py"), ("b_run.sh", "../secret")):
            self.path(f"tree/{name}").symlink_to(target)
        os.mkfifo(self.path("tree/fifo.ipynb"))
        return outside

    def opened(self, *arguments, **more):
        """The outcome, and the real path of each file that was opened or run."""
        log = self.path("strace.log")
        done = self.run_command(STRACE, "-f", "-y", "-o", str(log), "-e",
                                "trace=open,openat,openat2,creat,execve,execveat",
                                binary(), *arguments, **more)
        paths = []
        for line in log.read_text(errors="replace").splitlines():
            if match := re.search(r'\) += \d+<(.*?)>(\(deleted\))?$', line):
                paths.append(match[1])
            elif match := re.search(r'execve\("(.*?)".*\) += 0$', line):
                paths.append(os.path.realpath(match[1]))
        return done, paths

    def strangers(self, paths):
        places = [*allowed_places(), str(self.path("tree"))]
        return sorted({path for path in paths
                       if not any(path == place or path.startswith(place + "/")
                                  for place in places)})


@unittest.skipUnless(STRACE, "strace is not installed")
@unittest.skipIf(setting("NBSCOREP_SANITIZE"), "a sanitizer opens files of its own")
class Opened(Untrusted):
    def test_hostile_tree(self):
        """Not one file outside of the tree, and of what nbscorep and Python are installed with."""
        self.make_hostile_tree()
        for command in (["check"], ["check", "--diagnostics-format=sarif"], ["build", "-n"],
                        ["ir"]):
            operands = ["tree"] if command[0] == "check" else ["tree/a.ipynb"]
            for cwd, place in (".", ""), ("tree", "../"):
                with self.subTest(command, cwd=cwd):
                    done, paths = self.opened(*command, "--untrusted",
                                              *[place + name for name in operands],
                                              cwd=self.path(cwd), env=self.environment())
                    self.assertIn(done.status, (0, 1), done)
                    self.assertIn(str(self.path("tree/a.ipynb")), paths)  # strace sees it
                    self.assertEqual(self.strangers(paths), [])
                    self.assertNotIn(MARK.encode(), done.out + done.err)
                    self.assertFalse(self.path("hit").exists())

    def test_the_test_sees_it(self):
        """Without the option files outside are looked for."""
        self.make_hostile_tree()
        _, paths = self.opened("check", "--no-verify", "--allow-outside", "--no-config",
                               "--no-notebook-config", "tree", env=self.environment())
        self.assertIn(str(self.path("secret.py")), self.strangers(paths))


class Said(Untrusted):
    def test_nothing_of_other_files(self):
        self.make_hostile_tree()
        for form in "text", "json", "sarif":
            done = self.nbscorep("check", "--untrusted", f"--diagnostics-format={form}", "tree",
                                 env=self.environment())
            self.assertEqual(done.status, 1)
            self.assertNotIn(MARK.encode(), done.out + done.err)
        self.assertFalse(self.path("hit").exists())

    def test_names_in_included_texts(self):
        """They are the notebook's, also without --untrusted."""
        self.write("home/.netrc", f"machine {MARK}\n")
        for path in "../home/.netrc", str(self.path("home/.netrc")), "/proc/self/environ":
            for line in (f"%env SCOREP_FILTERING_FILE={path}",
                         f"%%scorep_env\nSCOREP_FILTERING_FILE={path}"):
                for tool, name in (("%load", "inc.py"), ("%load", "inc.txt"), ("%run", "inc.ipy")):
                    self.write(f"tree/{name}", line + "\n")
                    self.write("tree/a.ipynb", notebook(f"{tool} {name}", "x = 1"))
                    for option in ["--untrusted"], []:
                        with self.subTest(line, tool=tool, name=name, option=option):
                            done = self.nbscorep("check", *option, "tree/a.ipynb",
                                                 env=self.environment())
                            self.assertIn(done.status, (0, 1), done)
                            self.assertNotIn(MARK.encode(), done.out + done.err)
                            if line.startswith("%env"):
                                self.assertIn(b"[not-read]", done.err)

    def test_links_with_names_of_the_users(self):
        """A user's name in a stranger's tree; what it leads to is the stranger's choice."""
        self.write("home/.config/nbscorep/config.yaml",
                   "env: {SCOREP_FILTERING_FILE: scorep.filter}\n")
        self.path("tree/scorep.filter").symlink_to("../home/.netrc")
        self.path("tree/scorep.py").symlink_to("../secret.py")
        self.write("tree/a.ipynb", notebook("x = 1"))
        done = self.nbscorep("check", "--untrusted", "tree", env=self.environment(
            XDG_CONFIG_HOME=str(self.path("home/.config"))))
        self.assertNotIn(MARK.encode(), done.err)
        self.assertEqual(done.err.count(b"scorep.filter' is not looked at: "), 1, done)
        self.assertNotIn(b"scorep.py", done.err)

    def test_cell_magics_in_included_texts(self):
        """None of them ends the check."""
        magics = ("html", "markdown", "javascript", "scorep_env", "enable_multicellmode",
                  "scorep_python_binding_arguments", "finalize_multicellmode", "abort_multicellmode",
                  "start_writefile", "end_writefile", "marshalling_settings", "execute_with_scorep",
                  "capture", "time", "bash", "nosuch")
        self.write("tree/z.ipynb", notebook("def f(x)"))
        for magic in magics:
            for tool in "%load", "%loadpy", "%run":
                with self.subTest(magic, tool=tool):
                    name = "inc.ipy" if tool == "%run" else "inc.py"
                    self.write(f"tree/{name}", f"%%{magic}\nA=1\n")
                    self.write("tree/a.ipynb", notebook(f"{tool} {name}"))
                    done = self.nbscorep("check", "--no-verify", "--untrusted", "tree")
                    self.assertIn(done.status, (0, 1), done)
                    self.assertIn(b"z.ipynb:cell 1:1:8: warning", done.err)

    @unittest.skipIf(setting("NBSCOREP_SANITIZE"), "a sanitizer needs more memory")
    def test_names_on_a_terminal(self):
        name = "tree/\33]0;pwn\7.ipynb"
        self.write(name, notebook("%pip install foo\33]0;pwn\7x", "#" * 60_000_000))
        limits = "--max-cell-size=100000000", "--max-code-size=100000000"
        done = self.run_command("sh", "-c", 'ulimit -v 100000; exec "$@"', "sh", binary(), "check",
                                "--untrusted", *limits, "tree")
        self.assertIn(b"out of memory: tree/?]0;pwn?.ipynb\n", done.err)
        self.write(name, notebook("%pip install foo\33]0;pwn\7x"))
        done = self.nbscorep("check", "-q", "--no-verify", "--print-requirements", name)
        self.assertRegex(done.out, rb"^foo[^\n]*\n\Z")
        self.assertNotRegex(done.out + done.err, b"[\33\7]")

    def test_each_refusal_has_a_place(self):
        outside = self.make_hostile_tree()
        done = self.nbscorep("check", "--no-verify", "--untrusted", "tree/a.ipynb",
                             env=self.environment())
        for number, path in enumerate(outside):
            if path not in ("~/.netrc", "loop.py"):
                self.assertRegex(done.err.decode(), rf"cell {number * len(TOOLS) + 1}:1:1: warning: "
                                 rf"cannot include '{re.escape(path)}': it is")
        self.assertIn(b"outside of the tree that --untrusted reads", done.err)
        self.assertIn(b"symbolic link", done.err)

    def test_metadata_is_ignored(self):
        self.write("tree/a.ipynb", notebook("x = 1", nbscorep={"setup": ["touch hit"], "nonsense": 1}))
        done = self.nbscorep("check", "--no-verify", "--print-config", "--untrusted", "tree")
        self.assertEqual(done.status, 0, done)
        self.assertRegex(done.err, rb"tree/a.ipynb:\d+: remark: the configuration in the notebook's "
                                   rb"metadata is ignored \(--untrusted\) \[metadata-ignored\]")
        self.assertNotIn(b"touch hit", done.out)

    def test_no_notebook_config(self):
        self.write("tree/a.ipynb", notebook("x = 1", nbscorep={"setup": ["touch hit"]}))
        self.write("tree/nbscorep.yaml", "env: {A: 1}")
        done = self.nbscorep("check", "--no-verify", "--print-config", "--no-notebook-config", "tree")
        self.assertIn(b"metadata is ignored (--no-notebook-config) [metadata-ignored]", done.err)
        self.assertNotIn(b"touch hit", done.out)
        self.assertIn(b'"A": 1', done.out)

    def test_configuration_of_the_tree(self):
        """Only one that the user names is read, and the user's own."""
        self.write("tree/sub/a.ipynb", notebook("x = 1"))
        for place in "tree/sub", "tree", ".":
            self.write(f"{place}/nbscorep.yaml", "env: {A: strangers}")
        self.write("config/nbscorep/config.yaml", "env: {B: users}")
        env = self.environment(XDG_CONFIG_HOME=str(self.path("config")))
        arguments = "check", "--no-verify", "--print-env", "--untrusted"
        done = self.nbscorep(*arguments, "tree", env=env)
        self.assertNotIn(b"strangers", done.out)
        self.assertIn(b"B=users", done.out)
        done = self.nbscorep(*arguments, "--config=tree/nbscorep.yaml", "tree", env=env)
        self.assertIn(b"A=strangers", done.out)

    def test_tree(self):
        """The folder that is given, the notebook's, or that of the option; standard input's is the
        current one."""
        self.write("tree/a.py", "inside = 1")
        self.write("tree/sub/a.ipynb", notebook("%load ../a.py"))
        for arguments, cwd, reads in ((["tree"], ".", True), (["tree/sub"], ".", False),
                                      (["tree/sub/a.ipynb"], ".", False),
                                      (["--untrusted=.", "sub/a.ipynb"], "tree", True),
                                      (["--untrusted=tree", "tree/sub/a.ipynb"], ".", True),
                                      ([f"--untrusted={self.folder}/tree", "a.ipynb"], "tree/sub",
                                       True)):
            with self.subTest(arguments):
                done = self.nbscorep("check", "--no-verify", "--untrusted", *arguments, cwd=self.path(cwd))
                self.assertEqual((done.status, not done.err), (0, reads), done)
        done = self.nbscorep("check", "--no-verify", "--untrusted", "-", cwd=self.path("tree/sub"),
                             stdin=notebook("%load ../a.py"))
        self.assertIn(b"outside of the tree", done.err)
        self.ended(1, b"outside of the tree", "check", "--no-verify", "--untrusted=tree/sub", "tree/a.ipynb")
        self.ended(3, b"cannot find the folder 'none': No such file", "check", "--no-verify", "--untrusted=none",
                   "tree/a.ipynb")

    def test_build(self):
        """It replaces no link, whatever it leads to."""
        self.write("tree/b.ipynb", notebook("x = 1"))
        self.build("--untrusted", "tree/b.ipynb")
        for name in "b.py", "b_run.sh":
            self.path(f"tree/{name}").rename(self.path(name))
            self.path(f"tree/{name}").symlink_to(f"../{name}")
            before = self.files()
            self.ended(3, b"is a link; it is left as it is [foreign-file]\n    hint: --force over",
                       "build", "--untrusted", "tree/b.ipynb")
            self.assertEqual(self.files(), before)
            self.path(f"tree/{name}").unlink()

    def test_not_for_runs(self):
        self.write("a.ipynb", notebook("x = 1"))
        for command in "run", "submit", "parameters":
            done = self.nbscorep(command, "--untrusted", "a.ipynb")
            self.assertEqual(done.status, 2, done)


class Limits(Untrusted):
    """Of the Python that checks."""

    def limited(self, commands):
        """A Python that runs COMMANDS of the shell first."""
        return str(self.write("python", f"#!/bin/sh\n{commands}\nexec {sys.executable} \"$@\"\n"))

    def check(self, *arguments, commands):
        python = self.limited(commands)
        os.chmod(python, 0o755)
        return self.nbscorep("check", *arguments, env=self.environment(PYTHON=python))

    def test_limits(self):
        self.write("tree/a.ipynb", notebook("x = 1"))
        shown = f"{{ ulimit -t; ulimit -v; }} >'{self.path('limits')}'"
        own = subprocess.run(["sh", "-c", "ulimit -t; ulimit -v"], stdout=subprocess.PIPE, check=True).stdout.split()
        for arguments, seconds in (([], b"11"), (["--verify-timeout=30.5"], b"31"),
                                   (["--verify-timeout=2m"], b"121")):
            done = self.check("--untrusted", *arguments, "tree", commands=shown)
            self.assertEqual((done.status, done.err), (0, b""), done)
            self.assertEqual(self.path("limits").read_bytes().split(),
                             [min(seconds, *own[:1], key=self.number),
                              min(b"2097152", *own[1:], key=self.number)])
        self.check("--no-config", "tree/a.ipynb", commands=shown)
        self.assertEqual(self.path("limits").read_bytes().split(), own)

    @staticmethod
    def number(text):
        return float("inf") if text == b"unlimited" else int(text)

    def test_memory(self):
        """A notebook that needs more memory than there is has no error, and others are checked."""
        lines = [f"x{i} = [a + b * c for a, b, c in zip([{i}], [{i}], {{'k{i}': (1, 2.5, 'text')}})]"
                 for i in range(20_000)]
        self.write("tree/a.ipynb", notebook("\n".join(lines)))
        self.write("tree/b.ipynb", notebook("x = = 1"))
        self.write("tree/c.ipynb", notebook("x = " + "-" * 20_000 + "1"))
        done = self.check("--untrusted", "--verify-timeout=100", "tree", commands="ulimit -v 200000")
        self.assertIn(b"a.ipynb: remark: '" + os.fsencode(self.path("python")) + b"' did not check "
                      b"the script: it needs more memory than it may use "
                      b"[not-verified]\n", done.err)
        self.assertNotRegex(done.err, rb"a\.ipynb\S*: error")
        self.assertIn(b"b.ipynb:cell 1:1:5: error: ", done.err)
        # Python 3.12 and newer take some of these, others say MemoryError or RecursionError.
        self.assertNotIn(b"c.ipynb: remark", done.err)
        self.assertEqual(done.status, 1)


if __name__ == "__main__":
    unittest.main()
