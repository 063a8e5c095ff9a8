#!/usr/bin/env python3
"""Completion: what bash, fish and zsh offer."""
import pathlib
import re
import shlex
import shutil
import unittest

from options_test import COMMANDS, rows, spelling
from support import Case, binary, clean_environment


def on_path():
    """The environment of a shell that finds nbscorep."""
    found = clean_environment()
    return found | {"PATH": f"{pathlib.Path(binary()).parent}:{found['PATH']}"}


class Shell:
    """What the shells share: complete() gives the words they offer at the end of a line."""

    def setUp(self):
        super().setUp()
        self.script = self.write("completion", self.nbscorep("completion", self.NAME).out)

    def test_commands(self):
        self.assertLessEqual(set(COMMANDS), set(self.complete("nbscorep ")))
        self.assertEqual(self.complete("nbscorep bu"), ["build"])

    def test_options(self):
        for command in "build", "ir", "doctor":
            wanted = {spelling(r) for r in rows() if command in r["commands"]}
            offered = self.complete(f"nbscorep {command} --") + self.complete(f"nbscorep {command} -")
            self.assertLessEqual(wanted, {word.rstrip("=") for word in offered}, command)
        self.assertEqual(self.complete("nbscorep magics --forc"), [])

    def test_choices(self):
        self.assertEqual(self.words_of_choice("nbscorep ir --format="), {"json", "yaml"})

    def words_of_choice(self, line):
        return {word.rpartition("=")[2] for word in self.complete(line)}

    def test_arguments_of_options(self):
        for name in ("a.ipynb", "other.txt", "sub/x"):
            self.write(name, "")
        def names(option):
            return {word.rstrip("/") for word in self.complete(f"nbscorep build {option} ")}
        self.assertEqual(names("--config") & {"a.ipynb", "other.txt", "sub"}, {"a.ipynb", "other.txt", "sub"})
        for option in "--output-dir", "--template-dir":
            self.assertEqual(names(option), {"sub"})
        self.assertEqual(names("--ranks"), set())

    def test_operands(self):
        self.write("a.ipynb", "")
        self.write("b.txt", "")
        self.assertEqual(self.complete("nbscorep check a"), ["a.ipynb"])
        self.write("s.samples", "")
        self.assertEqual(self.complete("nbscorep report s"), ["s.samples"])
        self.assertEqual(self.complete("nbscorep doctor a"), ["a.ipynb"])
        self.assertEqual(self.complete("nbscorep completion "), ["bash", "fish", "zsh"])
        self.assertEqual(set(self.complete("nbscorep where ")), {"make", "cmake", "package", "recorder"})
        self.assertEqual(self.complete("nbscorep help chec"), ["check"])


