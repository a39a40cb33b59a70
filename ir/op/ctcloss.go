package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// CTCLoss is the loss of connectionist temporal classification, one number a
// sample. Its inputs are
//
//	0   logarithms of probabilities, [time, batch, classes]; with batch_first
//	    [batch, time, classes]
//	1   labels, [batch, labels]
//	2   how many moments of each sample count
//	3   how many labels of each sample count
//
// The attribute blank is the class that stands for no label; with zero_infinity
// the loss of labels that do not fit into their time is 0.
var CTCLoss = &Op{
	Name:   "CTCLoss",
	Domain: Own,
	Since:  []int{1},
	Attrs:  ctcAttrs,
	Inputs: []Port{
		{Name: "log_probs", Types: floats},
		{Name: "labels", Types: indices},
		{Name: "times", Types: indices},
		{Name: "lengths", Types: indices},
	},
	Outputs: []Port{{Name: "loss", Like: "log_probs"}},
	Infer:   inferCTCLoss,
	Grad:    ctcLossGrad,
	Lower:   lowerCTCLoss,
	Widen:   true,
}

// CTCLossGrad is the gradient of a [CTCLoss] by its first input. Its inputs are
// dy and those of the loss.
var CTCLossGrad = &Op{
	Name:   "CTCLossGrad",
	Domain: Own,
	Since:  []int{1},
	Attrs:  ctcAttrs,
	Inputs: []Port{
		{Name: "dy", Types: floats},
		{Name: "log_probs", Like: "dy"},
		{Name: "labels", Types: indices},
		{Name: "times", Types: indices},
		{Name: "lengths", Types: indices},
	},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferCTCLoss),
	Lower:   lowerCTCLossGrad,
	Widen:   true,
	Stops:   onlyOnce,
}

func inferCTCLoss(c *Infer) error {
	x, err := floatInput(c, 0)
	if err != nil {
		return err
	}
	labels, err := c.Rank(1, 2)
	if err != nil {
		return err
	}
	if len(x.Shape) != 3 {
		return fmt.Errorf("input %q has rank %d, want 3", c.In[0].Name, len(x.Shape))
	}
	p := ctcOf(c.Node, x.Shape)
	if err := hasShape(c, 1, p.batch, labels.Shape[1]); err != nil {
		return err
	}
	for i := 1; i < 4; i++ {
		if err := c.CheckElems(i, indices); err != nil {
			return err
		}
		if elem := c.In[i].Type.Elem; elem != labels.Elem {
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, elem, labels.Elem, c.In[1].Name)
		}
		if i > 1 {
			if err := hasShape(c, i, p.batch); err != nil {
				return err
			}
		}
	}
	blank := c.Int("blank")
	if n, ok := p.classes.Const(); blank < 0 || ok && blank >= n {
		return fmt.Errorf("blank is %d of %s classes", blank, p.classes)
	}
	c.OutTensor(0, x.Elem, p.batch)
	return nil
}

// ctcSizes are the sizes of the first input.
type ctcSizes struct{ batch, time, classes ir.Dim }

func ctcOf(n *ir.Node, shape []ir.Dim) ctcSizes {
	if n.Int("batch_first") != 0 {
		return ctcSizes{shape[0], shape[1], shape[2]}
	}
	return ctcSizes{shape[1], shape[0], shape[2]}
}

func lowerCTCLoss(l *Lowering) error {
	work := l.Scratch(tensor.Float64, Shape(l.Out[0])[0], ctcStates(l.In[1]))
	l.Call("CTCLoss", l.Out[0], l.In[0], l.In[1], l.In[2], l.In[3], work, ctcParams(l.Node, l.In[0], l.In[1]))
	return nil
}

func lowerCTCLossGrad(l *Lowering) error {
	x, labels := l.In[1], l.In[2]
	sizes := ctcOf(l.Node, Shape(x))
	work := l.Scratch(tensor.Float64, sizes.batch, sizes.time.Add(ir.C(1)), ctcStates(labels))
	l.Call("CTCLossGrad", l.Out[0], l.In[0], x, labels, l.In[3], l.In[4], work, ctcParams(l.Node, x, labels))
	return nil
}

// ctcStates is how many states a sample has at most.
func ctcStates(labels *ir.Value) ir.Dim { return Shape(labels)[1].Mul(ir.C(2)).Add(ir.C(1)) }

func ctcParams(n *ir.Node, x, labels *ir.Value) Struct {
	p := ctcOf(n, Shape(x))
	return Struct{"CTC", []Field{
		{"Batch", p.batch}, {"Time", p.time}, {"Classes", p.classes}, {"Labels", Shape(labels)[1]},
		{"Blank", n.Int("blank")},
		{"BatchFirst", n.Int("batch_first") != 0},
		{"ZeroInfinity", n.Int("zero_infinity") != 0},
	}}
}

// dx = -dy · how probable a class is at a time, given the labels
func ctcLossGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{own(b, "CTCLossGrad", n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...), nil, nil, nil}
}

var ctcAttrs = []Attr{
	{Name: "batch_first", Kind: Int, Default: 0},
	{Name: "blank", Kind: Int, Default: 0},
	{Name: "zero_infinity", Kind: Int, Default: 0},
}
