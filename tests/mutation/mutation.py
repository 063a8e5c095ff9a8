#!/usr/bin/env python3
"""Do the tests notice small faults? Changes one line at a time, builds, and runs the tests.

    mutation.py [--count N] [--skip N] [--seed N] [--in FOLDER...] [--report FILE] [--work FOLDER]
                [--list]

Lines of src/ and templates/ are chosen at random by the seed (mutants.py says what can become of one).
Each mutant is built in a worktree of the last commit, by ccache if there is one. It is tested with the
tests that are named like its file or folder, the golden cases, the unit tests and the tests of its room
(ROOMS), until one fails that passes without the mutant. A C file that compiles to the same optimised code
is no mutant, nor is one that does not build. equivalent.txt lists survivors that change nothing that a
user could see, each with the reason.

Prints each mutant with its fate, and the share that was killed in each room. Exit status 0: 85 % of all
are killed, and 75 % in each room with five or more. A mutant takes about two minutes on two processors.

Mutated programs run as you, and some send signals or remove files: run this in a container.
"""
import argparse
import collections
import ctypes
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import mutants

ROOT = pathlib.Path(__file__).resolve().parents[2]
EQUIVALENT = ROOT / "tests" / "mutation" / "equivalent.txt"
QUICK = "^golden[.]", "^unit[.]"  # these kill most
SLOW = "cli[.](size|hostile_size)"  # these kill what others kill, too
# A folder, and its tests besides those: the first that a path begins with counts.
ROOMS = {
    "src/base": "cli|faults[.](faults|limits)",
    "src/notebook": "cli|fuzz",
    "src/lex": "cli|fuzz",
    "src/scorep": "cli|e2e[.]run$",
    "src/batch": "cli|e2e[.]run_script|slurm[.](array|submit)",
    "src/diag": "cli",
    "src/settings": "cli|e2e[.](parameters|sweep)",
    "src/ir": "cli|e2e[.](parameters|selective|run_script)|monitor[.]magic",
    "src/emit": "cli|e2e[.](run_script|ranks|steps|sweep|parameters|make)",
    "src/process": "cli|e2e[.](run$|progress|sweep|output)|faults[.]faults|slurm[.](submit|jobs)",
    "src/run": "cli|e2e[.](run$|progress|sweep|output)|faults[.]faults|slurm[.](submit|jobs)|monitor[.]run",
    "src/record": "record|diagnosis|e2e[.]run$",
    "src/sample": "cli|monitor|e2e[.]page|faults[.]monitor|slurm[.]monitor",
    "src/trace": "cli|monitor|record|fuzz|e2e[.](page|measured_page)|faults[.]monitor",
    "src/report": "cli|monitor|record|diagnosis|fuzz|e2e[.](executed|page|measured_page)|faults[.]monitor",
    "src/driver": "cli|e2e[.](run$|run_script|make|parameters|sweep)|faults[.](faults|limits)|slurm[.]submit",
    "src/cli": "cli|e2e[.](run$|progress|page|sweep)|faults|monitor|slurm[.]submit",
    "templates/scorep_notebook": "package|e2e|monitor[.]run|monitor[.]magic|e2e[.](parameters|run$)|fidelity",
    "templates/report": "cli[.]page|e2e[.]page",
    "templates": "cli|e2e|slurm[.](jobs|modules|array)",
    "src": "cli|e2e|faults|monitor",
}
MOST_KILLED, MOST_IN_ROOM, COUNTED_ROOM = 85, 75, 5
BUILD_SECONDS, TEST_SECONDS = 600, 200  # an endless loop is killed, too
MOST_MEMORY, MOST_FILE = 8 << 30, 2 << 30
PR_SET_CHILD_SUBREAPER = 36


def named_like(path):
    """The tests that have a word of PATH in their names: these fail soonest."""
    words = {word for word in re.split(r"\W|_", str(path.with_suffix(""))) if len(word) > 1}
    return f"[._-]({'|'.join(sorted(words - {'src', 'run'} or {'run'}))})"


def room_of(path):
    return next(room for room in ROOMS if str(path).startswith(room))


