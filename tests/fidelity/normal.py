"""What may differ between two runs of the same notebook and means nothing: the one list of it."""
import re


def without_numbers(found):
    return re.sub(r"\d[\d.e+]* ?(?:ns|µs|us|ms|s)\b", "<time>", found[0])


RULES = [(re.compile(pattern, re.MULTILINE), replacement) for pattern, replacement in (
    # Jupyter gives a shell command a terminal, which ends its lines with CR LF, ...
    (r"\r\n", "\n"),
    # ... and aliases such as %ls ask for colours.
    (r"\x1b\[[0-9;]*[mK]", ""),
    # A cell is a temporary file of the kernel; the script is a file with other line numbers.
    (r"\S*/ipykernel_\d+/\d+\.py:\d+:", "<cell>:"),
    # An exception is shown with the way to it, which in Jupyter leads through other files. Its
    # last line counts; one that was handled before belongs to the way.
    (r"^Traceback \(most recent call last\):\n(?:[ +|].*\n)*", ""),
    (r"^\S.*\n\n(?:During handling of the above exception, another exception occurred"
     r"|The above exception was the direct cause of the following exception):\n\n", ""),
    # Jupyter shows the name of an exception, Python also its module.
    (r"^(?:[a-z_]\w*\.)+([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning)(?::|$))", r"\1"),
    # Python leaves out the colon where there is no message.
    (r"^([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration)): ?$", r"\1"),
    # The runtime names the cell of an exception.
    (r"^nbscorep: .*, cell \d+.* \(\S+\.py:\d+\)\n", ""),
    # Memory addresses.
    (r"\b0x[0-9a-f]{6,}\b", "<address>"),
    # %time and %run -t: the times, not the words; a line that only slow machines see.
    (r"^(?:CPU times:|Wall time:|  User   :|  System :).*$", without_numbers),
    (r"^Compiler +: .*\n", ""),
    # %timeit: likewise. How often it runs is fixed by the notebooks.
    (r"[\d.e+]+ \S+ ± [\d.e+]+ \S+ per loop", "<time> ± <time> per loop"),
    (r"^The slowest run took .*\n(?:.*cached\.? ?\n)?", ""),
    # The script says where it saved a figure or another image that Jupyter shows in the page.
    (r" \(\S*cell-\d+-\d+\.\w+\)$", ""),
)]


def text(value, place):
    """VALUE, printed in PLACE, without what may differ."""
    for path, name in ((place.work, "<folder>"), (place.home, "<home>"), (place.top, "<top>")):
        value = value.replace(str(path), name)
    value = re.sub(rf"(?:<folder>/)?\b{re.escape(place.name)}\.py:\d+:", "<cell>:", value)
    for pattern, replacement in RULES:
        value = pattern.sub(replacement, value)
    return value


def content(data, place):
    """The bytes of a file likewise, where they are text."""
    try:
        return text(data.decode(), place).encode()
    except UnicodeDecodeError:
        return data
