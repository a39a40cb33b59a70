package op

import "github.com/bbgen/bbgen/ir"

// AveragePool is the mean of each window.
//
// https://onnx.ai/onnx/operators/onnx__AveragePool.html
var AveragePool = &Op{
	Name:    "AveragePool",
	Since:   []int{1, 7, 10, 11, 19, 22},
	Attrs:   averagePoolAttrs,
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferPool,
	Grad:    averagePoolGrad,
	Lower:   lowerAveragePool,
	Last:    &LastForm{Build: lastPool},
	Widen:   true,
	FLOPs:   poolWork,
}

func lowerAveragePool(l *Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	l.Call("AveragePool", l.Out[0], l.In[0], ir.Size(Shape(l.In[0])[:2]), l.Int("count_include_pad") != 0, w.arg())
	return nil
}

// dx = dy, shared among the elements of each window
func averagePoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "AveragePoolGrad", n.Attrs, dy[0], n.In[0])}
}

// averagePoolAttrs are the attributes of [AveragePool], which others have, too.
var averagePoolAttrs = []Attr{
	{Name: "auto_pad", Kind: String, Default: "NOTSET", Values: autoPads},
	{Name: "ceil_mode", Kind: Int, Default: 0, Since: 10},
	{Name: "count_include_pad", Kind: Int, Default: 0, Since: 7},
	{Name: "dilations", Kind: Ints, Since: 19},
	{Name: "kernel_shape", Kind: Ints, Required: true},
	{Name: "pads", Kind: Ints},
	{Name: "strides", Kind: Ints},
}
