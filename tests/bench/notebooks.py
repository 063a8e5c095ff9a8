#!/usr/bin/env python3
"""Notebooks for benchmarks, as Jupyter writes them: one-space indentation, sorted keys.

    notebooks.py SHAPE BYTES FILE [SEED]

The same arguments give the same bytes. Shapes: a key of MIXES, or `code`, whose BYTES are cells.
Big files are written piece by piece, from a pool of outputs of which they take many times.
"""
import base64
import itertools
import json
import pathlib
import random
import sys

# Shares of the bytes that outputs have. `heavy` is what fills notebooks of hundreds of MB: figures
# as base64 first, then SVG, tables, logs, plotly's numbers and widgets. What they come to was
# compared with 1445 public notebooks (percent of all bytes; medians there):
#                              strings  white space between  strings over 1 kB  escapes
#     public ones of 8-20 kB        77                   18                  0      1.2
#     small                         73                   21                  0      1.6
#     public ones over 60 kB        93                    6                 63      1.7
#     typical                       89                    8                 61      1.7
#     heavy                         87                    7                 61      1.3
MIXES = {
    "small": {"line": 1.0},
    "typical": {"figure": .6, "svg": .11, "table": .12, "log": .09, "escaped": .04, "foreign": .02,
                "plotly": .02},
    "heavy": {"png": .5, "svg": .12, "table": .12, "log": .09, "foreign": .04, "plotly": .04,
              "plotly-line": .03, "escaped": .03, "widget": .03},
}
MIXES.update({kind: {kind: 1.0} for kind in (
    "png", "svg", "table", "log", "foreign", "escaped", "plotly", "plotly-line", "space", "deep")})
CELLS = {"small": 12, "typical": 40}  # code cells; the code of others does not grow with them
OTHER_CELLS = 60
POOL_BYTES = 24_000_000
CODE = [
    "import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt\nfrom pathlib import Path\n\nn{0} = {0}",
    "x{0} = np.linspace(0, {0}, 400)\ny{0} = np.sin(x{0}) * 0.5  # a wave\ny{0}.mean()",
    "def step{0}(u, dt=0.1):\n    \"\"\"One step of the scheme.\"\"\"\n    v = u.copy()\n"
    "    for i in range(1, len(u) - 1):\n"
    "        v[i] = u[i] + dt * (u[i - 1] - 2 * u[i] + u[i + 1])\n    return v",
    "fig, ax = plt.subplots(figsize=(8, 4))\nax.plot(range(9), range(9), label=\"run {0}\")\n"
    "ax.set_xlabel('time in µs')\nax.legend();",
    "for epoch in range({0}):\n    loss = epoch ** 2 / 3\n    if epoch % 10 == 0:\n"
    "        print(f\"epoch {{epoch:4d}} loss {{loss:.4f}}\")",
    "df = pd.read_csv(\"data/part-{0}.csv\")\ndf.groupby(\"s\").agg({{\"value\": [\"mean\", \"std\"]}})",
    "class Model{0}:\n    def __init__(self, size):\n        self.size = size\n\n"
    "    def fit(self, data):\n        return [d * self.size for d in data]",
    "# Nothing to see here\nresult = {{\n    \"case\": {0},\n    \"path\": r\"C:\\new\\{0}\",\n}}\n"
    "result",
]
PROSE = "## Part {0}\n\nIt is *stable* if $r \\le 1/2$; see [more](https://example.org/{0})."
WORDS = ("loss accuracy step worker node rank solver residual iteration converged GPU memory MiB "
         "elapsed batch epoch val_loss lr checkpoint").split()
FOREIGN = ["шаг решения сошёлся за", "反復が収束しました 残差", "计算完成 用时", "█████████▏  ", "├── données",
           "😀 ✓ réussi", "Größe der Matrix", "σ² ≈ ∑ᵢ xᵢ"]


def fraction(rng, low, high):
    return low + int(rng.random() * (high - low))


def as_list(text):
    """A text as nbformat splits it."""
    return text.splitlines(keepends=True)


def words(rng, names, count):
    return " ".join(names[int(rng.random() * len(names))] for _ in range(count))


def data(bundle):
    return {"data": bundle, "metadata": {}, "output_type": "display_data"}


def stream(lines):
    return {"name": "stdout", "output_type": "stream", "text": as_list("\n".join(lines) + "\n")}


