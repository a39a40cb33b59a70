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
	In:     One,
	Out:    One,
	Infer:  inferLinearRegressor,
	Lower:  lowerLinearRegressor,
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
	if want := c.Int("targets", 1); want != targets {
		return fmt.Errorf("targets is %d, but there are coefficients for %d", want, targets)
	}
	c.OutTensor(0, tensor.Float32, rows, ir.C(targets))
	return checkTransform(c.Node)
}

func lowerLinearRegressor(l *Lowering) error {
	targets := l.Int("targets", 1)
	l.Call("LinearScores", l.Out[0], l.In[0], l.floats32("coefficients", l.Floats("coefficients")),
		l.floats32("intercepts", l.Floats("intercepts")), width(l.In[0]), targets)
	l.postTransform(l.Out[0], l.Str("post_transform", "NONE"), targets)
	return nil
}
