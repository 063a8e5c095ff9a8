#!/usr/bin/env python3
"""Files that mean harm: links, FIFOs and other people's files around a notebook that somebody only
builds or checks, and a notebook that changes while it is read."""
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from support import (IS_ROOT, NOBODY, TIMEOUT, UNPRIVILEGED, Case, binary, clean_environment,
                     notebook)


def section(name, *cells):
    return notebook(f"%%start_writefile {name}", *(cells or ("x = 1",)), "%%end_writefile")


class Links(Case):
    """A repository or an archive brings links along: what is built of it stays inside."""

    def setUp(self):
        super().setUp()
        self.path("home/startup").mkdir(parents=True)
        self.path("repo/kept").mkdir(parents=True)

    def link(self, name, target):
        os.symlink(target, self.path(name))

    def written(self, top="home"):
        return sorted(self.files(self.path(top)))

    def refuse(self, kind, *arguments):
        done = self.nbscorep("build", *arguments)
        self.assertEqual((done.status, self.written()), (1, []), done)
        self.assertIn(b"through a link", done.err)
        self.assertIn(f"[{kind}]".encode(), done.err)
        self.assertIn(b"--allow-outside", done.err)

    def test_section_through_a_link(self):
        """sub/usercustomize in a notebook, and sub -> ~/.local/lib/python3.x/site-packages."""
        for target in ("../home/startup", str(self.path("home/startup")),
                       "kept/../../home/startup"):
            with self.subTest(target):
                self.link("repo/sub", target)
                self.write("repo/x.ipynb", section("sub/usercustomize"))
                self.refuse("output-name", "repo/x.ipynb")
                self.refuse("output-name", "--output-dir=repo", "repo/x.ipynb")
                self.refuse("output-name", "--force", "-MD", "--source-map", "repo/x.ipynb")
                self.path("repo/sub").unlink()

    def test_section_through_links_on_the_way(self):
        self.path("repo/a").mkdir()
        self.link("repo/a/b", "../c")
        self.link("repo/c", "../home")
        self.write("repo/x.ipynb", section("a/b/startup/x"))
        self.refuse("output-name", "repo/x.ipynb")

    def test_folder_with_the_same_beginning(self):
        self.path("repository").mkdir()
        self.link("repo/sub", "../repository")
        self.write("repo/x.ipynb", section("sub/x"))
        self.refuse("output-name", "repo/x.ipynb")
        self.assertEqual(self.written("repository"), [])

    def test_one_of_two_sections(self):
        """Nothing is written where one of the programs is refused."""
        self.link("repo/sub", "../home")
        self.write("repo/x.ipynb", notebook(
            "%%start_writefile good", "x = 1", "%%end_writefile",
            "%%start_writefile sub/bad", "x = 1", "%%end_writefile"))
        self.refuse("output-name", "repo/x.ipynb")
        self.assertEqual(self.written("repo"), ["sub", "x.ipynb"])

    def test_links_that_stay_inside(self):
        self.link("repo/sub", "kept")
        self.link("repo/here", ".")
        self.write("repo/x.ipynb", section("sub/here"))
        self.build("repo/x.ipynb")
        self.write("repo/y.ipynb", section("here/y"))
        self.build("repo/y.ipynb")
        self.assertEqual(self.written("repo/kept"), ["here.py", "here_run.sh"])
        self.assertTrue(self.path("repo/y_run.sh").exists())

    def test_links_that_the_user_names(self):
        self.link("repo/sub", "../home")
        self.link("work", "repo")
        self.write("repo/x.ipynb", section("x"))
        self.build("--output-dir=repo/sub", "repo/x.ipynb")
        self.build("-o", "repo/sub/o.py", "repo/x.ipynb")
        self.build("work/x.ipynb")
        self.write("repo/x.ipynb", section("sub/inner"))
        self.build("--allow-outside", "repo/x.ipynb")
        self.assertEqual(self.written(), ["inner.py", "inner_run.sh", "o.py", "o_run.sh", "x.py", "x_run.sh"])

    def test_output_folder_of_a_configuration(self):
        self.link("repo/sub", "../home")
        build = {"build": {"output-dir": "sub"}}
        self.write("repo/x.ipynb", notebook("x = 1", nbscorep=build))
        self.refuse("config-value", "repo/x.ipynb")
        self.write("repo/x.ipynb", notebook("x = 1"))
        self.write("repo/nbscorep.yaml", json.dumps(build))
        self.refuse("config-value", "repo/x.ipynb")
        self.refuse("config-value", "--dry-run", "repo/x.ipynb")
        self.build("--output-dir=repo/kept", "repo/x.ipynb")
        self.build("--allow-outside", "repo/x.ipynb")
        self.assertEqual(self.written(), ["x.py", "x_run.sh"])
        self.write("repo/nbscorep.yaml", json.dumps({"build": {"output-dir": "kept"}}))
        self.build("repo/x.ipynb")

    def test_output_folder_that_nothing_is_written_to(self):
        """Who may not build there may look at the notebook, and at what is in force."""
        self.link("repo/sub", "../home")
        self.write("repo/x.ipynb", notebook("x = 1"))
        self.write("repo/nbscorep.yaml", json.dumps({"build": {"output-dir": "sub"}}))
        for arguments in (["parameters"], ["check", "--no-verify", "--print-config"], ["ir"],
                          ["run", "-n", "--temporary"], ["build", "--output=repo/kept/x.py"]):
            with self.subTest(arguments):
                done = self.nbscorep(*arguments, "repo/x.ipynb")
                self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertEqual(self.nbscorep("run", "-n", "repo/x.ipynb").status, 1)
        self.assertEqual(self.written(), [])

    def test_folder_that_becomes_a_link_while_it_is_built(self):
        """The notebook comes from a FIFO, so that the moment is known."""
        self.path("repo/sub").mkdir()
        os.mkfifo(self.path("repo/x.ipynb"))
        process = subprocess.Popen([binary(), "build", "repo/x.ipynb"], cwd=self.folder,
                                   env=clean_environment(), stderr=subprocess.PIPE)
        with open(self.path("repo/x.ipynb"), "wb", buffering=0) as fifo:
            fifo.write(section("sub/x")[:50])
            self.path("repo/sub").rmdir()
            self.link("repo/sub", "../home")
            fifo.write(section("sub/x")[50:])
        err = process.communicate(timeout=TIMEOUT)[1]
        self.assertEqual((process.returncode, self.written()), (1, []), err)
        self.assertIn(b"through a link", err)


