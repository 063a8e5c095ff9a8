"""Files of the real Score-P, as far as readers look into them.

Facts: profile.cubex is a tar archive, anchor.xml its last member, two blocks of zeros its end;
traces.otf2, the anchor of a trace, is written last. A file is there, and broken, while it is
written: a kill leaves it so.
"""

import os
import time

_BLOCK = 512
_PIECE = 1024
ANCHOR = b"\3BOTF2\0\3\2\3\0\3\0" + b"placeholder: see events.jsonl\n"


def _member(name: str, content: bytes) -> bytes:
    """A file in a tar archive: its header, and its content in whole blocks."""
    fields = [(name, 100), ("0000644", 8), ("0000000", 8), ("0000000", 8),
              ("%011o" % len(content), 12), ("00000000000", 12), (" " * 8, 8), ("0", 1)]
    header = b"".join(text.encode().ljust(size, b"\0") for text, size in fields)
    header = (header.ljust(257, b"\0") + b"ustar\00000").ljust(_BLOCK, b"\0")
    header = header.replace(b" " * 8, b"%06o\0 " % sum(header), 1)
    return header + content.ljust(-(-len(content) // _BLOCK) * _BLOCK, b"\0")


def _profile() -> bytes:
    return (_member("0.data", b"CUBEX.DATA".ljust(8000, b"\0"))
            + _member("anchor.xml", b"<cube/> placeholder: see events.jsonl\n")
            + bytes(2 * _BLOCK))


def write_profile(path: str):
    """NBSCOREP_DOUBLE_WRITES=SECONDS: it is written piece by piece, with pauses between them;
    negative SECONDS: writing never goes on behind the first piece."""
    pause = float(os.environ.get("NBSCOREP_DOUBLE_WRITES", 0))
    profile = _profile()
    with open(path, "wb", buffering=0) as out:
        for first in range(0, len(profile), _PIECE):
            out.write(profile[first:first + _PIECE])
            time.sleep(abs(pause))
            while pause < 0:
                time.sleep(1)
