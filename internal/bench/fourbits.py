"""Writes cases of MatMulNBits for `go run ./internal/bench`: products with weights of four bits, in blocks of 32.

    pip install onnx onnxruntime
    python fourbits.py FOLDER

A name such as r64_4096x11008_l4 has the rows, the size of the weights and accuracy_level, at 4 of which engines may round the
rows to int8. Expected outputs are computed by ONNX Runtime at the same level.
"""
import os
import sys

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper, save

BLOCK = 32
SIZES = [(2048, 2048), (4096, 11008)]


def model(rows, k, n, level):
    random = numpy.random.default_rng(0)
    packed = random.integers(0, 256, (n, k // BLOCK, BLOCK // 2), numpy.uint8)
    scales = random.uniform(0.5, 1, (n, k // BLOCK)).astype(numpy.float32) / k**0.5 / 4
    node = helper.make_node(
        "MatMulNBits", ["x", "weights", "scales"], ["y"], domain="com.microsoft", K=k, N=n, bits=4, block_size=BLOCK, accuracy_level=level
    )
    graph = helper.make_graph(
        [node],
        "four_bits",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [rows, k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [rows, n])],
        [numpy_helper.from_array(packed, "weights"), numpy_helper.from_array(scales, "scales")],
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10), random.standard_normal((rows, k), numpy.float32)


def write(folder, rows, k, n, level):
    case = os.path.join(folder, f"r{rows}_{k}x{n}_l{level}")
    data, path = os.path.join(case, "test_data_set_0"), os.path.join(case, "model.onnx")
    os.makedirs(data, exist_ok=True)
    made, x = model(rows, k, n, level)
    save(made, path)
    (y,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    for name, value in ("input_0", x), ("output_0", y):
        with open(os.path.join(data, f"{name}.pb"), "wb") as f:
            f.write(numpy_helper.from_array(value).SerializeToString())


for k, n in SIZES:
    for rows in 1, 64:
        for level in 0, 4:
            write(sys.argv[1], rows, k, n, level)
