package op

import "github.com/bbgen/bbgen/ir"

// AveragePool is the mean of each window.
//
// https://onnx.ai/onnx/operators/onnx__AveragePool.html
var AveragePool = &Op{
	Name:  "AveragePool",
	Since: []int{1, 7, 10, 11, 19, 22},
	In:    One,
	Out:   One,
	Infer: inferPool,
	Grad:  averagePoolGrad,
	Lower: lowerAveragePool,
	Widen: true,
	FLOPs: poolWork,
}

func lowerAveragePool(l *Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	l.Call("AveragePool", l.Out[0], l.In[0], ir.Size(Shape(l.In[0])[:2]), l.Int("count_include_pad", 0) != 0, w.arg())
	return nil
}

// dx = dy, shared among the elements of each window
func averagePoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "AveragePoolGrad", n.Attrs, dy[0], n.In[0])}
}
