#!/usr/bin/env python3
"""Size alone is no reason to hang, crash, or slow down more than linearly."""
import json
import os
import resource
import subprocess
import sys
import unittest

from samples import MB, Samples
from support import (UNDER_DOUBLE, Case, binary, clean_environment, code, markdown, notebook,
                     setting)

# A sanitizer's times say nothing of ours, and what it looks for shows at a smaller size.
SANITIZED = bool(setting("NBSCOREP_SANITIZE"))


def parameters(source):
    return code(source, metadata={"tags": ["parameters"]})


def entries(count):
    return ", ".join(f"p{i}: {i}" for i in range(count))


class SizeCase(Case):
    def time_of(self, *arguments, env=None, verify="0", **more):
        """Of the program's own computing: neither other load, nor the file system, nor Python
        counts."""
        env = (env or clean_environment()) | {"NBSCOREP_VERIFY": verify}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = self.nbscorep(*arguments, env=env, **more)
        self.assertIn(done.status, (0, 1), done.err[:300])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.done = done
        return after.ru_utime - before.ru_utime

    def check_linear(self, seconds, size):
        """8 times the size takes no more than 20 times as long; quadratic would be 64 times."""
        if SANITIZED:
            seconds(size)
            return
        small = min(seconds(size) for _ in range(3)) + 0.01
        try:
            large = seconds(8 * size)
        except subprocess.TimeoutExpired:
            large = float("inf")
        self.assertLess(large, 20 * small, f"{size}: {small:.3f} s, {8 * size}: {large:.3f} s")


