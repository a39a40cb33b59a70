"""Writes quantized models for `go run ./internal/bench`, of cases that models.py has written.

    pip install onnx onnxruntime
    python quantized.py CASES FOLDER [NAME...]

Names begin with the form: dyn_ has products of bytes whose inputs are rounded at run time; qdq_ has pairs of
QuantizeLinear and DequantizeLinear; qop_ has operators on bytes. Expected outputs are computed by ONNX Runtime with its
basic optimizations.
"""
import os
import sys
import tempfile

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

U8, S8 = QuantType.QUInt8, QuantType.QInt8


class Near(CalibrationDataReader):
    """The inputs of a case, and three times the same with noise."""

    def __init__(self, inputs):
        random = numpy.random.default_rng(0)
        noisy = lambda v: v + random.normal(0, 0.3, v.shape).astype(v.dtype) if v.dtype.kind == "f" else v
        self.left = [inputs] + [{name: noisy(v) for name, v in inputs.items()} for _ in range(3)]

    def get_next(self):
        return self.left.pop() if self.left else None


def dynamic(weights):
    return lambda source, to, inputs: quantize_dynamic(source, to, weight_type=weights)


def static(form, activations, weights, per_channel):
    def make(source, to, inputs):
        quantize_static(source, to, Near(inputs), quant_format=form, activation_type=activations, weight_type=weights, per_channel=per_channel)
    return make


QDQ, QOP = QuantFormat.QDQ, QuantFormat.QOperator
MODELS = {
    "dyn_distilbert": ("hf_distilbert", dynamic(S8)),
    "dyn_gpt2_u8": ("hf_gpt2", dynamic(U8)),
    "dyn_resnet18": ("tv_resnet18", dynamic(U8)),
    "qdq_distilbert": ("hf_distilbert", static(QDQ, U8, S8, False)),
    "qdq_mnasnet": ("tv_mnasnet0_5", static(QDQ, S8, S8, True)),
    "qdq_mobilenetv4": ("timm_mobilenetv4_conv_small", static(QDQ, U8, S8, True)),
    "qdq_resnet18": ("tv_resnet18", static(QDQ, U8, S8, True)),
    "qdq_resnet18_s8": ("tv_resnet18", static(QDQ, S8, S8, True)),
    "qop_mobilenetv4": ("timm_mobilenetv4_conv_small", static(QOP, U8, U8, False)),
    "qop_resnet18": ("tv_resnet18", static(QOP, U8, S8, False)),
}


def inputs_of(case):
    """Returns the values of the inputs that are not initializers, by name and in order."""
    graph = onnx.load(os.path.join(case, "model.onnx"), load_external_data=False).graph
    weights, out = {i.name for i in graph.initializer}, {}
    for value in graph.input:
        if value.name not in weights:
            t = TensorProto()
            with open(os.path.join(case, "test_data_set_0", f"input_{len(out)}.pb"), "rb") as f:
                t.ParseFromString(f.read())
            out[value.name] = numpy_helper.to_array(t)
    return out


def write(cases, folder, name):
    source, make = MODELS[name]
    case, data = os.path.join(cases, source), os.path.join(folder, name, "test_data_set_0")
    model, inputs = os.path.join(folder, name, "model.onnx"), inputs_of(case)
    os.makedirs(data, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp:
        prepared = os.path.join(tmp, "prepared.onnx")
        quant_pre_process(os.path.join(case, "model.onnx"), prepared, skip_symbolic_shape=True)
        make(prepared, model, inputs)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    outputs = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"]).run(None, inputs)
    for kind, values in (("input", inputs.values()), ("output", outputs)):
        for i, value in enumerate(values):
            with open(os.path.join(data, f"{kind}_{i}.pb"), "wb") as f:
                f.write(numpy_helper.from_array(numpy.ascontiguousarray(value)).SerializeToString())


for wanted in sys.argv[3:] or MODELS:
    write(sys.argv[1], sys.argv[2], wanted)
