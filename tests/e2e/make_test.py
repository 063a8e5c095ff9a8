#!/usr/bin/env python3
"""Notebooks in other people's builds: nbscorep.mk under make, a dependency file under ninja, the
CMake package under both. An installed nbscorep is tested, moved after it was installed."""
import functools
import os
import pathlib
import random
import re
import shutil
import string
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from support import DOUBLE, Case, binary, clean_environment, notebook  # noqa: E402

BUILD = pathlib.Path(binary()).parents[1]
READ = "train.ipynb", "common.ipynb", "constants.py", "small.filt"
MADE = ("first.py", "first_run.sh", "second.py", "second_run.sh", "train.py", "train_run.sh")


def setUpModule():  # noqa: N802, unittest's name
    global PREFIX, PLACE
    PLACE = tempfile.TemporaryDirectory(prefix="nbscorep-installed-")
    unittest.addModuleCleanup(PLACE.cleanup)
    first = pathlib.Path(PLACE.name).resolve() / "first"
    PREFIX = first.with_name("moved")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
    first.rename(PREFIX)


class Builds(Case):
    """A folder of notebooks, and what is built of it."""

    def environment(self, **more):
        path = f"{PREFIX / 'bin'}:{DOUBLE}/bin:{os.environ['PATH']}"
        return {k: v for k, v in clean_environment(PATH=path, LC_ALL="C", **more).items()
                if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}

    def run_tool(self, *command, status=0, **more):
        """The notebooks that were compiled, in order."""
        done = self.run_command(*command, env=self.environment(), **more)
        self.assertEqual(done.status, status, done)
        self.done = done
        return re.findall(r"(?:^|\] )(?:nbscorep build .* '|Compiling notebook )(\S+\.ipynb)",
                          done.out.decode(), re.M)

    def touch(self, name):
        """Makes a file newer than every other one."""
        newest = max(p.lstat().st_mtime_ns for p in self.folder.rglob("*"))
        path = self.path(name)
        while path.stat().st_mtime_ns <= newest:
            os.utime(path)

    def make(self, *arguments, **more):
        return sorted(self.run_tool("make", *arguments, **more))