def choose(count, rng, folders):
    """COUNT mutants of different lines, all lines being equally likely."""
    lines = []
    names = subprocess.run(["git", "ls-files", "-z", "--", *folders], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout
    for name in filter(None, names.split("\0")):
        path = pathlib.Path(name)
        language = mutants.LANGUAGES.get(path.suffix)
        if language:
            text = (ROOT / path).read_text(encoding="utf-8")
            lines += mutants.of_file(path, text, language).values()
    chosen = []
    for line in rng.sample(lines, min(count, len(lines))):
        kind = rng.choice(sorted({each.kind for each in line}))
        chosen.append(rng.choice([each for each in line if each.kind == kind]))
    return chosen


def descendants(process):
    children = collections.defaultdict(list)
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = pathlib.Path("/proc", number, "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children[int(fields[1])].append(int(number))
    todo, found = [process], []
    while todo:
        more = children[todo.pop()]
        found += more
        todo += more
    return found


def kill_all_that_is_left():
    """Whatever a mutated program has left behind comes to this process, and ends."""
    while True:
        for process in descendants(os.getpid()):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.01)
        except ChildProcessError:
            return


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def read_equivalent():
    """Mutants that a person found to change nothing: {(path, old line, new line)}."""
    found, fields = set(), {}
    for line in EQUIVALENT.read_text(encoding="utf-8").splitlines() if EQUIVALENT.exists() else ():
        if line[:2] in ("@ ", "- ", "+ "):
            fields[line[0]] = line[2:].strip()
        elif line.startswith("# ") and len(fields) == 3:
            found.add((fields["@"], fields["-"], fields["+"]))
            fields = {}
    return found


class Tree:
    """A worktree of the last commit, configured and built."""

    def __init__(self, folder):
        self.folder = folder
        self.build_folder = folder / "build" / "debug"
        self.good, self.bad = set(), set()  # tests that passed and failed without a mutant
        self.equivalent = read_equivalent()

    def run(self, *command, seconds=None, **more):
        """Exit status, or None after SECONDS, and what it printed."""
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   preexec_fn=limit, **more)
        try:
            out, _ = process.communicate(timeout=seconds)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, status = b"", None
        kill_all_that_is_left()
        return status, out.decode(errors="replace")

    def prepare(self):
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", self.folder, "HEAD"],
                       cwd=ROOT, check=True)
        lmod = ROOT / "build" / "test-packages"
        if lmod.exists():
            (self.folder / "build").mkdir()
            (self.folder / "build" / "test-packages").symlink_to(lmod)
        configure = ["cmake", "--preset", "debug", "-DBUILD_TESTING=ON", "-DNBSCOREP_WERROR=OFF",
                     "-DPython3_EXECUTABLE=/usr/bin/python3"]
        if shutil.which("ccache"):
            configure.append("-DCMAKE_C_COMPILER_LAUNCHER=ccache")
        for command in (configure, self.build_command()):
            status, out = self.run(*command)
            if status != 0:
                sys.exit(f"{' '.join(command)}:\n{out}")
        tests = self.build_folder / "tests" / "CTestTestfile.cmake"  # its own limits are for sanitizers, too
        tests.write_text(re.sub(r'TIMEOUT "\d+"', f'TIMEOUT "{TEST_SECONDS}"', tests.read_text()))

    def remove(self):
        subprocess.run(["git", "worktree", "remove", "--force", self.folder], cwd=ROOT, check=True)

    def build_command(self):
        return ["cmake", "--build", str(self.build_folder), "-j", str(os.cpu_count())]

    def code_of(self, path):
        """What PATH compiles to with -O2, or None where it does not compile."""
        rows = json.loads((self.build_folder / "compile_commands.json").read_text())
        row = next(row for row in rows if row["file"] == str(self.folder / path))
        command = re.sub(r" -o \S+ -c ", " -O2 -g0 -w -o - -S -c ", row["command"])
        done = subprocess.run(command, shell=True, cwd=row["directory"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout if done.returncode == 0 else None

    def failing(self, *patterns):
        """The first test that fails, of those that PATTERNS choose one after the other; None if none
        does. Tests that failed without a mutant are left out."""
        leave_out = "|".join([SLOW, *sorted(map(re.escape, self.bad))])
        for pattern in patterns:
            status, out = self.run(
                "ctest", "--test-dir", str(self.build_folder), "-j", str(os.cpu_count() + 1),
                "--stop-on-failure", "--timeout", str(TEST_SECONDS),
                f"--no-tests={'error' if pattern[0] == '^' else 'ignore'}",  # none may be named_like() a file
                "--repeat", "until-pass:2",  # one that depends on the load is no witness
                "-R", pattern, "-E", f"^({leave_out})$")
            if status != 0:
                return re.findall(r"^\s*\d+ - (\S+) \((?!Skipped|Not Run)", out, re.M)[-1]
        return None

    def passes_without_mutant(self, test):
        if test not in self.good | self.bad:
            self.run(*self.build_command())
            failed = self.failing(f"^{re.escape(test)}$")
            (self.bad if failed else self.good).add(test)
        return test in self.good

    def judge(self, mutant, path, original):
        """The fate of MUTANT, which is built."""
        changed = path.read_text(encoding="utf-8")
        patterns = [named_like(mutant.path), *QUICK, f"^({ROOMS[room_of(mutant.path)]})"]
        while True:
            test = self.failing(*patterns)
            if test is None:
                return "survived", ""
            path.write_text(original, encoding="utf-8")
            if self.passes_without_mutant(test):
                return "killed", test
            path.write_text(changed, encoding="utf-8")
            self.run(*self.build_command(), seconds=BUILD_SECONDS)

    def check_syntax(self, path):
        """True if PATH is what its language takes, as far as that can be told without a build."""
        text = (self.folder / path).read_text(encoding="utf-8")
        if path.suffix == ".py":
            try:
                compile(text, str(path), "exec")
            except SyntaxError:
                return False
        return True

    def fate(self, mutant):
        """("killed", test), or "survived", "equivalent", "same code" or "does not build" with ""."""
        path = self.folder / mutant.path
        if (str(mutant.path), mutant.old.strip(), mutant.new.strip()) in self.equivalent:
            return "equivalent", ""
        original = path.read_text(encoding="utf-8")
        is_c = mutant.path.suffix == ".c"
        before = self.code_of(mutant.path) if is_c else self.check_syntax(mutant.path)
        try:
            path.write_text(mutant.apply(original), encoding="utf-8")
            after = self.code_of(mutant.path) if is_c else self.check_syntax(mutant.path)
            if after is None or (not is_c and before and not after):
                return "does not build", ""
            if is_c and before == after:
                return "same code", ""
            if self.run(*self.build_command(), seconds=BUILD_SECONDS)[0] != 0:
                return "does not build", ""
            return self.judge(mutant, path, original)
        finally:
            path.write_text(original, encoding="utf-8")


def summarise(fates):
    """The table of rooms. Returns whether enough were killed."""
    rooms = collections.defaultdict(collections.Counter)
    for mutant, (fate, _) in fates:
        rooms[room_of(mutant.path)][fate] += 1
    good = True
    print(f"\n{'room':20} killed  survived  share  equivalent  same code  does not build")
    for room, row in [*sorted(rooms.items()), ("all", sum(rooms.values(), collections.Counter()))]:
        counted = row["killed"] + row["survived"]
        share = 100 * row["killed"] / max(counted, 1)
        good &= share >= (MOST_KILLED if room == "all" else
                          MOST_IN_ROOM if counted >= COUNTED_ROOM else 0)
        print(f"{room:20} {row['killed']:6} {row['survived']:9} {share:5.0f}% {row['equivalent']:11} "
              f"{row['same code']:10} {row['does not build']:15}")
    return good


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="how many lines (default: 100)")
    parser.add_argument("--skip", type=int, default=0, metavar="N",
                        help="leave out the first N, which an earlier run has judged")
    parser.add_argument("--seed", type=int, default=int(time.time()),
                        help="default: the time, which is printed")
    parser.add_argument("--in", dest="folders", nargs="+", default=["src", "templates"],
                        help="folders or files to choose lines from")
    parser.add_argument("--report", type=pathlib.Path, help="write each mutant and its fate as JSON")
    parser.add_argument("--work", type=pathlib.Path, help="where the worktree goes (default: a "
                        "temporary folder)")
    parser.add_argument("--list", action="store_true", help="print the mutants only")
    return parser.parse_args()


def main():
    options = read_arguments()
    chosen = choose(options.count, random.Random(options.seed), options.folders)[options.skip:]
    print(f"seed {options.seed}: {len(chosen)} mutants", flush=True)
    if options.list:
        print("\n".join(map(str, chosen)))
        return 0
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    fates = []
    with tempfile.TemporaryDirectory(prefix="nbscorep-mutation-", dir=options.work) as folder:
        tree = Tree(pathlib.Path(folder).resolve() / "tree")
        tree.prepare()
        try:
            for mutant in chosen:
                begin = time.monotonic()
                fates.append((mutant, tree.fate(mutant)))
                print(f"\n{mutant}\n{': '.join(filter(None, fates[-1][1]))} "
                      f"({time.monotonic() - begin:.0f} s)", flush=True)
        finally:
            tree.remove()
    if options.report:
        options.report.write_text(json.dumps(
            [vars(mutant) | {"path": str(mutant.path), "fate": fate, "test": test}
             for mutant, (fate, test) in fates], indent=1))
    return 0 if summarise(fates) else 1


if __name__ == "__main__":
    sys.exit(main())
