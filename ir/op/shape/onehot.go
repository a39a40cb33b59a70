package shape

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [OneHot].
const (
	oneHotIndices = iota
	oneHotDepth
	oneHotValues
)

// OneHot adds an axis that has one value where it equals the index and another
// elsewhere.
//
// https://onnx.ai/onnx/operators/onnx__OneHot.html
var OneHot = &op.Op{
	Name:  "OneHot",
	Since: []int{9, 11, 28},
	Attrs: []op.Attr{{Name: "axis", Kind: op.Int, Default: -1}},
	Inputs: []op.Port{
		oneHotIndices: {Name: "indices", Types: elem.Numbers},
		oneHotDepth:   {Name: "depth", Types: elem.Numbers},
		oneHotValues:  {Name: "values", Types: elem.Any},
	},
	Outputs: []op.Port{{Name: "output", Like: "values"}},
	Infer:   inferOneHot,
	Grad:    oneHotGrad,
	Lower:   lowerOneHot,
	Widen:   true,
}

func inferOneHot(c *op.Infer) error {
	x, err := c.Tensor(oneHotIndices)
	if err != nil {
		return err
	}
	for i := range 2 {
		if err := c.CheckElems(i, elem.Numbers); err != nil {
			return err
		}
	}
	if _, err := scalarOf(c, 1); err != nil {
		return err
	}
	values, err := c.Rank(oneHotValues, 1)
	if err != nil {
		return err
	}
	if _, err := c.Agree(oneHotValues, 0, ir.C(2)); err != nil {
		return err
	}
	axis, err := op.Axis(c.Int("axis"), len(x.Shape)+1)
	if err != nil {
		return err
	}
	depth, ok := constDepth(c)
	if !ok {
		depth = c.Fresh("depth")
	}
	if err := op.CheckNotNegative([]ir.Dim{depth}); err != nil {
		return err
	}
	c.OutTensor(0, values.Elem, slices.Insert(slices.Clone(x.Shape), axis, depth)...)
	return nil
}

// constDepth returns the size of the new axis if it is known.
func constDepth(c *op.Infer) (ir.Dim, bool) {
	if elems, ok := c.Content(oneHotDepth); ok {
		return elems[0], !c.Module.FromData(elems[0])
	}
	if v := c.In[oneHotDepth]; v.IsConst() && elem.Floats.Has(v.Type.Elem) {
		if f := floatOf(v); f >= 0 && f < op.FarAway {
			return ir.C(int(f)), !v.Type.Elem.IsSmallFloat()
		}
	}
	return ir.Dim{}, false
}

func lowerOneHot(l *op.Lowering) error {
	y := l.Out[0]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(y)))
	if err != nil {
		return err
	}
	if l.IsSym(op.Shape(y)[axis], 0) {
		l.Count(0, "OneHotDepth", l.In[oneHotDepth])
	}
	l.Call("OneHot", y, l.In[oneHotValues], l.In[oneHotIndices], op.Outer(op.Shape(y), axis), op.Shape(y)[axis], op.Inner(op.Shape(y), axis))
	return nil
}

// the two values get the sums of dy off and at the indices
func oneHotGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	values := n.In[oneHotValues]
	ends := op.CastTo(b, b.Ints(0, 1), values.Type.Elem)
	hit := b.OpA("OneHot", op.Attrs("axis", n.Int("axis")), n.In[oneHotIndices], n.In[oneHotDepth], ends)
	on := b.OpA("ReduceSum", op.Attrs("keepdims", 0), b.Op("Mul", dy[0], hit))
	off := b.Op("Sub", b.OpA("ReduceSum", op.Attrs("keepdims", 0), dy[0]), on)
	one := b.Ints(1)
	return []*ir.Value{nil, nil, b.OpA("Concat", op.Attrs("axis", 0), b.Op("Reshape", off, one), b.Op("Reshape", on, one))}
}