class Example(Builds):
    """fixtures/examples/build-tools, as users may copy it."""
    TOOLS = (  # each with what configures it, where outputs are, and its status when a build fails
        (["make"], None, ".", 2), (["ninja"], None, ".", 1),
        *((["cmake", "--build", "out", "-j2"], ["cmake", "-G", generator, "-S", ".", "-B", "out"], "out", status)
          for generator, status in (("Ninja", 1), ("Unix Makefiles", 2))))

    def with_each_tool(self, check):
        """Calls CHECK with a build by the tool, the folder of its outputs, and its status when a build fails."""
        top = self.folder
        for number, (command, configure, out, failure) in enumerate(self.TOOLS):
            with self.subTest(command, configure=configure):
                self.folder = top / str(number)
                try:
                    self.copy_fixture("build-tools", self.folder)
                    if configure:
                        self.run_tool(*configure)
                    check(functools.partial(self.run_tool, *command), self.path(out), failure)
                finally:
                    self.folder = top

    def test_what_is_built_again(self):
        self.with_each_tool(self.check_what_is_built_again)

    def check_what_is_built_again(self, build, out, _failure):
        self.assertEqual(sorted(build()), ["study.ipynb", "train.ipynb"])
        for name in MADE:
            self.assertEqual(len(list(out.rglob(name))), 1, name)
        self.assertEqual(build(), [])
        for name in READ:
            self.touch(name)
            self.assertEqual(build(), ["train.ipynb"], name)
        self.assertEqual(build(), [])
        self.touch("study.ipynb")
        self.assertEqual(build(), ["study.ipynb"])
        self.assertEqual(build(), [])
        for name in ("train_run.sh", "second.py"):
            next(out.rglob(name)).unlink()
            self.assertEqual(len(build()), 1, name)
        self.assertEqual(build(), [])
        if out.name == "out":
            self.assertEqual(sorted(p.name for p in (out / "study").glob("*_run.sh")),
                             ["first_run.sh", "second_run.sh"])
            self.assertNotIn(b"echo", (out / "train.py").read_bytes())
            done = self.run_command("ctest", "--test-dir", "out", "-V", env=self.environment(
                PYTHONPATH=str(DOUBLE), PYTHON=sys.executable))
            self.assertIn(b"100% tests passed, 0 tests failed out of 2", done.out, done)

    def test_programs_in_parallel(self):
        """One run writes what four targets stand for."""
        self.copy_fixture("build-tools", self.folder)
        self.assertEqual(self.make("-j4"), ["study.ipynb", "train.ipynb"])

    def test_clean(self):
        self.copy_fixture("build-tools", self.folder)
        before = self.files()
        self.make()
        self.assertNotEqual(self.files(), before)
        self.write("study.py", "by hand")
        self.make("clean")
        self.assertEqual(self.files(), before | {"study.py": b"by hand"})
        self.assertEqual(list(self.folder.glob("scorep_notebook_*")), [])

    def test_deleted(self):
        """The tool goes on, and nbscorep says what is missing, each time until it is there."""
        self.with_each_tool(self.check_deleted)

    def check_deleted(self, build, _out, _failure):
        build()
        self.path("constants.py").unlink()
        for _ in range(2):
            self.assertEqual(build(), ["train.ipynb"])
            self.assertIn(b"cannot include 'constants.py'", self.done.out + self.done.err)
        self.write("constants.py", "LIMIT = 10\n")
        self.assertEqual([build(), build()], [["train.ipynb"], []])
        self.path("constants.py").unlink()
        self.write("train.ipynb", notebook("print(1)"))
        self.touch("train.ipynb")
        self.assertEqual(build(), ["train.ipynb"])
        self.assertEqual(build(), [])

    def test_broken(self):
        """Errors fail the build, and leave what was there; it is tried again."""
        self.with_each_tool(self.check_broken)

    def check_broken(self, build, out, failure):
        self.path("Makefile").write_text(self.path("Makefile").read_text() + ".DELETE_ON_ERROR:\n")
        build()
        before = (out / "train.py").read_bytes()
        good = self.path("train.ipynb").read_bytes()
        self.write("train.ipynb", notebook("%%start_writefile x", "print(1)"))
        self.touch("train.ipynb")
        for _ in range(2):
            self.assertEqual(build(status=failure), ["train.ipynb"])
            self.assertIn(b"train.ipynb:cell 1", self.done.out + self.done.err)
            self.assertEqual((out / "train.py").read_bytes(), before)
        self.write("train.ipynb", good)
        self.touch("train.ipynb")
        self.assertEqual(build(), ["train.ipynb"])
        self.assertEqual(build(), [])


