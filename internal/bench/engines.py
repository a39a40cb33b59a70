"""Times one engine on one case, for `go run ./internal/bench`.

    python engines.py ENGINE MODEL DATA THREADS FOLDER

ENGINE is onnxruntime, openvino or mnn. MODEL is an ONNX file, and DATA a folder with input_I.pb. The outputs of
the first run are written to FOLDER as output_I.pb, and a line of JSON says that the engine is ready:
{"version", "load_us"}. Then each line of standard input is a number of milliseconds to run for, and is answered
by a line of JSON: {"median_us", "cpu_us"}. If the engine is not installed, the only line is {"missing": why}; if
it cannot run the model, {"failed": why}.

Inputs are set once, and outputs stay in the engine's memory, so that only the model is timed.
"""
import json
import os
import resource
import subprocess
import sys
import time

# What is printed by the libraries must not get between the lines of JSON.
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def answer(**fields):
    print(json.dumps(fields), file=answers, flush=True)


def feeds(model, data):
    """Returns the values of the inputs that are not initializers, by name and in order."""
    from onnx import TensorProto, numpy_helper

    weights = {i.name for i in model.graph.initializer} | {i.values.name for i in model.graph.sparse_initializer}
    out = {}
    for value in model.graph.input:
        if value.name in weights:
            continue
        t = TensorProto()
        with open(os.path.join(data, f"input_{len(out)}.pb"), "rb") as f:
            t.ParseFromString(f.read())
        out[value.name] = numpy_helper.to_array(t)
    return out


class ONNXRuntime:
    """ONNX Runtime with all of its optimizations and the sizes of the inputs, which are bound as the outputs are."""

    def __init__(self, path, names, inputs, sizes, threads, folder):
        import onnxruntime

        self.version = onnxruntime.__version__
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        options.log_severity_level = 3
        for name, size in sizes.items():
            options.add_free_dimension_override_by_name(name, size)
        self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.binding = self.session.io_binding()
        for name, value in inputs.items():
            self.binding.bind_cpu_input(name, value)
        for name in names:
            self.binding.bind_output(name)

    def run(self):
        self.session.run_with_iobinding(self.binding)

    def outputs(self):
        return self.binding.copy_outputs_to_cpu()


class OpenVINO:
    """OpenVINO's CPU plugin with the hint for latency, in float32: it would use bfloat16 where a processor has it."""

    def __init__(self, path, names, inputs, sizes, threads, folder):
        import numpy
        import openvino

        self.version, self.names = openvino.__version__.split("-")[0], names
        core = openvino.Core()
        model = core.read_model(path)
        model.reshape({p.any_name: list(inputs[p.any_name].shape) for p in model.inputs})
        compiled = core.compile_model(model, "CPU", {
            "INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32",
        })
        self.request = compiled.create_infer_request()
        for p in compiled.inputs:
            self.request.set_tensor(p, openvino.Tensor(numpy.ascontiguousarray(inputs[p.any_name])))
        # The method of the base class neither copies inputs nor makes a dictionary of outputs.
        infer = super(type(self.request), self.request).infer
        self.run = lambda: infer({}, share_outputs=True, decode_strings=False)

    def outputs(self):
        return [self.request.get_tensor(name).data.copy() for name in self.names]


class MNN:
    """MNN's sessions, in float32. The model is converted by MNN's own converter, once for a folder.

    It runs in a process of its own, which it ends after some mistakes. The command mnnconvert is not used: it installs
    packages that report what was converted. The converter leaves files where it runs, thus in the folder.
    """

    def __init__(self, path, names, inputs, sizes, threads, folder):
        import MNN as mnn
        import numpy

        self.mnn, self.numpy, self.names, self.version = mnn, numpy, names, mnn.version()
        folder = os.path.abspath(folder)
        converted = os.path.join(folder, "model.mnn")
        if not os.path.exists(converted):
            convert = "import sys, _tools; _tools.mnnconvert(sys.argv)"
            command = [sys.executable, "-c", convert, "-f", "ONNX", "--modelFile", os.path.abspath(path), "--MNNModel", converted, "--bizCode", "bench"]
            done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if not os.path.exists(converted):
                raise RuntimeError("mnnconvert: " + " ".join(done.stdout.split())[-200:])
        self.net = mnn.Interpreter(converted)
        self.session = self.net.createSession({"numThread": threads, "backend": "CPU", "precision": "high"})
        for name, value in inputs.items():
            self.net.resizeTensor(self.net.getSessionInput(self.session, name), value.shape)
        self.net.resizeSession(self.session)
        for name, value in inputs.items():
            self.net.getSessionInput(self.session, name).copyFrom(self.host(value))

    def host(self, value):
        """Returns a tensor of MNN with the value, which has 32 bits for an element."""
        float32 = value.dtype.kind == "f"
        kind = self.mnn.Halide_Type_Float if float32 else self.mnn.Halide_Type_Int
        value = self.numpy.ascontiguousarray(value, self.numpy.float32 if float32 else self.numpy.int32)
        return self.mnn.Tensor(value.shape, kind, value, self.mnn.Tensor_DimensionType_Caffe)

    def run(self):
        code = self.net.runSession(self.session)
        if code:
            raise RuntimeError(f"runSession: code {code}")

    def outputs(self):
        out = []
        for name in self.names:
            t = self.net.getSessionOutput(self.session, name)
            floats = t.getDataType() == self.mnn.Halide_Type_Float
            value = self.numpy.zeros(t.getShape(), self.numpy.float32 if floats else self.numpy.int32)
            host = self.host(value)
            t.copyToHostTensor(host)
            out.append(self.numpy.array(host.getData()).reshape(value.shape).astype(value.dtype))
        return out


ENGINES = {"onnxruntime": ONNXRuntime, "openvino": OpenVINO, "mnn": MNN}


def write(folder, outputs):
    from onnx import numpy_helper

    for i, value in enumerate(outputs):
        with open(os.path.join(folder, f"output_{i}.pb"), "wb") as f:
            f.write(numpy_helper.from_array(value).SerializeToString())


def processor():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def timed(run, seconds):
    """Runs for some seconds, and a quarter of that before. Returns the median and the processor time of a run."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds / 4:
        run()
    took, before, begin = [], processor(), time.perf_counter()
    while time.perf_counter() - begin < seconds or len(took) < 5:
        t = time.perf_counter_ns()
        run()
        took.append(time.perf_counter_ns() - t)
    spent = processor() - before
    return {"median_us": sorted(took)[len(took) // 2] / 1e3, "cpu_us": spent * 1e6 / len(took)}


def main(name, path, data, threads, folder):
    import onnx

    model = onnx.load(path, load_external_data=False)
    inputs = feeds(model, data)
    dims = ((d.dim_param, n) for i in model.graph.input if i.name in inputs for d, n in zip(i.type.tensor_type.shape.dim, inputs[i.name].shape))
    sizes = {name: n for name, n in dims if name}
    begin = time.perf_counter()
    try:
        engine = ENGINES[name](path, [o.name for o in model.graph.output], inputs, sizes, threads, folder)
        engine.run()
        load = (time.perf_counter() - begin) * 1e6
        write(folder, engine.outputs())
    except ImportError as e:
        return answer(missing=str(e))
    except Exception as e:
        return answer(failed=" ".join(f"{type(e).__name__}: {e}".split())[:300])
    answer(version=engine.version, load_us=load)
    for line in sys.stdin:
        answer(**timed(engine.run, int(line) / 1e3))


try:
    main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
except ImportError as e:
    answer(missing=str(e))
