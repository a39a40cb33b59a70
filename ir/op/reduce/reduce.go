package reduce

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// upgradeReduce makes an input of the axes.
func upgradeReduce(b *ir.Builder, n *ir.Node) error {
	if len(n.In) == 1 {
		op.AttrToInput(b, n, "axes", 1)
	}
	return nil
}

// reduceAttrs are the attributes of reductions with axes that became an input with version
// 18; reduceInputs are the inputs.
var reduceAttrs = []op.Attr{
	{Name: "axes", Kind: op.Ints, Until: 18},
	{Name: "keepdims", Kind: op.Int, Default: 1},
	{Name: "noop_with_empty_axes", Kind: op.Int, Default: 0, Since: 18},
}

// The inputs of [ReduceL1] and operators like it.
const (
	reduceData = iota
	reduceAxes
)

func reduceInputs(data op.Types) []op.Port {
	return []op.Port{
		reduceData: {Name: "data", Types: data},
		reduceAxes: {Name: "axes", Types: elem.Indices, Optional: true, Since: 18},
	}
}

// inferReduce infers a reduction along axes.
func inferReduce(c *op.Infer) error {
	x, err := c.Tensor(reduceData)
	if err != nil {
		return err
	}
	if runtimeAxes(c.Node) {
		return inferRuntimeReduce(c, x)
	}
	mask, err := reduceMask(c.Node)
	if err != nil {
		return err
	}
	c.OutTensor(0, x.Elem, reduceShape(x.Shape, mask, c.Int("keepdims") != 0)...)
	return nil
}

// runtimeAxes reports whether inference knows the reduced axes only at run time. They may become constants later, when the sizes are
// symbols already.
func runtimeAxes(n *ir.Node) bool {
	axes := n.Arg(reduceAxes)
	if axes == nil || axes.Type.Kind == ir.Tensor && axes.Type.Ranked && ir.Size(axes.Type.Shape).Is(0) {
		return false
	}
	elems, ok := op.Content(axes)
	if !ok {
		return true
	}
	_, ok = ir.Static(elems)
	return !ok
}

// reduceMask returns for each axis whether it is reduced.
func reduceMask(n *ir.Node) ([]bool, error) {
	rank := len(n.In[reduceData].Type.Shape)
	mask := make([]bool, rank)
	elems, _ := op.Content(n.Arg(reduceAxes))
	axes, _ := ir.Static(elems)
	for _, a := range axes {
		a, err := op.Axis(a, rank)
		if err != nil {
			return nil, err
		}
		if a >= rank {
			return nil, fmt.Errorf("axis is %d, and a scalar has no axes", a)
		}
		if mask[a] { // other implementations refuse it, or disagree about the result
			return nil, fmt.Errorf("axes %v name axis %d twice, want each axis once", axes, a)
		}
		mask[a] = true
	}
	if len(axes) == 0 && n.Int("noop_with_empty_axes") == 0 {
		for i := range mask {
			mask[i] = true
		}
	}
	return mask, nil
}

// reduceShape returns a shape without the axes that are reduced, or with 1 in their
// place.
func reduceShape(shape []ir.Dim, mask []bool, keep bool) []ir.Dim {
	out := make([]ir.Dim, 0, len(shape))
	for i, d := range shape {
		switch {
		case !mask[i]:
			out = append(out, d)
		case keep:
			out = append(out, ir.C(1))
		}
	}
	return out
}

// inferRuntimeReduce infers a reduction along axes that are known only at run time. It makes a symbol for
// each axis with the rank kept; if the rank is not kept, those of the result follow.
func inferRuntimeReduce(c *op.Infer, x ir.Type) error {
	t, err := c.Rank(reduceAxes, 1)
	if err != nil {
		return err
	}
	if t.Elem != tensor.Int64 {
		return fmt.Errorf("input %q is %s, want int64", c.In[reduceAxes].Name, t)
	}
	n, ok := ir.Size(t.Shape).Const()
	keep := c.Int("keepdims") != 0
	if !keep && (!ok || n > len(x.Shape)) {
		return fmt.Errorf("input %q has %s elements, want a known number of at most %d", c.In[reduceAxes].Name, ir.Size(t.Shape), len(x.Shape))
	}
	shape := make([]ir.Dim, len(x.Shape))
	for i := range shape {
		shape[i] = c.Fresh("dim")
	}
	if !keep {
		shape = shape[:len(x.Shape)-n]
		for i := range shape {
			shape[i] = c.Fresh("kept")
		}
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

// reduceTo returns the shape of the result with 1 for the reduced axes. If it is known only at run time, it
// adds the calls that compute it.
func reduceTo(l *op.Lowering) ([]ir.Dim, error) {
	x := op.Shape(l.In[reduceData])
	if len(l.Syms) == 0 { // inference knew the axes, or there are none
		mask, err := reduceMask(l.Node)
		if err != nil {
			return nil, err
		}
		return reduceShape(x, mask, true), nil
	}
	noop := l.Int("noop_with_empty_axes") != 0
	to := make([]ir.Dim, len(x))
	for i := range to {
		l.Count(i, "ReduceDim", l.In[reduceAxes], x, noop, i)
		to[i] = ir.Sym(l.Syms[i])
	}
	for i := len(x); i < len(l.Syms); i++ {
		l.Count(i, "ReduceKept", l.In[reduceAxes], x, noop, i-len(x))
	}
	return to, nil
}

// reduce lowers to one kernel call.
func reduce(kernel string) func(l *op.Lowering) error {
	return func(l *op.Lowering) error {
		to, err := reduceTo(l)
		if err != nil {
			return err
		}
		l.Call(kernel, l.Out[0], l.In[reduceData], op.Shape(l.In[reduceData]), to)
		return nil
	}
}

// kept returns a value of the shape of the output of reduction n with the axes that
// are reduced as 1, so that it broadcasts to the input.
func kept(b *ir.Builder, n *ir.Node, v *ir.Value) *ir.Value {
	if n.Int("keepdims") != 0 {
		return v
	}
	if runtimeAxes(n) {
		return b.Op("Unsqueeze", v, n.In[reduceAxes])
	}
	mask, _ := reduceMask(n) // inference has made sure
	var axes []int
	for i, reduced := range mask {
		if reduced {
			axes = append(axes, i)
		}
	}
	if len(axes) == 0 {
		return v
	}
	return b.Op("Unsqueeze", v, b.Ints(axes...))
}

// reduceAgain reduces v as n does its input, and keeps the axes as 1.
func reduceAgain(b *ir.Builder, n *ir.Node, how string, v *ir.Value) *ir.Value {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("keepdims", int64(1))
	return b.OpA(how, attrs, append([]*ir.Value{v}, n.In[1:]...)...)
}

// sums32 reports whether n sums integers of 32 bits.
func sums32(n *ir.Node) bool {
	t := n.In[reduceData].Type.Elem
	return t == tensor.Int32 || t == tensor.Uint32
}

// reduceInInt64 computes n in int64: sums of integers of 32 bits may overflow where what is made of them, such as their mean,
// does not.
func reduceInInt64(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	in := slices.Clone(n.In)
	in[reduceData] = op.Cast(b, in[reduceData], tensor.Int64)
	return []*ir.Value{op.Cast(b, b.OpA(n.Op, n.Attrs, in...), n.Out[0].Type.Elem)}, nil
}
