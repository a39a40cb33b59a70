package export

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/safetensors"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// scale returns a model whose weights are the given ones.
func scale(w, b string) string {
	return "module \"scale\"\nopset 21\n\nfunc @main(%x: float32[n,2]) -> (%y) {\n  const %w: float32[2,2] = [" + w + "]\n  const %b: float32[2] = [" + b + "]\n  %h = MatMul(%x, %w) : ?\n  %y = Add(%h, %b) : ?\n}\n"
}

// tensors writes a safetensors file into the working folder.
func tensors(t *testing.T, name string, list map[string]*tensor.Tensor, meta map[string]string) string {
	t.Helper()
	b, err := (&safetensors.File{Tensors: list, Metadata: meta}).Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	return cmdtest.File(t, ".", name, b)
}

// npy writes an .npy file into the working folder.
func npy(t *testing.T, name string, x *tensor.Tensor) string {
	t.Helper()
	b, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	return cmdtest.File(t, ".", name, b)
}

// same reports a file that is not the model with the given weights, byte for byte.
func same(t *testing.T, file, w, b string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	want, err := os.ReadFile(cmdtest.Model(t, t.TempDir(), "want.onnx", scale(w, b)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not the model with the weights %s and %s", file, w, b)
	}
}

// TestExport: weights of a file, of a vector for a model, and of a vector for the peers of a program become those of the
// model.
func TestExport(t *testing.T) {
	t.Chdir(t.TempDir())
	model := cmdtest.Model(t, ".", "scale.onnx", scale("1, 2, 3, 4", "5, 6"))
	all := tensors(t, "all.safetensors", map[string]*tensor.Tensor{"w": tensor.Of([]float32{10, 20, 30, 40}, 2, 2), "b": tensor.Of([]float32{50, 60}, 2)}, nil)
	some := tensors(t, "some.safetensors", map[string]*tensor.Tensor{"b": tensor.Of([]float32{50, 60}, 2)}, nil)
	vector := npy(t, "vector.npy", tensor.Of([]float32{10, 20, 30, 40, 50, 60}, 6))
	if err := os.Mkdir("peer", 0o777); err != nil {
		t.Fatal(err)
	}
	// The order of the list is that of the vector.
	cmdtest.File(t, "peer", "models.json", `{"models": [{"file": "../other.onnx", "weights": [{"name": "w", "shape": [2]}]}, {"file": "../scale.onnx", "weights": [{"name": "b", "shape": [2]}, {"name": "w", "shape": [2, 2]}]}]}`)
	for _, c := range []struct{ model, weights, w, b string }{
		{model, all, "10, 20, 30, 40", "50, 60"},
		{model, some, "1, 2, 3, 4", "50, 60"},
		{model, vector, "10, 20, 30, 40", "50, 60"},
		{"peer", vector, "30, 40, 50, 60", "10, 20"},
	} {
		out := filepath.Join("out", c.weights+".onnx")
		if _, _, err := cmdtest.Run(t, Command(), c.model, "--weights", c.weights, "-o", out); err != nil {
			t.Errorf("%s, %s: %v", c.model, c.weights, err)
			continue
		}
		same(t, out, c.w, c.b)
	}
	same(t, model, "1, 2, 3, 4", "5, 6")
}

// TestRefuses shows command lines and files that are refused: nothing is written.
func TestRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	model := cmdtest.Model(t, ".", "scale.onnx", scale("1, 2, 3, 4", "5, 6"))
	bad := tensors(t, "bad.safetensors", map[string]*tensor.Tensor{"w": tensor.Of([]float32{1}, 1), "z": tensor.Of([]float32{1}, 1)}, nil)
	normal := tensors(t, "mean.safetensors", map[string]*tensor.Tensor{}, map[string]string{"mean": "[1,2,3]", "std": "[1,1,1]"})
	deviations := tensors(t, "std.safetensors", map[string]*tensor.Tensor{}, map[string]string{"std": "x"})
	short := npy(t, "short.npy", tensor.Of([]float32{1, 2}, 2))
	whole := npy(t, "whole.npy", tensor.Of([]int64{1, 2, 3, 4, 5, 6}, 6))
	matrix := npy(t, "matrix.npy", tensor.Of(make([]float32, 6), 2, 3))
	text := cmdtest.File(t, ".", "text.npy", "no array")
	if err := os.MkdirAll("peer", 0o777); err != nil {
		t.Fatal(err)
	}
	with := func(weights string) []string { return []string{model, "--weights", weights, "-o", "out.onnx"} }
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{model, "-o", "out.onnx"}, Want: "which weights, and where to? give --weights FILE -o OUT", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--weights", bad}, Want: "which weights, and where to?", Usage: true},
		cmdtest.Refusal{Args: []string{model, "--weights", bad, "-o", bad}, Want: "-o bad.safetensors would replace the input bad.safetensors", Usage: true},
		cmdtest.Refusal{Args: with("none.safetensors"), Want: "none.safetensors"},
		cmdtest.Refusal{Args: with(model), Want: "scale.onnx: safetensors: "},
		cmdtest.Refusal{Args: with(bad), Want: "scale.onnx, bad.safetensors:\nweight \"w\": is float32[1], the model's is float32[2,2]\nweight \"z\": the model has none of this name"},
		cmdtest.Refusal{Args: with(normal), Want: "scale.onnx, mean.safetensors: input x has 2 channels, want one for each of 3 means"},
		cmdtest.Refusal{Args: with(deviations), Want: "scale.onnx, std.safetensors: metadata std: invalid character 'x'"},
		cmdtest.Refusal{Args: with("none.npy"), Want: "none.npy"},
		cmdtest.Refusal{Args: with(text), Want: "text.npy: npy: "},
		cmdtest.Refusal{Args: with(whole), Want: "whole.npy is int64[6], want a vector of float32: the weights one behind the other"},
		cmdtest.Refusal{Args: with(matrix), Want: "matrix.npy is float32[2,3], want a vector of float32: the weights one behind the other"},
		cmdtest.Refusal{Args: with(short), Want: "short.npy: 2 values, want 6, the weights of scale.onnx"},
		cmdtest.Refusal{Args: []string{"peer", "--weights", short, "-o", "out.onnx"}, Want: "short.npy: peer has no models.json"},
		cmdtest.Refusal{Args: []string{"none.onnx", "--weights", short, "-o", "out.onnx"}, Want: "none.onnx"},
	)
	if _, err := os.Stat("out.onnx"); err == nil {
		t.Error("a model is written all the same")
	}
}