class Bash(Shell, Case):
    NAME = "bash"

    def complete(self, line):
        """The words offered at the end of LINE, split as bash does with its COMP_WORDBREAKS."""
        words = [w for w in re.split(r"(=)|\s+", line) if w]
        if line.endswith((" ", "=")):
            words.append("")
        program = (f"source {shlex.quote(str(self.script))}\n"
                   f"compopt() {{ :; }}\n"
                   f"COMP_WORDS=({' '.join(map(shlex.quote, words))})\n"
                   f"COMP_CWORD={len(words) - 1}\n_nbscorep\n"
                   'printf "%s\\n" "${COMPREPLY[@]}"\n')
        done = self.run_command("bash", "-u", "-c", program, env=on_path())
        self.assertEqual((done.status, done.err), (0, b""), done)
        return [w for w in done.out.decode().split("\n") if w]

    def test_valid(self):
        self.assertIn("complete -F _nbscorep", self.script.read_text())
        for command in (["bash", "-n"], ["shellcheck", "-s", "bash"]):
            done = self.run_command(*command, str(self.script))
            self.assertEqual((done.status, done.out + done.err), (0, b""))

    def test_commands(self):
        super().test_commands()
        self.assertEqual(set(self.complete("nbscorep ")), {*COMMANDS, "--help", "--version"})
        self.assertEqual(set(self.complete("nbscorep help ")), set(COMMANDS))

    def test_options(self):
        for command in COMMANDS:
            wanted = {spelling(r) for r in rows() if command in r["commands"]}
            self.assertLessEqual(wanted, set(self.complete(f"nbscorep {command} -")), command)
        self.assertEqual(self.complete("nbscorep build --out"), ["--output", "--output-dir"])

    def test_choices(self):
        for line in ("nbscorep build --instrument=", "nbscorep build --instrument "):
            self.assertEqual(self.complete(line), ["marked", "all", "none"])
        self.assertEqual(self.complete("nbscorep build --color=al"), ["always"])
        super().test_choices()

    def test_values(self):
        self.write("nbscorep.yaml", "profiles: {small: {ranks: 1}, big: {ranks: 2}}")
        self.assertEqual(self.complete("nbscorep run --profile="), ["small", "big"])
        self.assertEqual(self.complete("nbscorep submit --slurm ti"), ["time=", "time-min="])
        self.assertEqual(self.complete("nbscorep build --slurm=cont"), ["container=", "context=", "contiguous", "container-id="])
        self.assertEqual(self.complete("nbscorep magics timei"), ["timeit"])
        self.assertEqual(self.complete("nbscorep check -W unknown-m"), ["unknown-magic"])
        self.assertEqual(self.complete("nbscorep check -Wno-unknown-m"), ["-Wno-unknown-magic"])
        self.write("nbscorep.yaml", "profiles: [")
        self.assertEqual(self.complete("nbscorep run --profile="), [])

    def test_files(self):
        for name in ("a.ipynb", "b c.ipynb", "other.txt", "sub/x.ipynb"):
            self.write(name, "")
        self.assertEqual(set(self.complete("nbscorep build ")), {"a.ipynb", "b c.ipynb", "sub"})
        self.write("a.samples", "")
        self.assertEqual(set(self.complete("nbscorep report ")), {"a.samples", "sub"})

    def test_arguments_of_options(self):
        for name in ("a.ipynb", "other.txt", "sub/x"):
            self.write(name, "")
        for option in ("--filter ", "--filter=", "-o ", "--config ", "--regions ", "-MF "):
            self.assertEqual(set(self.complete(f"nbscorep build {option}")),
                             {"a.ipynb", "other.txt", "sub", "completion"}, option)
        for option in ("--output-dir ", "--output-dir=", "--template-dir "):
            self.assertEqual(self.complete(f"nbscorep run {option}"), ["sub"])
        for option in ("--ranks ", "--ranks="):
            self.assertEqual(self.complete(f"nbscorep build {option}"), [])
        for option in ("--force", "--source-map"):
            self.assertEqual(set(self.complete(f"nbscorep build {option} ")), {"a.ipynb", "sub"})

    def test_for_which_shell(self):
        for words in ([], ["csh"], ["bash", "bash"], [""]):
            self.assertEqual(self.nbscorep("completion", *words).status, 2)

    def test_loads_as_bash_does(self):
        """With the real `complete`, in an interactive-like shell."""
        done = self.run_command("bash", "-c", f"source {shlex.quote(str(self.script))}; "
                                              "complete -p nbscorep")
        self.assertEqual(done.out, b"complete -F _nbscorep nbscorep\n")


@unittest.skipUnless(shutil.which("fish"), "needs fish")
class Fish(Shell, Case):
    NAME = "fish"

    def complete(self, line):
        program = (f"source {shlex.quote(str(self.script))}\n"
                   f"complete -C {shlex.quote(line)}")
        done = self.run_command("env", f"HOME={self.folder}", "fish", "--no-config", "-c", program, env=on_path())
        self.assertEqual((done.status, done.err), (0, b""), done)
        return [each.split("\t")[0] for each in done.out.decode().splitlines()]


@unittest.skipUnless(shutil.which("zsh"), "needs zsh")
class Zsh(Shell, Case):
    NAME = "zsh"

    def test_as_it_is_installed(self):
        self.script = self.script.rename(self.path("_nbscorep"))
        self.assertEqual(self.complete("nbscorep build --forc"), ["--force"])

    def complete(self, line):
        helper = pathlib.Path(__file__).resolve().parent / "data/complete.zsh"
        done = self.run_command("zsh", "-f", "-o", "extendedglob", str(helper), str(self.script), line, env=on_path())
        self.assertEqual((done.status, done.err), (0, b""), done)
        return list(dict.fromkeys(done.out.decode().splitlines()))


if __name__ == "__main__":
    unittest.main()
