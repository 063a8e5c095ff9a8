"""%perfmonitor_plot."""
import contextlib
import pickle

from .jumper import jumper_magic, result_file, say, state
from .jumper_data import samples_of
from .jumper_history import history_of_samples, numbers, read_number
from .jumper_reports import report_of, report_options


PLOT_SUBSETS = {  # of JUmPER's metrics
    "cpu": ("cpu_summary",), "mem": ("memory",),
    "io": ("io_read", "io_write", "io_read_count", "io_write_count"),
    "gpu": ("gpu_util_summary", "gpu_band_summary", "gpu_mem_summary"),
    "gpu_all": ("gpu_util_all", "gpu_band_all", "gpu_mem_all")}


def plot_columns(metric, columns):
    """The COLUMNS of the samples that METRIC shows."""
    stem = metric.replace("_summary", "").replace("_all", "")
    stem = "cpu_util" if stem == "cpu" else stem
    if stem in columns:
        return [stem]
    each = metric.endswith("_all")
    return [column for column in columns
            if column.startswith(f"{stem}_") and column[-1].isdigit() == each]


def unit_of(column):
    """The label of the axis for COLUMN of the samples, and the divisor for its values."""
    for start, unit, size in (("cpu_", "% of the CPUs", 1), ("memory", "GB", 1),
                              ("io_read_count", "calls since the start", 1),
                              ("io_write_count", "calls since the start", 1),
                              ("io_", "MB since the start", 1 << 20), ("gpu_mem", "GB", 1),
                              ("gpu_", "%", 1)):
        if column.startswith(start):
            return unit, size
    return "", 1


def plotted_cells(begin, end):
    """Number, begin and end of the cells that ran between BEGIN and END, in seconds from BEGIN."""
    for row in history_of_samples():
        start, stop = (read_number(row[f"{each}_time"]) for each in ("start", "end"))
        number = row["cell_index"] if row["cell_number"] in (None, "-") else row["cell_number"]
        if isinstance(start, (int, float)) and isinstance(stop, (int, float)):
            if start < end and stop > begin:
                yield number, max(start, begin) - begin, min(stop, end) - begin


def draw_cells(axes, cells):
    """Draws a grey background for every other cell, and the numbers of cells if there is room."""
    free = float("-inf")
    room = (axes.get_xlim()[1] - axes.get_xlim()[0]) / 50
    for count, (number, start, stop) in enumerate(cells):
        if count % 2 == 0:
            axes.axvspan(start, stop, color="0.92", zorder=0)
        if (start + stop) / 2 >= free:
            axes.text((start + stop) / 2, 1, str(number), ha="center", va="bottom", fontsize=8,
                      transform=axes.get_xaxis_transform())
            free = (start + stop) / 2 + room


def draw_metric(axes, rows, metric):
    """The lines of METRIC, and the unit of their axis."""
    for column in plot_columns(metric, list(rows[0]) if rows else []):
        unit, size = unit_of(column)
        points = [(row["time"] - rows[0]["time"], row[column] / size) for row in rows
                  if isinstance(row[column], (int, float))]
        style = "steps-pre" if column.startswith("cpu_") else "default"  # since the last one
        axes.plot([x for x, _ in points], [y for _, y in points], label=column, drawstyle=style)
        axes.set_ylabel(unit)
    if axes.lines:
        axes.set_ylim(bottom=0)
        axes.legend()


def draw(data):
    """A figure of matplotlib, unknown to pyplot, and its axes; None if matplotlib is not installed."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except Exception:  # also if it does not match the version of numpy
        return None, None
    rows, metrics = data["processed_data"], data["metrics"]
    figure = Figure(figsize=(10, 3 * len(metrics)), constrained_layout=True)
    FigureCanvasAgg(figure)
    axes = [figure.add_subplot(len(metrics), 1, i + 1) for i in range(len(metrics))]
    begin, end = (rows[0]["time"], rows[-1]["time"]) if rows else (0, 0)
    cells = list(plotted_cells(begin, end))
    for metric, each in zip(metrics, axes):
        each.set_title(f"{metric} ({data['level']})", pad=14)
        draw_metric(each, rows, metric)
        each.set_xlim(0, max(end - begin, 1e-9))
        draw_cells(each, cells)
        each.set_xlabel("seconds; above: cells" if cells else "seconds")
    return figure, axes


def plot_data(asked, options):
    """The data that %perfmonitor_plot --pickle writes, with JUmPER's names. Prints a message and returns
    None if there are no samples."""
    table = report_of("csv", asked.level, *options)
    if table is None:
        return None
    subsets = asked.metrics.split(",") if asked.metrics else ["cpu", "mem", "io"]
    metrics = [metric for name in subsets for metric in PLOT_SUBSETS.get(name, (name,))]
    data = {"metrics": metrics, "processed_data": numbers(samples_of(table)),
            "cell_range": asked.cell, "level": asked.level, "show_idle": True,
            "metric_subsets": subsets}
    data["figure"], data["axes"] = draw(data)
    return data


def no_plot(path, error):
    say(f"Cannot save the plot as {path}: {error}")
    return False


def put_figure(path, data):
    """Writes the figure to PATH. Returns True on success."""
    if data["figure"] is None:
        return False
    try:
        data["figure"].savefig(path, format="jpeg")
    except Exception as error:  # matplotlib raises many kinds, and may have no Pillow
        return no_plot(path, error)
    return True


def put_pickle(path, data):
    with contextlib.suppress(ImportError):
        from pandas import DataFrame
        data = {**data, "processed_data": DataFrame(data["processed_data"])}
    try:
        content = pickle.dumps(data)
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        return no_plot(path, error)
    return True


def put_plots(asked, options):
    """Writes the requested files, and yields the text to print for each."""
    wanted = [(path, put) for path, put in ((asked.save_jpeg, put_figure),
                                            (asked.pickle, put_pickle)) if path]
    data = plot_data(asked, options) if wanted else None
    for path, put in wanted:
        done = data is not None and put(path, data)
        yield path if done else f"in place of {path}"


@jumper_magic(metrics=None, cell=None, level="process", save_jpeg=None, pickle=None, backend=None, live=())
def perfmonitor_plot(asked, names):
    """%perfmonitor_plot ...: an SVG file"""
    options = report_options(asked)
    if options is None:
        return
    metrics = ["--metrics", asked.metrics] if asked.metrics else []
    name = f"{state.name}_plot-{state.plots + 1}.svg"
    if report_of("svg", asked.level, *options, *metrics, "--output",
                 result_file(name)) is None:
        return
    state.plots += 1
    files = list(put_plots(asked, options))
    say(f"Performance plot: {name}" + (f" ({', '.join(files)})" if files else ""))