class Make(Builds):
    def makefile(self, *lines, before=()):
        self.write("Makefile", "\n".join([*before, "include $(shell nbscorep where make)", *lines]) + "\n")

    def test_the_first_rule_is_the_goal(self):
        """The dependency files hold rules, and so does a notebook with programs."""
        self.write("a.ipynb", notebook("1"))
        self.write("s.ipynb", notebook("%%start_writefile p", "1", "%%end_writefile"))
        self.makefile("$(eval $(call nbscorep_programs,s.ipynb,p))", "all: $(NBSCOREP_OUTPUTS)")
        self.assertEqual(self.make(), ["a.ipynb", "s.ipynb"])
        self.touch("a.ipynb")
        self.touch("s.ipynb")
        self.assertEqual(self.make(), ["a.ipynb", "s.ipynb"])

    def test_parallel(self):
        names = [f"n{i}.ipynb" for i in range(8)]
        for name in names:
            self.write(name, notebook("%run common/c.ipynb"))
        self.write("common/c.ipynb", notebook("x = 1"))
        self.makefile("all: $(NBSCOREP_OUTPUTS)")
        self.assertEqual(self.make("-j4"), sorted(names))
        self.assertEqual(self.make("-j4"), [])
        self.touch("common/c.ipynb")
        self.assertEqual(self.make("-j4"), sorted(names))
        self.assertEqual(self.make("-j4"), [])

    def test_output_folder(self):
        for name in ("a.ipynb", "sub/b.ipynb"):
            self.write(name, notebook("%load x.py"))
        for name in ("s.ipynb", "sub/t.ipynb"):
            self.write(name, notebook("%%start_writefile p", "%load x.py", "%%end_writefile"))
        self.write("x.py", "1\n")
        self.write("sub/x.py", "2\n")
        self.makefile("$(eval $(call nbscorep_programs,s.ipynb,p))",
                      "$(eval $(call nbscorep_programs,sub/t.ipynb,p))",
                      "all: $(NBSCOREP_OUTPUTS)",
                      before=["NBSCOREP_OUTPUT_DIR := out/",
                              "NBSCOREP_NOTEBOOKS := a.ipynb ./sub/b.ipynb s.ipynb sub/t.ipynb"])
        everything = ["a.ipynb", "s.ipynb", "sub/b.ipynb", "sub/t.ipynb"]
        self.assertEqual(self.make(), everything)
        made = {name for name in self.files() if name.endswith("_run.sh")}
        self.assertEqual(made, {"out/a_run.sh", "out/sub/b_run.sh", "out/p_run.sh", "out/sub/p_run.sh"})
        self.assertEqual(self.make(), [])
        self.touch("sub/x.py")
        self.assertEqual(self.make(), ["sub/b.ipynb", "sub/t.ipynb"])
        self.touch("x.py")
        self.assertEqual(self.make(), ["a.ipynb", "s.ipynb"])
        self.assertEqual(self.make(), [])

    def test_flags_and_program(self):
        """Options of the Makefile, files that they name, and an nbscorep that is not on PATH."""
        self.write("a.ipynb", notebook("def f():\n    pass\nf()"))
        self.write("names", "f\n")
        self.write("my.filt", "")
        self.write("Makefile", f"NBSCOREP := {PREFIX}/bin/nbscorep\n"
                   "NBSCOREPFLAGS := --regions=names --filter my.filt\n"
                   "include $(shell $(NBSCOREP) where make)\n")
        def build():
            done = self.run_command("make", "a_run.sh", env=clean_environment())
            self.assertEqual(done.status, 0, done)
            return done.out.count(b"build -MD --regions=names --filter my.filt -- 'a.ipynb'")
        self.assertEqual([build(), build()], [1, 0])
        for name in ("names", "my.filt"):
            self.touch(name)
            self.assertEqual([build(), build()], [1, 0], name)

    def test_without_nbscorep(self):
        """A recipe that does nothing would pass in CI."""
        self.copy_fixture("build-tools", self.folder)
        done = self.run_command("make", env=clean_environment(PATH="/usr/bin:/bin"))
        self.assertEqual(done.status, 2)
        self.assertIn(b"*** nbscorep is not on PATH.  Stop.", done.err)

    def test_verify(self):
        """A cell that is no Python fails the build, unless Python is not to be asked."""
        self.write("a.ipynb", notebook("x ="))
        for line, environment, status in (
                ("", {}, 2), ("NBSCOREP_VERIFY := 1", {}, 2), ("NBSCOREP_VERIFY := 0", {}, 0),
                ("NBSCOREPFLAGS := --no-verify", {}, 0), ("", {"NBSCOREP_VERIFY": "0"}, 0)):
            with self.subTest(line, environment=environment):
                self.makefile(before=[line])
                self.touch("a.ipynb")
                done = self.run_command("make", "a_run.sh", env=self.environment(**environment))
                self.assertEqual(done.status, status, done)
                self.assertEqual(b"[python-syntax]" in done.err, status != 0)

    def test_configuration(self):
        """The nearest nbscorep.yaml, and one that --config names."""
        self.write("notebooks/a.ipynb", notebook("1"))
        self.makefile("all: $(call nbscorep_outputs,notebooks/a.ipynb)",
                      before=["NBSCOREP_NOTEBOOKS := notebooks/a.ipynb"])
        for name, flags in (("nbscorep.yaml", ""), ("other.yaml", "--config=other.yaml")):
            self.write(name, "env: {ONE: 1}\n")
            self.touch("notebooks/a.ipynb")
            flags = f"NBSCOREPFLAGS={flags}"
            self.assertEqual([len(self.make(flags)), self.make(flags)], [1, []])
            self.write(name, "env: {TWO: 2}\n")
            self.touch(name)
            self.assertEqual([len(self.make(flags)), self.make(flags)], [1, []], name)
            self.assertIn(b"export TWO", self.path("notebooks/a_run.sh").read_bytes())

    def test_from_two_folders(self):
        """A dependency file is known again, whatever folder its targets were named from."""
        self.write("sub/b c.ipynb", notebook("1"))
        for folder, name in ((".", "sub/b c.ipynb"), ("sub", "b c.ipynb"),
                             (".", str(self.path("sub/b c.ipynb")))):
            self.build("-MD", name, cwd=self.path(folder))
        for text in ("b.o: b.c\n", "", "other.py other_run.sh: x\n", "x: b\\ c_run.sh\n",
                     "ab\\ c.py ab\\ c_run.sh: x\n"):
            self.write("sub/b c.d", text)
            done = self.nbscorep("build", "-MD", "sub/b c.ipynb")
            self.assertIn(b"'sub/b c.d' was not written by nbscorep", done.err)
            self.assertEqual(self.path("sub/b c.d").read_text(), text)

    def test_odd_names(self):
        names = ["it's.ipynb", "a&b.ipynb", "(c).ipynb", "ä.ipynb"]
        self.makefile("all: $(NBSCOREP_OUTPUTS)")
        for name in names:
            self.write(name, notebook("1"))
        self.make()
        for name in names:
            self.assertTrue(self.path(name.replace(".ipynb", "_run.sh")).exists(), name)
        self.assertEqual(self.make(), [])

    def test_foreign_script(self):
        """A script by hand stays, and fails the build."""
        self.write("a.ipynb", notebook("1"))
        self.write("a.py", "by hand")
        self.touch("a.ipynb")
        self.makefile()
        self.assertEqual(self.make("a_run.sh", status=2), ["a.ipynb"])
        self.assertEqual(self.path("a.py").read_bytes(), b"by hand")


