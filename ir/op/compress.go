package op

import (
	"fmt"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Compress keeps the slices along an axis, or the elements of the flat input,
// for which a condition holds.
//
// https://onnx.ai/onnx/operators/onnx__Compress.html
var Compress = &Op{
	Name:  "Compress",
	Since: []int{9, 11, 28},
	In:    Two,
	Out:   One,
	Infer: inferCompress,
	Lower: lowerCompress,
}

func inferCompress(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	cond, err := c.Rank(1, 1)
	if err != nil {
		return err
	}
	if cond.Elem != tensor.Bool {
		return fmt.Errorf("condition is %s, want bool", cond)
	}
	shape, axis, err := uniqueAxis(c.Node)
	if err != nil {
		return err
	}
	shape[axis] = c.Fresh("count")
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func lowerCompress(l *Lowering) error {
	shape, axis, err := uniqueAxis(l.Node)
	if err != nil {
		return err
	}
	l.Count(0, "CompressCount", l.In[1], shape[axis])
	l.Call("Compress", l.Out[0], l.In[0], l.In[1], Outer(shape, axis), shape[axis], Inner(shape, axis))
	return nil
}
