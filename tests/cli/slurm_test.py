#!/usr/bin/env python3
"""Headers of run scripts, templates of the user's, and submit without a Slurm."""
import re
import shutil
import unittest

from support import ROOT, Case, binary, clean_environment, notebook


class SlurmCase(Case):
    def setUp(self):
        super().setUp()
        self.write("heat.ipynb", notebook("print(6 * 7)"))

    def header(self, *arguments):
        """The directives of the run script, which all stand before its first command."""
        self.build("heat.ipynb", *arguments)
        text = self.path("heat_run.sh").read_text()
        head = re.match(r"(#.*\n)*", text)[0]
        found = re.findall(r"^#(?:SBATCH|PBS|BSUB) .*", head, re.M)
        self.assertEqual(len(found), len(re.findall(r"^#(?:SBATCH|PBS|BSUB)", text, re.M)))
        return [line.partition(" ")[2] for line in found]

    def wrong(self, setting, *says):
        done = self.nbscorep("build", f"--slurm={setting}", "heat.ipynb")
        self.assertEqual((done.status, set(self.files())), (2, {"heat.ipynb"}), done)
        for text in says:
            self.assertIn(text, done.err.decode())


class Settings(SlurmCase):
    def test_values(self):
        self.assertEqual(self.header("--slurm=hold=true", "--slurm=nice=5", "--slurm=comment=a=b c",
                                     "--slurm=cpus-per-task=2", "--slurm=cpus_per_task=false"),
                         ["--hold", "--nice=5", '--comment="a=b c"', "--job-name=heat"])

    def test_signal(self):
        signal = "--signal=B:USR1@120"
        for time in "10", "9:01", "0-1", "1:00:00":
            self.assertIn(signal, self.header(f"--slurm=time={time}"), time)
        for time in "9", "9:00", "UNLIMITED", "0", "0:5":
            self.assertNotIn(signal, self.header(f"--slurm=time={time}"), time)
        self.assertNotIn(signal, self.header("--slurm=time=60", "--slurm=signal=false"))
        self.assertIn("--signal=TERM@60", self.header("--slurm=time=60", "--slurm=signal=TERM@60"))

    def test_ranks_alone(self):
        """They are reason enough for a header: a job has one task unless it asks for more."""
        ranks = "--ranks=4", "-Wno-args-ranks"
        self.assertEqual(self.header(*ranks), ["--job-name=heat", "--ntasks=4"])
        self.assertEqual(self.header(*ranks, "--batch=pbs"),
                         ["-S /bin/bash", "-N heat", "-l select=4:ncpus=1:mpiprocs=1", "-j oe"])
        self.assertEqual(self.header(*ranks, "--batch=lsf"), ["-J heat", "-n 4"])
        self.assertEqual(self.header(*ranks, "--slurm=ntasks=false"), ["--job-name=heat"])
        self.write("nbscorep.yaml", "ranks: 3\n")
        self.assertIn("--ntasks=3", self.header("-Wno-args-ranks"))

    def test_ranks_that_nodes_have(self):
        """No number of tasks beside one that follows from the settings."""
        for given in ["nodes=2", "ntasks-per-node=2"], ["nodes=4", "ntasks_per_node=1"]:
            found = self.header("--ranks=4", "-Wno-args-ranks", *(f"--slurm={x}" for x in given))
            self.assertFalse([line for line in found if line.startswith("--ntasks=")], found)
        found = self.header("--ranks=4", "-Wno-args-ranks", "--slurm=nodes=1-4", "--slurm=ntasks-per-node=2")
        self.assertIn("--ntasks=4", found)

    def test_ranks_that_differ(self):
        for given, tasks in ((["ntasks=8"], "8 tasks"), (["ntasks=1"], "1 task"),
                             (["nodes=2", "ntasks-per-node=3"], "6 tasks")):
            self.ended(0, f"warning: the job asks for {tasks}, but starts 4 ranks [batch-ranks]\n", "build",
                       "--ranks=4", "-Wno-args-ranks", "heat.ipynb", *(f"--slurm={each}" for each in given))
            self.assertIn(f"#SBATCH --{given[-1]}\n", self.path("heat_run.sh").read_text())

    def test_header_is_no_other_build(self):
        """A job that waits keeps its script."""
        self.build("heat.ipynb", "--slurm=time=1")
        script = self.path("heat.py").read_bytes()
        self.build("heat.ipynb", "--slurm=time=2")
        self.assertEqual(self.path("heat.py").read_bytes(), script)

    def test_names(self):
        self.wrong("J=x", "did you mean 'job-name'?")
        self.wrong("uenv=x", "no option 'uenv' from a script; see sbatch(1), and write '--uenv' for an option of "
                             "your site")
        self.wrong("=3", "'--slurm' requires KEY=VALUE or KEY, not '=3'")
        self.assertIn("--uenv=x", self.header("--slurm=--uenv=x"))
        self.assertIn("--time=5", self.header("--slurm=--time=5"))

    def test_bad_values(self):
        self.wrong("time", "'time' requires a value")
        self.wrong("time=", "'time' requires a value")
        self.wrong("mem=4gigs", "'4gigs' is not a size for 'mem'; use a whole number with K, M, G or T")
        self.wrong("mem-per-cpu=G", "'G' is not a size for 'mem-per-cpu'")
        for size in "0", "512", "4G", "4gb", "1T":
            self.header(f"--slurm=mem={size}")

    def test_hostile_values(self):
        """No value is more than one: the script does what it did."""
        for text in '"; touch pwned; "', "`touch pwned`", "$(touch pwned)", "\\", '"', "#", "'":
            self.header("--slurm", f"comment={text}", "--slurm", f"job-name={text}")
            done = self.run_command("./heat_run.sh", env=clean_environment(NBSCOREP_MEASURE="no"))
            self.assertEqual((done.status, done.out), (0, b"42\n"), done)
        self.assertFalse(self.path("pwned").exists())


