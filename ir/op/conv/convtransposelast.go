package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConvTransposeLast is [ConvTranspose] of float32 with the channels last, one
// group and constant filters [C, M, …].
var ConvTransposeLast = &op.Op{
	Name:   "ConvTransposeLast",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convTransposeAttrs),
	Inputs: []op.Port{
		convX: {Name: "X", Types: elem.Float32s},
		convW: {Name: "W", Types: elem.Float32s},
		convB: {Name: "B", Types: elem.Float32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferConvTransposeLast,
	Stops:   op.StopAfterGradients,
	Lower:   lowerConvTransposeLast,
	Agree:   agreeConvTransposeLast,
	FLOPs:   convTransposeLastWork,
}

// firstForm returns the node as [ConvTranspose] would have it.
func firstForm(n *ir.Node) *ir.Node {
	first := *n
	x := *n.In[convX]
	x.Type.Shape = channelsFirst(op.Shape(n.In[convX]))
	first.In = append([]*ir.Value{&x}, n.In[1:]...)
	return &first
}

func inferConvTransposeLast(c *op.Infer) error {
	x, err := c.Tensor(convX)
	if err != nil {
		return err
	}
	w, err := c.Tensor(convW)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || w.Elem != tensor.Float32 || !c.In[convW].IsConst() || c.Int("group") != 1 {
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

func lowerConvTransposeLast(l *op.Lowering) error {
	cv, err := newConvTranspose(firstForm(l.Node))
	if err != nil {
		return err
	}
	w := l.In[convW]
	channels, filters := w.Const.Shape[0], w.Const.Shape[1]
	taps := w.Const.Len() / max(channels*filters, 1)
	p := op.Packed{Value: w, Packer: "PackConvTranspose32", Dims: []int{channels, filters, taps}}
	l.Call("ConvTransposeLast32", l.Out[0], l.In[convX], p, l.Arg(convB), cv.images, channels, filters, cv.arg())
	return nil
}