class Names(Builds):
    """Names in dependency files: where a build says nothing, make builds once, and again when the file has
    changed; so does ninja, but for names with these in them."""
    NINJA_MISREADS = re.compile(r"[\"%&'<>^`\x01-\x1f\x7f]|\\[#$:]|:(?=$|\.py|_run)")
    OLD, NOW, FUTURE = 1000000000, 2000000000, 4000000000

    def odd_names(self):
        yield from ("it's", "a: b", "a:\\b", "a\\ b", "a b c", " a", "#", "$$x", "${x}", "a$(x)", "@x",
                    "{a,b}", "(a)", "a(b", "a (1).x", "b)", "a,b", "+a", "!a", "ä", "a]b", "x:y:z", "\\#", "..a", "a\\\\ b")
        for byte in (*range(1, 128), 0x80, 0xa0, 0xc3, 0xff):
            if byte not in (ord("\n"), ord("/")) and not (chr(byte).isalnum() and byte < 128):
                yield os.fsdecode(b"a" + bytes([byte]) + b"b")
        for character in string.punctuation.replace("/", "") + " \x1b\x7f":
            yield from (character + "b", "a" + character, "a\\" + character + "b", "a\\\\" + character)
        choice = random.Random(6).choice
        for _ in range(20):
            yield "a" + "".join(choice("b\\ #$%:&~'@{(,") for _ in range(5))

    def compile(self, folder, *arguments):
        """What the build says of names in its dependency file: an error, nothing."""
        done = self.nbscorep("build", "--no-verify", "-MF", f"{folder}/x.d", *arguments)
        if done.status == 0 and not done.err:
            return "silent"
        self.assertEqual((done.status, done.out), (1, b""), done)
        self.assertRegex(done.err, b"cannot be in a dependency file: make would misread it")
        self.assertFalse(self.path(f"{folder}/x.d").exists())
        return "refused"

    def ninja(self, edges):
        """How many of EDGES, (outputs, folder, file), ninja builds again, and after a change of all
        files."""
        rules = ["rule r", "  command = touch -- $out"]
        for outputs, folder, _ in edges:
            names = " ".join(re.sub("([$ :])", r"$\1", name) for name in outputs)
            rules += [f"build {names}: r", f"  depfile = {folder}/x.d"]
        self.write("build.ninja", os.fsencode("\n".join(rules) + "\n"))
        self.path(".ninja_log").unlink(missing_ok=True)
        return self.again(edges, ["ninja"], rb"^\[\d+/\d+\] ")

    def make_goals(self, edges):
        """The same of make, which makes all outputs of one edge at once."""
        includes = "".join(f"-include {folder}/x.d\n" for _, folder, _ in edges)
        self.write("Makefile", f"%.py %_run.sh:\n\t@echo made\n{includes}")
        goals = [name for outputs, _, _ in edges for name in outputs]
        return self.again(edges, ["make", "-r", "-f", "Makefile", *goals], b"^made$")

    def again(self, edges, command, mark):
        counts = []
        for changed in False, True:
            self.set_times(edges, self.OLD)
            if "ninja" in command:  # it looks at its log, too
                self.run_command(*command)
            else:
                self.set_times(edges, self.NOW, outputs=True)
            if changed:
                self.set_times(edges, self.FUTURE)
            done = self.run_command(*command)
            self.assertEqual(done.status, 0, done)
            counts.append(len(re.findall(mark, done.out, re.M)))
        return counts

    def set_times(self, edges, time, outputs=False):
        for made, _, needed in edges:
            for name in made if outputs else [needed]:
                os.utime(self.path(name), (time, time))

    def check(self, prepare, every=1):
        """PREPARE makes what is to be built of a name: outputs, a file that they depend on, the
        arguments of the build. EVERY: each so many of the names."""
        said = {"silent": [], "refused": []}
        for number, name in enumerate(sorted(set(self.odd_names()))[::every]):
            folder = f"n{number}"
            self.path(folder).mkdir()
            outputs, needed, arguments = prepare(folder, name)
            said[self.compile(folder, *arguments)].append((outputs, folder, needed))
        for answer, edges in said.items():
            self.assertGreater(len(edges), 10, answer)
        edges = said["silent"]
        self.assertEqual(self.make_goals(edges), [0, len(edges)])
        read = [edge for edge in edges if not any(map(self.NINJA_MISREADS.search, [edge[2], *edge[0]]))]
        self.assertGreater(len(read), 10)
        self.assertEqual(self.ninja(read), [0, len(read)])

    def test_included(self):
        def prepare(folder, name):
            self.write(f"{folder}.ipynb", notebook("x = 1"))
            self.write(f"{folder}/{name}", "")
            return ([f"{folder}.py", f"{folder}_run.sh"], f"{folder}/{name}",
                    [f"{folder}.ipynb", "--filter", f"{folder}/{name}"])
        self.check(prepare)

    def test_built(self):
        def prepare(_folder, name):
            self.write(f"all/{name}.ipynb", notebook("x = 1"))
            return ([f"all/{name}.py", f"all/{name}_run.sh"], f"all/{name}.ipynb",
                    [f"all/{name}.ipynb"])
        self.check(prepare, every=2)


