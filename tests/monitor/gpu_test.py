#!/usr/bin/env python3
"""nbscorep monitor with GPUs, which a double of NVML plays (nvml_script.h): samples and reports."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import samples_reader as samples  # noqa: E402  pylint: disable=wrong-import-position
from support import Case, binary, clean_environment, notebook, setting  # noqa: E402

DOUBLE = setting("NBSCOREP_NVML_FOLDER")
LOAD = setting("NBSCOREP_LOAD")
HAS_GPU = os.path.exists("/dev/nvidiactl")
GB = 1 << 30
A = "gpu name=Double-A total=4294967296 used=1073741824 util=50 band=20 power=70000"
B = "gpu name=Double-B total=4294967296 used=2147483648 util=90 band=60 power=90000"


class Gpus(Case):
    def environment(self, script, folder=DOUBLE, **more):
        """The library is found as the driver's is; sanitizers of the double's user are its own."""
        more = {"SLURM_JOB_GPUS": None, "LD_LIBRARY_PATH": folder} | more
        return clean_environment(NBSCOREP_NVML_DOUBLE=script, **more)

    def monitor(self, script, *command, **more):
        done = self.run_command(binary(), "monitor", "-q", "--force", "-o", "x.samples",
                                "--interval=100ms", "--", *command,
                                env=self.environment(script, **more))
        self.assertEqual((done.status, done.err), (0, b""), done)
        return samples.read(self.path("x.samples"))

    def report(self, *options):
        done = self.nbscorep("report", *options, "x.samples")
        self.assertEqual((done.status, done.err), (0, b""), done)
        return done.out.decode()

    def test_samples(self):
        found = self.monitor(f"{A}\n{B}", LOAD, "wait", "700")
        gpu = found.group("gpu")
        self.assertGreater(len(gpu.rows), 3)
        for metric, values in {"gpu_util": (50, 90), "gpu_band": (20, 60), "gpu_mem": (GB, 2 * GB),
                               "gpu_power": (70000, 90000)}.items():
            for instance, value in enumerate(values):
                self.assertEqual(set(gpu.of(metric, instance)), {value}, metric)
        self.assertEqual(found.notes, [])
        text = self.report()
        self.assertIn("GPU Util (Across 2 GPUs)  70.00    70.00    70.00    -\n"
                      "GPU Memory (GB)           0.00     0.00     0.00     8.00\n", text)
        self.assertNotIn("Note:", text)

    def test_memory_that_the_program_holds(self):
        """All of its processes together, on each GPU, and not that of others."""
        process = subprocess.Popen(["sh", "-c", f"{LOAD} wait 500 & echo $!; wait"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        child = process.stdout.readline().strip()
        script = "\n".join((A, B, f"process 0 compute {child} 40", f"process 1 compute {process.pid} 300",
                            f"process 1 compute {child} 5", "process 1 graphics 1 200"))
        done = self.run_command(binary(), "monitor", "-q", "-o", "x.samples", "--interval=50ms",
                                f"--attach={process.pid}", env=self.environment(script))
        self.assertEqual((done.status, done.err), (0, b""), done)
        held = samples.read(self.path("x.samples")).group("process.gpu")
        self.assertEqual(held.of("gpu_process_mem", 0)[0], 40)
        self.assertEqual(held.of("gpu_process_mem", 1)[0], 305)

    def test_gpu_that_is_lost(self):
        """No GPU is sampled from then on."""
        found = self.monitor(f"{A}\n{B}\nfail utilization 1 4+ 15", LOAD, "wait", "1200")
        self.assertEqual(len(found.group("gpu").times), 2)
        self.assertEqual(found.notes, ["GPU 1 was lost: GPU is lost; GPUs are no longer sampled"])

    def test_cells(self):
        self.write("a.ipynb", notebook("import time", "time.sleep(.3)", "time.sleep(.3)"))
        done = self.run_command(
            binary(), "run", "--no-scorep", "-q", "--monitor=50ms", "a.ipynb",
            env=self.environment(f"{A} ", PYTHON=sys.executable))
        self.assertEqual((done.status, done.err), (0, b""), done)
        done = self.nbscorep("report", "--format=json", "a.samples")
        for cell in json.loads(done.out)["cells"]:
            self.assertEqual(cell["levels"]["process"]["gauges"]["gpu_util"]["mean"], 50)

    def test_note_where_a_gpu_was_asked_for(self):
        """And none where nobody has asked, and the node has none."""
        broken = f"{A}\nfail init 0 1+ 9"
        note = "no GPU is sampled: NVML: Driver Not Loaded"
        for variables, notes in (({"SLURM_JOB_GPUS": "0,1"}, [note]), ({}, [])):
            if notes or not HAS_GPU:
                self.assertEqual(self.monitor(broken, "true", **variables).notes, notes, variables)

    @unittest.skipIf(HAS_GPU, "needs a node without NVIDIA's driver")
    def test_node_without_the_library(self):
        self.assertEqual(self.monitor("", "true", folder=None).notes, [])
        note, = self.monitor("", "true", folder=None, SLURM_JOB_GPUS="0").notes
        self.assertRegex(note, r"^no GPU is sampled: libnvidia-ml\.so\.1: ")


if __name__ == "__main__":
    unittest.main()
