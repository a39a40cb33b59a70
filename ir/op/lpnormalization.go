package op

import "fmt"

// LpNormalization divides the vectors along an axis by their norm.
//
// https://onnx.ai/onnx/operators/onnx__LpNormalization.html
var LpNormalization = &Op{
	Name:    "LpNormalization",
	Since:   []int{1, 22},
	In:      One,
	Out:     One,
	Infer:   inferLpNorm,
	Lower:   lowerLpNorm,
	InPlace: true,
	Widen:   true,
}

func inferLpNorm(c *Infer) error {
	x, _, err := normAxis(c)
	if p := c.Int("p", 2); err == nil && p != 1 && p != 2 {
		err = fmt.Errorf("p is %d, want 1 or 2", p)
	}
	c.Out(0, x)
	return err
}

func lowerLpNorm(l *Lowering) error {
	x := l.In[0]
	shape := Shape(x)
	axis, err := Axis(l.Int("axis", -1), len(shape))
	if err != nil {
		return err
	}
	inner := Inner(shape, axis)
	l.Call("LpNorm", l.Out[0], x, l.Scratch(x.Type.Elem, inner), shape[axis], inner, l.Int("p", 2))
	return nil
}
