package ml

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LinearRegressor is linear functions of the features.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
var LinearRegressor = &op.Op{
	Name:   "LinearRegressor",
	Domain: domain,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "coefficients", Kind: op.Floats},
		{Name: "intercepts", Kind: op.Floats},
		{Name: "post_transform", Kind: op.String, Default: "NONE", Values: transforms},
		{Name: "targets", Kind: op.Int, Default: 1},
	},
	Inputs:  []op.Port{{Name: "X", Types: numbers}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferLinearRegressor,
	Lower:   lowerLinearRegressor,

	Expand:  expandLinearRegressor,
	Expands: op.Never,
}

func inferLinearRegressor(c *op.Infer) error {
	rows, cols, err := matrixSize(c)
	if err != nil {
		return err
	}
	targets, err := linear(c, cols)
	if err != nil {
		return err
	}
	if want := c.Int("targets"); want != targets {
		return fmt.Errorf("targets is %d, but there are coefficients for %d", want, targets)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(targets))
	return nil
}

func lowerLinearRegressor(l *op.Lowering) error {
	targets := l.Int("targets")
	l.Call("LinearScores", l.Out[0], l.In[op.X], l.Floats32("coefficients", l.Floats("coefficients")),
		l.Floats32("intercepts", l.Floats("intercepts")), width(l.In[op.X]), targets)
	postTransform(l, l.Out[0], l.Str("post_transform"), targets)
	return nil
}

// y = x·coefficientsᵀ + intercepts
func expandLinearRegressor(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := matrix32(b, n.In[op.X])
	coef := b.Op("Reshape", floats32(b, n.Floats("coefficients")), b.Ints(n.Int("targets"), -1))
	y := b.Op("MatMul", x, b.OpA("Transpose", nil, coef))
	if v := n.Floats("intercepts"); len(v) > 0 {
		y = b.Op("Add", y, floats32(b, v))
	}
	y, err := transformed(b, y, n.Str("post_transform"))
	return []*ir.Value{y}, err
}
