package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// tabulated replaces functions of a single byte, which is dequantized before and quantized after them, by a
// table.
func tabulated(f *fuser, n *ir.Node) *ir.Value {
	if !isByte(n.Out[0].Type.Elem) || len(n.Out[0].Type.Shape) == 0 {
		return nil
	}
	t := &tabulator{fuser: f, left: maxTabulated, of: map[*ir.Value]*ir.Value{}}
	table := t.apply(n)
	if table == nil || t.x == nil || !ir.SameShape(t.x.Type.Shape, n.Out[0].Type.Shape) {
		return nil
	}
	flat := &tensor.Tensor{DType: table.Const.DType, Shape: []int{byteValues}, Data: table.Const.Data}
	return f.own(&ir.Node{Op: "ByteTable", In: []*ir.Value{t.x, f.b.Const(flat)}})
}

// byteValues is the number of values that a byte may have.
const byteValues = 1 << 8

// maxTabulated is the largest number of nodes in a table.
const maxTabulated = 64

// tabulator computes values for each of the bytes that a tensor may hold.
type tabulator struct {
	*fuser
	x    *ir.Value               // the only tensor of bytes that everything depends on
	left int                     // number of nodes that may still be computed
	of   map[*ir.Value]*ir.Value // computed values; nil for those that cannot be computed
}

// value returns v as a constant, with one element or one for each byte that x may hold. It is nil if v
// depends on anything else.
func (t *tabulator) value(v *ir.Value) *ir.Value {
	c, done := t.of[v]
	if !done {
		c = t.compute(v)
		t.of[v] = c
	}
	return c
}

func (t *tabulator) compute(v *ir.Value) *ir.Value {
	if c := known(v); c != nil {
		if c.Len() != 1 {
			return nil
		}
		return ir.NewConst(v.Name, c)
	}
	if isByte(v.Type.Elem) && t.def(v, "ByteTable") == nil {
		if t.x != nil {
			return nil
		}
		t.x = v
		return eachByte(v)
	}
	if v.Def == nil || t.home[v.Def] != t.home[t.n] || v.Def.Class != t.n.Class {
		return nil
	}
	return t.apply(v.Def)
}

// apply returns the output of n, which must be an elementwise operator.
func (t *tabulator) apply(n *ir.Node) *ir.Value {
	if t.left--; t.left < 0 || !replaceable(n) || !op.Pointwise(n) {
		return nil
	}
	y := *n
	y.In, y.Out = slices.Clone(n.In), []*ir.Value{{Name: n.Out[0].Name, Def: &y}}
	for i, v := range n.In {
		if v == nil || n.Op == "ByteTable" && i == inTable {
			continue
		}
		if y.In[i] = t.value(v); y.In[i] == nil {
			return nil
		}
	}
	b := &ir.Builder{Module: t.m, Infer: op.Inferrer{}}
	if b.Add(&y); b.Err() != nil || !foldNode(&y, byteValues, nil) {
		return nil
	}
	return y.Out[0]
}

// eachByte returns a constant of x's rank that contains each byte once, ordered by bit pattern.
func eachByte(x *ir.Value) *ir.Value {
	shape := slices.Repeat([]int{1}, len(x.Type.Shape))
	shape[len(shape)-1] = byteValues
	t := tensor.New(x.Type.Elem, shape...)
	switch d := t.Data.(type) {
	case []uint8:
		for i := range d {
			d[i] = uint8(i)
		}
	case []int8:
		for i := range d {
			d[i] = int8(uint8(i))
		}
	}
	return ir.NewConst(x.Name, t)
}
