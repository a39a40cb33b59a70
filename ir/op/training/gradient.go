package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Gradient is the derivative of a value of the graph, named by its attribute y, with respect to the values
// named by xs, at the values of its inputs. A pass replaces it by nodes that compute the derivative.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreviewtraining_Gradient.html
var Gradient = &op.Op{
	Name:   "Gradient",
	Domain: "ai.onnx.preview.training",
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "xs", Kind: op.Strings, Required: true},
		{Name: "y", Kind: op.String, Required: true},
		{Name: "zs", Kind: op.Strings},
	},
	Inputs: []op.Port{
		{Name: "Inputs", Types: elem.Any, Variadic: true, Mixed: true, Min: 1},
	},
	Outputs: []op.Port{{Name: "Outputs", Types: elem.Floats, Variadic: true, Mixed: true, Min: 1}},
	Infer:   inferGradient,
	Expand: func(_ *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
		return nil, fmt.Errorf("y is %q, want the name of a value that is computed before it", n.Str("y"))
	},
	Stops: "a pass puts its definition in its place before gradients are taken",
}

func inferGradient(c *op.Infer) error {
	xs, zs := len(c.Strs("xs")), len(c.Strs("zs"))
	if len(c.In) != xs+zs || len(c.Node.Out) != xs {
		return fmt.Errorf("has %d inputs and %d outputs for %d names in xs and %d in zs", len(c.In), len(c.Node.Out), xs, zs)
	}
	for i := range c.Node.Out {
		t, err := c.FloatTensor(i)
		if err != nil {
			return err
		}
		c.Out(i, t)
	}
	return nil
}
