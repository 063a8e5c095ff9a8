#!/usr/bin/env python3
"""nbscorep build: what is written where, the same bytes everywhere, and what is never touched."""
import fcntl
import os
import shutil
import signal
import stat
import struct
import subprocess
import termios
import unittest

from support import IS_ROOT, NOBODY, NO_SPACE, TIMEOUT, UNPRIVILEGED, Case, binary, clean_environment, notebook

GOOD = notebook("x = 1\nx + 1", "print(x)")
BAD = notebook("%%enable_multicellmode", "x = 1")  # the group stays open: an error


class Reproducible(Case):
    """Same input, same bytes out."""

    def setUp(self):
        super().setUp()
        self.write("a/heat.ipynb", GOOD)
        self.build("--source-map", "-MD", "heat.ipynb", cwd=self.path("a"))
        self.expected = self.files(self.path("a"))
        self.assertEqual(set(self.expected), {"heat.ipynb", "heat.py", "heat_run.sh", "heat.map.json", "heat.d"})

    def test_twice(self):
        """The same files, without a trace of this machine, and only the run script can be executed."""
        before = {path: path.stat().st_ino for path in self.path("a").glob("heat[._][!i]*")}
        for path in before:
            os.utime(path, (1, 1))
        (open_to_all := self.path("a/heat.d")).chmod(0o666)
        self.build("--source-map", "-MD", "heat.ipynb", cwd=self.path("a"))
        self.assertNotEqual(before.pop(open_to_all), open_to_all.stat().st_ino)
        self.assertEqual({path: path.stat().st_ino for path in before if path.stat().st_mtime > 1}, before)
        self.assertEqual(self.files(self.path("a")), self.expected)
        self.assertNotIn(str(self.folder).encode(), b"".join(self.expected.values()))
        self.assertEqual([path.name for path in before if path.stat().st_mode & 0o111], ["heat_run.sh"])

    def check_elsewhere(self, prepare=lambda folder: None, name="other folder/b", **more):
        folder = self.path(name)
        folder.mkdir(parents=True)
        shutil.copy(self.path("a/heat.ipynb"), folder)
        prepare(folder)
        self.build("--source-map", "-MD", "heat.ipynb", cwd=folder, **more)
        self.assertEqual(self.files(folder), self.expected)
        return folder

    @unittest.skipUnless(IS_ROOT, "only root can become another user")
    def test_another_user(self):
        self.check_elsewhere(lambda folder: os.chown(folder, NOBODY, NOBODY), **UNPRIVILEGED)

    def test_another_umask(self):
        folder = self.check_elsewhere(umask=0o077)
        self.assertEqual(stat.S_IMODE((folder / "heat.py").stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE((folder / "heat_run.sh").stat().st_mode), 0o700)

    def test_another_environment(self):
        for number, more in enumerate(({}, {
                "LANG": "tr_TR.UTF-8", "LC_ALL": "de_DE.ISO-8859-1", "TZ": "Asia/Tokyo", "HOME": "/nonexistent",
                "USER": "somebody", "HOSTNAME": "elsewhere", "TMPDIR": "/nonexistent"})):
            self.check_elsewhere(lambda folder: os.utime(folder / "heat.ipynb", (1, 1)), f"other folder/{number}",
                                 env=clean_environment(**more) if more else {})

    def test_by_another_path(self):
        """How the notebook is named does not show, but in the dependency file."""
        folder = self.path("c")
        folder.mkdir()
        shutil.copy(self.path("a/heat.ipynb"), folder)
        for name in ("c/heat.ipynb", str(folder / "heat.ipynb"), "c/../a/../c/./heat.ipynb"):
            with self.subTest(name):
                self.build("--source-map", name)
                got = self.files(folder)
                for file in ("heat.py", "heat_run.sh", "heat.map.json"):
                    self.assertEqual(got[file], self.expected[file])


class Places(Case):
    """What is written where."""

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", GOOD)

    def names(self):
        return set(self.files()) - {"heat.ipynb"}

    def test_standard_input(self):
        self.build("-", stdin=GOOD)
        self.assertEqual(self.names(), {"notebook.py", "notebook_run.sh"})
        script = self.path("notebook.py").read_bytes()
        self.assertIn(b"print(x)", script)

    def test_a_file_called_dash(self):
        self.write("-", GOOD)
        self.build("./-")
        self.assertEqual(self.names(), {"-", "-.py", "-_run.sh"})

    def test_standard_output(self):
        done = self.build("-o", "-", "heat.ipynb")
        self.assertIn(b"\nwith scorep.", done.out)
        self.assertEqual(self.names(), set())
        self.build("heat.ipynb")
        self.assertEqual(self.path("heat.py").read_bytes().split(b"\n", 2)[2], done.out.split(b"\n", 2)[2])

    def test_output(self):
        self.path("out").mkdir()
        self.build("-o", "out/other.py", "heat.ipynb")
        self.build("-oprogram", "heat.ipynb")
        self.assertEqual(self.names(), {"out/other.py", "out/other_run.sh", "program", "program_run.sh"})
        run = self.path("out/other_run.sh").read_text()
        self.assertIn("here=$PWD\nCDPATH='' cd -P -- ./..\n", run)
        self.assertIn(' "$here/other.py" "$@"\n', run)

    def test_output_called_as_the_bindings(self):
        self.write("scorep.ipynb", GOOD)
        for options in (["scorep.ipynb"], ["-o", "scorep.py", "heat.ipynb"]):
            done = self.nbscorep("build", *options)
            self.assertEqual((done.status, self.names() - {"scorep.ipynb"}), (1, set()))
            self.assertIn(b"[output-name]", done.err)
        self.build("-o", "other.py", "scorep.ipynb")
        self.build("-o", "scorep", "heat.ipynb")  # can be no module

    def test_beside_what_is_called_as_the_bindings(self):
        self.write("scorep/profile.cubex", "")  # a results folder is no package
        self.build("-n", "heat.ipynb")
        self.write("scorep.py", "")
        done = self.nbscorep("build", "-n", "heat.ipynb")
        self.assertIn(b"'scorep.py' beside the notebook", done.err)

    def test_ending_in_capitals(self):
        self.write("UP.IPYNB", GOOD)
        self.build("--no-echo", "UP.IPYNB")
        self.assertEqual(self.names(), {"UP.IPYNB", "UP.py", "UP_run.sh"})
        self.assertIn(b"with the options of the last build: --no-echo", self.nbscorep("run", "-n", "UP.IPYNB").err)
        self.assertEqual(self.nbscorep("run", "--version", "UP.IPYNB").err, b"")

    def test_output_dir(self):
        self.path("out").mkdir()
        for option in ("--output-dir=out", "--output-dir=out/", f"--output-dir={self.path('out')}"):
            with self.subTest(option):
                self.build(option, "heat.ipynb")
                self.assertEqual(self.names(), {"out/heat.py", "out/heat_run.sh"})

    def test_output_dir_missing(self):
        self.assertEqual(self.nbscorep("build", "-n", "--output-dir=missing", "heat.ipynb").status, 0)
        self.assertEqual(self.names(), set())
        self.build("--output-dir=missing/too", "heat.ipynb")
        self.assertEqual(self.names(), {"missing/too/heat.py", "missing/too/heat_run.sh"})
        done = self.ended(3, "cannot write 'none/x.py': No such file", "build", "-o", "none/x.py", "heat.ipynb")
        self.assertIn("make the folder 'none' first", done.err.decode())

    def test_one_bad_among_good_ones(self):
        for name, content in (("a", GOOD), ("bad", BAD), ("z", GOOD)):
            self.write(f"{name}.ipynb", content)
        done = self.ended(1, b"bad.ipynb:cell 1:", "build", "a.ipynb", "bad.ipynb", "z.ipynb")
        self.assertIn(b"open-multicell", done.err)
        self.assertLessEqual({"a.py", "a_run.sh", "z.py", "z_run.sh"}, self.names())
        self.assertFalse({"bad.py", "bad_run.sh"} & self.names())

    def test_system_wins_over_notebook(self):
        """nbscorep builds the other notebooks all the same."""
        self.write("bad.ipynb", BAD)
        for order in (("bad.ipynb", "missing.ipynb"), ("missing.ipynb", "bad.ipynb")):
            self.assertEqual(self.nbscorep("build", *order, "heat.ipynb").status, 3)
        self.assertEqual(self.names(), {"bad.ipynb", "heat.py", "heat_run.sh"})

    def test_output_of_several(self):
        self.write("b.ipynb", GOOD)
        for options in (["-o", "x.py", "b.ipynb"], ["-MF", "x.d", "b.ipynb"], ["-o", "-", "b.ipynb"],
                        ["--source-map=x.json", "b.ipynb"], ["-o", "x", "--output-dir", "."]):
            with self.subTest(options=options):
                done = self.nbscorep("build", *options, "heat.ipynb")
                self.assertEqual((done.status, self.names()), (2, {"b.ipynb"}), done)

    def test_output_dir_empty(self):
        """--output-dir="$UNSET" must not mean the root folder."""
        done = self.nbscorep("build", "-n", "--output-dir=", "heat.ipynb")
        self.assertEqual((done.status, done.out), (2, b""))
        self.assertIn(b"'--output-dir=' has no value", done.err)

    def test_dry_run(self):
        done = self.build("-n", "-MD", "--source-map", "heat.ipynb")
        self.assertRegex(done.out, rb"\Awould write heat.py\nwould write heat_run.sh\n"
                                   rb"would write heat.map.json\nwould write heat.d\n"
                                   rb"would write \S*scorep_notebook_\w+/\n\Z")
        self.assertEqual(self.names(), set())

    def test_dry_run_tells_what_cannot_be_written(self):
        self.write("heat_run.sh", "mine")
        for options, says in (([], "'heat_run.sh' was not written by nbscorep"),
                              (["-o", "missing/x.py"], "make the folder"),
                              (["-o", "x.py", "-MF", "missing/x.d"], "No such file or directory"),
                              (["--output-dir=heat.ipynb"], "Not a directory")):
            planned = self.nbscorep("build", "-n", *options, "heat.ipynb")
            done = self.nbscorep("build", *options, "heat.ipynb")
            self.assertEqual((planned.status, planned.out, planned.err), (3, b"", done.err))
            self.assertIn(says, done.err.decode())
        self.build("-n", "--force", "heat.ipynb")

    def test_verbose(self):
        done = self.nbscorep("build", "-v", "heat.ipynb")
        self.assertEqual((done.status, done.out), (0, b""))
        self.assertRegex(done.err, rb"\Awrote heat.py\nwrote heat_run.sh\n"
                                   rb"wrote \S*scorep_notebook_\w+/\n\Z")
        done = self.nbscorep("build", "-v", "heat.ipynb")  # the package is there
        self.assertEqual(done.err, b"wrote heat.py\nwrote heat_run.sh\n")

    def test_quiet(self):
        self.write("warn.ipynb", notebook("%nosuchmagic", "x = 1"))
        loud = self.nbscorep("build", "warn.ipynb")
        self.assertIn(b"[unknown-magic]", loud.err)
        quiet = self.nbscorep("build", "-q", "warn.ipynb")
        self.assertEqual((quiet.status, quiet.out, quiet.err), (0, b"", b""))
        self.write("bad.ipynb", BAD)
        self.assertIn(b"open-multicell", self.nbscorep("build", "-q", "bad.ipynb").err)

    def test_section_in_a_folder(self):
        self.write("s.ipynb", notebook("%%start_writefile sub/prog.py", "x = 1", "%%end_writefile"))
        self.ended(3, b"No such file or directory", "build", "s.ipynb")
        self.path("sub").mkdir()
        self.build("s.ipynb")
        self.assertLessEqual({"sub/prog.py", "sub/prog_run.sh"}, self.names())


class Kept(Case):
    """What is never touched."""

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", GOOD)

    def refuse(self, *arguments, status=3, says=b"", **more):
        before = self.files()
        done = self.ended(status, says, "build", *arguments, **more)
        self.assertEqual(self.files(), before)
        return done

    def test_foreign_file(self):
        for name in ("heat.py", "heat_run.sh", "heat.map.json", "heat.d"):
            with self.subTest(name):
                path = self.write(name, "mine\n")
                self.refuse("-MD", "--source-map", "heat.ipynb", says=b"[foreign-file]")
                path.unlink()

    def test_the_notebook_itself(self):
        for force in ([], ["--force"]):
            for options in (["-o", "heat.ipynb"], ["-o", "./heat.ipynb"], ["-MF", "heat.ipynb"],
                            ["-o", str(self.path("heat.ipynb"))], ["--source-map=heat.ipynb"]):
                with self.subTest(options=force + options):
                    self.refuse(*force, *options, "heat.ipynb")

    def test_the_notebook_itself_by_a_link(self):
        os.link(self.path("heat.ipynb"), self.path("hard.py"))
        os.symlink("heat.ipynb", self.path("soft.py"))
        self.refuse("--force", "-o", "soft.py", "heat.ipynb")
        # A hard link is only a name: it is replaced, and the notebook stays what it is.
        self.build("--force", "-o", "hard.py", "heat.ipynb")
        self.assertEqual(self.path("heat.ipynb").read_bytes(), GOOD)

    def test_the_notebook_that_has_a_mark(self):
        """A notebook whose text looks like ours is still not overwritten."""
        self.write("m.ipynb", notebook("# Compiled by nbscorep from x"))
        self.refuse("-o", "m.ipynb", "m.ipynb")
        self.refuse("--force", "-o", "m.ipynb", "m.ipynb")
        self.refuse("--force", "-o", "x.py", "-MF", "m.ipynb", "m.ipynb")
        self.refuse("-o", "x.py", "--source-map=m.ipynb", "m.ipynb")

    def test_two_outputs_at_one_place(self):
        for options in (["-o", "x.py", "-MF", "x.py"], ["-o", "x.py", "--source-map=x.py"],
                        ["-MF", "x", "--source-map=x"], ["-o", "x.py", "-MF", "x_run.sh"],
                        ["-o", "x.py", "-MF", "./x.py"]):
            with self.subTest(options=options):
                self.refuse(*options, "heat.ipynb", status=1, says=b"would be written twice")

    def test_two_notebooks_with_one_output(self):
        """The second must not silently replace what the first wrote in the same run."""
        self.write("a/x.ipynb", notebook("first = 1"))
        self.write("b/x.ipynb", notebook("second = 2"))
        self.path("out").mkdir()
        self.ended(1, b"b/x.ipynb: error: 'out/x.py' would be written twice", "build", "--output-dir=out",
                   "a/x.ipynb", "b/x.ipynb")
        self.assertIn(b"first = 1", self.path("out/x.py").read_bytes())

    def test_links(self):
        """A link leads to a foreign file, or nowhere: --force replaces the link itself."""
        self.write("target", "mine\n")
        for name in "target", "nowhere":
            os.symlink(name, self.path("heat.py"))
            self.refuse("heat.ipynb", says=b"[foreign-file]")
            self.build("--force", "heat.ipynb")
            self.assertFalse(self.path("heat.py").is_symlink())
            self.path("heat.py").unlink()
            self.path("heat_run.sh").unlink()
        self.assertEqual(self.path("target").read_bytes(), b"mine\n")
        self.assertFalse(self.path("nowhere").exists())

    def test_fifo(self):
        os.mkfifo(self.path("heat.py"))
        self.refuse("heat.ipynb", says=b"heat.py")

    def test_device(self):
        os.symlink("/dev/null", self.path("heat.py"))
        self.refuse("heat.ipynb")
        self.refuse("-o", "/dev/full", "heat.ipynb")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))

    def test_folder_at_an_output(self):
        for name in ("heat.py", "heat_run.sh"):
            for force in ([], ["--force"]):
                with self.subTest(name, force=force):
                    self.path(name).mkdir(exist_ok=True)
                    self.refuse(*force, "heat.ipynb", says=b"Is a directory")
            self.path(name).rmdir()

    def test_permissions(self):
        """The folder cannot be written, or the notebook cannot be read."""
        self.folder.chmod(0o555)
        self.refuse("heat.ipynb", says=b"Permission denied", **UNPRIVILEGED)
        self.path("heat.ipynb").chmod(0)
        self.folder.chmod(0o777)
        self.refuse("heat.ipynb", says=b"Permission denied", **UNPRIVILEGED)

    def test_name_too_long(self):
        name = "n" * 252
        self.write("n/x.ipynb", notebook(f"%%start_writefile {name}", "x = 1", "%%end_writefile"))
        self.refuse("n/x.ipynb", says=b"File name too long")

    def test_second_of_two_files_fails(self):
        """The script alone would be half a build."""
        self.build("heat.ipynb")
        self.path("heat_run.sh").unlink()
        self.path("heat_run.sh").mkdir()
        self.write("heat.ipynb", notebook("other = 1"))
        self.refuse("heat.ipynb")
        self.assert_no_rest()

    def test_second_program_fails(self):
        self.write("s.ipynb", notebook("%%start_writefile one", "x = 1", "%%end_writefile",
                                       "%%start_writefile sub/two", "y = 1", "%%end_writefile"))
        self.refuse("s.ipynb")


