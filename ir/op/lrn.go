package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// LRN divides each element by a power of the sum of squares over its
// neighbours among the channels.
//
// https://onnx.ai/onnx/operators/onnx__LRN.html
var LRN = &Op{
	Name:  "LRN",
	Since: []int{1, 13},
	In:    One,
	Out:   One,
	Infer: inferLRN,
	Lower: lowerLRN,
	Widen: true,
}

func inferLRN(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if err := floats.check(c, 0); err != nil {
		return err
	}
	if len(x.Shape) < 2 {
		return fmt.Errorf("input has rank %d, want 2 or more", len(x.Shape))
	}
	if size := c.Int("size", 0); size < 1 || size > maxStep {
		return fmt.Errorf("size is %d, want at least 1", size)
	}
	c.Out(0, x)
	return nil
}

func lowerLRN(l *Lowering) error {
	s := Shape(l.In[0])
	l.Call("LRN", l.Out[0], l.In[0], s[0], s[1], ir.Size(s[2:]), l.Int("size", 1),
		l.Float("alpha", 1e-4), l.Float("beta", 0.75), l.Float("bias", 1))
	return nil
}