class Others(Case):
    """Folders that other users write to."""

    def setUp(self):
        super().setUp()
        self.write("x.ipynb", notebook("x = 1"))
        self.path("shared").mkdir()
        self.path("shared").chmod(0o1777)

    def test_links_in_a_shared_folder(self):
        """Where a link of somebody else's stands the file is new; what it leads to stays."""
        mark = self.path("x.ipynb")
        self.build("x.ipynb")
        victim = self.write("victim.py", self.path("x.py").read_bytes())
        before = victim.read_bytes()
        os.symlink("../victim.py", self.path("shared/x.py"))
        os.symlink("/nonexistent/nbscorep", self.path("shared/x_run.sh"))
        done = self.nbscorep("build", "--output-dir=shared", str(mark))
        self.assertEqual(done.status, 3, done)
        self.path("shared/x_run.sh").unlink()
        self.build("--output-dir=shared", str(mark))
        self.assertFalse(self.path("shared/x.py").is_symlink())
        self.assertEqual(victim.read_bytes(), before)

    def test_hard_link(self):
        """A new file takes the name; the other name keeps what it had."""
        self.build("x.ipynb")
        for content in (self.path("x.py").read_bytes() + b"mine", self.path("x.py").read_bytes()):
            victim = self.write("victim", content)
            self.path("x.py").unlink()
            os.link(victim, self.path("x.py"))
            self.build("x.ipynb")
            self.assertEqual(victim.read_bytes(), content)
            self.assertNotEqual(victim.stat().st_ino, self.path("x.py").stat().st_ino)

    @unittest.skipUnless(IS_ROOT, "needs files of somebody else")
    def test_files_of_others_in_a_sticky_folder(self):
        """They can be neither replaced nor written to, and nothing is left beside them."""
        self.build("--output-dir=shared", "x.ipynb")
        for path in self.path("shared").glob("x*"):
            path.chmod(path.stat().st_mode | 0o066)  # the same content, which others can change later
        before = self.files()
        self.ended(3, b"Operation not permitted", "build", "--output-dir=shared", "x.ipynb", **UNPRIVILEGED)
        self.assertEqual(self.files(), before)

    @unittest.skipUnless(IS_ROOT, "needs links of somebody else")
    def test_configuration_behind_a_link(self):
        """Somebody's link in /tmp to a file of the victim's own: the link is what counts."""
        self.write("mine.yaml", "env: {A: 1}")
        os.symlink(self.path("mine.yaml"), self.path("shared/nbscorep.yaml"))
        self.write("shared/nb/x.ipynb", notebook("x = 1"))
        arguments = "--no-verify", "--print-env", "--allow-outside", "shared/nb/x.ipynb"
        own = self.nbscorep("check", *arguments)
        self.assertEqual((own.err, b"A=1" in own.out), (b"", True), own)
        os.lchown(self.path("shared/nbscorep.yaml"), NOBODY, NOBODY)
        done = self.nbscorep("check", *arguments)
        self.assertIn(b"[config-ignored]", done.err)
        self.assertNotIn(b"A=1", done.out)