def png(rng, low=15_000, high=300_000):
    size = fraction(rng, low, high)
    text = base64.b64encode(rng.getrandbits(8 * size).to_bytes(size, "little")).decode()
    return data({"image/png": text + "\n", "text/plain": ["<Figure size 640x480 with 1 Axes>"]})


def svg(rng):
    path = " ".join(f"L {100 * rng.random():.6f} {100 * rng.random():.6f}"
                    for _ in range(fraction(rng, 50, 800)))
    lines = ["<?xml version=\"1.0\" encoding=\"utf-8\" standalone=\"no\"?>"]
    lines += [f"  <g id=\"line2d_{i}\">\n   <path clip-path=\"url(#p{i})\" d=\"{part}\"/>\n  </g>"
              for i, part in enumerate(path.split("00 "))]
    return data({"image/svg+xml": as_list("\n".join(lines)), "text/plain": ["<Figure>"]})


def table(rng):
    row = "    <tr style=\"text-align: right;\">\n      <th>{}</th>\n{}    </tr>"
    cell = "      <td>{:.6f}</td>\n"
    rows = [row.format(i, "".join(cell.format(rng.random()) for _ in range(6))) for i in range(fraction(rng, 20, 60))]
    html = ("<div>\n<table border=\"1\" class=\"dataframe\">\n  <tbody>\n{}\n  </tbody>\n</table>\n"
            "</div>")
    plain = "\n".join(f"{i}  " + "  ".join(f"{rng.random():.6f}" for _ in range(6)) for i in range(len(rows)))
    return data({"text/html": as_list(html.format("\n".join(rows))), "text/plain": as_list(plain)})


def line(rng):
    return stream([words(rng, WORDS, 6) for _ in range(fraction(rng, 1, 8))])


def log(rng):
    return stream([f"[{i:5d}] {words(rng, WORDS, 9)} {rng.random():.8f}" for i in range(fraction(rng, 20, 600))])


def foreign(rng):
    return stream([f"{words(rng, FOREIGN, 4)} {i}" for i in range(fraction(rng, 10, 150))])


def escaped(rng):
    """A page that carries its own data and scripts: quotes, backslashes, tabs."""
    rows = [json.dumps({"n": words(rng, WORDS, 2), "v": fraction(rng, 0, 999), "s": "a\tb\\n"})
            for _ in range(fraction(rng, 50, 500))]
    return data({"text/html": ["<script>var rows = [" + ",\n\t".join(rows) + "];</script>"]})


def chart(x, y):
    return data({"application/vnd.plotly.v1+json": {
        "config": {"plotlyServerURL": "https://plot.ly"}, "layout": {"title": {"text": "Runs"}},
        "data": [{"mode": "lines", "type": "scatter", "x": x, "y": y}]}})


def plotly(rng):
    count = fraction(rng, 100, 1500)
    return chart(list(range(count)), [round(1000 * rng.random(), 9) for _ in range(count)])


def raw(output, text):
    """Puts `text`, which json.dumps would not write in this way, for each "raw" in an output."""
    return json.dumps(output, indent=1, sort_keys=True).replace('"raw"', text)


def plotly_line(rng):
    numbers = [rng.random() - .5 for _ in range(fraction(rng, 200, 5000))]
    return raw(chart("raw", "raw"), json.dumps(numbers))


def space(rng):
    items = [" " * fraction(rng, 10, 200) + "0" for _ in range(1000)]
    return raw(data({"application/json": "raw"}), "[\n" + ",\n".join(items) + "\n]")


def deep(rng):
    """Brackets and braces 50 levels deep, without any white space."""
    lists = "[" * 50 + "1" + "]" * 50
    objects = '{"a":' * 50 + "[]" + "}" * 50
    items = [lists, objects] * fraction(rng, 20, 100)
    return raw(data({"application/json": "raw"}), "[" + ",".join(items) + "]")


def widget(rng):
    return {"model_module": "@jupyter-widgets/controls", "model_module_version": "1.5.0",
            "model_name": "FloatProgressModel",
            "state": {"_dom_classes": [], "bar_style": "success",
                      "description": words(rng, WORDS, 2),
                      "layout": f"IPY_MODEL_{rng.getrandbits(128):032x}", "max": 100.0, "min": 0.0,
                      "style": f"IPY_MODEL_{rng.getrandbits(128):032x}", "value": 100.0}}


