package sequence

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// OptionalHasElement returns whether an optional has content. A tensor or a sequence always does, an omitted
// input never.
//
// https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html
var OptionalHasElement = &op.Op{
	Name:    "OptionalHasElement",
	Since:   []int{15, 18, 28},
	Inputs:  []op.Port{{Name: "input", Optional: true}},
	Outputs: []op.Port{{Name: "output", Types: elem.Bools}},
	Infer: func(c *op.Infer) error {
		c.OutTensor(0, tensor.Bool)
		return nil
	},
	Lower: func(l *op.Lowering) error {
		v := l.Arg(op.X)
		if v != nil && v.Type.Kind != ir.Optional {
			l.Call("Copy", l.Out[0], op.Constant(l, "true", []bool{true}))
			return nil
		}
		l.Call("OptionalHas", l.Out[0], v)
		return nil
	},
	Stops: op.StopToIntegers,
}
