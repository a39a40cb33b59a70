package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestWatch: each value is shown when it is computed and before it is read, so that a change of its elements reaches its
// readers. Views of other values are not shown, as they have the same memory.
func TestWatch(t *testing.T) {
	f := inferred(t, "func @main(%x: float32[2]) -> (%y) {\n  %a = Neg(%x)\n  const %s: int64[2] = [2, 1]\n  %b = Reshape(%a, %s)\n  %y = Neg(%b)\n}")
	var seen []string
	out, err := Watch(f, []tensor.Value{tensor.Of([]float32{1, 2}, 2)}, func(v *ir.Value, x tensor.Value) {
		d := tensor.Data[float32](x.(*tensor.Tensor))
		seen = append(seen, fmt.Sprint(v.Name, d))
		d[0] = 9
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(seen, tensor.Data[float32](out[0].(*tensor.Tensor))); got != "[a[-1 -2] y[-9 2]] [9 2]" {
		t.Errorf("got %s", got)
	}
}

// TestStep: a state begins with its initial value, and the next one is returned for the next step. Values that do not
// fit name their input or state.
func TestStep(t *testing.T) {
	f := inferred(t, "func @main(%x: float32[n]) -> (%y) {\n  state %sum: float32[] counter = 10 -> %next\n  %r = ReduceSum(%x) {keepdims = 0}\n  %next = Add(%sum, %r)\n  %y = Neg(%next)\n}")
	var state []tensor.Value
	for _, want := range []float32{-13, -16} {
		out, next, err := Step(f, state, []tensor.Value{tensor.Of([]float32{1, 2}, 2)})
		if err != nil {
			t.Fatal(err)
		}
		if got := tensor.Data[float32](out[0].(*tensor.Tensor))[0]; got != want {
			t.Errorf("got %v, want %v", got, want)
		}
		state = next
	}
	for _, c := range []struct {
		state, in []tensor.Value
		want      string
	}{
		{nil, nil, "got 0 inputs, want 1"},
		{nil, []tensor.Value{tensor.New(tensor.Float64, 2)}, `input "x": got float64[2], want float32[n]`},
		{nil, []tensor.Value{tensor.New(tensor.Float32, 2, 2)}, `input "x": got float32[2,2], want float32[n]`},
		{[]tensor.Value{tensor.New(tensor.Float32, 1)}, []tensor.Value{tensor.New(tensor.Float32, 2)}, `state "sum": got float32[1], want float32[]`},
	} {
		if _, _, err := Step(f, c.state, c.in); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	g := inferred(t, "func @main(%x: float32[n], %z: float32[n]) -> (%y) {\n  %y = Add(%x, %z)\n}")
	if _, err := Run(g, []tensor.Value{tensor.New(tensor.Float32, 2), tensor.New(tensor.Float32, 3)}); err == nil || err.Error() != `input "z": axis 0 is 3, want n = 2` {
		t.Errorf("two sizes for one symbol: %v", err)
	}
}

// TestCall: the results of a call are the symbols of its node. A call without a kernel for its operands names both, and
// a kernel that panics becomes an error.
func TestCall(t *testing.T) {
	x := &ir.Value{Name: "x", Type: ir.TensorOf(tensor.Float32, ir.C(3))}
	vals := map[*ir.Value]tensor.Value{x: tensor.Of([]float32{1, 0, 2}, 3)}
	syms := map[string]int{}
	if err := Call(op.Call{Kernel: "NonZeroCount", Args: []any{x}, Binds: []string{"count"}}, vals, syms); err != nil || syms["count"] != 2 {
		t.Errorf("got %v, %v, want 2 elements", syms, err)
	}
	for _, c := range []struct {
		call op.Call
		want string
	}{
		{op.Call{Kernel: "NoSuch"}, "BUG: no kernel NoSuch; run go generate ./ir/eval"},
		{op.Call{Kernel: "NonZeroCount", Args: []any{x, 1}}, "BUG: kernel NonZeroCount takes no (float32[3], int)"},
		{op.Call{Kernel: "NonZeroCount", Args: []any{op.Kernel("NoSuch")}}, "BUG: kernel NonZeroCount takes no (op.Kernel)"},
		{op.Call{Kernel: "NonZeroCount", Args: []any{op.Const("NoSuch")}}, "BUG: kernel NonZeroCount takes no (op.Const)"},
		{op.Call{Kernel: "NonZeroCount", Args: []any{op.Struct{Type: "Window"}}}, "BUG: kernel NonZeroCount takes no (op.Struct)"},
		{op.Call{Kernel: "CheckEqual", Args: []any{"sizes", 1, 2}}, "sizes are 1, want 2"},
	} {
		if err := Call(c.call, vals, syms); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestFails: a division by zero stops whole numbers only. Code around a call that cannot fail reports no node.
func TestFails(t *testing.T) {
	of := func(d tensor.DType) *ir.Value { return &ir.Value{Type: ir.TensorOf(d)} }
	for _, c := range []struct {
		kernel string
		elem   tensor.DType
		want   bool
	}{
		{"Div", tensor.Int64, true},
		{"Div", tensor.Float32, false},
		{"Gather", tensor.Float32, true},
		{"Relu", tensor.Float32, false},
	} {
		if got := Fails(op.Call{Kernel: c.kernel, Args: []any{of(c.elem)}}); got != c.want {
			t.Errorf("%s of %s can fail: %v", c.kernel, c.elem, got)
		}
	}
}

// TestNode evaluates a node with constant inputs, as constants are folded; what has no value is refused.
func TestNode(t *testing.T) {
	f := inferred(t, "func @main(%z: float32[1]) -> (%y) {\n  const %x: float32[2] = [1, 2]\n  %y = Neg(%x)\n}")
	out, err := Node(f.Body.Nodes[0])
	if err != nil || fmt.Sprint(tensor.Data[float32](out[0].(*tensor.Tensor))) != "[-1 -2]" {
		t.Errorf("got %v, %v", out, err)
	}
	if _, err := Node(&ir.Node{Op: "NoSuch"}); err == nil || err.Error() != "no such operator" {
		t.Error(err)
	}
	if _, err := Node(&ir.Node{Op: "Mean", In: f.Body.Nodes[0].In, Out: f.Body.Nodes[0].Out}); err == nil || err.Error() != "cannot be lowered" {
		t.Error(err)
	}
}
