package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ConvLastInto is [ConvLast] without a residual whose filters are columns of a
// wider result: those from the attribute at on, of as many as the attribute width
// says. The others are those of the last input, or undefined without one.
var ConvLastInto = &Op{
	Name:   "ConvLastInto",
	Domain: Own,
	Since:  []int{1},
	Attrs:  also(convLastAttrs, Attr{Name: "at", Kind: Int, Default: 0}, Attr{Name: "width", Kind: Int, Default: 0}),
	Inputs: []Port{
		{Name: "X", Types: float32s},
		{Name: "W", Types: float32s},
		{Name: "B", Types: float32s, Optional: true},
		{Name: "into", Types: float32s, Optional: true},
	},
	Outputs: []Port{{Name: "Y", Types: float32s}},
	Infer:   inferConvLastInto,
	Stops:   afterGradients,
	Lower:   lowerConvLastInto,
	Updates: []int{3},
	FLOPs:   convLastIntoWork,
	Bytes:   convLastIntoBytes,
}

// ColumnsInto is its second input with its first in the columns from the
// attribute at on.
var ColumnsInto = &Op{
	Name:    "ColumnsInto",
	Domain:  Own,
	Since:   []int{1},
	Attrs:   []Attr{{Name: "at", Kind: Int, Default: 0}},
	Inputs:  []Port{{Name: "x", Types: float32s}, {Name: "into", Types: float32s}},
	Outputs: []Port{{Name: "y", Types: float32s}},
	Infer:   inferColumnsInto,
	Stops:   afterGradients,
	Lower:   lowerColumnsInto,
	Bytes:   columnsIntoBytes,
	Updates: []int{1},
}

// Columns reports whether a ConvLast can be a ConvLastInto.
func Columns(n *ir.Node) bool {
	if n.Op != "ConvLast" || n.Domain != Own || n.Arg(3) != nil || n.Int("planes") != 0 {
		return false
	}
	cv, err := convOf(n, channelsFirst(Shape(n.In[0])), Shape(n.In[1]))
	return err == nil && !cv.eachChannel()
}

// part is the convolution that a ConvLastInto does, and where.
func part(n *ir.Node) (cv conv, width, at int, err error) {
	cv, err = convOf(n, channelsFirst(Shape(n.In[0])), Shape(n.In[1]))
	width, at = n.Int("width"), n.Int("at")
	filters, _ := cv.filters.Const()
	if err == nil && (at < 0 || at+filters > width) {
		err = fmt.Errorf("%d filters do not fit at %d of %d columns", filters, at, width)
	}
	return cv, width, at, err
}

func inferConvLastInto(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	w, err := c.Tensor(1)
	if err != nil {
		return err
	}
	if x.Elem != tensor.Float32 || w.Elem != tensor.Float32 || !c.In[1].IsConst() {
		return fmt.Errorf("input is %s, filters are %s, want float32 and constant filters", x, w)
	}
	cv, width, _, err := part(c.Node)
	if err != nil {
		return err
	}
	if err := checkBias(c, 2, cv.filters); err != nil {
		return err
	}
	shape := channelsLast(cv.shape())
	shape[len(shape)-1] = ir.C(width)
	if v := c.Arg(3); v != nil && (v.Type.Elem != x.Elem || !ir.SameShape(Shape(v), shape)) {
		return fmt.Errorf("the other columns are %s, want %s", v.Type, ir.TensorOf(x.Elem, shape...))
	}
	c.OutTensor(0, x.Elem, shape...)
	_, err = activation(c.Node)
	return err
}

func convLastIntoWork(n *ir.Node) ir.Dim {
	cv, _, _, err := part(n)
	if err != nil {
		return ir.C(0)
	}
	return ir.C(2).Mul(ir.Size(cv.shape())).Mul(ir.Size(Shape(n.In[1])[1:]))
}

func lowerConvLastInto(l *Lowering) error {
	cv, width, at, err := part(l.Node)
	if err != nil {
		return err
	}
	act, err := activation(l.Node)
	if err != nil {
		return err
	}
	y, x, w, bias := l.Out[0], l.In[0], l.In[1], l.Arg(2)
	if l.Int("winograd") != 0 {
		l.Call("WinogradInto32", y, x, winogradFilters(w), bias, cv.images, cv.channels, cv.filters, cv.arg(), act, width, at)
		return nil
	}
	l.Call("ConvLastInto32", y, x, convFilters(w, cv.groups), bias, cv.images, cv.channels, cv.filters, cv.groups, cv.arg(), act, width, at)
	return nil
}

// convLastIntoBytes leaves the other columns out.
func convLastIntoBytes(n *ir.Node) ir.Dim {
	cv, _, _, err := part(n)
	if err != nil {
		return ir.C(0)
	}
	written := ir.Size(cv.shape()).Mul(ir.C(n.Out[0].Type.Elem.Size()))
	return bytesOf(n.In[0]).Add(bytesOf(n.In[1])).Add(bytesOf(n.Arg(2))).Add(written)
}

func inferColumnsInto(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	if len(x.Shape) == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[0].Name)
	}
	base, err := c.Rank(1, len(x.Shape))
	if err != nil {
		return err
	}
	last := len(x.Shape) - 1
	n, ok1 := x.Shape[last].Const()
	width, ok2 := base.Shape[last].Const()
	at := c.Int("at")
	if !ok1 || !ok2 || at < 0 || at+n > width || x.Elem != base.Elem || !ir.SameShape(x.Shape[:last], base.Shape[:last]) {
		return fmt.Errorf("%s does not fit into %s at %d", x, base, at)
	}
	c.Out(0, base)
	return nil
}

func lowerColumnsInto(l *Lowering) error {
	x, y := Shape(l.In[0]), Shape(l.In[1])
	last := len(x) - 1
	l.Call("CopyRows", l.Out[0], l.In[0], ir.Size(x[:last]), x[last], y[last], l.Int("at"), x[last], 0)
	return nil
}

func columnsIntoBytes(n *ir.Node) ir.Dim { return ir.C(2).Mul(bytesOf(n.In[0])) }