class OtherSystems(SlurmCase):
    def test_pbs_shapes(self):
        for given, select in (
                (["ntasks=6"], "6:ncpus=1:mpiprocs=1"),
                (["nodes=2"], "2:ncpus=1:mpiprocs=1"),
                (["ntasks=5", "nodes=2"], "2:ncpus=3:mpiprocs=3"),
                (["ntasks=6", "ntasks-per-node=4"], "2:ncpus=4:mpiprocs=4"),
                (["cpus-per-task=8"], "1:ncpus=8:mpiprocs=1"),
                (["nodes=2", "ntasks-per-node=4", "cpus-per-task=3"], "2:ncpus=12:mpiprocs=4")):
            found = self.header("--batch=pbs", *(f"--slurm={each}" for each in given))
            self.assertIn(f"-l select={select}", found, given)

    def test_lsf_shapes(self):
        found = self.header("--batch=lsf", "--slurm=nodes=2", "--slurm=ntasks-per-node=3")
        self.assertIn("-n 6", found)
        self.assertIn("-R span[ptile=3]", found)
        found = self.header("--batch=lsf", "--slurm=output=a-%A_%a.log", "--slurm=error=b-%j.log")
        self.assertIn("-o a-%J_%I.log", found)
        self.assertIn("-e b-%J.log", found)
        self.ended(1, "does not support '%x.log' for 'output': use only the patterns %j, %A and %a", "build",
                   "--batch=lsf", "--slurm=output=%x.log", "heat.ipynb")

    def test_output_of_a_sweep(self):
        """The package names a file for each set, unless the header names one."""
        self.write("s.yaml", "grid: {n: [1, 2]}")
        for given, own in ([], True), (["--slurm=output=o"], False):
            self.build("--sweep=s.yaml", "--allow-new-parameters", *given, "heat.ipynb")
            self.assertEqual("--job-output" in self.path("heat_run.sh").read_text(), own)

    def test_name_that_cannot_be_said(self):
        """Nobody has asked for it."""
        self.write("a b.ipynb", notebook("1"))
        self.build("a b.ipynb", "--batch=pbs")
        self.assertNotIn("#PBS -N", self.path("a b_run.sh").read_text())

    def test_folder(self):
        """Also these run a copy of the run script."""
        self.header("--batch=pbs")
        shutil.copy(self.path("heat_run.sh"), self.write("spool/1.SC", ""))
        for name in "PBS_O_WORKDIR", "LS_SUBCWD":
            env = clean_environment(NBSCOREP_MEASURE="no", **{name: str(self.folder)})
            done = self.run_command("bash", str(self.path("spool/1.SC")), cwd="/", env=env)
            self.assertEqual((done.status, done.out), (0, b"42\n"), done)


