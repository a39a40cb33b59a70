package op_test

import (
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	_ "github.com/bbgen/bbgen/ir/op/all" // the table
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestFindLast shows which operators support the channels last: those that define how, those that are the
// same in that layout, and among these the ones for which it depends on the node.
func TestFindLast(t *testing.T) {
	value := func(shape ...int) *ir.Value { return &ir.Value{Type: ir.TensorOf(tensor.Float32, ir.Cs(shape...)...)} }
	for _, c := range []struct {
		op        string
		scale     *ir.Value
		form      bool
		starts    bool
		pointwise bool
	}{
		{op: "Conv", form: true, starts: true},
		{op: "MaxPool", form: true},
		{op: "Relu", form: true, pointwise: true},
		{op: "QuantizeLinear", scale: value(), form: true, pointwise: true},
		{op: "QuantizeLinear", scale: value(3), form: true},
		{op: "MatMul"},
		{op: "NoSuch"},
	} {
		n := &ir.Node{Op: c.op, In: []*ir.Value{value(1, 3, 4, 4), c.scale}}
		form, ok := op.FindLast(n)
		if ok != c.form || form.Starts != c.starts {
			t.Errorf("%s has a form with the channels last: %v, which pays although data are moved: %v", c.op, ok, form.Starts)
		}
		if got := op.Pointwise(n); got != c.pointwise {
			t.Errorf("%s of scales %v is pointwise: %v", c.op, c.scale, got)
		}
	}
}
