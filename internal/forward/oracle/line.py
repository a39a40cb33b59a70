"""The line format of the table, which parse.go reads."""

import json

import ml_dtypes
import numpy as np
import onnx
from onnx import numpy_helper

NAMES = {
    np.dtype(np.float32): "float32", np.dtype(np.float64): "float64", np.dtype(np.float16): "float16",
    np.dtype(np.int8): "int8", np.dtype(np.int16): "int16", np.dtype(np.int32): "int32", np.dtype(np.int64): "int64",
    np.dtype(np.uint8): "uint8", np.dtype(np.uint16): "uint16", np.dtype(np.uint32): "uint32", np.dtype(np.uint64): "uint64",
    np.dtype(np.bool_): "bool", np.dtype(np.complex64): "complex64", np.dtype(np.complex128): "complex128",
    np.dtype(ml_dtypes.bfloat16): "bfloat16",
    np.dtype(ml_dtypes.float8_e4m3fn): "float8e4m3fn", np.dtype(ml_dtypes.float8_e4m3fnuz): "float8e4m3fnuz",
    np.dtype(ml_dtypes.float8_e5m2): "float8e5m2", np.dtype(ml_dtypes.float8_e5m2fnuz): "float8e5m2fnuz",
    np.dtype(ml_dtypes.float8_e8m0fnu): "float8e8m0", np.dtype(ml_dtypes.float4_e2m1fn): "float4e2m1",
    np.dtype(ml_dtypes.int4): "int4", np.dtype(ml_dtypes.uint4): "uint4",
    np.dtype(ml_dtypes.int2): "int2", np.dtype(ml_dtypes.uint2): "uint2",
}
DTYPES = {name: dtype for dtype, name in NAMES.items()}
DTYPES["string"] = np.dtype(object)
BY_BITS = ("float8", "float4")  # what is written by its bits


class Optional:
    """An optional that is an operand, with a value or none."""

    def __init__(self, value=None):
        self.value = value


def quote(s):
    """A string in quotes that Go reads."""
    if isinstance(s, bytes):
        s = s.decode()
    return json.dumps(str(s), ensure_ascii=False)


def name_of(a):
    """The element type of an array."""
    return NAMES.get(a.dtype, "string")


def real(f):
    """The shortest decimal of a float."""
    if np.isnan(f):
        return "nan"
    if np.isinf(f):
        return "inf" if f > 0 else "-inf"
    s = repr(f.item()) if f.dtype == np.float64 else str(f)
    s = s.replace("e+", "e")
    return s[:-2] if s.endswith(".0") else s


def elements(a):
    """The elements of an array as texts."""
    name, flat = name_of(a), a.reshape(-1)
    if name == "string":
        return [quote(s) for s in flat]
    if name == "bool":
        return [str(int(b)) for b in flat]
    if name.startswith(BY_BITS):
        return [f"0x{b:02x}" for b in np.frombuffer(flat.tobytes(), np.uint8)]
    if name.startswith("complex"):
        return [real(z.real) + ("" if real(z.imag)[0] == "-" else "+") + real(z.imag) + "i" for z in flat]
    if name in ("float16", "bfloat16"):
        return [real(np.float32(f)) if name == "bfloat16" else real(f) for f in flat]
    if name in ("float32", "float64"):
        return [real(f) for f in flat]
    return [str(int(n)) for n in flat]


def tensor(a):
    """An array: float32[2]=1,2."""
    a = np.asarray(a)
    out = elements(a)
    while len(out) > 1 and out[-1] == out[-2]:  # the last element stands for those that follow
        out.pop()
    head = f"{name_of(a)}[{','.join(map(str, a.shape))}]"
    return head + "=" + ",".join(out) if out else head


def value(v):
    """An operand or a result."""
    if v is None:
        return "_"
    if isinstance(v, Optional):
        return "optional(" + ("" if v.value is None else value(v.value)) + ")"
    if isinstance(v, dict):
        keys = list(v)
        return f"map({tensor(array(keys))}, {tensor(array(list(v.values())))})"
    if isinstance(v, (list, tuple)):
        first = v[0] if len(v) else np.zeros(0, np.float32)
        elem = name_of(array(list(first.values())) if isinstance(first, dict) else np.asarray(first))
        return f"seq:{elem}(" + ", ".join(value(x) for x in v) + ")"
    return tensor(v)


def array(v):
    """A list of keys or of values as an array of the type that ONNX gives it."""
    if isinstance(v[0], (str, bytes)):
        return np.array(v, object)
    return np.array(v, np.int64 if isinstance(v[0], (int, np.integer)) else np.float32)


def attribute(a):
    """An attribute's value: 1, 0.5, "a", [1,2] or a tensor; None for a graph."""
    v = onnx.helper.get_attribute_value(a)
    if isinstance(v, onnx.TensorProto):
        return tensor(numpy_helper.to_array(v))
    if isinstance(v, (onnx.GraphProto, onnx.SparseTensorProto, onnx.TypeProto)):
        return None
    if isinstance(v, (list, tuple)) or hasattr(v, "__len__") and not isinstance(v, (str, bytes)):
        return "[" + ",".join(scalar(x, a.type == onnx.AttributeProto.FLOATS) for x in v) + "]"
    return scalar(v, a.type == onnx.AttributeProto.FLOAT)


def scalar(v, is_float):
    if isinstance(v, (str, bytes)):
        return quote(v)
    if not is_float:
        return str(int(v))
    s = str(np.float32(v)).replace("e+", "e")
    return s if any(c in s for c in ".en") else s + ".0"


def line(node, inputs, outputs, version=None, words=()):
    """A case; None if the node has an attribute that no line can hold."""
    attrs = {a.name: attribute(a) for a in node.attribute}
    if None in attrs.values():
        return None
    head = (node.domain + ":" if node.domain else "") + node.op_type + (f"@{version}" if version else "")
    tail = [f"{n}={v}" for n, v in sorted(attrs.items())] + list(words)
    return f"{head}({', '.join(map(value, inputs))}){''.join(' ' + w for w in tail)} -> {', '.join(map(value, outputs))}"
