"""--help of a script that takes parameters."""
import os
import re

from . import messages


def print_parameters(script, text):
    """Prints the parameters in the TEXT of the script and the lines that set them. False if it takes none."""
    found = re.search(r"^scorep_notebook\.take_parameters\((.*)\)", text, re.MULTILINE)
    if found is None:
        return False
    print(f"parameters of {messages.shown(os.path.basename(script))}, for -p NAME=VALUE or -f FILE:")
    cell = text.partition("\n# %% injected parameters\n")[0].rpartition("\n# %% ")[2]
    for name in re.findall(r'"(\w+)"', found[1]):
        line = re.search(rf"^ *({name} *(?::[^=\n]+)?=(?!=).*)", cell, re.MULTILINE)
        print("  " + messages.shown(line[1].rstrip() if line else name))
    return True