class Special(Case):
    """What is no file keeps nobody waiting."""

    def test_named_by_a_notebook(self):
        os.mkfifo(self.path("fifo"))
        os.mkfifo(self.path("fifo.ipynb"))
        os.mkfifo(self.path("fifo.py"))
        self.path("templates").mkdir()
        os.mkfifo(self.path("templates/slurm.header"))
        cells = "%run fifo\n%load fifo\n%run fifo.ipynb\n%env SCOREP_FILTERING_FILE=fifo"
        self.write("a.ipynb", notebook(cells))
        for command in "build", "check", "ir":
            done = self.nbscorep(command, "a.ipynb")
            self.assertEqual(done.status, 0, done)
        file, folder = "'%s' is not a regular file", "'%s' is not a folder"
        for key, value, says in (("regions", "fifo", file % "fifo"),
                                 ("filter", "fifo", file % "fifo"),
                                 ("regions", "/dev/zero", file % "/dev/zero"),
                                 ("filter", "/dev/null", file % "/dev/null"),
                                 ("template-dir", "templates", "it is not a regular file"),
                                 ("template-dir", "fifo", folder % "fifo"),
                                 ("template-dir", "a.ipynb", folder % "a.ipynb")):
            with self.subTest(key, value=value):
                self.write("c.ipynb", notebook("x = 1", nbscorep={"build": {key: value}}))
                for options in [], ["--allow-outside"]:
                    self.ended(1, says.encode(), "build", *options, "c.ipynb")
        self.assertFalse(self.path("c.py").exists())

    def test_as_a_notebook(self):
        with socket.socket(socket.AF_UNIX) as server:
            here = os.getcwd()
            os.chdir(self.folder)  # its whole path may be too long
            self.addCleanup(os.chdir, here)
            server.bind("socket")
            for name, status in (("/dev/zero", 1), ("/dev/null", 1), ("/dev/full", 1), ("/", 3),
                                 ("/proc/self/mem", 3), ("/proc/self/environ", 1), ("socket", 3),
                                 ("/proc/self/cmdline", 1)):
                with self.subTest(name):
                    self.ended(status, f"{name}:".encode(), "build", "--output-dir=.", name)
        self.assertEqual(list(self.files()), ["socket"])

    def test_fifo_as_a_notebook(self):
        os.mkfifo(self.path("x.ipynb"))
        for content, status in ((notebook("x = 1"), 0), (b"", 1), (notebook("x = 1")[:-1], 1)):
            writer = threading.Thread(target=self.path("x.ipynb").write_bytes, args=(content,), daemon=True)
            writer.start()
            done = self.nbscorep("build", "--output-dir=.", "x.ipynb")
            self.assertEqual(done.status, status, done)
            writer.join(TIMEOUT)
            self.assertFalse(writer.is_alive())


