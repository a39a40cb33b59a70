package math

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Identity is its input, whatever that is.
//
// https://onnx.ai/onnx/operators/onnx__Identity.html
var Identity = &op.Op{
	Name:    "Identity",
	Since:   []int{1, 13, 14, 16, 19, 21, 23, 24, 25},
	Inputs:  []op.Port{{Name: "input"}},
	Outputs: []op.Port{{Name: "output"}},
	Infer:   inferIdentity,
	Picks:   true,
	Grad:    identityGrad,
	Alias:   true,
}

func inferIdentity(c *op.Infer) error {
	x := c.Arg(op.X)
	if x == nil || !x.Type.Known() {
		return fmt.Errorf("input 0 has no known type")
	}
	c.Out(0, x.Type)
	if elems, ok := c.Content(op.X); ok {
		c.Know(0, elems)
	}
	return nil
}

// dx = dy
func identityGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return dy
}
