package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConvTransposeLast is [ConvTranspose] of float32 with the channels last, one
// group and constant filters [C, M, …].
var ConvTransposeLast = &Op{
	Name:    "ConvTransposeLast",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   also(convTransposeAttrs),
	Inputs:  []Port{{Name: "X", Types: float32s}, {Name: "W", Types: float32s}, {Name: "B", Types: float32s, Optional: true}},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferConvTransposeLast,
	Stops:   afterGradients,
	Lower:   lowerConvTransposeLast,
	Agree:   agreeConvTransposeLast,
	FLOPs:   convTransposeLastWork,
}

// firstForm is the node as [ConvTranspose] would have it.
func firstForm(n *ir.Node) *ir.Node {
	first := *n
	x := *n.In[0]
	x.Type.Shape = channelsFirst(Shape(n.In[0]))
	first.In = append([]*ir.Value{&x}, n.In[1:]...)
	return &first
}

func inferConvTransposeLast(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	w, err := c.Tensor(1)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || w.Elem != tensor.Float32 || !c.In[1].IsConst() || c.Int("group") != 1 {
		return fmt.Errorf("input is %s, filters are %s, want float32, one group and constant filters", x, w)
	}
	cv, err := newConvTranspose(firstForm(c.Node))
	if err != nil {
		return err
	}
	if err := checkBias(c, 2, cv.filters); err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, channelsLast(append([]ir.Dim{cv.images, cv.filters}, cv.in...))...)
	return nil
}

func convTransposeLastWork(n *ir.Node) ir.Dim { return convTransposeWork(firstForm(n)) }

func lowerConvTransposeLast(l *Lowering) error {
	cv, err := newConvTranspose(firstForm(l.Node))
	if err != nil {
		return err
	}
	w := l.In[1]
	channels, filters := w.Const.Shape[0], w.Const.Shape[1]
	taps := w.Const.Len() / max(channels*filters, 1)
	p := Packed{w, "PackConvTranspose32", []int{channels, filters, taps}}
	l.Call("ConvTransposeLast32", l.Out[0], l.In[0], p, l.Arg(2), cv.images, channels, filters, cv.arg())
	return nil
}
