#!/usr/bin/env python3
"""nbscorep submit with a real Slurm: ids, the job's own status, its output, its settings."""
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cluster  # noqa: E402
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
from ending_test import wait_for  # noqa: E402
from support import DOUBLE, Case, binary, notebook  # noqa: E402

SLEEPS = "import time\nprint('sleeps', flush=True)\ntime.sleep(600)"
STRANGE = "a b \"c\" 'd' #e $HOME `f` \\g \\\\ é %% ;&|<>*?~!(){}[]"


def setUpModule():
    global slurm
    slurm = cluster.start(unittest.addModuleCleanup)


class SubmitCase(Case):
    def setUp(self):
        super().setUp()
        self.notebook("heat", "import sys\nprint(sys.argv[1:])")

    def notebook(self, name, *cells):
        self.write(f"{name}.ipynb", notebook(*cells))

    def environment(self, **more):
        return slurm.environment(**({
            "PATH": f"{self.folder}/tools:{DOUBLE}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(DOUBLE),
            "SCOREP_EXPERIMENT_DIRECTORY": str(self.path("experiment"))} | more))

    def submit(self, *arguments, status=0, env=None):
        done = self.run_command(binary(), "submit", *arguments, env=env or self.environment(),
                                timeout=cluster.JOB_TIMEOUT)
        self.assertEqual(done.status, status, done)
        return done

    def submit_id(self, *arguments):
        return self.submit("--parsable", *arguments).out.decode().strip()

    def start(self, *arguments):
        """A submit --wait that is running, and its job, which says that it sleeps."""
        process = subprocess.Popen([binary(), "submit", "--wait", "--parsable", *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.folder, env=self.environment())
        self.addCleanup(process.communicate)
        job = process.stdout.readline().decode().strip()
        self.addCleanup(slurm.end, job)
        return process, job

    def sleeping(self, *arguments):
        self.notebook("long", SLEEPS)
        process, job = self.start(*arguments, "long.ipynb")
        self.assertEqual(process.stdout.readline(), b"sleeps\n")
        return process, job

    def end(self, process):
        out, err = process.communicate(timeout=cluster.JOB_TIMEOUT)
        return process.returncode, out.decode(), err.decode()


class Ids(SubmitCase):
    def test_as_sbatch_prints_it(self):
        done = self.submit("heat.ipynb", "--", "a b", "$HOME", "--slurm", "*")
        self.assertRegex(done.out, rb"^Submitted batch job \d+\n$")
        found = slurm.end_of(done.out.decode().split()[-1])
        self.assertEqual(found["JobState"], "COMPLETED")
        self.assertEqual(slurm.output_of(found), "['a b', '$HOME', '--slurm', '*']\n")

    def test_dry_run(self):
        done = self.submit("--dry-run", "--after", "12", "--after=13_2", "--after=14;nb",
                           "heat.ipynb", "--", "a b")
        lines = done.out.decode().splitlines()
        self.assertEqual(lines[:2], ["would write heat.py", "would write heat_run.sh"])
        self.assertIn("#!/usr/bin/env bash", lines)
        self.assertEqual(lines[-1], "sbatch --parsable --dependency=afterok:12:13_2:14 ./heat_run.sh 'a b'")
        self.assertEqual(set(self.files()), {"heat.ipynb"})


class Settings(SubmitCase):
    def test_quoting(self):
        """What sbatch makes of the lines is what was meant."""
        job = self.submit_id("--slurm", f"comment={STRANGE}", "--slurm", f"job-name={STRANGE}",
                             "--slurm=hold", "heat.ipynb")
        self.addCleanup(slurm.end, job)
        told = slurm.must("scontrol", "show", "job", job)
        self.assertIn(f"   Comment={STRANGE} \n", told)
        self.assertIn(f"JobName={STRANGE}\n", told)

    def test_each_option_is_sbatchs(self):
        """sbatch takes the options of the table that are older than it."""
        text = (pathlib.Path(__file__).resolve().parents[2] / "src/batch/sbatch.def").read_text()
        old = text.partition("\n\n")[0]
        wanted = {"account", "gpus-per-task", "use-min-nodes", "exclusive", "time"}
        names = {line.split('"')[1] for line in old.splitlines() if line.startswith("SBATCH(")}
        self.assertLessEqual(wanted, names)
        unknown = [name for name in names
                   if b"unrecognized option" in slurm.command("sbatch", f"--{name}=", "--help").err]
        self.assertEqual(unknown, [])

    def test_ranks_and_job(self):
        job = self.submit_id("--ranks=2", "--slurm=time=30", "--slurm=hold", "heat.ipynb")
        self.addCleanup(slurm.end, job)
        found, = slurm.jobs(job)
        self.assertEqual((found["JobName"], found["NumTasks"], found["TimeLimit"]),
                         ("heat", "2", "00:30:00"))

    def test_ranks_without_other_settings(self):
        """Each is measured, and the job's log has the times of both."""
        self.notebook("ranks", "import os", "print('rank', os.environ['SLURM_PROCID'])")
        done = self.submit("--wait", "--ranks=2", "--all-ranks", "ranks.ipynb")
        log = done.out.decode().splitlines()
        self.assertEqual(sorted(line for line in log if line.startswith("rank")),
                         ["rank 0", "rank 1"])
        self.assertRegex(log[-2], r"^     2( +\d+\.\d{3} s){3}  [01] +print\('rank'.*\)$")
        self.assertEqual(log[-1], "2 ranks")
        for rank in 0, 1:
            self.assertTrue((self.path("experiment") / f"rank-{rank}" / "profile.cubex").exists())

    def test_sbatch_refuses(self):
        done = self.submit("--slurm=partition=nowhere", "heat.ipynb", status=3)
        self.assertIn(b"invalid partition", done.err)
        self.assertIn(b"nbscorep: the job was not submitted: sbatch ended with status 1\n",
                      done.err)
        self.assertEqual(done.out, b"")


class Waiting(SubmitCase):
    def test_status_and_output(self):
        self.notebook("heat", "import sys, time\nfor i in range(20):\n    print(i, 'x' * 5000)",
                      "sys.stdout.flush()\ntime.sleep(1)\nprint('é', file=sys.stderr)\n"
                      "sys.exit(int(sys.argv[1]))")
        text = "".join(f"{i} {'x' * 5000}\n" for i in range(20)) + "é\n"
        for status in 0, 3:
            done = self.submit("--wait", "heat.ipynb", "--", str(status), status=status)
            self.assertEqual(done.out.decode(), text)
            self.assertRegex(done.err, rb"^Submitted batch job \d+\n$")

    def test_two_streams_in_old_files(self):
        """What an earlier job left in the files is not passed on."""
        self.notebook("heat", "import sys\nprint('out', flush=True)\nprint('err', file=sys.stderr)")
        for _ in range(2):
            self.write("o", "old\n" * 1000)
            self.write("e", "old\n" * 1000)
            done = self.submit("--wait", "--slurm=output=o", "--slurm=error=e", "heat.ipynb")
            self.assertEqual(done.out, b"out\n")
            self.assertTrue(done.err.endswith(b"\nerr\n"), done)
            self.assertNotIn(b"old", done.err)
        done = self.submit("--wait", "--slurm=output=o", "--slurm=open-mode=append", "heat.ipynb")
        self.assertEqual(done.out, b"out\nerr\n")

    def test_old_file_of_a_job_that_was_fast(self):
        """It has ended before Slurm is asked for the first time."""
        self.tool("scontrol", "[ \"$SLURM_JOB_ID\" ] ||\n"
                  "  until /usr/bin/scontrol \"$@\" | grep -q JobState=COMPLETED; do\n"
                  "    sleep 0.1\n  done\nexec /usr/bin/scontrol \"$@\"", folder="tools")
        for mode in "append", "truncate":
            self.write("o", "old\n")
            done = self.submit("--wait", "--slurm=output=o", f"--slurm=open-mode={mode}",
                               "heat.ipynb")
            self.assertEqual(done.out, b"[]\n")

    def test_cancelled(self):
        process, job = self.sleeping()
        slurm.must("scancel", job)
        status, _, err = self.end(process)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertEqual(err, f"nbscorep: job {job} was cancelled (CANCELLED)\n")

    def test_cancelled_before_it_starts(self):
        process, job = self.start("--slurm=hold", "heat.ipynb")
        wait_for(lambda: slurm.jobs(job)[0]["JobState"] == "PENDING")
        slurm.must("scancel", job)
        self.assertEqual(self.end(process)[0], 128 + signal.SIGTERM)

    def test_time_limit(self):
        process, job = self.sleeping("--slurm=time=5")
        slurm.must("scontrol", "update", f"JobId={job}", "EndTime=now+1")
        status, _, err = self.end(process)
        self.assertIn(f"nbscorep: job {job} reached its time limit (TIMEOUT)\n", err)
        self.assertIn(status, (124, 128 + signal.SIGTERM))
        self.assertTrue((self.path("experiment") / "profile.cubex").exists())

    def test_interrupted(self):
        for number in signal.SIGINT, signal.SIGTERM:
            process, job = self.sleeping()
            process.send_signal(number)
            status, _, err = self.end(process)
            self.assertEqual((status, err), (128 + number, f"nbscorep: job {job} goes on; "
                                             f"'scancel {job}' ends it\n"))
            self.assertEqual(slurm.jobs(job)[0]["JobState"], "RUNNING")

    def test_interrupted_while_slurm_does_not_answer(self):
        self.tool("scontrol", '[ "$SLURM_JOB_ID" ] && exec /usr/bin/scontrol "$@"\n'
                  'echo $$ >"$NB_ASKED.new" && mv "$NB_ASKED.new" "$NB_ASKED"\n'
                  "exec sleep 1000", folder="tools")
        self.notebook("long", SLEEPS)
        for number in signal.SIGTERM, signal.SIGKILL:
            asked = self.path(f"asked-{number}")
            process = subprocess.Popen([binary(), "submit", "--wait", "--parsable", "long.ipynb"],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                       cwd=self.folder, env=self.environment(NB_ASKED=str(asked)))
            job = process.stdout.readline().decode().strip()
            self.addCleanup(slurm.end, job)
            wait_for(asked.exists)
            process.send_signal(number)
            status, _, err = self.end(process)
            if number == signal.SIGTERM:
                self.assertEqual((status, err), (128 + number, f"nbscorep: job {job} goes on; "
                                                 f"'scancel {job}' ends it\n"))
            self.assert_gone(int(asked.read_text()))

    def test_reader_is_gone(self):
        self.notebook("heat", "import time\nfor i in range(600):\n    print(i, flush=True)\n"
                              "    time.sleep(.1)")
        process, job = self.start("heat.ipynb")
        process.stdout.close()
        process.wait(timeout=cluster.JOB_TIMEOUT)
        err = process.stderr.read().decode()
        self.assertEqual(process.returncode, 3)
        self.assertIn(f"cannot write the job's output: Broken pipe; job {job} goes on", err)

    def test_array(self):
        self.notebook("heat", "import os, sys",
                      "sys.exit(int(os.environ['SLURM_ARRAY_TASK_ID']) % 3)")
        # Its tasks run side by side, and would move each other's experiment directory away.
        done = self.submit("--wait", "--slurm=array=3-6", "heat.ipynb", status=2,
                           env=self.environment(SCOREP_EXPERIMENT_DIRECTORY=None))
        self.assertEqual(done.out, b"")
        self.assertEqual(sorted(line.split(b"_")[1] for line in done.err.splitlines()[1:]),
                         [b"4 ended with status 1", b"5 ended with status 2"])


class After(SubmitCase):
    def test_order(self):
        first = self.submit_id("--slurm=hold", "heat.ipynb")
        self.notebook("other", "x = 1")
        second = self.submit_id("--after", first, "other.ipynb")
        self.assertIn(f"afterok:{first}", slurm.jobs(second)[0]["Dependency"])
        slurm.must("scontrol", "release", first)
        slurm.wait_for(second, "COMPLETED")

    def test_with_the_headers(self):
        first, other = (self.submit_id("--slurm=hold", "heat.ipynb") for _ in range(2))
        job = self.submit_id(f"--slurm=dependency=afterany:{other}", "--after", first, "heat.ipynb")
        self.addCleanup(slurm.end, first, other, job)
        told = slurm.jobs(job)[0]["Dependency"]
        self.assertIn(f"afterany:{other}", told)
        self.assertIn(f"afterok:{first}", told)

    def test_never(self):
        self.notebook("bad", "raise SystemExit(1)")
        first = self.submit_id("bad.ipynb")
        slurm.wait_for(first, "FAILED")
        process, job = self.start("--after", first, "heat.ipynb")
        status, _, err = self.end(process)
        self.assertEqual(status, 3)
        self.assertIn(f"job {job} never starts", err)

    def test_not_yet(self):
        process, job = self.start("--slurm=hold", "heat.ipynb")
        self.assertEqual(process.stderr.readline().decode(),
                         f"nbscorep: job {job} does not start yet: JobHeldUser\n")
        slurm.must("scontrol", "release", job)
        self.assertEqual(self.end(process), (0, "[]\n", ""))


class Hiccups(SubmitCase):
    """A scontrol that does not always answer."""

    def scontrol(self, text):
        real = shlex.quote(slurm.must("which", "scontrol").strip())
        self.tool("scontrol", f"echo >>{self.folder}/asked\nn=$(wc -l <{self.folder}/asked)\n"
                              f"{text}\nexec {real} \"$@\"", folder="tools")

    def test_silence(self):
        self.scontrol('if [ $n -le 3 ]; then echo "slurm_load_jobs error: Unable to contact slurm'
                      ' controller (connect failure)" >&2; exit 1; fi')
        done = self.submit("--wait", "heat.ipynb", "--", "x")
        self.assertEqual(done.out, b"['x']\n")
        self.assertEqual(done.err.count(b"does not answer"), 1)

    def test_output_that_cannot_be_seen(self):
        """As where the job's node has another file system."""
        real = shlex.quote(slurm.must("which", "scontrol").strip())
        elsewhere = (f"told=$({real} \"$@\" | sed 's:StdOut=[^ ]*:StdOut=/nowhere/a.out:')\n"
                     "printf '%s\\n' \"$told\"")
        self.scontrol(f"{elsewhere}; exit")
        done = self.submit("--wait", "heat.ipynb")
        self.assertEqual(done.err.splitlines()[-1], b"nbscorep: the job's output cannot be seen "
                                                    b"here: '/nowhere/a.out'")
        self.scontrol("if [ -e seen ]; then echo 'slurm_load_jobs error: Invalid job id specified'"
                      f" >&2; exit 1; fi\n{elsewhere}\n"
                      # The job's own question does not count.
                      "case ${SLURM_JOB_ID-}$told in JobId=*JobState=RUNNING*) touch seen ;; esac\n"
                      "exit")
        self.notebook("long", "import os\nwhile not os.path.exists('seen'): pass")
        done = self.submit("--wait", "long.ipynb", status=3)
        self.assertIn(b"how it ended is not known", done.err)
        self.assertNotIn(b"cannot be seen", done.err)

    def test_forgotten(self):
        self.scontrol('echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1')
        done = self.submit("--wait", "heat.ipynb", status=3)
        self.assertRegex(done.err, rb"Slurm knows job \d+ no longer; it was never seen, and how it "
                                   rb"ended is not known\n'sacct --jobs=\d+' may know it\n$")


if __name__ == "__main__":
    unittest.main()