class Inputs(Case):
    def test_folder(self):
        """A folder is named, or it is standard input."""
        done = self.run_command("sh", "-c", 'exec "$0" build - <.', binary())
        self.assertEqual(done.status, 3)
        self.assertIn(b"'<stdin>' is a folder, not a notebook [io]", done.err)
        self.path("x.ipynb").mkdir()
        for command in ("build", "ir"):
            self.ended(3, b"'x.ipynb' is a folder, not a notebook [io]\n    hint: name its notebooks: x.ipynb/*.ipynb",
                       command, "x.ipynb")

    def test_empty(self):
        for content in (b"", b"\n", b" \t\n", b"\xef\xbb\xbf"):
            self.write("x.ipynb", content)
            self.ended(1, b"[json]", "build", "x.ipynb")
            self.assertEqual(set(self.files()), {"x.ipynb"})

    def test_empty_name(self):
        self.assertEqual(self.nbscorep("build", "").status, 3)

    def test_closed_standard_input(self):
        done = self.run_command("sh", "-c", 'exec "$0" build - <&-', binary())
        self.assertEqual(done.status, 3)
        self.assertIn(b"Bad file descriptor", done.err)

    def test_removed_folder(self):
        """The script of standard input needs no folder."""
        self.path("gone").mkdir()
        done = self.run_command("sh", "-c", 'rmdir ../gone && exec "$0" build -o - -', binary(),
                                cwd=self.path("gone"), stdin=GOOD)
        self.assertEqual((done.status, done.err), (0, b""), done)
        self.assertIn(b"print(x)", done.out)


