"""ONNX's own cases, as the package onnx holds them: those of one node and of
few numbers. For an operator all of whose cases are larger, the smallest."""

import collections
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

import line

SMALL = 90    # elements that every case may have
LARGE = 1200  # that a case may have if the operator has no smaller one
LEAST = 2     # cases that an operator should have

ROUNDED = {"AveragePool", "GridSample", "RoiAlign"}  # whose expected values have four decimals
STATIC = {"ConstantOfShape", "DFT", "STFT"}  # of which some size must be known
RANDOM = {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Bernoulli", "Multinomial"}


def cases():
    """The lines, by operator."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case import node as published
        found = published.collect_testcases(None)
    by_op = collections.defaultdict(list)
    for c in found:
        if len(c.model.graph.node) == 1 and "_expanded" not in c.name:
            by_op[key(c)].append(c)
    out = []
    for op in sorted(by_op):
        out += of_operator(by_op[op])
    return out


def key(c):
    node = c.model.graph.node[0]
    return node.domain, node.op_type


def of_operator(cases):
    lines = {}
    for n, c in enumerate(sorted(cases, key=size)):
        if size(c) > (SMALL if n >= LEAST else LARGE):
            break
        text = convert(c)
        if text:
            lines.setdefault(text, c.name)
    return list(lines)


def size(c):
    return sum(count(v) for inputs, outputs in c.data_sets for v in list(inputs) + list(outputs))


def count(v):
    if v is None:
        return 0
    if isinstance(v, (list, tuple)):
        return sum(map(count, v))
    if isinstance(v, dict):
        return 2 * len(v)
    return plain(v).size


def plain(v):
    """A tensor as an array."""
    return numpy_helper.to_array(v) if isinstance(v, onnx.TensorProto) else np.asarray(v)


def convert(c):
    """The line of a case."""
    graph, (inputs, outputs) = c.model.graph, c.data_sets[0]
    node = graph.node[0]
    version = next(o.version for o in c.model.opset_import if o.domain in (node.domain, node.domain or "ai.onnx"))
    since = onnx.defs.get_schema(node.op_type, version, node.domain).since_version
    newest = onnx.defs.get_schema(node.op_type, domain=node.domain).since_version
    values = dict(zip((i.name for i in graph.input), inputs))
    optional = {i.name for i in graph.input if i.type.HasField("optional_type")}
    words = []
    if node.op_type in RANDOM or node.op_type == "Dropout" and len(inputs) > 2 and bool(inputs[2]):
        words.append("shape")
    if node.op_type in ROUNDED:
        words.append("~0.0001")
    if node.op_type in STATIC or node.op_type == "TopK" and plain(inputs[0]).shape == (4,):
        words.append("static")
    given = dict(zip((o.name for o in graph.output), outputs))
    return line.line(
        node,
        [operand(values.get(n), n in optional) if n else None for n in node.input],
        [operand(given.get(n), False) for n in node.output],
        None if since == newest else since,
        words,
    )


def operand(v, optional):
    if optional:
        return line.Optional(operand(v, False))
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v if v is None or isinstance(v, dict) else plain(v)
