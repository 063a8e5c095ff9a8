#!/usr/bin/env python3
"""The memory that Score-P gets, and what is said when traces did not fit into it. Under the double."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from ending_test import measured  # noqa: E402
from runtime_test import RUN_SCRIPT, RuntimeCase  # noqa: E402


class Memory(RuntimeCase):
    def test_many_call_paths_fit(self):
        """As many as large packages have: more than fit into Score-P's own default."""
        self.make(measured("for i in range(30000):\n    exec('def f(): pass', here := {'__name__': f'm{i}'})\n"
                           "    here['f']()\nprint('done')"))
        for way in self.ways():
            with self.subTest(way):
                done = self.run_way(way)
                self.assertEqual((done.status, done.out), (0, b"done\n"), done)

    def test_users_value(self):
        """Of the environment, and of the notebook before that."""
        self.make("import os\nprint(os.environ['SCOREP_TOTAL_MEMORY'])")
        for way in self.ways():
            self.assertEqual(self.run_way(way).out, b"512M\n")
            self.assertEqual(self.run_way(way, SCOREP_TOTAL_MEMORY="2G").out, b"2G\n")
            self.assertEqual(self.run_way(way, SCOREP_TOTAL_MEMORY="").out, b"512M\n")
        self.make("%env SCOREP_TOTAL_MEMORY=64M\nimport os\n"
                  "print(os.environ['SCOREP_TOTAL_MEMORY'])")
        for way in self.ways():
            self.assertEqual(self.run_way(way, SCOREP_TOTAL_MEMORY="2G").out[-4:], b"64M\n")

    FLUSHES = "def f(): pass\nfor i in range(60000): f()"
    ADVICE = b"which did not fit into SCOREP_TOTAL_MEMORY=%s; set it to %s\n"

    def test_trace_that_is_flushed(self):
        """Score-P says so each time; the value that is enough is there once."""
        self.make(measured(self.FLUSHES))
        for way in self.ways()[:2]:
            for size, enough in (b"300k", b"64M"), (b"65535k", None), (b"16384000b", None):
                with self.subTest((way, size)):
                    done = self.run_way(way, SCOREP_TOTAL_MEMORY=size.decode(),
                                        SCOREP_ENABLE_TRACING="true")
                    self.assertEqual(done.status, 0, done)
                    self.assertEqual(done.err.count(b"Trace buffer flush") > 1, enough is not None)
                    self.assertEqual(done.err.count(b"did not fit"), 1 if enough else 0, done)
                    if enough:
                        self.assertEqual(done.err.count(self.ADVICE % (size, enough)), 1, done)

    def test_value_is_enough(self):
        """What was written and what the memory holds, in steps of 64M."""
        self.make(measured("import os\nos.makedirs(os.environ['SCOREP_EXPERIMENT_DIRECTORY'] + "
                           "'/traces')\nfor name, size in ('0', 100), ('4294967296', 60), "
                           "('1', 70), ('x', 900):\n    with open(os.environ["
                           "'SCOREP_EXPERIMENT_DIRECTORY'] + f'/traces/{name}.evt', 'wb') as f:\n"
                           "        f.truncate(size << 20)"))
        for size, enough in (b"16M", b"192M"), (b"33M", b"256M"), (b"2G", b"2240M"):
            done = self.run_way(RUN_SCRIPT, SCOREP_TOTAL_MEMORY=size.decode())
            self.assertIn(self.ADVICE % (size, enough), done.err)
        done = self.run_way(RUN_SCRIPT, SCOREP_TOTAL_MEMORY="4000M")
        self.assertIn(b"SCOREP_TOTAL_MEMORY=4000M; record less: at most 4095M are possible\n", done.err)

    def test_file_without_events(self):
        self.make(measured("import os\nos.makedirs(os.environ['SCOREP_EXPERIMENT_DIRECTORY'] + '/traces')\n"
                           "with open(os.environ['SCOREP_EXPERIMENT_DIRECTORY'] + '/traces/0.evt', 'wb') as f:\n"
                           "    f.truncate(67)"))
        self.assertNotIn(b"did not fit", self.run_way(RUN_SCRIPT, SCOREP_TOTAL_MEMORY="16M").err)

    def test_trace_of_a_script_that_fails(self):
        self.make(measured(self.FLUSHES), "raise ValueError")
        done = self.run_way(RUN_SCRIPT, SCOREP_TOTAL_MEMORY="300k", SCOREP_ENABLE_TRACING="true")
        self.assertEqual((done.status, done.err.count(self.ADVICE % (b"300k", b"64M"))), (1, 1), done)

    def test_trace_of_a_script_that_is_ended(self):
        """Score-P has written all by then, so nothing is known of earlier flushes."""
        self.make(measured("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"))
        done = self.run_way(RUN_SCRIPT, SCOREP_ENABLE_TRACING="true")
        self.assertEqual((done.status, done.err.count(b"did not fit")), (143, 0), done)


if __name__ == "__main__":
    unittest.main()
