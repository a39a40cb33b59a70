package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// AveragePoolLast is [AveragePool] of float32 with the channels last.
var AveragePoolLast = &op.Op{
	Name:    "AveragePoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(averagePoolAttrs),
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferPoolLast,
	Lower:   lowerAveragePoolLast,
	Stops:   op.StopAfterGradients,
}

// MaxPoolLast is [MaxPool] of float32, or of bytes, with the channels last.
var MaxPoolLast = &op.Op{
	Name:    "MaxPoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(maxPoolAttrs),
	Inputs:  []op.Port{{Name: "X"}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferPoolLast,
	Lower:   lowerMaxPoolLast,
	Stops:   op.StopAfterGradients,
}

// GlobalAveragePoolLast is [GlobalAveragePool] of float32 with the channels
// last.
var GlobalAveragePoolLast = &op.Op{
	Name:    "GlobalAveragePoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalAveragePoolLast,
	Stops:   op.StopAfterGradients,
}

// ReduceMeanLast is [reduce.ReduceMean] of float32 over all spatial axes with the channels last. Unlike that
// of a pool, the mean of no elements is 0.
var ReduceMeanLast = &op.Op{
	Name:    "ReduceMeanLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerReduceMeanLast,
	Stops:   op.StopAfterGradients,
}

// GlobalMaxPoolLast is [GlobalMaxPool] of float32 with the channels last.
var GlobalMaxPoolLast = &op.Op{
	Name:    "GlobalMaxPoolLast",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{{Name: "X", Types: elem.Float32s}},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalMaxPoolLast,
	Stops:   op.StopAfterGradients,
}

func pooledLast(c *op.Infer) (ir.Type, error) {
	x, err := c.Tensor(op.X)
	if err == nil && (x.Elem != tensor.Float32 && (c.Op != "MaxPoolLast" || !elem.Bytes.Has(x.Elem)) || len(x.Shape) < 3 || len(x.Shape) > 4) {
		err = fmt.Errorf("input is %s, want float32 with one or two spatial axes", x)
	}
	return x, err
}

func inferPoolLast(c *op.Infer) error {
	x, err := pooledLast(c)
	if err != nil {
		return err
	}
	first := channelsFirst(x.Shape)
	w, err := poolOf(c.Node, first)
	if err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, channelsLast(append(first[:2:2], w.out...))...)
	return nil
}

func inferGlobalPoolLast(c *op.Infer) error {
	x, err := pooledLast(c)
	if err != nil {
		return err
	}
	_, out := wholeWindow(x.Shape)
	c.OutTensor(0, x.Elem, out...)
	return nil
}

// wholeWindow returns the window that shows each image in one piece, and the shape
// that is left of images.
func wholeWindow(last []ir.Dim) (window, []ir.Dim) {
	spatial := last[1 : len(last)-1]
	ones, zeros := make([]ir.Dim, len(spatial)), make([]ir.Dim, len(spatial))
	for i := range ones {
		ones[i], zeros[i] = ir.C(1), ir.C(0)
	}
	w := window{in: spatial, out: ones, kernel: spatial, stride: ones, dilation: ones, pad: zeros, padEnd: zeros}
	return w, append(append([]ir.Dim{last[0]}, ones...), last[len(last)-1])
}

func lowerMaxPoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, err := poolOf(l.Node, channelsFirst(x))
	kernel := "MaxPoolLast32"
	if elem.Bytes.Has(l.In[op.X].Type.Elem) {
		kernel = "MaxPoolLast8"
	}
	l.Call(kernel, l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return err
}

func lowerAveragePoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, err := poolOf(l.Node, channelsFirst(x))
	l.Call("AveragePoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], l.Int("count_include_pad") != 0, w.arg())
	return err
}

func lowerGlobalAveragePoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("AveragePoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], false, w.arg())
	return nil
}

func lowerReduceMeanLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("ReduceMeanLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return nil
}

func lowerGlobalMaxPoolLast(l *op.Lowering) error {
	x := op.Shape(l.In[op.X])
	w, _ := wholeWindow(x)
	l.Call("MaxPoolLast32", l.Out[0], l.In[op.X], x[0], x[len(x)-1], w.arg())
	return nil
}
