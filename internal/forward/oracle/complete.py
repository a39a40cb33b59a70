"""Fills in the outputs of lines that have none."""

import numpy as np
import onnx

import line
import parse
import run

# Operators of which ONNX Runtime is believed where the reference implementation
# differs, and why.
RUNTIME = {
    "BatchNormalization": "the reference lacks version 9",
    "Hardmax": "the reference lacks versions below 13, which flatten",
    "LogSoftmax": "the reference lacks versions below 13, which flatten",
    "LRN": "the reference does not sum over neighbors in the last channels",
    "LpNormalization": "the reference sums without absolute values",
    "GlobalMaxPool": "the reference knows only two spatial axes",
    "QLinearConv": "the reference mistakes one spatial axis for two",
    "Softmax": "the reference lacks versions below 13, which flatten",
}

# Operators of ai.onnx.ml of which ONNX Runtime is not believed.
REFERENCE = {"TreeEnsembleClassifier": "ONNX Runtime mistakes classes that have one leaf each for scores of one class"}

# Operators that know small floats themselves.
EXACT = {"Cast", "CastLike", "QuantizeLinear", "DequantizeLinear", "QLinearMatMul", "BitCast", "EyeLike", "IsInf", "IsNaN", "Equal"}


def complete(text, log):
    """The line with its outputs; None if nothing can compute them."""
    case = parse.Case(text)
    if case.outputs is None:
        case.outputs = [parse.UNKNOWN]
    out, why = values(case, log)
    if out is None:
        log(f"nothing computes {text}: {why}")
        return None
    rest = iter(out)
    outputs = [None if o is None else next(rest) for o in case.outputs]
    head = text.split(" -> ")[0]
    return head + " -> " + ", ".join(line.value(plain(v)) for v in outputs)


def settle(case, out):
    """The outputs with the element types of their variables, which the reference sometimes widens."""
    if not onnx.defs.has(case.op, case.domain) or case.domain == "ai.onnx.ml":
        return out
    schema = onnx.defs.get_schema(case.op, domain=case.domain)
    bound = {}
    for i, v in enumerate(case.inputs):
        v = v[0] if isinstance(v, parse.Sequence) and v else v
        if isinstance(v, np.ndarray):
            bound.setdefault(schema.inputs[min(i, len(schema.inputs) - 1)].type_str, v.dtype)
    given = [schema.outputs[min(i, len(schema.outputs) - 1)].type_str for i, o in enumerate(case.outputs) if o is not None]
    first = case.inputs[0].dtype if case.inputs and isinstance(case.inputs[0], np.ndarray) else None
    free = first if case.op in ("SplitToSequence", "SequenceConstruct", "LinearAttention", "OptionalGetElement") else None
    return [cast(v, bound.get(t, free)) for t, v in zip(given, out)]


def cast(v, dtype):
    if isinstance(v, (list, tuple)):
        return [cast(x, dtype) for x in v]
    if dtype is None or not isinstance(v, (np.ndarray, np.generic)) or v.dtype == dtype or dtype == object:
        return v
    return np.asarray(v).astype(dtype)


def plain(v):
    if isinstance(v, np.generic):
        return np.asarray(v)
    return v


def values(case, log):
    """What the outputs are."""
    if case.op == "Optional":  # which the reference takes for a list
        return [line.Optional(case.inputs[0])], None
    ways = [("runtime", run.runtime)]
    if case.domain != "com.microsoft":
        small = any(run.small(v) for v in case.inputs) and case.op not in EXACT
        ways = [("widened", run.widened)] * small + [("reference", run.reference)] + ways
    found, errors = {}, []
    for name, way in ways:
        out, why = run.attempt(way, case)
        if out is not None:
            found[name] = settle(case, out)
        else:
            errors.append(f"{name}: {why}")
    if not found:
        return None, "; ".join(errors)
    names = list(found)
    if "runtime" in found and (case.op in RUNTIME or case.domain == "ai.onnx.ml" and case.op not in REFERENCE):
        names.insert(0, "runtime")
    first = found[names[0]]
    if "runtime" in found and not run.same(first, found["runtime"]):
        log(f"{names[0]} and runtime disagree: {case.text[:300]}\n    {show(first)}\n    {show(found['runtime'])}")
    return first, None


def show(values):
    try:
        return ", ".join(line.value(plain(v)) for v in values)[:300]
    except Exception as e:
        return f"{type(values[0])} {e}"
