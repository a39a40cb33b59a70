package quant

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [QAdd].
const (
	qAddA = iota
	qAddB
)

// QAdd is a sum of bytes as bytes: an operand stands for (x-zero)·scale, and the sum is quantized as [QuantizeLinear] does it.
var QAdd = &op.Op{
	Name:    "QAdd",
	Domain:  op.Own,
	Since:   []int{1},
	Inputs:  []op.Port{qAddA: {Name: "a", Types: elem.Bytes}, qAddB: {Name: "b", Types: elem.Bytes}},
	Outputs: []op.Port{{Name: "y", Like: "a"}},
	Attrs: []op.Attr{
		{Name: "a_scale", Kind: op.Float, Required: true},
		{Name: "b_scale", Kind: op.Float, Required: true},
		{Name: "scale", Kind: op.Float, Required: true},
		{Name: "a_zero", Kind: op.Int, Default: 0},
		{Name: "b_zero", Kind: op.Int, Default: 0},
		{Name: "zero", Kind: op.Int, Default: 0},
	},
	Infer:   inferQAdd,
	Lower:   lowerQAdd,
	Last:    &op.LastForm{Build: lastQAdd},
	InPlace: true,
	Stops:   op.StopStepwise,

	Pointwise: op.Always,
}

func inferQAdd(c *op.Infer) error {
	a, err := c.ByteTensor(qAddA)
	if err != nil {
		return err
	}
	b, err := c.ByteTensor(qAddB)
	if err != nil {
		return err
	}
	if a.Elem != b.Elem || !ir.SameShape(a.Shape, b.Shape) {
		return fmt.Errorf("input %q is %s, want %s as %q", c.In[qAddB].Name, b, a, c.In[qAddA].Name)
	}
	c.OutTensor(0, a.Elem, a.Shape...)
	return nil
}

func lowerQAdd(l *op.Lowering) error {
	s := op.Struct{Type: "ByteSum", Fields: []op.Field{
		{Name: "AScale", Value: l.Float("a_scale")}, {Name: "BScale", Value: l.Float("b_scale")}, {Name: "Scale", Value: l.Float("scale")},
		{Name: "AZero", Value: l.Int("a_zero")}, {Name: "BZero", Value: l.Int("b_zero")}, {Name: "Zero", Value: l.Int("zero")},
	}}
	l.Each("QAdd", l.Out[0], l.In[qAddA], l.In[qAddB], s)
	return nil
}

// lastQAdd converts a QAdd.
func lastQAdd(l *op.Last) *ir.Value {
	in := l.All()
	if in == nil {
		return nil
	}
	return l.Own("QAdd", l.Attrs, in...)
}
