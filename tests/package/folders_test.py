"""%cd and what goes with it do what they do in Jupyter."""
import os
import subprocess
import unittest

import kernel
import scripts


class FoldersTest(kernel.Case):
    def files(self, folder):
        for name in "sub", "a b", "sub/deep":
            (folder / name).mkdir()
        (folder / "sub" / "beside.py").write_text("print('beside')\n")

    def test_cd(self):
        self.compare([
            "%cd sub", "%cd ..  ", "%cd -q sub", "%pwd", "%cd ..", "%cd nope\nprint('goes on')",
            "%cd -q nope", '%cd "a b"', "%cd ../a b", "%cd ..", "%cd -", "%cd -0", "%cd -1",
            "%cd -99", "x = %cd sub\nprint(x)", "%cd", "%cd ~", "%cd -q", "%cd -0", "where = 'sub'",
            "%cd $where", "%cd -0", "%cd {where}/deep", "%cd $NOWHERE", "%cd -b mark",
            "%cd -x sub", "%cd 'open", "%pwd"])

    def test_parts_of_folders_visited(self):
        # IPython 8.5 stops here with a TypeError, as the history holds paths; 8.6 does not.
        results = self.in_script(["%cd sub", "%cd deep", "%cd --su", "%cd --dee", "%cd --b/de",
                                  "%cd --none"])
        self.assertEqual([out for out, _ in results[2:]], [
            "FOLDER/sub\n", "FOLDER/sub/deep\n", "FOLDER/sub/deep\n",
            "No matching entry in directory history\n"])

    def test_stack(self):
        self.compare(["%cd -", "%dirs", "%dhist", "%pushd sub", "%pushd ~", "x = %pushd\nx", "%dirs", "%popd", "%popd",
                      "%pwd", "%popd", "%popd", "%pushd nope", "%pushd", "%cd sub", "%dhist", "%pushd ..", "%dhist"])

    def test_parts_of_the_history(self):
        # IPython 8.5 stops here with a TypeError; this is what its manual says.
        cells = ["%cd sub", "%cd deep", "%dhist 2", "%dhist 0 1", "%dhist 9", "%dhist x"]
        head = "Directory history (kept in _dh)\n"
        last = "1: FOLDER/sub\n2: FOLDER/sub/deep\n"
        results = self.in_script(cells)[2:]
        self.assertEqual([out for out, _ in results],
                         [head + last, head + "0: FOLDER\n", head + "0: FOLDER\n" + last, ""])
        self.assertIn("UsageError", results[-1][1])

    # A script looks where it lies, not where it is: python -c, which runs these, does not.
    BEGINS = ("import sys\nsys.path.remove('')\n"
              "from scorep_notebook_test.adjustments import search_here\nsearch_here()")

    def test_imports_follow_the_folder(self):
        cells = [self.BEGINS, "%cd -q sub", "import beside"]
        self.assertEqual(self.in_script(cells)[2], ("beside\n", ""))

    def test_pythons_own_modules_come_first(self):
        cells = ["open('sub/calendar.py', 'w').close()", self.BEGINS, "%cd -q sub",
                 "import calendar\nhasattr(calendar, 'monthrange')"]
        self.assertEqual(self.in_script(cells)[3], ("True\n", ""))

    def test_folder_that_is_gone(self):
        self.compare(["import os\n%cd -q sub/deep\nos.rmdir(os.getcwd())", "%pwd", "%cd ~"])

    def test_start_in_a_folder_that_is_gone(self):
        folder = self.folder() / "sub" / "deep"
        script = "scorep_notebook.cd('/')\n"
        command = 'rmdir "$PWD" && exec "$@"'
        done = subprocess.run(["/bin/sh", "-c", command, "sh", os.sys.executable, "-c",
                               scripts.head() + script],
                              cwd=folder, env=scripts.environment(),
                              capture_output=True, encoding="utf-8", check=False)
        self.assertEqual((done.returncode, done.stdout), (0, "/\n"), done.stderr)


if __name__ == "__main__":
    unittest.main()