class Changing(Case):
    """A large notebook is changed while nbscorep, stopped in the middle, reads it."""
    SIZE = 64 << 20

    def setUp(self):
        super().setUp()
        self.whole = notebook("x = 1").replace(b'"outputs": []', b'"outputs": [%s1]' % (b"[],\n" * (self.SIZE // 4)))

    def position(self, process):
        """How far the notebook was read, or 0."""
        folder = f"/proc/{process.pid}/fd"
        for name in os.listdir(folder):
            try:
                if os.readlink(f"{folder}/{name}").endswith("/x.ipynb"):
                    with open(f"/proc/{process.pid}/fdinfo/{name}") as info:
                        return int(info.readline().split()[1])
            except OSError:  # closed by now
                pass
        return 0

    def stop_in_the_middle(self):
        """A process that has read a part of the notebook, and stands still. One that was too fast
        is started again."""
        for _ in range(50):
            self.write("x.ipynb", self.whole)
            process = subprocess.Popen([binary(), "build", "x.ipynb"], cwd=self.folder,
                                       env=clean_environment(), stderr=subprocess.PIPE)
            while process.poll() is None and self.position(process) == 0:
                pass
            process.send_signal(signal.SIGSTOP)
            if process.poll() is None and 0 < self.position(process) < len(self.whole) // 2:
                return process
            process.kill()
            process.communicate()
        return self.skipTest("it reads too fast to be stopped")

    def change(self, action):
        process = self.stop_in_the_middle()
        action(self.path("x.ipynb"))
        process.send_signal(signal.SIGCONT)
        err = process.communicate(timeout=TIMEOUT)[1]
        return process.returncode, err, self.path("x.py").exists()

    def test_truncated(self):
        half = len(self.whole) // 2
        status, err, built = self.change(lambda path: os.truncate(path, half))
        self.assertEqual((status, built), (1, False), err)
        self.assertRegex(err, rb"x\.ipynb:\d+:\d+: error: unexpected end of file")
        status, err, built = self.change(lambda path: os.truncate(path, 0))
        self.assertEqual((status, built), (1, False), err)
        self.assertRegex(err, rb"x\.ipynb:\d+:\d+: error: unexpected end of file")

    def test_grown(self):
        def grow(path):
            with open(path, "ab") as file:
                file.write(b"\n]")
        status, err, built = self.change(grow)
        self.assertEqual((status, built), (1, False), err)
        self.assertRegex(err, rb"x\.ipynb:\d+:1: error: expected the end of the file, found '\]'")

    def test_written_over(self):
        def zero(path):
            with open(path, "r+b") as file:
                file.seek(len(self.whole) * 3 // 4)
                file.write(b"\0" * 4096)
        status, err, built = self.change(zero)
        self.assertEqual((status, built), (1, False), err)
        self.assertRegex(err, rb"x\.ipynb:\d+:\d+: error: .*U\+0000")

    def test_replaced(self):
        """What was opened is what is built."""
        def replace(path):
            self.write("other", notebook("x = 'other'"))
            os.replace(self.path("other"), path)
        status, err, built = self.change(replace)
        self.assertEqual((status, err, built), (0, b"", True))
        self.assertIn("x = 1\n", self.path("x.py").read_text())


if __name__ == "__main__":
    unittest.main()
