"""What the process had when the script began, before a cell could change it."""
import os
import sys


class start:
    displayhook = sys.displayhook
    folder = ""  # the current one; empty if it has been removed


def note_folder():
    """Notes the current folder, which the script can change later."""
    try:
        start.folder = os.getcwd()
    except FileNotFoundError:
        pass
