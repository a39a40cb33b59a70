package training

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [CTCLoss].
const (
	ctcLossLogProbs = iota
	ctcLossLabels
	ctcLossTimes
	ctcLossLengths
)

// CTCLoss is the loss of connectionist temporal classification, one number for each sample. Its inputs are
//
//	0   logarithms of probabilities, [time, batch, classes]; with batch_first
//	    [batch, time, classes]
//	1   labels, [batch, labels]
//	2   number of valid times of each sample
//	3   number of labels of each sample
//
// The attribute blank is the class without a label. With zero_infinity, the loss of labels that do not fit
// into their time is 0.
var CTCLoss = &op.Op{
	Name:   "CTCLoss",
	Domain: op.Own,
	Since:  []int{1},
	Attrs:  ctcAttrs,
	Inputs: []op.Port{
		ctcLossLogProbs: {Name: "log_probs", Types: elem.Floats},
		ctcLossLabels:   {Name: "labels", Types: elem.Indices},
		ctcLossTimes:    {Name: "times", Types: elem.Indices},
		ctcLossLengths:  {Name: "lengths", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "loss", Like: "log_probs"}},
	Infer:   inferCTCLoss,
	Grad:    ctcLossGrad,
	Lower:   lowerCTCLoss,
	Widen:   true,
}

func inferCTCLoss(c *op.Infer) error {
	x, err := c.FloatTensor(ctcLossLogProbs)
	if err != nil {
		return err
	}
	labels, err := c.Rank(ctcLossLabels, 2)
	if err != nil {
		return err
	}
	if len(x.Shape) != 3 {
		return fmt.Errorf("input %q has rank %d, want 3", c.In[ctcLossLogProbs].Name, len(x.Shape))
	}
	p := ctcOf(c.Node, x.Shape)
	if err := c.HasShape(ctcLossLabels, p.batch, labels.Shape[1]); err != nil {
		return err
	}
	for i := 1; i < 4; i++ {
		if err := c.CheckElems(i, elem.Indices); err != nil {
			return err
		}
		if elem := c.In[i].Type.Elem; elem != labels.Elem {
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, elem, labels.Elem, c.In[ctcLossLabels].Name)
		}
		if i > 1 {
			if err := c.HasShape(i, p.batch); err != nil {
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

func lowerCTCLoss(l *op.Lowering) error {
	work := l.Scratch(tensor.Float64, op.Shape(l.Out[0])[0], ctcStates(l.In[ctcLossLabels]))
	l.Call("CTCLoss", l.Out[0], l.In[ctcLossLogProbs], l.In[ctcLossLabels], l.In[ctcLossTimes], l.In[ctcLossLengths], work, ctcParams(l.Node, l.In[ctcLossLogProbs], l.In[ctcLossLabels]))
	return nil
}

// ctcStates returns the largest number of states of a sample.
func ctcStates(labels *ir.Value) ir.Dim { return op.Shape(labels)[1].Mul(ir.C(2)).Add(ir.C(1)) }

func ctcParams(n *ir.Node, x, labels *ir.Value) op.Struct {
	p := ctcOf(n, op.Shape(x))
	return op.Struct{Type: "CTC", Fields: []op.Field{
		{Name: "Batch", Value: p.batch}, {Name: "Time", Value: p.time}, {Name: "Classes", Value: p.classes}, {Name: "Labels", Value: op.Shape(labels)[1]},
		{Name: "Blank", Value: n.Int("blank")},
		{Name: "BatchFirst", Value: n.Int("batch_first") != 0},
		{Name: "ZeroInfinity", Value: n.Int("zero_infinity") != 0},
	}}
}

// dx = -dy · the probability of a class at a time, given the labels
func ctcLossGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "CTCLossGrad", n.Attrs, append([]*ir.Value{dy[0]}, n.In...)...), nil, nil, nil}
}

var ctcAttrs = []op.Attr{
	{Name: "batch_first", Kind: op.Int, Default: 0},
	{Name: "blank", Kind: op.Int, Default: 0},
	{Name: "zero_infinity", Kind: op.Int, Default: 0},
}
