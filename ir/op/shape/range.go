package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Range].
const (
	rangeStart = iota
	rangeLimit
	rangeDelta
)

// Range is the numbers from start on in steps of delta, without limit and those beyond it.
//
// https://onnx.ai/onnx/operators/onnx__Range.html
var Range = &op.Op{
	Name:  "Range",
	Since: []int{11, 27},
	Attrs: []op.Attr{{Name: "stash_type", Kind: op.Int, Default: 1, Since: 27}},
	Inputs: []op.Port{
		rangeStart: {Name: "start", Types: elem.Numbers},
		rangeLimit: {Name: "limit", Like: "start"},
		rangeDelta: {Name: "delta", Like: "start"},
	},
	Outputs: []op.Port{{Name: "output", Like: "start"}},
	Infer:   inferRange,
	Grad:    rangeGrad,
	Lower:   lowerRange,
	Widen:   true,
}

func inferRange(c *op.Infer) error {
	t, err := c.Tensor(rangeStart)
	if err != nil {
		return err
	}
	for i := range c.In {
		u, err := c.Tensor(i)
		if err != nil {
			return err
		}
		if n, ok := ir.Size(u.Shape).Const(); u.Elem != t.Elem || !ok || n != 1 {
			return fmt.Errorf("input %q is %s, want a single %s", c.In[i].Name, u, t.Elem)
		}
	}
	size, err := rangeSize(c)
	if err != nil {
		return err
	}
	c.OutTensor(0, t.Elem, size)
	start, ok1 := c.Content(rangeStart)
	delta, ok2 := c.Content(rangeDelta)
	if n, ok := size.Const(); ok && ok1 && ok2 && n <= op.MaxElems {
		elems := make([]ir.Dim, n)
		for i := range elems {
			elems[i] = start[0].Add(delta[0].Mul(ir.C(i)))
		}
		c.Know(0, elems)
	}
	return nil
}

// rangeSize returns the number of elements if it follows from the operands, or else a symbol.
func rangeSize(c *op.Infer) (ir.Dim, error) {
	start, ok1 := c.Content(rangeStart)
	limit, ok2 := c.Content(rangeLimit)
	delta, ok3 := c.Content(rangeDelta)
	if !ok1 || !ok2 || !ok3 {
		return c.Fresh("count"), nil
	}
	step, ok := delta[0].Const()
	span := limit[0].Sub(start[0])
	switch {
	case ok && step == 0:
		return ir.Dim{}, fmt.Errorf("delta is 0")
	case !ok || c.Module.FromData(span) || step > op.FarAway || step < -op.FarAway:
		return c.Fresh("count"), nil
	case step < 0:
		span = span.Mul(ir.C(-1))
	}
	return op.AtLeast(span, ir.C(0)).CeilDiv(ir.C(max(step, -step))), nil
}

func lowerRange(l *op.Lowering) error {
	if l.IsSym(op.Shape(l.Out[0])[0], 0) {
		l.Count(0, "RangeSize", l.In[rangeStart], l.In[rangeLimit], l.In[rangeDelta])
	}
	l.Call("Range", l.Out[0], l.In[rangeStart], l.In[rangeDelta])
	return nil
}

// scalarOf returns the type of input i, which must have one element.
func scalarOf(c *op.Infer, i int) (tensor.DType, error) {
	t, err := c.Tensor(i)
	if err != nil {
		return t.Elem, err
	}
	if n, ok := ir.Size(t.Shape).Const(); !ok || n != 1 {
		return t.Elem, fmt.Errorf("input %q is %s, want one element", c.In[i].Name, t)
	}
	return t.Elem, nil
}

// dstart = Σ dy, ddelta = Σ dy·(y-start)/delta
func rangeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	steps := b.Op("Div", b.Op("Sub", n.Out[0], n.In[rangeStart]), n.In[rangeDelta])
	return []*ir.Value{op.SumInto(b, dy[0], n.In[rangeStart]), nil, op.SumInto(b, b.Op("Mul", dy[0], steps), n.In[rangeDelta])}
}