MAKERS = {
    "png": png, "figure": lambda rng: png(rng, 6_000, 45_000), "svg": svg, "table": table,
    "line": line, "log": log, "foreign": foreign, "escaped": escaped, "plotly": plotly,
    "plotly-line": plotly_line, "space": space, "deep": deep, "widget": widget,
}


def text_of(value, depth):
    """As it stands in a file, `depth` levels deep."""
    if not isinstance(value, str):
        value = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)
    return value.replace("\n", "\n" + " " * depth)


def pool_of(kind, size, rng):
    """Outputs as text, together about `size` bytes."""
    pool, depth = [], 5 if kind == "widget" else 4
    while size > 0:
        pool.append(text_of(MAKERS[kind](rng), depth).encode())
        size -= len(pool[-1])
    return pool


class Supply:
    """Hands out outputs of a mix, so that each kind has its share of the bytes."""

    def __init__(self, mix, size, rng):
        self.rng = rng
        self.share = {kind: share for kind, share in mix.items() if kind != "widget"}
        self.given = dict.fromkeys(self.share, 0)
        self.pool = {kind: pool_of(kind, min(size, POOL_BYTES) * share, rng) for kind, share in mix.items()}

    def of(self, kind):
        return self.pool[kind][int(self.rng.random() * len(self.pool[kind]))]

    def next(self):
        kind = min(self.share, key=lambda k: self.given[k] / self.share[k])
        text = self.of(kind)
        self.given[kind] += len(text)
        return text


def cell(kind, number, source, **more):
    return {"cell_type": kind, "id": f"cell-{number}", "metadata": {}, "source": as_list(source), **more}


def code_cell(number):
    return cell("code", number, CODE[number % len(CODE)].format(number), execution_count=number, outputs=[])


def metadata():
    return {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python",
                           "name": "python3"},
            "language_info": {"file_extension": ".py", "mimetype": "text/x-python",
                              "name": "python", "nbconvert_exporter": "python",
                              "pygments_lexer": "ipython3", "version": "3.11.7"}}


def write_outputs(file, supply, until):
    """Outputs until the file has `until` bytes."""
    between, last = b"\n    ", b""
    while file.tell() < until:
        file.write(between + supply.next())
        between, last = b",\n    ", b"\n   "
    file.write(last)


def write_widgets(file, supply, size):
    """The end of the metadata: the state of widgets, `size` bytes of it."""
    file.write(b',\n  "widgets": {\n   "application/vnd.jupyter.widget-state+json": {\n    "state": {')
    until = file.tell() + size
    between = b"\n     "
    for number in itertools.count():
        file.write(b'%s"%032x": %s' % (between, number << 64, supply.of("widget")))
        between = b",\n     "
        if file.tell() >= until:
            break
    file.write(b'\n    },\n    "version_major": 2,\n    "version_minor": 0\n   }\n  }')


def write_cell(file, number, supply, until):
    """A code cell, with a text before it now and then."""
    if number > 0:
        file.write(b",\n  ")
    if number % 4 == 1:
        prose = cell("markdown", f"text-{number}", PROSE.format(number))
        file.write(text_of(prose, 2).encode() + b",\n  ")
    head, tail = text_of(code_cell(number), 2).encode().split(b'"outputs": []')
    file.write(head + b'"outputs": [')
    if supply:
        write_outputs(file, supply, until)
    file.write(b"]" + tail)


def write(path, shape, size, seed=1):
    """One notebook. `code` has `size` cells without outputs, others about `size` bytes."""
    rng = random.Random(f"{shape} {seed}")
    supply = None if shape == "code" else Supply(MIXES[shape], size, rng)
    cells = size if shape == "code" else CELLS.get(shape, OTHER_CELLS)
    widgets = size * MIXES.get(shape, {}).get("widget", 0)
    with open(path, "wb") as file:
        file.write(b'{\n "cells": [\n  ')
        for number in range(cells):
            write_cell(file, number, supply, (size - widgets) * (number + 1) / cells)
        head = text_of(metadata(), 1).encode()
        file.write(b'\n ],\n "metadata": ' + head[:-len("\n }")])
        if widgets:
            write_widgets(file, supply, widgets)
        file.write(b'\n },\n "nbformat": 4,\n "nbformat_minor": 5\n}\n')


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    write(pathlib.Path(sys.argv[3]), sys.argv[1], int(sys.argv[2]), *sys.argv[4:])


if __name__ == "__main__":
    main()
