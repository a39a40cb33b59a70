package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// AveragePool is the mean of each window.
//
// https://onnx.ai/onnx/operators/onnx__AveragePool.html
var AveragePool = &op.Op{
	Name:    "AveragePool",
	Since:   []int{1, 7, 10, 11, 19, 22},
	Attrs:   averagePoolAttrs,
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferPool,
	Grad:    averagePoolGrad,
	Lower:   lowerAveragePool,
	Last:    &op.LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   poolWork,
}

func lowerAveragePool(l *op.Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	l.Call("AveragePool", l.Out[0], l.In[op.X], ir.Size(op.Shape(l.In[op.X])[:2]), l.Int("count_include_pad") != 0, w.arg())
	return nil
}

// dx = dy, shared among the elements of each window
func averagePoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "AveragePoolGrad", n.Attrs, dy[0], n.In[op.X])}
}

// averagePoolAttrs are the attributes of [AveragePool], which others have, too.
var averagePoolAttrs = []op.Attr{
	{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
	{Name: "ceil_mode", Kind: op.Int, Default: 0, Since: 10},
	{Name: "count_include_pad", Kind: op.Int, Default: 0, Since: 7},
	{Name: "dilations", Kind: op.Ints, Since: 19},
	{Name: "kernel_shape", Kind: op.Ints, Required: true},
	{Name: "pads", Kind: op.Ints},
	{Name: "strides", Kind: op.Ints},
}
