package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// rotary recognizes the rotation of each head's vector by angles that depend on its position, as exporters write it for
// tables of cosines and sines of both halves of a vector, which are equal ("RoFormer", Su et al. 2021, section 3.4.2):
//
//	y = x·cos + concat(-x₂, x₁)·sin
func rotary(f *fuser, n *ir.Node) *ir.Value {
	for i, v := range n.In {
		straight, turned := f.sole(v, "Mul"), f.sole(n.In[1-i], "Mul")
		if straight == nil || turned == nil {
			return nil
		}
		cos, x := constOperand(straight)
		sin, quarter := constOperand(turned)
		if x == nil || quarter == nil || len(x.Type.Shape) != 4 || !isFloat(x) || !x.Type.Equal(n.Out[0].Type) || !f.isQuarterTurn(quarter, x) {
			continue
		}
		for _, seq := range []int{2, 1} {
			c, s := f.angles(cos, x, seq), f.angles(sin, x, seq)
			if c != nil && s != nil {
				return f.rotated(x, c, s, seq)
			}
		}
	}
	return nil
}

// isQuarterTurn reports whether v is concat(-x₂, x₁) for the halves of the last axis of x.
func (f *fuser) isQuarterTurn(v, x *ir.Value) bool {
	last := len(x.Type.Shape) - 1
	d := f.sole(v, "Concat")
	if d == nil || len(d.In) != 2 {
		return false
	}
	axis, err := op.Axis(d.Int("axis"), last+1)
	neg := f.sole(d.In[inJoined], "Neg")
	return err == nil && axis == last && neg != nil && f.isHalf(neg.In[op.X], x, 1) && f.isHalf(d.In[inJoined+1], x, 0)
}

// isHalf reports whether v is half i of the last axis of x, and read once.
func (f *fuser) isHalf(v, x *ir.Value, i int) bool {
	last := len(x.Type.Shape) - 1
	size, ok := x.Type.Shape[last].Const()
	d := v.Def
	if !ok || size < 2 || size%2 != 0 || d == nil || d.In[op.X] != x || f.uses[v] != 1 || f.home[d] != f.home[f.n] || d.Class != f.n.Class {
		return false
	}
	switch {
	case d.Is("Split"):
		axis, err := op.Axis(d.Int("axis"), last+1)
		return err == nil && axis == last && len(d.Out) == 2 && d.Out[i] == v && v.Type.Shape[last].Is(size/2)
	case d.Is("Slice"):
		from, ok := sliceStart(d, last, size)
		return ok && from == i*size/2 && v.Type.Shape[last].Is(size/2)
	}
	return false
}

// sliceStart returns where a Slice of one axis begins. It is not ok for other axes and other steps than 1, nor if it is unknown.
func sliceStart(d *ir.Node, axis, size int) (from int, ok bool) {
	one := func(i int) (int, bool) {
		elems, ok := op.Content(d.Arg(i))
		v, static := ir.Static(elems)
		if !ok || !static || len(v) != 1 {
			return 0, false
		}
		return v[0], true
	}
	from, ok = one(inSliceStarts)
	if from < 0 {
		from += size
	}
	at := 0
	if d.Arg(inSliceAxes) != nil && ok {
		at, ok = one(inSliceAxes)
	}
	if at < 0 {
		at += axis + 1
	}
	step := 1
	if d.Arg(inSliceSteps) != nil && ok {
		step, ok = one(inSliceSteps)
	}
	return from, ok && at == axis && step == 1
}

// angles returns half of a table for x, whose axis seq is that of positions, as [1, positions, half a vector]. It returns nil if the
// table depends on other axes, or if its halves differ.
func (f *fuser) angles(table, x *ir.Value, seq int) *ir.Value {
	shape := x.Type.Shape
	skip := len(shape) - len(table.Type.Shape)
	last := len(shape) - 1
	for axis := range shape {
		own := 1
		if axis >= skip {
			own = table.Const.Shape[axis-skip]
		}
		want := axis == seq || axis == last
		if skip < 0 || want && !shape[axis].Is(own) || !want && own != 1 {
			return nil
		}
	}
	if f.halves[table] != nil {
		return f.halves[table]
	}
	size := table.Const.Shape[last-skip]
	var half []float64
	for row := range slices.Chunk(numbers(table), size) {
		if !slices.Equal(row[:size/2], row[size/2:]) {
			return nil
		}
		half = append(half, row[:size/2]...)
	}
	f.halves[table] = f.constant(table.Name+"_half", x, half, 1, len(half)/(size/2), size/2)
	return f.halves[table]
}

// rotated builds the rotation of x. If x has been transposed from tokens that hold all heads, these are rotated.
func (f *fuser) rotated(x, cos, sin *ir.Value, seq int) *ir.Value {
	if seq == 2 {
		if t := f.def(x, "Transpose"); t != nil && slices.Equal(permOf(t), []int{0, 2, 1, 3}) {
			y := f.rotated(t.In[op.X], cos, sin, 1)
			return f.b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), y)
		}
		return f.b.Op("RotaryEmbedding", x, cos, sin)
	}
	heads, ok1 := x.Type.Shape[2].Const()
	size, ok2 := x.Type.Shape[3].Const()
	if !ok1 || !ok2 || heads == 0 {
		return nil
	}
	tokens := f.b.Op("Reshape", x, f.b.Ints(0, 0, heads*size))
	y := f.b.OpA("RotaryEmbedding", op.Attrs("num_heads", heads), tokens, cos, sin)
	return f.b.Op("Reshape", y, f.b.Ints(0, 0, heads, size))
}
