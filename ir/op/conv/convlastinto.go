package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [ConvLastInto].
const (
	convLastIntoX = iota
	convLastIntoW
	convLastIntoB
	convLastIntoInto
)

// ConvLastInto is [ConvLast] without a residual that computes some columns of a wider result: the attribute
// at is the first column, and width the number of columns of the result. The other columns are those of the
// last input, or undefined without one.
var ConvLastInto = &op.Op{
	Name:   "ConvLastInto",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  op.NewestAttrs(convLastAttrs, op.Attr{Name: "at", Kind: op.Int, Default: 0}, op.Attr{Name: "width", Kind: op.Int, Default: 0}),
	Inputs: []op.Port{
		convLastIntoX:    {Name: "X", Types: elem.Float32s},
		convLastIntoW:    {Name: "W", Types: elem.Float32s},
		convLastIntoB:    {Name: "B", Types: elem.Float32s, Optional: true},
		convLastIntoInto: {Name: "into", Types: elem.Float32s, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s}},
	Infer:   inferConvLastInto,
	Stops:   op.StopAfterGradients,
	Lower:   lowerConvLastInto,
	Updates: []int{convLastIntoInto},
	FLOPs:   convLastIntoWork,
	Bytes:   convLastIntoBytes,
}

// Columns reports whether a ConvLast can be a ConvLastInto.
func Columns(n *ir.Node) bool {
	if n.Op != "ConvLast" || n.Domain != op.Own || n.Arg(convLastResidual) != nil || n.Int("planes") != 0 {
		return false
	}
	cv, err := convOf(n, channelsFirst(op.Shape(n.In[convLastX])), op.Shape(n.In[convLastW]))
	return err == nil && !cv.eachChannel()
}

// part returns the convolution of a ConvLastInto, the number of columns of the result, and the first one that it writes.
func part(n *ir.Node) (cv conv, width, at int, err error) {
	cv, err = convOf(n, channelsFirst(op.Shape(n.In[convLastIntoX])), op.Shape(n.In[convLastIntoW]))
	width, at = n.Int("width"), n.Int("at")
	filters, _ := cv.filters.Const()
	if err == nil && (at < 0 || at+filters > width) {
		err = fmt.Errorf("%d filters do not fit at %d of %d columns", filters, at, width)
	}
	return cv, width, at, err
}

func inferConvLastInto(c *op.Infer) error {
	x, err := c.Tensor(convLastIntoX)
	if err != nil {
		return err
	}
	w, err := c.Tensor(convLastIntoW)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || w.Elem != tensor.Float32 || !c.In[convLastIntoW].IsConst() {
		return fmt.Errorf("input is %s, filters are %s, want float32 and constant filters", x, w)
	}
	cv, width, _, err := part(c.Node)
	if err != nil {
		return err
	}
	if err := checkBias(c, convLastIntoB, cv.filters); err != nil {
		return err
	}
	shape := channelsLast(cv.shape())
	shape[len(shape)-1] = ir.C(width)
	if v := c.Arg(convLastIntoInto); v != nil && (v.Type.Elem != x.Elem || !ir.SameShape(op.Shape(v), shape)) {
		return fmt.Errorf("the other columns are %s, want %s", v.Type, ir.TensorOf(x.Elem, shape...))
	}
	c.OutTensor(0, x.Elem, shape...)
	_, err = op.Activation(c.Node)
	return err
}

func convLastIntoWork(n *ir.Node) ir.Dim {
	cv, _, _, err := part(n)
	if err != nil {
		return ir.C(0)
	}
	return ir.C(2).Mul(ir.Size(cv.shape())).Mul(ir.Size(op.Shape(n.In[convLastIntoW])[1:]))
}

func lowerConvLastInto(l *op.Lowering) error {
	cv, width, at, err := part(l.Node)
	if err != nil {
		return err
	}
	act, err := op.Activation(l.Node)
	if err != nil {
		return err
	}
	y, x, w, bias := l.Out[0], l.In[convLastIntoX], l.In[convLastIntoW], l.Arg(convLastIntoB)
	if form := l.Int("winograd"); form != 0 {
		l.Call("WinogradInto32", y, x, winogradFilters(w, cv.groups, form == SmallTiles), bias, cv.shapeArg(), act, width, at)
		return nil
	}
	l.Call("ConvLastInto32", y, x, convFilters(w, cv.groups), bias, cv.shapeArg(), act, width, at)
	return nil
}

// convLastIntoBytes leaves the other columns out.
func convLastIntoBytes(n *ir.Node) ir.Dim {
	cv, _, _, err := part(n)
	if err != nil {
		return ir.C(0)
	}
	written := ir.Size(cv.shape()).Mul(ir.C(n.Out[0].Type.Elem.Size()))
	return op.BytesOf(n.In[convLastIntoX]).Add(op.BytesOf(n.In[convLastIntoW])).Add(op.BytesOf(n.Arg(convLastIntoB))).Add(written)
}
