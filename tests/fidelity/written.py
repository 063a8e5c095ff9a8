"""Notebooks written as text: a line "# %%", with the cell's tags after it, begins each cell; a blank line ends it."""
import json

METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"}}


def cells_of(path):
    """Pairs of tags and source of the cells in the file at PATH."""
    with open(path, encoding="utf-8", newline="") as file:
        parts = file.read().removesuffix("\n").split("\n\n# %%")
    for part in parts:
        head, _, source = part.removeprefix("# %%").partition("\n")
        yield head.split(), source


def notebook_of(path):
    """The JSON text of the notebook in the file at PATH."""
    cells = [{"cell_type": "code", "execution_count": None, "id": f"c{number}", "metadata": {"tags": tags} if tags else {},
              "outputs": [], "source": source.splitlines(True)} for number, (tags, source) in enumerate(cells_of(path), 1)]
    return json.dumps({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}, indent=1)