class Large(SizeCase):
    def seconds(self, content, *options, **more):
        self.write("x.ipynb", content)
        before = set(os.listdir(self.folder))
        seconds = self.time_of("build", "-q", "--force", *options, "x.ipynb", **more)
        made = {name for name in set(os.listdir(self.folder)) - before if not name.startswith("scorep_notebook_")}
        self.assertEqual(bool(made), self.done.status == 0, self.done.err[:300])
        self.assertTrue(made or self.done.err)
        for name in made:
            self.path(name).unlink()
        return seconds

    def check_notebook(self, size, **makers):
        for name, maker in makers.items():
            with self.subTest(name):
                self.check_linear(lambda n, m=maker: self.seconds(notebook(*m(n))), size)

    def check_text(self, size, **texts):
        self.check_notebook(size, **{name: lambda n, t=text: [t * n] for name, text in texts.items()})

    def test_many_cells(self):
        self.check_notebook(
            2_000, plain=lambda n: ["x = 1\nx"] * n, markdown=lambda n: [markdown("# x")] * n,
            marked=lambda n: ["%%execute_with_scorep\nx = 1"] * n,
            warnings=lambda n: ["%nosuch"] * n, awaits=lambda n: ["x = await f()"] * n,
            imports=lambda n: [f"import module{i}" for i in range(n)],
            futures=lambda n: ["from __future__ import annotations\nx = 1"] * n,
            unknown_futures=lambda n: [f"from __future__ import a{i}" for i in range(n)])

    def test_many_sections(self):
        self.check_notebook(50, sections=lambda n: [c for i in range(n) for c in (
            f"%%start_writefile p{i}", "x = 1", "%%end_writefile")])

    def test_many_settings(self):
        self.check_notebook(
            1_000,
            env_cell=lambda n: ["%%scorep_env\n" + "".join(f"V{i}=1\n" for i in range(n))],
            same=lambda n: ["%%scorep_env\n" + "V=1\n" * n],
            magics=lambda n: ["".join(f"%env SCOREP_X{i}=1\n" for i in range(n))],
            arguments=lambda n: ["%%scorep_python_binding_arguments\n" + "--keep-files " * n],
            lines=lambda n: ["%%scorep_python_binding_arguments\n" + "--keep-files\n" * n],
            wrong_lines=lambda n: ["%%scorep_python_binding_arguments\n" + "--foo\n" * n])

    def test_many_packages(self):
        self.check_notebook(
            4_000, packages=lambda n: ["%pip install " + " ".join(f"p{i}" for i in range(n))])

    def test_long_cells(self):
        self.check_text(
            5_000, statements="x = 1\n", definitions="def f():\n pass\n", shell="!x\n",
            help="?x\n", cell_magics="%%time\n", prompts=">>> x\n",
            empty_prompts="...: \n", ipython_prompts="In [1]: x\n", comments="#\n", blank="\n",
            returns="\r", continued="\\\n", assigned="x = !y\n", indented="  x\n",
            environ="os.environ['SCOREP_A'] = 1\n", awaits="x = await f()\n",
            triple="'''\n", f_triple="f'''{x\n", open_lines="x = (\n", blanks="  \n",
            words="ls\n", decorators="@x\n", globals="global x\n")

    def test_long_cells_of_warnings(self):
        self.check_text(1_250, magics="%nosuch\n", assigned_magics="x = %nosuch\n")

    def test_long_lines(self):
        self.check_text(
            20_000, quotes="'", double_quotes='"', percents="%", backslashes="\\", semicolons=";",
            ats="@", assignments="a=", lambdas="lambda:", form_feeds="\x0c", nulls="\0",
            open="(", braces="{", closing=")", ifs="if ", dots="a.", strings="'a' ",
            f_strings="f'{x}' ", f_deep="f'{", f_triple="f'''{", wide="é", tabs="\t",
            blanks=" ", questions="?", bangs="!", numbers="1e", surrogates="\ud800",
            commas=",", colons=":", walrus=":=", stars="*", hashes="#", words="x ")

    def test_long_lists_of_parts(self):
        self.check_notebook(2_000, imported=lambda n: ["import " + "a." * n + "a"],
                            relative=lambda n: ["from " + "." * n + "a" + ".a" * n + " import b"],
                            shell=lambda n: ["!" + "a;" * n, "!" + "(" * n + "a" + ")" * n])

    def test_code_elsewhere(self):
        self.check_notebook(
            1_000, folders=lambda n: ["sys.path.append(" * n],
            parts=lambda n: ["sys.path.append(" + "'a'," * n + ")"],
            scripts=lambda n: ["".join(f"%run a{i}.py\n" for i in range(n))],
            written=lambda n: [f"%%writefile a{i}.py\nimport a" for i in range(n)],
            timed=lambda n: ["%time import a\n" * n],
            appended=lambda n: ["%%writefile -a a.py\nimport a"] * n,
            chdir=lambda n: ["chdir(" * n], variables=lambda n: ["!echo " + "$" * 20 * n],
            names=lambda n: ["from " + "a" * n + " import " + "x," * n + "x"],
            quotes=lambda n: ["%%bash\n" + "\"$(" * n, "!" + "\"$(" * n],
            tasks=lambda n: ["".join(f"def f{i}(): f{i + 1}()\n" for i in range(n))
                             + f"import asyncio\ndef f{n}(): create_task(a)"],
            bash=lambda n: ["%%bash\n" + "(pip install a \\\n b)\n" * n])

    def test_inside_something(self):
        self.check_notebook(
            10_000, list=lambda n: ["x = [" + "1," * n + "]"],
            string=lambda n: ["x = '" + "é" * n + "'"], magic=lambda n: ["%nosuch " + "x" * n],
            fields=lambda n: ["f'" + "{x}" * n + "'"],
            specs=lambda n: ["f\"{x:" + "{y:" * n + "}" * n + "}\""],
            nested=lambda n: ["f'{" * n + "}'" * n],
            sum=lambda n: ["x = 1 \\\n" + " + 1 \\\n" * n + " + 1"],
            blocks=lambda n: ["".join(" " * (i % 60) + "if 1:\n" for i in range(n))],
            markdown=lambda n: [markdown("x\n" * n)], separators=lambda n: [markdown("\u2028" * n)])

    def test_many_diagnostics_of_a_line(self):
        self.check_notebook(
            1_000, inputs=lambda n: ["x = [" + "input()," * n + "]"],
            history=lambda n: ["x = [" + "_1," * n + "]"],
            old_names=lambda n: ["from scorep import x\ny = [" + "register," * n + "]"])

    def test_names(self):
        def check(n, maker):
            self.write("x.ipynb", notebook(*maker(n)))
            return self.time_of("check", "--no-verify", "-Wno-lex", "x.ipynb")
        for name, maker in dict(
                cells=lambda n: [f"a{i} = a{i - 1} + f'{{b}}'" for i in range(n)],
                unknown=lambda n: [f"a{i}" for i in range(n)],
                backwards=lambda n: [f"a{i} = a{i + 1}" for i in range(n)],
                deleted=lambda n: [f"a{i} = 1\ndel a{i}\na{i}" for i in range(n)],
                ternaries=lambda n: ["(" + "a + " * n + "b)" + " if c else d" * n],
                filters=lambda n: ["[" + "a + " * n + "b for c in d" + " if e" * n + "]"],
                nested=lambda n: ["[" * 150 + "a," * n + "b" + " for c in d]" * 150],
                loops=lambda n: ["for a in b:\n  c\n  for d in e: f\n" * n],
                deep_loops=lambda n: ["".join(" " * (i % 90) + "for a in b:\n" for i in range(n))],
                locals=lambda n: ["".join(f"[a for b{i} in c]," for i in range(n))],
                fields=lambda n: ["f'" + "{a[b]:{c}}" * n + "'", "f'" + "{" * n],
                defaults=lambda n: ["def f(" + "a=b, " * n + "): pass"],
                imports=lambda n: ["from a import (" + "b as c, " * n + ")"],
                openers=lambda n: ["a.exec(" + "b.locals, " * n + ")"]).items():
            with self.subTest(name):
                self.check_linear(lambda size, m=maker: check(size, m), 1_000)

    def test_many_edits_of_two_passes(self):
        self.check_text(1_000, shell_and_globals="!a\nglobal x\n", magics="%pwd\n#\n")

    def test_many_bare_magics(self):
        self.check_notebook(200, behind_a_text=lambda n: ["x = '" + "l" * 50 * n + "'"] + ["ls"] * n)

    def test_files_of_one_line(self):
        default = [parameters("p0 = 0")]
        makers = {
            "nbscorep.yaml": ([], ["x"], lambda n: "setup: {%s}" % entries(n)),
            "p.yaml": (["-f", "p.yaml", "--allow-new-parameters"], default,
                       lambda n: "{%s}" % entries(n)),
            "s.json": (["--sweep=s.json"], default,
                       lambda n: json.dumps([{"p0": i} for i in range(n)]))}
        for name, (options, cells, make) in makers.items():
            def seconds(count):
                self.write(name, make(count))
                return self.seconds(notebook(*cells), *options)
            with self.subTest(name):
                self.check_linear(seconds, 1_500)
            self.path(name).unlink()

    def test_regions_of_many_functions(self):
        def seconds(count):
            self.write("x.ipynb", notebook(*["def f(): pass"] * count))
            return self.time_of("run", "-q", "--force", "--regions=defs", "x.ipynb",
                                env=clean_environment(**UNDER_DOUBLE, PYTHON=sys.executable))
        self.check_linear(seconds, 300)

    def test_broken_cells_of_a_file(self):
        def seconds(count):
            self.write("y.ipynb", notebook(*["x = ("] * count))
            return self.seconds(notebook("%run y.ipynb"), "--broken-cells=raise")
        self.check_linear(seconds, 5_000)

    def test_cells_for_python(self):
        """Its time counts here."""
        def seconds(count, cell):
            return self.seconds(notebook(*[cell] * count), "--verify-timeout=60", verify="1")
        self.check_linear(lambda n: seconds(n, "x = [1, 2]\nx"), 500)
        self.check_linear(lambda n: seconds(n, "x = = 1"), 200)

    def test_deep_blocks(self):
        self.check_notebook(60, blocks=lambda n: ["".join(" " * i + "if 1:\n" for i in range(n))
                                                  + " " * n + "pass"])

    def test_memory_limit(self):
        """Out of memory is exit 3 with a word, and no half of a file."""
        self.write("x.ipynb", notebook(*["x = '" + "y" * 5_000_000 + "'"] * 10))
        before = self.files()
        for kilobytes in (20_000, 60_000, 100_000, 150_000):
            done = self.run_command("bash", "-c", f'ulimit -v {kilobytes}; exec "{binary()}" build x.ipynb')
            # A sanitizer's own memory does not fit into the limit, nor do the libraries in less.
            started = b"shared libraries" not in done.err and b"Sanitizer" not in done.err
            if done.status != 0 and started:
                self.assertEqual(done.status, 3, done)
                self.assertIn(b"memory", done.err)
                self.assertEqual(self.files(), before)


