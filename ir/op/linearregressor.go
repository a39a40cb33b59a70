package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// LinearRegressor is linear functions of the features.
//
// https://onnx.ai/onnx/operators/onnx_aionnxml_LinearRegressor.html
var LinearRegressor = &Op{
	Name:   "LinearRegressor",
	Domain: mlDomain,
	Since:  []int{1},
	Attrs: []Attr{
		{Name: "coefficients", Kind: Floats},
		{Name: "intercepts", Kind: Floats},
		{Name: "post_transform", Kind: String, Default: "NONE", Values: transforms},
		{Name: "targets", Kind: Int, Default: 1},
	},
	Inputs:  []Port{{Name: "X", Types: mlNumbers}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferLinearRegressor,
	Lower:   lowerLinearRegressor,

	Expand:  expandLinearRegressor,
	Expands: never,
}

func inferLinearRegressor(c *Infer) error {
	rows, cols, err := c.rows()
	if err != nil {
		return err
	}
	targets, err := c.linear(cols)
	if err != nil {
		return err
	}
	if want := c.Int("targets"); want != targets {
		return fmt.Errorf("targets is %d, but there are coefficients for %d", want, targets)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(targets))
	return nil
}

func lowerLinearRegressor(l *Lowering) error {
	targets := l.Int("targets")
	l.Call("LinearScores", l.Out[0], l.In[0], l.floats32("coefficients", l.Floats("coefficients")),
		l.floats32("intercepts", l.Floats("intercepts")), width(l.In[0]), targets)
	l.postTransform(l.Out[0], l.Str("post_transform"), targets)
	return nil
}

// y = x·coefficientsᵀ + intercepts
func expandLinearRegressor(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := matrix32(b, n.In[0])
	coef := b.Op("Reshape", floats32(b, n.Floats("coefficients")), b.Ints(n.Int("targets"), -1))
	y := b.Op("MatMul", x, b.OpA("Transpose", nil, coef))
	if v := n.Floats("intercepts"); len(v) > 0 {
		y = b.Op("Add", y, floats32(b, v))
	}
	y, err := transformed(b, y, n.Str("post_transform"))
	return []*ir.Value{y}, err
}
