"""Writes cases again with every other element type that ONNX admits."""

import collections
import re

import numpy as np
import onnx

import line
import parse

ENOUGH = 3     # operands' elements that a case must have to be worth it
SHORT = 260    # characters of a line
BY_SCHEMA = {"float": "float32", "double": "float64"}
ALL = "complex64"  # a variable that may be this one is moved and never computed with
SMALL = ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float8e8m0", "float4e2m1", "int4", "uint4", "int2", "uint2"]
SHORTS = ["int8", "uint8", "int16", "uint16"]
# Types that kernels take beyond those that ONNX admits.
BEYOND = {
    **dict.fromkeys(["CumSum", "CumProd", "Gemm", "MatMul", "PRelu"], SHORTS),
    "ReduceMax": ["int16", "uint16"], "ReduceMin": ["int16", "uint16"],
    "Range": ["int8", "uint8", "uint16", "uint32", "uint64"], "Pow": [*SHORTS, "uint32", "uint64"],
    "Scatter": ["bfloat16"], "Shrink": ["bfloat16"], "OneHot": ["bfloat16"],
    **dict.fromkeys(["CausalConvWithState", "LinearAttention", "RotaryEmbedding"], ["float64"]),
}
# Variables of which the types are not what a case is about: those that follow from
# others, or of which kernels compute only with numbers.
NUMBERS = {"Col2Im", "GridSample", "Resize", "Unique", "EyeLike"}
FIXED = {
    ("SequenceInsert", "T"), ("LabelEncoder", "T1"), ("TfIdfVectorizer", "T"), ("MelWeightMatrix", "T2"), ("MelWeightMatrix", "T3"),
    ("DequantizeLinear", "T2"), ("DequantizeLinear", "T3"), ("BitCast", "T1"), ("EyeLike", "T2"), ("Trilu", "string"), ("CenterCropPad", "string"), ("Pad", "float8e8m0"), ("CenterCropPad", "float8e8m0"), ("Trilu", "float8e8m0"),
}
# Types that make all operands one type, of which the indices must not have unknown sizes.
STATIC = {(op, "int64") for op in "Expand GatherND Pad Reshape Resize ScatterND Slice Split Squeeze Tile TopK".split()}
# What the case must say from which others are made, where the reference errs about the rest.
BASE = {"GridSample": 'mode="nearest"', "LRN": r"float32\[1,1", "OneHot": r", float32\[2\]", "ScatterND": "^((?!reduction).)*$"}
JOINED = {"Attention": "T1 T2", "RMSNormalization": "T V"}  # variables that change together
SKIP = {"Constant", "ImageDecoder", "Cast", "CastLike", "RandomNormalLike", "RandomUniformLike", "Bernoulli", "Multinomial", "Dropout"}  # have files of their own


def lines(table):
    """The retyped cases, without outputs, of the best case for each operator."""
    by_op = collections.defaultdict(list)
    for text in table:
        c = parse.Case(text)
        if onnx.defs.has(c.op, c.domain) and c.version is None and c.op not in SKIP and c.domain not in ("com.microsoft", "ai.onnx.ml") and "shape" not in c.words:
            by_op[c.domain, c.op].append(c)
    out = []
    for (domain, op), cases in sorted(by_op.items()):
        schema = onnx.defs.get_schema(op, domain=domain)
        for constraint in schema.type_constraints:
            out += of_variable(schema, constraint, sorted(cases, key=lambda c: len(c.text)))
    return list(dict.fromkeys(out))


def of_variable(schema, constraint, cases):
    """A case for each type that a type variable may be and no case has."""
    if (schema.name, constraint.type_param_str) in FIXED:
        return []
    wanted = [n for n in map(element, constraint.allowed_type_strs) if n]
    if schema.name in NUMBERS:
        wanted = [n for n in wanted if n not in ("bool", "string") and not n.startswith("complex")]
    elif ALL in wanted:
        wanted = list(dict.fromkeys(wanted + SMALL))
    wanted += [n for n in BEYOND.get(schema.name, []) if "float32" in wanted and n not in wanted]
    wanted = [n for n in wanted if (schema.name, n) not in FIXED]
    base = next((c for c in cases if worth(schema, constraint, c)), None)
    if base is None:
        return []
    have = {line.name_of(v) for c in cases for v in operands(schema, constraint, c)}
    out = []
    for name in wanted:
        if name not in have:
            text = retyped(schema, constraint, base, name)
            if text:
                out.append(text)
    return out


