"""The readable text of HTML, Markdown and other formats."""
import json
import re


def html_reader():
    """A parser of HTML that collects the readable text."""
    import html.parser  # takes a tenth of a script's start

    hidden = ("audio canvas head iframe math noscript object script select style svg template title"
              " video").split()
    lines = ("address article blockquote br center dd details div dl dt figure footer form h1 h2 h3 h4"
             " h5 h6 header hr li main nav ol p pre section summary table tr ul").split()

    class Reader(html.parser.HTMLParser):
        inside, kept = 0, 0  # depth of hidden elements, of <pre>

        def __init__(self):
            super().__init__()
            self.parts = []

        def handle_starttag(self, tag, attributes):
            self.inside += tag in hidden
            self.kept += tag == "pre"
            self.handle_data("\n" if tag in lines else "\t" if tag in ("td", "th") else "")

        def handle_endtag(self, tag):
            self.inside = max(self.inside - (tag in hidden), 0)
            self.kept = max(self.kept - (tag == "pre"), 0)
            self.parts += ["\n"] if tag in lines and not self.inside else []

        def handle_data(self, data):
            if self.kept:  # \1 replaces a blank that is kept
                data = data.replace(" ", "\1")
            elif data not in ("\n", "\t"):
                data = (" " * data[:1].isspace() + " ".join(data.split())
                        + " " * data[-1:].isspace())
            self.parts += [] if self.inside else [data]

    return Reader()


HTML_TEXTS = {}  # the text of the last HTML, which is requested twice


def html_text(text):
    """The readable text of the HTML TEXT: a line for each paragraph and row. Empty if the parser fails, as
    some versions do with unusual declarations."""
    if text not in HTML_TEXTS:
        reader = html_reader()
        try:
            reader.feed(text)
            reader.close()
        except Exception:
            reader.parts = []
        lines = (re.sub(" *\t[ \t]*", "  ", re.sub("  +", " ", line.strip(" \t")))
                 for line in "".join(reader.parts).split("\n"))
        found = "\n".join(line.replace("\1", " ").rstrip() for line in lines if line.strip(" \t\1"))
        HTML_TEXTS.clear()
        HTML_TEXTS[text] = found
    return HTML_TEXTS[text]


def says_nothing(text):
    """True if TEXT is the default repr() of an object, which is useless in a log."""
    return re.fullmatch(r"<[\w.<>]+( object)?( at 0x[0-9a-f]+)?>", text) is not None


def readable(data):
    """The readable text of DATA, a dictionary by MIME type, or None."""
    text = data.get("text/plain")
    if text is not None and not says_nothing(text):
        return text
    for mime in "text/markdown", "text/latex", "text/html":
        found = data.get(mime)
        if isinstance(found, str):
            found = (html_text(found) if mime == "text/html" else  # without the data of images
                     re.sub(r"(data:[\w/+.-]*)[;,][^\s)>\"']{100,}", r"\1", found))
            if found.strip():
                return found
    found = data.get("application/json")
    try:
        return text if found is None else json.dumps(found, default=str)
    except (TypeError, ValueError, RecursionError):
        return text


def describe(value):
    """The type and the file or address of VALUE, an image or similar; None if it has none."""
    for name in "filename", "url", "src":
        place = getattr(value, name, None)
        if place and isinstance(place, str):
            return f"<{type(value).__name__}: {place}>"
