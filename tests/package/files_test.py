"""%%writefile and %pycat do what they do in Jupyter."""
import unittest

import kernel


class WritefileTest(kernel.Case):
    def files(self, folder):
        (folder / "sub").mkdir()

    def test_names_and_texts(self):
        show = "import pathlib\nprint([f.read_text() for f in sorted(pathlib.Path().glob('*.*'))])"
        self.compare([
            "%%writefile a.txt\none", "%%writefile -a a.txt\ntwo", "%%writefile a.txt --app\n3\n\n",
            "%%file 'b c.txt'\né", '%%writefile "d e.txt"\n  x', "%%writefile ~/f.txt\nx",
            "name = 'my file'", "%%writefile $name\nx", '%%writefile "{name}.txt"\nx {name} $name',
            "%%writefile g h\nx", "%%writefile\nx", "%%writefile -z i\nx", "%%writefile no/j\nx",
            "%%writefile k\\ l.txt\nx", "%%writefile 'm'n.txt\nx",
            "%%writefile sub\nx", "%%writefile empty.txt", "%%writefile -a new.txt\nx", show,
            "pathlib.Path('home/f.txt').read_bytes(), pathlib.Path('b c.txt').read_bytes()",
            "%%writefile a.txt\nagain", "pathlib.Path('a.txt').read_text()"])

    def test_encoding_does_not_depend_on_the_locale(self):
        cells = ["%%writefile a.txt\né", "open('a.txt', 'rb').read()"]
        results = self.in_script(cells, LC_ALL="C", PYTHONUTF8="0",
                                 PYTHONCOERCECLOCALE="0")
        self.assertEqual(results[1], ("b'\\xc3\\xa9\\n'\n", ""))


class PycatTest(kernel.Case):
    def files(self, folder):
        (folder / "sub").mkdir()
        (folder / "program.py").write_text("x = 'é'\n", encoding="utf-8")
        (folder / "latin").write_bytes(b"#\n\n# \xe9")
        (folder / "named.py").write_bytes(b"# coding: cp1252\n'\x80'\n")

    def test_messages(self):
        self.compare(["%pycat nope", "%pycat sub", "number = 1", "%pycat number"])

    def test_texts(self):
        # A notebook's pager leaves no output, so there is nothing to compare with.
        cells = ["%pycat program", "%pycat program.py", "%pycat latin", "%pycat named",
                 "text = 'a\\n'\n%pycat text", "name = 'program'\n%pycat $name",
                 "%pycat ~/../latin"]
        self.assertEqual(self.in_script(cells), [
            ("x = 'é'\n", "")] * 2 + [("#\n\n# é\n", ""), ("# coding: cp1252\n'€'\n", ""),
                                      ("a\n", ""), ("x = 'é'\n", ""), ("#\n\n# é\n", "")])


if __name__ == "__main__":
    unittest.main()
