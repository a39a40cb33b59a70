package parts

import (
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/component/backend"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestExecute: each operator that the engine names is computed in a tensor of its own.
func TestExecute(t *testing.T) {
	a, b := vector{[]float32{1, -2, 3}, []int{3}}, vector{[]float32{10, 20, -1}, []int{3}}
	for _, c := range []struct {
		op   string
		in   []vector
		want []float32
	}{
		{"Add", []vector{a, b}, []float32{11, 18, 2}},
		{"Mul", []vector{a, b}, []float32{10, -40, -3}},
		{"Neg", []vector{a}, []float32{-1, 2, -3}},
	} {
		var e Engine
		if !slices.Contains(e.Operators(), c.op) {
			t.Errorf("%s is no operator of the engine", c.op)
		}
		out, err := e.Execute(t.Context(), &backend.Operation{Type: c.op}, c.in)
		if err != nil || len(out) != 1 || !slices.Equal(out[0].x, c.want) || !slices.Equal(out[0].shape, a.shape) {
			t.Errorf("%s: got %v, %v, want %v", c.op, out, err, c.want)
		}
	}
	if !slices.Equal(a.x, []float32{1, -2, 3}) {
		t.Errorf("an operand has become %v", a.x)
	}
}

// TestMaterialize: the engine's value is a copy.
func TestMaterialize(t *testing.T) {
	var e Engine
	x := tensor.Of([]float32{1, 2, 3, 4}, 2, 2)
	v, err := e.Materialize(x)
	if err != nil {
		t.Fatal(err)
	}
	tensor.Data[float32](x)[0], x.Shape[0] = 9, 9
	got, err := e.Read(v)
	if err != nil || !slices.Equal(tensor.Data[float32](got), []float32{1, 2, 3, 4}) || !slices.Equal(got.Shape, []int{2, 2}) {
		t.Errorf("got %v, %v, want the tensor as it was", got, err)
	}
}

// TestOpen: an open engine computes graphs.
func TestOpen(t *testing.T) {
	m, err := ir.Parse("m.ir", "module \"m\"\nfile \"m.onnx\"\nopset 21\n\nfunc @main(%x: float32[2]) -> (%y) {\n  %a = Mul(%x, %x)\n  %y = Neg(%a)\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	b, err := onnx.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	var e Engine
	if err := e.Open(runtime.Env{}); err != nil {
		t.Fatal(err)
	}
	if err := e.Load(0, b); err != nil {
		t.Fatal(err)
	}
	if err := e.Run(t.Context(), 0, tensor.Of([]float32{3, -4}, 2)); err != nil {
		t.Fatal(err)
	}
	y, err := e.Retrieve(0, 0)
	if err != nil || !slices.Equal(tensor.Data[float32](y), []float32{-9, -16}) {
		t.Errorf("got %v, %v, want -9 and -16", y, err)
	}
}
