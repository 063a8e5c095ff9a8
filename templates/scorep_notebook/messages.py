"""Messages of the launcher on standard error."""
import os
import sys


def shown(text):
    """TEXT with escapes in place of characters that cannot be printed."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def tell(text):
    stream = sys.stderr if sys.__stderr__ is None else sys.__stderr__  # the notebook may collect what goes to the former
    text = "nbscorep: " + "\n".join(map(shown, text.split("\n")))
    try:
        if stream is not None:
            print(text, file=stream, flush=True)
    except RuntimeError:  # a signal's handler runs while the stream is written
        try:
            os.write(2, f"{text}\n".encode(errors="replace"))
        except OSError:
            pass
    except (OSError, ValueError):  # it is closed, or nobody reads it
        pass


def note(text):
    """Prints TEXT where the script writes its own errors."""
    print(f"nbscorep: {text}", file=sys.stderr, flush=True)


def fail(status, text):
    """Prints TEXT and ends the process with STATUS."""
    tell(text)
    raise SystemExit(status)
