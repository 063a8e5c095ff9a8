#!/usr/bin/env python3
"""Types the commands of README's ```console blocks one by one, and compares what they print.

    story.py --build BUILD          in a temporary folder, with the nbscorep of BUILD and without ./tools/quickstart
    story.py --shell 'COMMAND'      all of them in the shell that COMMAND starts in a checkout; fresh.sh does so

In README "..." is any text, or any lines if it is alone. All numbers and names of packages are alike.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETUP = "./tools/quickstart"
TIMEOUT = 1500
MARK = "@@ %d"


def blocks(language):
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```$", (ROOT / "README.md").read_text())


def commands():
    """(command, what it prints) of each prompt. A command with a here-document has several lines."""
    for block in blocks("console"):
        for text in re.split(r"(?m)^\$ ", block)[1:]:
            lines = text.splitlines()
            here = re.search(r"<<'(\w+)'", lines[0])
            count = lines.index(here[1]) + 1 if here else 1
            yield "\n".join(lines[:count]), lines[count:]


def normal(line):
    line = re.sub(r"[; ]+open (elsewhere )?with: .*", "", line.rstrip())  # which viewers are installed
    line = re.sub(r"scorep_notebook_\w+", "scorep_notebook", line)
    return re.sub(r" +", " ", re.sub(r"\d+(\.\d+)?(e-\d+)?", "#", line))


def matches(wanted, lines):
    pattern = "".join("(?:.*\n)*?" if line == "..." else
                      ".*?".join(map(re.escape, normal(line).split("..."))) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(normal(line) + "\n" for line in lines))


def outputs(words, typed, **more):
    """What each command prints, in one shell."""
    script = "".join(f"echo '{MARK % i}'\n{command}\n" for i, command in enumerate(typed))
    done = subprocess.run(words, input=script + f"echo '{MARK % len(typed)}'\n", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, **more)
    found = re.split(r"(?m)^@@ \d+\n", done.stdout)[1:]
    if len(found) != len(typed) + 1:
        sys.exit(f"the shell has ended early:\n{done.stdout[-3000:]}")
    return [text.splitlines() for text in found]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build")
    parser.add_argument("--shell")
    given = parser.parse_args()
    story = list(commands())
    with tempfile.TemporaryDirectory(prefix="nbscorep-test-readme-") as top:
        words, environment = ["bash"], {"PATH": "/usr/bin:/bin", "HOME": top, "LANG": "C.UTF-8"}
        if given.shell:
            words = ["bash", "-c", given.shell]
        else:
            story = [each for each in story if each[0] != SETUP]
            folder = pathlib.Path(top, "build/quickstart")
            folder.mkdir(parents=True)
            (folder.parent / "release").symlink_to(pathlib.Path(given.build).resolve())
            shutil.copy(ROOT / "fixtures/examples/heat/notebook.ipynb", folder / "heat.ipynb")
        typed = [command for command, _ in story] + ["cat heat.py"]
        found = outputs(words, typed, cwd=top, env=environment if given.build else None)
    failed = [f"$ {command}\n" + "\n".join(lines) for (command, wanted), lines in zip(story, found)
              if not matches(wanted, lines)]
    failed += [f"not in heat.py:\n{block}" for block in blocks("python") if block not in "\n".join(found[-2]) + "\n"]
    print("\n\n".join(failed) or f"{len(story)} commands print what README shows")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
