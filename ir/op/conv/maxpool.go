package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// MaxPool returns the largest element of each window, and its position.
//
// https://onnx.ai/onnx/operators/onnx__MaxPool.html
var MaxPool = &op.Op{
	Name:    "MaxPool",
	Since:   []int{1, 8, 10, 11, 12, 22},
	Attrs:   maxPoolAttrs,
	Inputs:  []op.Port{{Name: "X", Types: poolable}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}, {Name: "Indices", Types: elem.Int64s, Optional: true, Since: 8}},
	Infer:   inferMaxPool,
	Picks:   true,
	Grad:    maxPoolGrad,
	Lower:   lowerMaxPool,
	Last:    &op.LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   poolWork,
}

// poolable are the element types of MaxPool.
var poolable = elem.Floats.Or("a float, int8 or uint8", elem.Bytes)

func inferMaxPool(c *op.Infer) error {
	t, err := pooled(c, poolable)
	c.Out(0, t)
	c.OutTensor(1, tensor.Int64, t.Shape...)
	return err
}

func lowerMaxPool(l *op.Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	planes := ir.Size(op.Shape(l.In[op.X])[:2])
	if l.Res(1) == nil {
		l.Call("MaxPool", l.Out[0], l.In[op.X], planes, w.arg())
		return nil
	}
	y := l.Out[0]
	if y == nil {
		y = l.Scratch(l.In[op.X].Type.Elem, op.Shape(l.Out[1])...)
	}
	l.Call("MaxPoolIndices", y, l.Out[1], l.In[op.X], planes, l.Int("storage_order") != 0, w.arg())
	return nil
}

// dx = dy at the first largest element of each window
func maxPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	if dy[0] == nil {
		return nil
	}
	return []*ir.Value{op.OwnNode(b, "MaxPoolGrad", n.Attrs, dy[0], n.In[op.X])}
}

// maxPoolAttrs are the attributes of [MaxPool], which others have, too.
var maxPoolAttrs = []op.Attr{
	{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
	{Name: "ceil_mode", Kind: op.Int, Default: 0, Since: 10},
	{Name: "dilations", Kind: op.Ints, Since: 10},
	{Name: "kernel_shape", Kind: op.Ints, Required: true},
	{Name: "pads", Kind: op.Ints},
	{Name: "storage_order", Kind: op.Int, Default: 0, Since: 8},
	{Name: "strides", Kind: op.Ints},
}

// lastPool has kernels for float32, or bytes of which the largest is looked for,
// and up to two spatial axes.
func lastPool(l *op.Last) *ir.Value {
	t := l.In[op.X].Type
	if t.Elem != tensor.Float32 && (l.Op != "MaxPool" || !elem.Bytes.Has(t.Elem)) || len(t.Shape) < 3 || len(t.Shape) > 4 || l.Res(1) != nil {
		return nil
	}
	x := l.Of(l.In[op.X])
	if x == nil {
		return nil
	}
	return l.Own(l.Op+"Last", l.Attrs, x)
}