class Full(Case):
    """/dev/full and closed streams."""

    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", GOOD)
        self.write("warn.ipynb", notebook("%nosuchmagic"))

    def test_full_standard_output(self):
        commands = (["build", "-o", "-", "heat.ipynb"], ["build", "-n", "heat.ipynb"],
                    ["ir", "heat.ipynb"], ["ir", "--format=yaml", "heat.ipynb"],
                    ["--help"], ["build", "--help"], ["help"], ["help", "build"],
                    ["--version"], ["check", "--version"],
                    ["magics"], ["magics", "time"], ["completion", "bash"],
                    ["check", "--diagnostics-format=json", "warn.ipynb"],
                    ["check", "--diagnostics-format=sarif", "heat.ipynb"],
                    ["check", "-Whelp"], ["schema"], ["completion", "zsh"], ["doctor", "--json"],
                    ["parameters", "heat.ipynb"], ["submit", "--dry-run", "heat.ipynb"],
                    ["check", "--print-config", "heat.ipynb"],
                    ["check", "--print-env", "heat.ipynb"],
                    ["check", "--print-requirements", "requires.ipynb"])
        self.write("requires.ipynb", notebook("%pip install numpy"))
        before = self.files()
        for command in commands:
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                self.ended(3, NO_SPACE, *command, stdout=full)
                self.assertEqual(self.files(), before)

    def test_full_standard_error(self):
        for command in (["check", "warn.ipynb"], ["build", "-v", "heat.ipynb"]):
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                self.assertEqual(self.nbscorep(*command, stderr=full).status, 3)

    def closed(self, command, redirection):
        return self.run_command("sh", "-c", f'exec "$0" "$@" {redirection}', binary(), *command)

    def test_closed_standard_output(self):
        for command in (["build", "-o", "-", "heat.ipynb"], ["ir", "heat.ipynb"], ["--help"],
                        ["--version"], ["magics"], ["build", "-n", "heat.ipynb"],
                        ["check", "--diagnostics-format=json", "heat.ipynb"]):
            with self.subTest(command=command):
                done = self.closed(command, ">&-")
                self.assertEqual(done.status, 3, done)
                self.assertIn(b"Bad file descriptor", done.err)

    def test_closed_streams_and_files(self):
        """A file that is opened while a standard stream is closed must not get its number."""
        for redirection in (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"):
            with self.subTest(redirection):
                done = self.closed(["build", "-MD", "heat.ipynb"], redirection)
                self.assertEqual(done.status, 0, done)
                self.assertIn(b"print(x)", self.path("heat.py").read_bytes())
                for name in ("heat.py", "heat_run.sh", "heat.d"):
                    self.path(name).unlink()

    def test_closed_standard_error_and_a_warning(self):
        """The report must not end up inside an output that got descriptor 2."""
        self.build("-q", "warn.ipynb")
        expected = self.files()
        for redirection in ("2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
            for name in ("warn.py", "warn_run.sh"):
                self.path(name).unlink()
            self.closed(["build", "-v", "warn.ipynb"], redirection)
            got = self.files()
            for name in ("warn.py", "warn_run.sh", "warn.ipynb"):
                self.assertEqual(got.get(name), expected[name], redirection)

    def test_standard_output_closed_and_dash(self):
        """-o - must not write into the notebook that got descriptor 1."""
        done = self.closed(["build", "-o", "-", "heat.ipynb"], ">&-")
        self.assertEqual(self.path("heat.ipynb").read_bytes(), GOOD)
        self.assertEqual(done.status, 3)

    def test_broken_pipe(self):
        """The end of a reader ends the program without a word, as it does for others."""
        reader, writer = os.pipe()
        os.close(reader)
        self.addCleanup(os.close, writer)
        done = self.run_command(binary(), "ir", "heat.ipynb", stdout=writer)
        self.assertEqual((done.status, done.err), (-signal.SIGPIPE, b""))

    def test_pipe_that_does_not_block(self):
        """Where it is full the program waits for the reader."""
        self.write("big.ipynb", notebook("x = '" + "y" * 300_000 + "'"))
        reader, writer = os.pipe2(os.O_NONBLOCK)
        with open(reader, "rb", closefd=True) as pipe, subprocess.Popen(
                [binary(), "ir", "big.ipynb"], cwd=self.folder, stdout=writer, env=clean_environment()) as process:
            os.close(writer)
            while struct.unpack("i", fcntl.ioctl(reader, termios.FIONREAD, bytes(4)))[0] < 65536:
                self.assertIsNone(process.poll())
            os.set_blocking(reader, True)
            self.assertGreater(len(pipe.read()), 300_000)
            self.assertEqual(process.wait(TIMEOUT), 0)

    def test_file_size_limit(self):
        self.write("big.ipynb", notebook("x = '" + "y" * 100_000 + "'"))
        before = self.files()
        done = self.run_command("bash", "-c", f'trap "" XFSZ; ulimit -f 10; exec "{binary()}" build big.ipynb')
        self.assertEqual(done.status, 3, done)
        self.assertIn(b"File too large", done.err)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