class Templates(SlurmCase):
    def faulty(self, name, content, *says, status=1):
        self.write(f"t/{name}", content)
        done = self.nbscorep("build", "--template-dir=t", "heat.ipynb")
        self.assertEqual((done.status, self.path("heat.py").exists()), (status, False), done)
        for text in says:
            self.assertIn(text, done.err.decode())
        shutil.rmtree(self.path("t"))

    def test_copies_change_nothing(self):
        arguments = "heat.ipynb", "--slurm=time=1", "--ranks=2", "-Wno-args-ranks"
        self.build(*arguments)
        before = self.files()["heat_run.sh"]
        self.write("t/slurm.header", (ROOT / "templates/slurm.header").read_bytes())
        self.build(*arguments, "--template-dir=t")
        self.assertEqual(self.files()["heat_run.sh"].replace(b" --template-dir=t", b""), before)

    def test_own_header(self):
        """It needs no settings, and may take those that our header does not."""
        self.write("t/slurm.header", "#SBATCH --account=site\n#SBATCH --mem=@mem@\n")
        self.assertEqual(self.header("--template-dir=t"), ["--account=site"])
        self.assertEqual(self.header("--template-dir=t", "--slurm=mem=1G"), ["--account=site", "--mem=1G"])
        self.write("t/pbs.header", "#PBS -l mem=@mem@\n#PBS -l place=@distribution@\n")
        self.assertEqual(self.header("--batch=pbs", "--template-dir=t", "--slurm=mem=4gb",
                                     "--slurm=distribution=pack"), ["-l mem=4gb", "-l place=pack"])

    def test_faults(self):
        self.faulty("slurm.header", "#SBATCH -x\n#SBATCH @tme@\n",
                    "t/slurm.header:2:9: error: 'tme' is no variable of this template [template]")
        self.faulty("slurm.header", "#SBATCH -x\n\nulimit -s @mem@\n",
                    "t/slurm.header:3:1: error: 'slurm.header' has a line that is no comment")
        self.faulty("slurm.header", b"#\n#\xff\n", "t/slurm.header:2: error:", "is not UTF-8")
        self.faulty("slurm.header", "#" * (1 << 20) + "\n", "cannot read 't/slurm.header'",
                    status=3)

    def test_what_cannot_be_read(self):
        self.ended(3, b"'nowhere/slurm.header'", "build", "--template-dir=nowhere", "heat.ipynb")
        self.path("t").mkdir(exist_ok=True)
        self.path("t/slurm.header").symlink_to("nowhere")
        self.ended(3, b"cannot read 't/slurm.header': No such file or directory", "build", "--template-dir=t",
                   "heat.ipynb")
        self.path("t/slurm.header").unlink()
        self.path("t/slurm.header").mkdir()
        self.ended(3, b"cannot read 't/slurm.header': Is a directory", "build", "--template-dir=t", "heat.ipynb")

    def test_variables_are_documented(self):
        page = (ROOT / "man/nbscorep-templates.7.in").read_text()
        told = set(re.findall(r"@(\w+)@", page)) - {"VERSION"}
        made = set(re.findall(r'BATCH_\w+,\s+SLICE_INIT\("(\w+)"\)', (ROOT / "src/batch/job_header.c").read_text()))
        self.assertLessEqual(made | {"select", "sbatch"}, told)


