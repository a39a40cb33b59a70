package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// LpPool is the p-norm of each window.
//
// https://onnx.ai/onnx/operators/onnx__LpPool.html
var LpPool = &Op{
	Name:  "LpPool",
	Since: []int{1, 2, 11, 18, 22},
	In:    One,
	Out:   One,
	Infer: inferLpPool,
	Lower: lowerLpPool,
	Widen: true,
}

func inferLpPool(c *Infer) error {
	if _, err := normOrder(c.Node); err != nil {
		return err
	}
	return inferPool(c)
}

// normOrder is the p of a p-norm; opset 1 has it as a float.
func normOrder(n *ir.Node) (float64, error) {
	p := n.Float("p", float64(n.Int("p", 2)))
	if !(p > 0) {
		return 0, fmt.Errorf("p is %v, want more than 0", p)
	}
	return p, nil
}

func lowerLpPool(l *Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	p, err := normOrder(l.Node)
	l.Call("LpPool", l.Out[0], l.In[0], ir.Size(Shape(l.In[0])[:2]), p, w.arg())
	return err
}
