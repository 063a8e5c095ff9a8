"""Figures that are pages: those of plotly, altair and bokeh. In batch they are saved as HTML, and no browser starts."""
import json
import os
import sys

from .rich_display import bundle, shown
from .running import run


def library_of(figure):
    """"plotly" or "altair", whose figures are shown as values, too; None for other objects. Imports nothing."""
    if isinstance(figure, getattr(sys.modules.get("plotly.basedatatypes"), "BaseFigure", ())):
        return "plotly"
    return "altair" if "altair" in sys.modules and altair_base(type(figure)) else None


def altair_base(kind):
    """The base of classes of charts, if KIND is one; else None."""
    return next((base for base in kind.__mro__
                 if base.__name__ == "TopLevelMixin" and base.__module__.startswith("altair.")), None)


def text_of(figure, library):
    return "<plotly.Figure>" if library == "plotly" else repr(figure)


def page_of(figure, library):
    """FIGURE as HTML. That of plotly needs plotly.min.js beside it, the others load their code from the network."""
    if library == "plotly":
        text = figure.to_html(include_plotlyjs="directory")
    elif library == "altair":
        text = figure.to_html()
    else:
        from bokeh.embed import file_html
        from bokeh.resources import CDN
        text = file_html(figure, CDN, "figure")
    return text.encode("utf-8", "replace")


def bundle_of(figure, library):
    """FIGURE as Jupyter stores it, by MIME type."""
    if library == "plotly":
        config = {"plotlyServerURL": "https://plot.ly"}
        return {"application/vnd.plotly.v1+json": {**json.loads(figure.to_json()), "config": config},
                "text/html": figure.to_html(include_plotlyjs="cdn", full_html=False)}  # for pages, which show no JSON
    if library == "altair":
        return bundle(figure)[0]
    return {"text/html": page_of(figure, library).decode("utf-8", "replace")}


def patch_plotly(module):
    """Changes fig.show() and plotly.offline.iplot()."""
    def show(figure, *arguments, **options):
        from plotly.graph_objects import Figure
        shown.figure(figure if library_of(figure) else Figure(figure))

    if not os.environ.get("PLOTLY_RENDERER"):
        module.show = show


def patch_altair(module):
    """Changes chart.show() and chart.display()."""
    def show(chart, *arguments, **options):
        shown.figure(chart)

    base = altair_base(module.Chart)
    base.show = base.display = show


def patch_bokeh(module):
    """Changes show(). After output_notebook(), bokeh itself displays what Jupyter stores."""
    show_object = module.show

    def show(figure, *arguments, **options):
        if run.executed is not None and module.curstate().notebook:
            show_object(figure, *arguments, **options)
        else:
            shown.figure(figure, library="bokeh")

    module.show = show
