package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// OptionalHasElement is whether an optional holds something. A tensor or a
// sequence always does, an input that is left out never.
//
// https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html
var OptionalHasElement = &Op{
	Name:    "OptionalHasElement",
	Since:   []int{15, 18, 28},
	Inputs:  []Port{{Name: "input", Optional: true}},
	Outputs: []Port{{Name: "output", Types: bools}},
	Infer: func(c *Infer) error {
		c.OutTensor(0, tensor.Bool)
		return nil
	},
	Lower: func(l *Lowering) error {
		v := l.Arg(0)
		if v != nil && v.Type.Kind != ir.Optional {
			l.Call("Copy", l.Out[0], constant(l, "true", []bool{true}))
			return nil
		}
		l.Call("OptionalHas", l.Out[0], v)
		return nil
	},
	Stops: toIntegers,
}
