package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// RMSNormalization divides the axes from axis on by their root mean square, and
// then scales them.
//
// https://onnx.ai/onnx/operators/onnx__RMSNormalization.html
var RMSNormalization = &Op{
	Name:  "RMSNormalization",
	Since: []int{23},
	In:    Two,
	Out:   One,
	Infer: inferRMSNorm,
	Lower: lowerRMSNorm,
	Widen: true,
}

// The result has the element type of the scale.
func inferRMSNorm(c *Infer) error {
	x, _, err := normAxis(c)
	if err != nil {
		return err
	}
	scale, err := floatInput(c, 1)
	if err != nil {
		return err
	}
	if err := broadcastsTo(c.In[1], x.Shape); err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	c.OutTensor(0, scale.Elem, x.Shape...)
	return nil
}

func lowerRMSNorm(l *Lowering) error {
	x, scale := l.In[0], l.In[1]
	axis, err := Axis(l.Int("axis", -1), len(Shape(x)))
	if err != nil {
		return err
	}
	inner, eps := ir.Size(Shape(x)[axis:]), l.Float("epsilon", 1e-5)
	if runsAlong(scale, Shape(x)[axis:]) {
		l.Call("RMSNorm", l.Out[0], x, scale, inner, eps)
		return nil
	}
	var none *ir.Value
	l.Call("RMSNorm", l.Out[0], x, none, inner, eps)
	lowerBinary(l, "Mul", l.Out[0], l.Out[0], scale)
	return nil
}
