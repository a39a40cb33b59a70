"""Writes the table: python3 internal/forward/oracle (needs what requirements.txt lists)

Files whose name begins with onnx_ hold ONNX's own cases, those that begin with
types_ cases with other element types, those that begin with casts_ a Cast from each
type to each other. The others are written by hand: a line
there may end before its arrow, or have ? for outputs, which are filled in here.
"""

import pathlib

import casts
import complete
import parse
import published
import retype

TABLE = pathlib.Path(__file__).parent.parent / "testdata"
MOST = 300  # lines of a file


def read(path):
    return path.read_text().splitlines()


def is_case(text):
    return text and not text.startswith("#")


def write(prefix, comment, lines):
    """Writes lines to as many files as they need."""
    for old in TABLE.glob(prefix + "_*.txt"):
        old.unlink()
    for i in range(0, len(lines), MOST):
        part = lines[i:i + MOST]
        (TABLE / f"{prefix}_{i // MOST + 1}.txt").write_text("".join(l + "\n" for l in ["# " + comment, *part]))


def by_hand():
    return [p for p in sorted(TABLE.glob("*.txt")) if not p.name.startswith(("onnx_", "types_", "casts_"))]


def finish(path):
    """Fills in the outputs that a file written by hand lacks."""
    out = []
    for text in read(path):
        if is_case(text) and (" -> " not in text or text.rstrip().endswith(parse.UNKNOWN) or " ?," in text):
            text = complete.complete(text, print) or text
        out.append(text)
    path.write_text("".join(l + "\n" for l in out))


for path in by_hand():
    finish(path)
own = published.cases()
write("onnx", "ONNX's own cases.", own)
hand = [l for p in by_hand() for l in read(p) if is_case(l)]
write("casts", "Casts from each element type to each other.", [l for l in (complete.complete(l, print) for l in casts.lines()) if l])
typed = [complete.complete(l, print) for l in retype.lines(hand + own)]
write("types", "Cases with every other element type that ONNX admits.", [l for l in typed if l])
