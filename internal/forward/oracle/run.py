"""Computes cases with ONNX's reference implementation and with ONNX Runtime."""

import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

import line
import parse

onnxruntime.set_default_logger_severity(4)
RARE = ("float16", "bfloat16", "float8", "float4")  # computed as float32, and rounded once

ELEMS = {
    name: getattr(TensorProto, {"float32": "FLOAT", "float64": "DOUBLE", "float4e2m1": "FLOAT4E2M1", "float8e8m0": "FLOAT8E8M0"}.get(name, name.upper()))
    for name in list(line.NAMES.values()) + ["string"]
}


def plain(v):
    """An operand as evaluators take it."""
    return plain(v.value) if isinstance(v, line.Optional) and v.value is not None else None if isinstance(v, line.Optional) else v


def type_of(v):
    """The TypeProto of an operand."""
    if isinstance(v, line.Optional):
        return helper.make_optional_type_proto(type_of(np.zeros(0, np.float32) if v.value is None else v.value))
    if isinstance(v, parse.Sequence):
        return helper.make_sequence_type_proto(helper.make_tensor_type_proto(ELEMS[v.name], None))
    if isinstance(v, dict):
        keys, values = line.array(list(v)), line.array(list(v.values()))
        return helper.make_map_type_proto(ELEMS[line.name_of(keys)], helper.make_tensor_type_proto(ELEMS[line.name_of(values)], []))
    return helper.make_tensor_type_proto(ELEMS[line.name_of(v)], v.shape)


def model(case, inputs):
    """A model of the case's node."""
    domain = "com.microsoft" if case.domain == "com.microsoft" else case.domain
    names = [f"i{k}" if v is not None else "" for k, v in enumerate(inputs)]
    outs = [f"o{k}" if v is not None else "" for k, v in enumerate(case.outputs)]
    node = helper.make_node(case.op, names, outs, domain=domain)
    node.attribute.extend(attribute(n, v, case) for n, v in case.attrs.items())
    graph = helper.make_graph(
        [node], "case",
        [helper.make_value_info(n, type_of(v)) for n, v in zip(names, inputs) if n],
        [onnx.ValueInfoProto(name=n) for n in outs if n],
    )
    newest = onnx.defs.onnx_opset_version() if not domain else 1 if domain in ("com.microsoft", "ai.onnx.preview", "ai.onnx.preview.training") else 5
    opsets = [helper.make_opsetid(domain, case.version or newest)]
    if domain:
        opsets.append(helper.make_opsetid("", 21))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), {n: plain(v) for n, v in zip(names, inputs) if n}


def attribute(name, v, case):
    """The AttributeProto of a value."""
    if isinstance(v, np.ndarray):
        return helper.make_attribute(name, onnx.numpy_helper.from_array(v))
    if v == []:
        schema = onnx.defs.get_schema(case.op, domain=case.domain)
        return helper.make_attribute(name, v, attr_type=schema.attributes[name].type)
    return helper.make_attribute(name, v)


def small(v):
    return isinstance(v, np.ndarray) and line.name_of(v).startswith(RARE)


def reference(case):
    """What the reference implementation gives; arithmetic on small floats is float32."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        m, feeds = model(case, case.inputs)
        return ReferenceEvaluator(m).run(None, feeds)


def widened(case):
    """The reference's values where small floats are float32."""
    inputs = [v.astype(np.float32) if small(v) else v for v in case.inputs]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        m, feeds = model(case, inputs)
        return ReferenceEvaluator(m).run(None, feeds)


def runtime(case):
    """What ONNX Runtime gives."""
    m, feeds = model(case, case.inputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    s = onnxruntime.InferenceSession(m.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return s.run(None, {n: list(v) if isinstance(v, parse.Sequence) else v for n, v in feeds.items()})


def attempt(f, case):
    """A way's values, and why there are none."""
    try:
        return f(case), None
    except Exception as e:  # each way fails in ways of its own
        return None, str(e).strip().split("\n")[-1][:160]


def same(a, b, tol=1e-4):
    """Whether two lists of outputs agree."""
    return len(a) == len(b) and all(alike(x, y, tol) for x, y in zip(a, b))


def alike(a, b, tol):
    if isinstance(a, (list, tuple)) or isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(alike(x, y, tol) for x, y in zip(a, b))
    if isinstance(a, dict):
        return a == b
    a, b = np.asarray(a), np.asarray(b)
    if b.dtype == np.uint8 and line.name_of(a).startswith("float8"):  # which ONNX Runtime gives by its bits
        b = b.view(a.dtype)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if line.name_of(a).startswith(RARE):
        a, b = a.astype(np.float32), b.astype(np.float32)
        tol = 2e-2
    if a.dtype.kind in "fc":
        with np.errstate(all="ignore"):
            return bool(np.allclose(a, b, tol, tol, equal_nan=True))
    return bool((a == b).all())