class Reports(SizeCase):
    def samples(self, count, number=int, ends="alone", **head):
        """Titles, and cells that end behind a sample of their own, behind all others, or never."""
        samples, parts = Samples(**head), []
        group = samples.group("program", "process", "cpu", "rss", "peak_rss")

        def put():  # a long text that grows is copied each time
            parts.append(samples.data)
            samples.data = b""

        for i in range(count):
            samples.title(number(i), f"x{i}").cell(number(i), 2 * i)
            if ends == "alone":
                samples.sample(group, 2 * i, i, i * MB, i * MB).end(number(i), 2 * i + 1)
            put()
        for i in range(count if ends == "behind" else 0):
            samples.end(number(i), 2 * count + i)
            put()
        return b"".join(parts)

    def check_report(self, size, *arguments, **more):
        def seconds(count):
            self.write("a.samples", self.samples(count, **more))
            seconds = self.time_of("report", *arguments, "a.samples")
            self.assertGreater(len(self.done.out), 500)
            return seconds
        with self.subTest(arguments, **more):
            self.check_linear(seconds, size)

    def test_many_cells(self):
        for form in ("text", "json", "csv", "html", "svg"):
            self.check_report(2_000, f"--format={form}")

    def test_many_odd_cells(self):
        self.check_report(2_000, number=lambda i: 1)
        self.check_report(2_000, ends="never")
        self.check_report(2_000, ends="behind")

    def test_two_runs(self):
        self.check_report(2_000, "a.samples")

    def test_nodes(self):
        def seconds(count):
            for i in range(4):
                self.write(f"run/{i}.samples", self.samples(count, node=i, host=f"node{i}"))
            return self.time_of("report", "--format=json", "run")
        self.check_linear(seconds, 1_000)


if __name__ == "__main__":
    unittest.main()
