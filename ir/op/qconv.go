package op

import "github.com/bbgen/bbgen/ir"

// QConv is what becomes of the sums of a convolution of bytes with constant
// filters of int8, as [QMatMul] says it of products: add and mult have an
// element for each filter. It has the attributes of [Conv]; beyond its bounds x
// is what the attribute "padding" says.
var QConv = &Op{
	Name:   "QConv",
	Domain: Own,
	Since:  []int{1},
	In:     Arity{3, 4},
	Out:    One,
	Infer:  inferQConv,
	Lower:  lowerQConv,
	Agree:  agreeConv(0, 1),
	FLOPs:  convWork,
	Stops:  afterGradients,
}

func inferQConv(c *Infer) error {
	if _, err := byteTensor(c, 0); err != nil {
		return err
	}
	cv, err := newConv(c.Node, 0, 1)
	if err != nil {
		return err
	}
	to, err := inferSums(c, cv.filters)
	c.OutTensor(0, to, cv.shape()...)
	return err
}

func lowerQConv(l *Lowering) error {
	cv, err := newConv(l.Node, 0, 1)
	if err != nil {
		return err
	}
	w := l.In[1]
	l.Call("QConv", l.Out[0], l.In[0], packB(w, "PackA8", cv.filters, ir.Size(Shape(w)[1:])), l.In[2], l.Arg(3),
		l.Int("padding", 0), l.Int("zero", 0), l.Int("relu", 0) != 0,
		cv.images, cv.channels, cv.filters, cv.groups, cv.arg())
	return nil
}