class Submit(SlurmCase):
    """With an sbatch that is none."""

    def submit(self, *arguments, status=0, **more):
        env = clean_environment(PATH=f"{self.folder}/bin:/usr/bin:/bin", **more)
        done = self.run_command(binary(), "submit", *arguments, env=env)
        self.assertEqual(done.status, status, done)
        return done

    def sbatch(self, commands="echo 42"):
        self.tool("sbatch", f'printf "%s\\n" "$@" >{self.folder}/words\n{commands}')

    def test_words(self):
        self.sbatch()
        done = self.submit("heat.ipynb", "--after=7;nb", "--", "-n", "a b")
        self.assertEqual(done.out, b"Submitted batch job 42\n")
        self.assertEqual(self.path("words").read_text().splitlines(),
                         ["--parsable", "--dependency=afterok:7", "./heat_run.sh", "-n", "a b"])

    def test_dry_run(self):
        """What it prints is a command of a shell, which does the same."""
        self.sbatch("env | grep ^NBSCOREP >variables; echo 42")
        shown = self.submit("-q", "-n", "--executed=a b's.ipynb", "heat.ipynb", "--", "$HOME").out.decode().splitlines()[-1]
        self.submit("-q", "--executed=a b's.ipynb", "heat.ipynb", "--", "$HOME")
        usual = self.path("words").read_text(), self.path("variables").read_text()
        self.path("words").unlink()
        done = self.run_command("bash", "-c", shown, env=clean_environment(PATH=f"{self.folder}/bin:/usr/bin:/bin"))
        self.assertEqual(done.status, 0, done)
        self.assertEqual((self.path("words").read_text(), self.path("variables").read_text()), usual)

    def test_cluster(self):
        self.sbatch("echo 'sbatch: welcome'; echo '42;nb'")
        self.assertEqual(self.submit("heat.ipynb").out, b"Submitted batch job 42 on cluster nb\n")
        self.assertEqual(self.submit("--parsable", "heat.ipynb").out, b"42;nb\n")

    def test_none(self):
        env = clean_environment(PATH=str(self.folder))
        done = self.run_command(binary(), "submit", "heat.ipynb", env=env)
        self.assertEqual(done.status, 3)
        self.assertTrue(done.err.endswith(b"cannot start 'sbatch': No such file or directory\n'heat_run.sh' is written: "
                                          b"run 'sbatch heat_run.sh' on a login node\n"), done)
        self.assertTrue(self.path("heat_run.sh").exists())

    def test_refusal(self):
        self.sbatch("echo 'sbatch: error: no' >&2; exit 1")
        done = self.submit("heat.ipynb", status=3)
        self.assertTrue(done.err.endswith(b"sbatch: error: no\nnbscorep: the job was not submitted: "
                                          b"sbatch ended with status 1\n"), done)
        self.sbatch("echo nothing")
        self.assertIn(b"told no job's id, but 'nothing'", self.submit("heat.ipynb", status=3).err)

    def test_bindings(self):
        """Where they are missing here, it is said before the job waits."""
        self.sbatch()
        missing = b"note: the job's Python has no Score-P bindings here"
        self.assertIn(missing + b"; without them nbscorep's recorder measures it, if nbscorep is on the job's PATH\n",
                      self.submit("heat.ipynb").err)
        self.assertIn(missing + b"; without them it ends with status 3\n",
                      self.submit("--measurement=scorep", "heat.ipynb").err)
        self.assertNotIn(b"bindings", self.submit("--measurement=none", "heat.ipynb").err)
        self.assertNotIn(b"bindings", self.submit("--set=setup=[':']", "heat.ipynb").err)

    def test_variables(self):
        """Options of `run` reach the job as variables."""
        self.sbatch(f"env | grep '^NBSCOREP_[MR]' | sort >{self.folder}/variables; echo 42")
        for options, expected in ((["--monitor", "--no-scorep"],
                                   ["NBSCOREP_MEASURE=", "NBSCOREP_MEASUREMENT=none", "NBSCOREP_MONITOR=1"]),
                                  (["--report"], ["NBSCOREP_REPORT=yes"]),
                                  (["--monitor=20ms", "--if-available"],
                                   ["NBSCOREP_MEASURE=", "NBSCOREP_MEASUREMENT=auto", "NBSCOREP_MONITOR=20ms"])):
            done = self.submit("heat.ipynb", *options)
            self.assertEqual(self.path("variables").read_text().split(), expected)
            self.assertEqual(b"bindings" in done.err, "--no-scorep" not in options, done)
            command = self.submit("-n", "heat.ipynb", *options).out.decode().splitlines()[-1]
            self.assertEqual(sorted(command.split()[:-3]), expected)
        done = self.submit("heat.ipynb", "--monitor", "--slurm=export=NONE", status=1)
        self.assertIn(b"error: export=NONE keeps the variable NBSCOREP_MONITOR=1", done.err)
        self.submit("heat.ipynb", "--monitor", "--slurm=export=ALL,X=1")

    def test_usage(self):
        self.sbatch()
        for arguments in (["--after=x"], ["--after=_1"], ["--after="], ["-o", "-"], ["b.ipynb"],
                          ["--batch=pbs"]):
            self.submit("heat.ipynb", *arguments, status=2)
        self.write("bad.ipynb", notebook("%%enable_multicellmode"))
        self.submit("bad.ipynb", status=1)
        self.assertFalse(self.path("words").exists())

    def test_folder_of_the_output(self):
        self.sbatch()
        done = self.submit("heat.ipynb", "--slurm=output=logs/%j.txt", status=1)
        self.assertIn(b"error: the folder of 'logs/%j.txt' for the job's output does not exist", done.err)
        self.assertFalse(self.path("words").exists())
        self.path("logs").mkdir()
        for output in "logs/%j.txt", "%u/x", "x-%j", f"{self.folder}/logs/x":
            self.submit("heat.ipynb", f"--slurm=output={output}")
        self.submit("heat.ipynb", f"--slurm=chdir={self.folder}", "--slurm=error=logs/x")

    def test_programs(self):
        self.sbatch()
        self.write("two.ipynb", notebook("%%start_writefile a", "1", "%%end_writefile",
                                         "%%start_writefile b", "2", "%%end_writefile"))
        done = self.submit("two.ipynb", status=2)
        self.assertIn(b"--program names the one to run", done.err)
        self.submit("--program=b", "two.ipynb")
        self.assertIn("./b_run.sh", self.path("words").read_text())

    def wait(self, *arguments, output, errors=None, first="PENDING", **more):
        """What submit --wait passes on of a job that writes the file "text" to OUTPUT when Slurm is
        asked for the third time, and nothing to ERRORS."""
        path = self.path(output)
        self.sbatch()
        self.tool("scontrol", f"""cd {self.folder}; echo >>asked
case $(wc -l <asked) in 1) state={first} ;; 2) state=RUNNING ;;
*) state=COMPLETED; $WRITE {path} <text >&2 ;; esac
echo "JobId=42 JobName=heat
   JobState=$state Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0
   StdErr={self.path(errors or output)}
   StdOut={path}"
""")
        self.write("asked", "")
        done = self.submit("--wait", *arguments, "heat.ipynb", **more)
        self.assertNotIn(b"old", done.err)
        return done.out.decode()

    def test_tasks_that_slurm_forgets_while_others_run(self):
        self.sbatch()
        self.tool("scontrol", f"""cd {self.folder}; echo >>asked
task() {{
  echo "JobId=4$1 ArrayJobId=42 ArrayTaskId=$1 JobName=heat
   JobState=$2 Reason=None Dependency=(null)
   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=$3:0
   StdOut=/dev/null
"
}}
case $(wc -l <asked) in 1 | 2) task 1 RUNNING 0; task 2 FAILED 7 ;; *) task 1 COMPLETED 0 ;; esac
""")
        self.write("asked", "")
        done = self.submit("--wait", "heat.ipynb", status=7)
        self.assertEqual(done.err.count(b"job 42_2 ended with status 7"), 1, done)

    def test_output_elsewhere_than_the_header_says(self):
        """SBATCH_OUTPUT is stronger than the header, and Slurm knows."""
        new = "new, and longer than what is in the header's file\n"
        self.write("text", new)
        for mode, write in ("truncate", "cp /dev/stdin"), ("append", "tee -a"):
            with self.subTest(mode):
                self.write("header.log", "twenty bytes of old\n")
                self.write("real.log", "an earlier run's\n")
                wait = ["--slurm=output=header.log", f"--slurm=open-mode={mode}"]
                self.assertEqual(self.wait(*wait, output="real.log", WRITE=write), new)

    def test_open_mode_of_the_environment(self):
        self.write("text", "new\n")
        self.write("o", "old\n")
        self.assertEqual(self.wait("--slurm=output=o", output="o", WRITE="tee -a",
                                   SBATCH_OPEN_MODE="append"), "new\n")

    def test_output_where_the_header_says(self):
        """Also of a job that runs when Slurm is asked first, and by another name of the file."""
        self.write("text", "new\n")
        self.path("logs").mkdir()
        self.path("link").symlink_to("logs")
        for mode, write in ("truncate", "cp /dev/stdin"), ("append", "tee -a"):
            for first in "PENDING", "RUNNING":
                with self.subTest(mode, first=first):
                    self.write("logs/o", "old\n")
                    self.write("logs/e", "old\n")
                    got = self.wait("--slurm=chdir=link", "--slurm=output=o", "--slurm=error=e",
                                    f"--slurm=open-mode={mode}", output="logs/o",
                                    errors="logs/e", first=first, WRITE=write)
                    self.assertEqual(got, "new\n")


if __name__ == "__main__":
    unittest.main()