def element(text):
    """The element type of tensor(float)."""
    if not text.startswith("tensor("):
        return None
    name = text[len("tensor("):-1]
    name = BY_SCHEMA.get(name, name)
    return name if name in line.DTYPES else None


def positions(schema, constraint, c):
    """The operands whose type is the variable."""
    for i, v in enumerate(c.inputs):
        formal = schema.inputs[min(i, len(schema.inputs) - 1)]
        joined = JOINED.get(schema.name, constraint.type_param_str).split()
        if (formal.type_str == constraint.type_param_str or {formal.type_str, constraint.type_param_str} <= set(joined)) and isinstance(v, np.ndarray):
            yield i


def operands(schema, constraint, c):
    return [c.inputs[i] for i in positions(schema, constraint, c)]


def worth(schema, constraint, c):
    count = sum(v.size for v in operands(schema, constraint, c))
    if any(v.size == 0 for v in operands(schema, constraint, c)):
        return False
    if not re.search(BASE.get(c.op, ""), c.text):
        return False
    return count >= min(ENOUGH, max((v.size for v in c.inputs if isinstance(v, np.ndarray)), default=0)) and count > 0 and len(c.text) <= SHORT


def retyped(schema, constraint, base, name):
    """The base with the variable's operands of another type."""
    at = set(positions(schema, constraint, base))
    inputs = [convert(v, name) if i in at else v for i, v in enumerate(base.inputs)]
    head = base.text.split("(")[0]
    tail = base.text[len(base.text) - len(rest_of(base)):]
    tail = tail.split(" -> ")[0]
    outs = ", ".join("_" if v is None else parse.UNKNOWN for v in base.outputs)
    static = " static" * ((schema.name, name) in STATIC)
    return f"{head}({', '.join(map(line.value, inputs))}){tail}{static} -> {outs}"


def rest_of(c):
    """What follows the operands in a case's line."""
    text = f"{c.text.split('(')[0]}({', '.join(written(v) for v in c.inputs)})"
    return c.text[len(text):] if c.text.startswith(text) else c.text[c.text.index(") ") + 1:]


def written(v):
    return f"seq:{v.name}(" + ", ".join(map(line.value, v)) + ")" if isinstance(v, parse.Sequence) else line.value(v)


def convert(v, name):
    """An operand's elements in another type, where they are small numbers of either sign."""
    if name == "string":
        return np.array([f"s{x}" for x in v.reshape(-1)], object).reshape(v.shape)
    if line.name_of(v) == "string":
        v = np.arange(v.size).reshape(v.shape)
    if v.dtype == bool:
        v = v.astype(np.int64)
    v = v.astype(np.complex128) if v.dtype.kind == "c" else v.astype(np.float64)
    dtype = line.DTYPES[name]
    if name == "bool":
        return np.round(np.abs(v)) % 2 == 1
    if name.startswith("complex"):
        return (v + 0.5j).astype(dtype)
    v = np.real(v)
    if name.startswith(("int", "uint")):
        most = {"2": 1, "4": 7}.get(name[-1] if name[-2:] not in ("32", "64") else "", 100)
        v = np.nan_to_num(v)
        v = np.clip(np.round(v), 0 if name.startswith("u") else -most, most)
        return v.astype(np.int64).astype(dtype)
    if name == "float8e8m0":
        return np.exp2(np.round(np.clip(np.abs(v), 0, 8))).astype(np.float32).astype(dtype)
    if name.startswith(line.BY_BITS):
        v = np.clip(v, -4, 4)
    return v.astype(np.float32).astype(dtype) if name != "float64" else v
