"""Runs a file of unittest cases and counts them."""
import importlib.util
import sys
import unittest


class Result(unittest.TextTestResult):
    """Counts each test once, however many of its subtests fail or are skipped."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.passed, self.bad, self.left_out = 0, set(), {}

    @staticmethod
    def key(test):
        return getattr(test, "test_case", test).id()

    def addSuccess(self, test):  # noqa: N802, unittest's name
        super().addSuccess(test)
        self.passed += 1

    def addFailure(self, test, err):  # noqa: N802
        super().addFailure(test, err)
        self.bad.add(self.key(test))

    def addError(self, test, err):  # noqa: N802
        super().addError(test, err)
        self.bad.add(self.key(test))

    def addSubTest(self, test, subtest, err):  # noqa: N802
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.bad.add(self.key(test))

    def addUnexpectedSuccess(self, test):  # noqa: N802
        super().addUnexpectedSuccess(test)
        self.bad.add(self.key(test))

    def addSkip(self, test, reason):  # noqa: N802
        super().addSkip(test, reason)
        self.left_out[self.key(test)] = reason

    def counts(self):
        """Numbers of tests that passed and failed, and why others were skipped."""
        return self.passed, len(self.bad), [f"{key}: {reason}" for key, reason
                                            in self.left_out.items() if key not in self.bad]


def run(path, arguments):
    """Result.counts() of the cases in the file PATH, run as if it was the program."""
    sys.argv = [str(path), *arguments]
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    runner = unittest.TextTestRunner(resultclass=Result)
    return unittest.main(module=module, testRunner=runner, exit=False).result.counts()
