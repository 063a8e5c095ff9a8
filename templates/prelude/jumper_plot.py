# requires: jumper jumper_reports jumper_data
_nbscorep_plot_subsets = {  # of JUmPER's metrics
    "cpu": ("cpu_summary",), "mem": ("memory",),
    "io": ("io_read", "io_write", "io_read_count", "io_write_count"),
    "gpu": ("gpu_util_summary", "gpu_band_summary", "gpu_mem_summary"),
    "gpu_all": ("gpu_util_all", "gpu_band_all", "gpu_mem_all")}


class _nbscorep_plots:
    count = 0


@_nbscorep_quiet
def _nbscorep_plot_columns(metric, columns):
    """Those of the samples' COLUMNS that METRIC is about."""
    stem = metric.replace("_summary", "").replace("_all", "")
    stem = "cpu_util" if stem == "cpu" else stem
    if stem in columns:
        return [stem]
    each = metric.endswith("_all")
    return [column for column in columns
            if column.startswith(f"{stem}_") and column[-1].isdigit() == each]


@_nbscorep_quiet
def _nbscorep_draw(data):
    """A figure of matplotlib and its axes, apart from those of pyplot; None: it is not there."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except Exception:  # or of another version than its numpy
        return None, None
    rows, metrics = data["processed_data"], data["metrics"]
    figure = Figure(figsize=(10, 3 * len(metrics)), constrained_layout=True)
    FigureCanvasAgg(figure)
    axes = [figure.add_subplot(len(metrics), 1, i + 1) for i in range(len(metrics))]
    begin = rows[0]["time"] if rows else 0
    for metric, each in zip(metrics, axes):
        each.set_title(f"{metric} ({data['level']})")
        for column in _nbscorep_plot_columns(metric, list(rows[0]) if rows else []):
            points = [(row["time"] - begin, row[column]) for row in rows
                      if isinstance(row[column], (int, float))]
            style = "steps-pre" if column.startswith("cpu_") else "default"  # since the last one
            each.plot([x for x, _ in points], [y for _, y in points], label=column,
                      drawstyle=style)
        if each.lines:
            each.legend()
        each.set_xlabel("seconds")
    return figure, axes


@_nbscorep_quiet
def _nbscorep_plot_data(asked, options):
    """What %perfmonitor_plot --pickle writes, by JUmPER's names; None: why is printed."""
    table = _nbscorep_report("csv", asked.level, *options)
    if table is None:
        return None
    subsets = asked.metrics.split(",") if asked.metrics else ["cpu", "mem", "io"]
    metrics = [metric for name in subsets for metric in _nbscorep_plot_subsets.get(name, (name,))]
    data = {"metrics": metrics, "processed_data": _nbscorep_numbers(_nbscorep_samples_of(table)),
            "cell_range": asked.cell, "level": asked.level, "show_idle": True,
            "metric_subsets": subsets}
    data["figure"], data["axes"] = _nbscorep_draw(data)
    return data


@_nbscorep_quiet
def _nbscorep_no_plot(path, error):
    _nbscorep_say(f"Cannot save the plot as {path}: {error}")
    return False


@_nbscorep_quiet
def _nbscorep_put_figure(path, data):
    """Is the figure in PATH now?"""
    if data["figure"] is None:
        return False
    try:
        data["figure"].savefig(path, format="jpeg")
    except Exception as error:  # matplotlib raises many kinds, and may have no Pillow
        return _nbscorep_no_plot(path, error)
    return True


@_nbscorep_quiet
def _nbscorep_put_pickle(path, data):
    import pickle
    try:
        from pandas import DataFrame
        data = {**data, "processed_data": DataFrame(data["processed_data"])}
    except ImportError:
        pass
    try:
        content = pickle.dumps(data)
        with open(path, "wb") as file:
            file.write(content)
    except OSError as error:
        return _nbscorep_no_plot(path, error)
    return True


@_nbscorep_quiet
def _nbscorep_put_plots(asked, options):
    """The files that are asked for by name, each with what is said of it."""
    wanted = [(path, put) for path, put in ((asked.save_jpeg, _nbscorep_put_figure),
                                            (asked.pickle, _nbscorep_put_pickle)) if path]
    data = _nbscorep_plot_data(asked, options) if wanted else None
    for path, put in wanted:
        done = data is not None and put(path, data)
        yield path if done else f"in place of {path}"


@_nbscorep_quiet
def _nbscorep_perfmonitor_plot(text, *scopes):
    """%perfmonitor_plot ...: an SVG file"""
    asked = _nbscorep_jumper_words("perfmonitor_plot", text, scopes, metrics=None, cell=None,
                                   level="process", save_jpeg=None, pickle=None, backend=None,
                                   live=())
    options = None if asked is None else _nbscorep_report_options(asked)
    if options is None:
        return
    metrics = ["--metrics", asked.metrics] if asked.metrics else []
    name = f"{_nbscorep_jumper.name}_plot-{_nbscorep_plots.count + 1}.svg"
    if _nbscorep_report("svg", asked.level, *options, *metrics, "--output",
                        _nbscorep_result(name)) is None:
        return
    _nbscorep_plots.count += 1
    files = list(_nbscorep_put_plots(asked, options))
    _nbscorep_say(f"Performance plot: {name}" + (f" ({', '.join(files)})" if files else ""))
