package onnx_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
)

// encoded returns the file of a graph in its text form.
func encoded(t *testing.T, text string) []byte {
	t.Helper()
	m, err := ir.Parse("m.ir", text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const columns = `module "m"
opset 20
func @main(%x: float32[n,2]) -> (%y) {
  %y = Relu(%x) : float32[n,2]
}
`

// TestSetMetadata adds and replaces entries of a file, and leaves all other bytes as they are.
func TestSetMetadata(t *testing.T) {
	b := encoded(t, columns)
	one, err := onnx.SetMetadata(b, map[string]string{"b": "2", "a": "1"})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(one, b) {
		t.Error("bytes of the model have changed")
	}
	two, err := onnx.SetMetadata(one, map[string]string{"a": "3"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("m.onnx", two, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, kv := range m.Meta {
		if _, twice := got[kv.Key]; twice {
			t.Errorf("there are two entries %q", kv.Key)
		}
		got[kv.Key] = kv.Value
	}
	if got["a"] != "3" || got["b"] != "2" {
		t.Errorf("the metadata are %v", got)
	}
	if _, err := onnx.SetMetadata([]byte{0xff}, nil); err == nil || !strings.Contains(err.Error(), "not an ONNX model") {
		t.Errorf("got %v, want an error about the file", err)
	}
}

// TestNormalize normalizes each column of the first input, and with one mean all of them.
func TestNormalize(t *testing.T) {
	for _, c := range []struct{ mean, std, want []float32 }{
		{[]float32{1, 2}, []float32{2, 4}, []float32{0, 0.5, 1, 0}},
		{[]float32{1}, []float32{2}, []float32{0, 1.5, 1, 0}},
	} {
		b, err := onnx.Normalize(encoded(t, columns), c.mean, c.std)
		if err != nil {
			t.Fatal(err)
		}
		m, err := onnx.Decode("m.onnx", b, nil)
		if err != nil {
			t.Fatal(err)
		}
		frozen, err := m.Names(keys.Frozen)
		if err != nil || len(frozen) != 2 {
			t.Errorf("training may change all but %q, %v, want the mean and the deviation", frozen, err)
		}
		if err := pass.Run(m, pass.Pipeline, nil); err != nil {
			t.Fatal(err)
		}
		y, err := eval.Run(m.Main, []tensor.Value{tensor.Of([]float32{1, 4, 3, -2}, 2, 2)})
		if err != nil {
			t.Fatal(err)
		}
		if err := compare.Values(y[0], tensor.Of(c.want, 2, 2), compare.Tolerance{}); err != nil {
			t.Errorf("means %v: %v", c.mean, err)
		}
	}
	if _, err := onnx.Normalize(encoded(t, columns), []float32{1, 2, 3}, []float32{1, 2, 3}); err == nil {
		t.Error("three means of two columns were taken")
	}
}

// TestNormalizeBranch normalizes an input that a branch returns as it is.
func TestNormalizeBranch(t *testing.T) {
	b, err := onnx.Normalize(encoded(t, `module "m"
opset 20
func @main(%x: float32[2], %c: bool[]) -> (%y) {
  %y = If(%c)
    then_branch() -> (%x) {
    }
    else_branch() -> (%z) {
      %z = Neg(%x)
    }
}
`), []float32{1}, []float32{2})
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.Decode("m.onnx", b, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Run(m, pass.Pipeline, nil); err != nil {
		t.Fatal(err)
	}
	for c, want := range map[bool][]float32{true: {1, 2}, false: {-1, -2}} {
		y, err := eval.Run(m.Main, []tensor.Value{tensor.Of([]float32{3, 5}, 2), tensor.Of([]bool{c})})
		if err != nil {
			t.Fatal(err)
		}
		if err := compare.Values(y[0], tensor.Of(want, 2), compare.Tolerance{}); err != nil {
			t.Errorf("%v: %v", c, err)
		}
	}
}