class CMake(Builds):
    def project(self, *lines, minimum="3.20"):
        self.write("CMakeLists.txt", "\n".join([
            f"cmake_minimum_required(VERSION {minimum})", "project(x LANGUAGES NONE)",
            "find_package(nbscorep 0.1 REQUIRED)", *lines]) + "\n")

    def configure(self, *arguments, status=0, **more):
        return self.run_tool("cmake", "-G", "Ninja", "-S", ".", "-B", "out", *arguments, status=status, **more)

    def test_blanks(self):
        """In folders, in the notebook's name and in where nbscorep is."""
        shutil.copytree(PREFIX, self.path("the prefix"))
        self.write("the source/my notebook.ipynb", notebook("%run 'an other.ipynb'"))
        self.write("the source/an other.ipynb", notebook("1"))
        self.project("nbscorep_add_notebook(n NOTEBOOK \"my notebook.ipynb\")")
        self.path("CMakeLists.txt").rename(self.path("the source/CMakeLists.txt"))
        where = self.run_command(self.path("the prefix/bin/nbscorep"), "where", "cmake").out
        for generator in ("Ninja", "Unix Makefiles"):
            out = f"out of {generator}"
            self.run_tool("cmake", "-G", generator, "-S", "the source", "-B", out,
                          f"-Dnbscorep_DIR={where.decode().strip()}")
            build = ["cmake", "--build", out]
            self.run_tool(*build)
            self.assertIn(b"Compiling notebook", self.done.out)
            self.assertTrue(self.path(f"{out}/my notebook_run.sh").exists())
            self.run_tool(*build)
            self.assertNotIn(b"Compiling notebook", self.done.out)
            self.touch("the source/an other.ipynb")
            self.run_tool(*build)
            self.assertIn(b"Compiling notebook", self.done.out)

    def test_profile(self):
        """And a configuration in another folder than the build."""
        self.write("a.ipynb", notebook("1"))
        text = "profiles: {{small: {{env: {{SIZE: {}}}}}, big: {{env: {{SIZE: 9}}}}}}\n"
        self.write("nbscorep.yaml", text.format(1))
        self.project("nbscorep_add_notebook(a NOTEBOOK a.ipynb PROFILE small)",
                     "nbscorep_add_notebook(b NOTEBOOK a.ipynb PROFILE big OUTPUT_DIRECTORY b)")
        self.configure()
        self.assertEqual(len(self.run_tool("cmake", "--build", "out")), 2)
        self.assertIn(b"SIZE=1", self.path("out/a_run.sh").read_bytes())
        self.assertIn(b"SIZE=9", self.path("out/b/a_run.sh").read_bytes())
        self.write("nbscorep.yaml", text.format(2))
        self.touch("nbscorep.yaml")
        self.assertEqual(len(self.run_tool("cmake", "--build", "out")), 2)
        self.assertIn(b"SIZE=2", self.path("out/a_run.sh").read_bytes())
        self.assertEqual(self.run_tool("cmake", "--build", "out"), [])

    def test_verify(self):
        self.write("a.ipynb", notebook("x ="))
        for line, status in ("", 1), ("set(NBSCOREP_VERIFY ON)", 1), ("set(NBSCOREP_VERIFY OFF)", 0):
            with self.subTest(line):
                self.project(line, "nbscorep_add_notebook(a NOTEBOOK a.ipynb)")
                self.configure()
                self.run_tool("cmake", "--build", "out", status=status)
                self.assertEqual(b"[python-syntax]" in self.done.out, status != 0)

    def test_policies_of_older_projects(self):
        """The project's minimum does not change how CMake reads the dependency file (CMP0116)."""
        for folder in "", "sub/":
            self.write(f"{folder}common.ipynb", notebook("x = 1"))
        for name in "a.ipynb", "sub/b.ipynb":
            self.write(name, notebook("%run common.ipynb"))
        self.write("sub/CMakeLists.txt", "nbscorep_add_notebook(b NOTEBOOK b.ipynb OUTPUT_DIRECTORY out"
                   " EXCLUDE_FROM_ALL)\nadd_custom_target(c ALL DEPENDS b)\n")
        for generator, minimum in ("Ninja", "3.10"), ("Unix Makefiles", "3.16...3.19"):
            with self.subTest(generator):
                self.project("nbscorep_add_notebook(a NOTEBOOK a.ipynb)", "add_subdirectory(sub)", minimum=minimum)
                self.run_tool("cmake", "-G", generator, "-B", generator)
                self.assertNotIn(b"CMP0", self.done.err)
                build = ["cmake", "--build", generator]
                self.assertEqual(sorted(self.run_tool(*build)), ["a.ipynb", "b.ipynb"])
                self.assertEqual(self.run_tool(*build), [])
                for changed, built in ("common.ipynb", "a.ipynb"), ("sub/common.ipynb", "b.ipynb"):
                    self.touch(changed)
                    self.assertEqual([self.run_tool(*build), self.run_tool(*build)], [[built], []])

    def test_not_in_all(self):
        self.write("a.ipynb", notebook("1"))
        self.project("nbscorep_add_notebook(a NOTEBOOK a.ipynb EXCLUDE_FROM_ALL)",
                     "get_target_property(files a NBSCOREP_SCRIPTS)",
                     "message(STATUS \"scripts: ${files}\")")
        self.configure()
        self.assertIn(f"scripts: {self.folder}/out/a.py\n".encode(), self.done.out)
        self.assertEqual(self.run_tool("cmake", "--build", "out"), [])
        self.assertEqual(self.run_tool("cmake", "--build", "out", "--target", "a"), ["a.ipynb"])
        self.assertEqual(len(list(self.folder.glob("out/scorep_notebook_*"))), 1)
        self.run_tool("cmake", "--build", "out", "--target", "clean")
        self.assertEqual(list(self.folder.glob("out/scorep_notebook_*")), [])

    def test_wrong_use(self):
        self.write("a.ipynb", notebook("1"))
        for arguments, message in (("a", "NOTEBOOK is missing"),
                                   ("a NOTEBOOK a.ipynb FOLDER x", "unknown argument 'FOLDER;x'")):
            self.project(f"nbscorep_add_notebook({arguments})")
            self.configure(status=1)
            self.assertIn(message, " ".join(self.done.err.decode().split()))

    def test_other_version(self):
        self.project()
        text = self.path("CMakeLists.txt").read_text().replace("0.1", "7.0")
        self.write("CMakeLists.txt", text)
        self.configure(status=1)
        self.assertIn(b"7.0", self.done.err)


class Where(Builds):
    def test_installed(self):
        link = self.path("link")
        link.symlink_to(PREFIX / "bin/nbscorep")
        for program in (PREFIX / "bin/nbscorep", link):
            for what, place in (("make", "nbscorep/nbscorep.mk"), ("cmake", "cmake/nbscorep")):
                done = self.run_command(program, "where", what)
                self.assertEqual((done.status, done.out), (0, f"{PREFIX}/share/{place}\n".encode()))

    def test_not_installed(self):
        copy = shutil.copy(binary(), self.path("nbscorep"))
        done = self.run_command(copy, "where", "make")
        self.assertEqual((done.status, done.out), (3, b""))
        self.assertIn(b"nbscorep/nbscorep.mk'\n'cmake --install' puts it in place\n", done.err)

    def test_wrong_use(self):
        for words in ([], ["cake"], ["make", "cmake"]):
            done = self.nbscorep("where", *words)
            self.assertEqual((done.status, done.out), (2, b""))
            self.assertIn(b"'where' requires 'make', 'cmake', 'package' or 'recorder'", done.err)


if __name__ == "__main__":
    unittest.main()
