package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// AveragePoolLast is [AveragePool] of float32 with the channels last.
var AveragePoolLast = &Op{
	Name:    "AveragePoolLast",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(averagePoolAttrs),
	Inputs:  []Port{{Name: "X", Types: float32s}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferPoolLast,
	Lower:   lowerAveragePoolLast,
	Stops:   afterGradients,
}

// MaxPoolLast is [MaxPool] of float32, or of bytes, with the channels last.
var MaxPoolLast = &Op{
	Name:    "MaxPoolLast",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(maxPoolAttrs),
	Inputs:  []Port{{Name: "X"}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferPoolLast,
	Lower:   lowerMaxPoolLast,
	Stops:   afterGradients,
}

// GlobalAveragePoolLast is [GlobalAveragePool] of float32 with the channels
// last.
var GlobalAveragePoolLast = &Op{
	Name:    "GlobalAveragePoolLast",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "X", Types: float32s}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalAveragePoolLast,
	Stops:   afterGradients,
}

// ReduceMeanLast is [ReduceMean] of float32 over all spatial axes with the channels
// last. The mean of no elements is 0, which that of a pool is not.
var ReduceMeanLast = &Op{
	Name:    "ReduceMeanLast",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "X", Types: float32s}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerReduceMeanLast,
	Stops:   afterGradients,
}

// GlobalMaxPoolLast is [GlobalMaxPool] of float32 with the channels last.
var GlobalMaxPoolLast = &Op{
	Name:    "GlobalMaxPoolLast",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "X", Types: float32s}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferGlobalPoolLast,
	Lower:   lowerGlobalMaxPoolLast,
	Stops:   afterGradients,
}

func pooledLast(c *Infer) (ir.Type, error) {
	x, err := c.Tensor(0)
	if err == nil && (x.Elem != tensor.Float32 && (c.Op != "MaxPoolLast" || !int8s.has(x.Elem)) || len(x.Shape) < 3 || len(x.Shape) > 4) {
		err = fmt.Errorf("input is %s, want float32 with one or two spatial axes", x)
	}
	return x, err
}

func inferPoolLast(c *Infer) error {
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

func inferGlobalPoolLast(c *Infer) error {
	x, err := pooledLast(c)
	if err != nil {
		return err
	}
	_, out := wholeWindow(x.Shape)
	c.OutTensor(0, x.Elem, out...)
	return nil
}

// wholeWindow is the window that shows each image in one piece, and the shape
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

func lowerMaxPoolLast(l *Lowering) error {
	x := Shape(l.In[0])
	w, err := poolOf(l.Node, channelsFirst(x))
	kernel := "MaxPoolLast32"
	if int8s.has(l.In[0].Type.Elem) {
		kernel = "MaxPoolLast8"
	}
	l.Call(kernel, l.Out[0], l.In[0], x[0], x[len(x)-1], w.arg())
	return err
}

func lowerAveragePoolLast(l *Lowering) error {
	x := Shape(l.In[0])
	w, err := poolOf(l.Node, channelsFirst(x))
	l.Call("AveragePoolLast32", l.Out[0], l.In[0], x[0], x[len(x)-1], l.Int("count_include_pad") != 0, w.arg())
	return err
}

func lowerGlobalAveragePoolLast(l *Lowering) error {
	x := Shape(l.In[0])
	w, _ := wholeWindow(x)
	l.Call("AveragePoolLast32", l.Out[0], l.In[0], x[0], x[len(x)-1], false, w.arg())
	return nil
}

func lowerReduceMeanLast(l *Lowering) error {
	x := Shape(l.In[0])
	w, _ := wholeWindow(x)
	l.Call("ReduceMeanLast32", l.Out[0], l.In[0], x[0], x[len(x)-1], w.arg())
	return nil
}

func lowerGlobalMaxPoolLast(l *Lowering) error {
	x := Shape(l.In[0])
	w, _ := wholeWindow(x)
	l.Call("MaxPoolLast32", l.Out[0], l.In[0], x[0], x[len(x)-1], w.arg())
	return nil
}
