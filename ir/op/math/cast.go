package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CastOp (Cast) converts elements to another type.
//
// https://onnx.ai/onnx/operators/onnx__Cast.html
var CastOp = &op.Op{
	Name:  "Cast",
	Since: []int{1, 6, 9, 13, 19, 21, 23, 24, 25, 28},
	Attrs: []op.Attr{
		{Name: "round_mode", Kind: op.String, Default: "up", Values: []string{"up", "down", "nearest"}, Since: 24},
		{Name: "saturate", Kind: op.Int, Default: 1, Since: 19},
		{Name: "to", Kind: op.String, Required: true, Until: 6},
		{Name: "to", Kind: op.Int, Required: true, Since: 6},
	},
	Inputs:  []op.Port{{Name: "input", Types: elem.NotComplex}},
	Outputs: []op.Port{{Name: "output", Types: elem.NotComplex}},
	Infer:   inferCast,
	Upgrade: upgradeCast,
	Grad:    castGrad,
	Lower:   lowerCast,
	Expand:  func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return n.In, nil },
	Expands: func(n *ir.Node) bool { return n.In[op.X].Type.Elem == n.Out[0].Type.Elem },

	Pointwise: op.Always,
}

// upgradeCast reads the type's name, which became its number.
func upgradeCast(_ *ir.Builder, n *ir.Node) error {
	name, ok := n.Attrs.Lookup("to").(string)
	if !ok {
		return nil
	}
	types := map[string]tensor.DType{
		"FLOAT": tensor.Float32, "DOUBLE": tensor.Float64, "FLOAT16": tensor.Float16,
		"INT8": tensor.Int8, "INT16": tensor.Int16, "INT32": tensor.Int32, "INT64": tensor.Int64,
		"UINT8": tensor.Uint8, "UINT16": tensor.Uint16, "UINT32": tensor.Uint32, "UINT64": tensor.Uint64,
		"BOOL": tensor.Bool, "STRING": tensor.String,
	}
	to, ok := types[name]
	if !ok {
		return fmt.Errorf("to is %q, want a type", name)
	}
	n.Attrs.Set("to", int64(to))
	return nil
}

func inferCast(c *op.Infer) error {
	to, err := op.DtypeAttr(c.Node, "to", tensor.Undefined)
	if err != nil {
		return err
	}
	return inferCastTo(c, to)
}

// inferCastTo is inference for input 0 as elements of another type.
func inferCastTo(c *op.Infer, to tensor.DType) error {
	x, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	if x.Elem != to && (x.Elem.IsComplex() || to.IsComplex()) {
		return fmt.Errorf("cannot cast %s to %s", x.Elem, to)
	}
	c.OutTensor(0, to, x.Shape...)
	if elems, ok := c.Content(op.X); ok && elem.Indices.Has(to) {
		c.Know(0, elems)
	}
	return nil
}

func lowerCast(l *op.Lowering) error {
	l.Cast(l.Out[0], l.In[op.X])
	return nil
}

// dx = dy in the type of x
func castGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.CastTo(b, dy[0], n.In[op.X].Type.Elem)}
}
