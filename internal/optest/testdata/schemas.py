"""Writes schemas.txt: what ONNX and ONNX Runtime say of their operators.

    python3 internal/optest/testdata/schemas.py

needs what internal/forward/oracle/requirements.txt lists. A line is one version of
one operator: domain, name and version; its attributes; its inputs; its outputs. An
attribute is its name, its kind, and "!" if it is required or "=" and its default
where ONNX has one. A port is its name, ":" and its type variable or set, with "?" if
it is optional, or "*" and the least number if it stands for several values, and "~"
after that if each may have a type of its own. Lines that begin with @ are the sets.
ONNX Runtime does not tell its defaults.
"""

import json
import pathlib

import onnx
from onnx import defs
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_operator_schema

OUT = pathlib.Path(__file__).with_name("schemas.txt")
RENAMED = {"float": "float32", "double": "float64"}
sets = {}


def element(t):
    """The name that bbgen has for a type, or only its kind if it is no tensor."""
    kind, _, rest = t.partition("(")
    return RENAMED.get(rest[:-1], rest[:-1]) if kind == "tensor" else kind


def types(names):
    key = ",".join(sorted({element(t) for t in names}))
    return sets.setdefault(key, f"@{len(sets)}")


def kind(a):
    return str(a.type).split(".")[-1]


def default(a):
    value = getattr(a, "default_value", None)
    if value is None or not value.name:
        return ""
    v = onnx.helper.get_attribute_value(value)
    if isinstance(v, bytes):
        v = v.decode()
    elif not isinstance(v, (int, float)):
        v = [x.decode() if isinstance(x, bytes) else x for x in v]
    return "=" + json.dumps(v)


def attribute(a):
    return a.name + " " + kind(a) + ("!" if a.required else "") + default(a)


def port(p, allowed):
    variable = getattr(p, "type_str", None) or p.typeStr
    names = allowed.get(variable, [variable])
    text = f"{p.name}:{'' if variable.startswith('tensor(') else variable}{types(names)}"
    option = str(p.option).split(".")[-1]
    if option == "Optional":
        text += "?"
    if option == "Variadic":
        least = getattr(p, "min_arity", 0)
        same = p.is_homogeneous if hasattr(p, "is_homogeneous") else p.isHomogeneous
        text += f"*{least}" + ("" if same else "~")
    return text


def line(s):
    allowed = {c.type_param_str: list(c.allowed_type_strs) for c in s.type_constraints}
    return "\t".join([
        s.domain or "ai.onnx", s.name, str(s.since_version),
        "; ".join(attribute(s.attributes[a]) for a in sorted(s.attributes)),
        " ".join(port(p, allowed) for p in s.inputs),
        " ".join(port(p, allowed) for p in s.outputs),
    ])


def main():
    schemas = list(defs.get_all_schemas_with_history())
    schemas += [s for s in get_all_operator_schema() if s.domain == "com.microsoft"]
    schemas.sort(key=lambda s: (s.domain, s.name, s.since_version))
    lines = [line(s) for s in schemas]
    head = [f"{name}\t{key}" for key, name in sets.items()]
    OUT.write_text("\n".join(head + lines) + "\n")


main()
