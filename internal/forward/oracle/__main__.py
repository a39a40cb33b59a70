"""Writes the table: python3 internal/forward/oracle (needs what requirements.txt lists)

The cases of a family of operators lie in its folder, ir/op/FAMILY/testdata/forward:
onnx.txt holds ONNX's own cases, types.txt cases with other element types, casts.txt a
Cast from each type to each other. cases.txt is written by hand: a line there may end
before its arrow, or have ? for outputs, which are filled in here. An operator's family
is the one that has a case of it, so a new operator begins with a line there.
"""

import pathlib

import casts
import complete
import parse
import published
import retype

FAMILIES = pathlib.Path(__file__).parents[3] / "ir" / "op"
BY_HAND = "cases.txt"


def read(path):
    return path.read_text().splitlines()


def is_case(text):
    return text and not text.startswith("#")


def operator(text):
    """The operator of a line, with its domain."""
    return text.split("(")[0].split("@")[0]


def families():
    """The folder of each operator."""
    return {operator(l): p.parent for p in FAMILIES.glob("*/testdata/forward/*.txt") for l in read(p) if is_case(l)}


def write(name, comment, lines, folders):
    """Writes lines to the files of that name, each line to its family's."""
    parts = {p: [] for p in FAMILIES.glob(f"*/testdata/forward/{name}")}
    for l in lines:
        folder = folders.get(operator(l))
        if folder is None:
            print(f"no family has a case of {operator(l)}: write one into its {BY_HAND}")
            continue
        parts.setdefault(folder / name, []).append(l)
    for path, part in parts.items():
        path.write_text("".join(l + "\n" for l in ["# " + comment, *part]))


def finish(path):
    """Fills in the outputs that a file written by hand lacks."""
    out = []
    for text in read(path):
        if is_case(text) and (" -> " not in text or text.rstrip().endswith(parse.UNKNOWN) or " ?," in text):
            text = complete.complete(text, print) or text
        out.append(text)
    path.write_text("".join(l + "\n" for l in out))


by_hand = sorted(FAMILIES.glob(f"*/testdata/forward/{BY_HAND}"))
folders = families()
for path in by_hand:
    finish(path)
own = published.cases()
write("onnx.txt", "ONNX's own cases.", own, folders)
hand = [l for p in by_hand for l in read(p) if is_case(l)]
write("casts.txt", "Casts from each element type to each other.", [l for l in (complete.complete(l, print) for l in casts.lines()) if l], folders)
typed = [complete.complete(l, print) for l in retype.lines(hand + own)]
write("types.txt", "Cases with every other element type that ONNX admits.", [l for l in typed if l], folders)
