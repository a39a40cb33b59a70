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
		for k, x := range straight.In {
			for j, quarter := range turned.In {
				if y := f.rotation(n, x, quarter, straight.In[1-k], turned.In[1-j]); y != nil {
					return y
				}
			}
		}
	}
	return nil
}

// rotation builds x·cos + quarter·sin, if quarter is x turned by a quarter and the tables are suitable.
func (f *fuser) rotation(n *ir.Node, x, quarter, cos, sin *ir.Value) *ir.Value {
	if len(x.Type.Shape) != 4 || !isFloat(x) || !x.Type.Equal(n.Out[0].Type) || !f.isQuarterTurn(quarter, x) {
		return nil
	}
	for _, seq := range []int{2, 1} {
		c, s := f.angles(cos, x, seq), f.angles(sin, x, seq)
		if c != nil && s != nil && len(c.Type.Shape) == len(s.Type.Shape) && c.Type.Shape[0].Equal(s.Type.Shape[0]) {
			return f.rotated(x, c, s, seq)
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

// angles returns half of a table for x, whose axis seq is that of positions, as [batch or 1, positions, half a vector]. It returns nil
// if the table depends on heads, or if its halves may differ.
func (f *fuser) angles(table, x *ir.Value, seq int) *ir.Value {
	shape, own := x.Type.Shape, table.Type.Shape
	for len(own) < len(shape) {
		own = append([]ir.Dim{ir.C(1)}, own...)
	}
	heads, size := 3-seq, shape[3]
	if len(own) > len(shape) || !own[0].Is(1) && !own[0].Equal(shape[0]) || !own[heads].Is(1) || !own[seq].Equal(shape[seq]) || !own[3].Equal(size) {
		return nil
	}
	n, _ := size.Const()
	switch {
	case hasNumbers(table) && own[0].Is(1):
		return f.halfOf(table)
	case f.hasEqualHalves(table):
		v := f.b.Op("Slice", table, f.b.Ints(0), f.b.Ints(n/2), f.b.Ints(-1))
		return f.reshape(v, []ir.Dim{own[0], own[seq], ir.C(n / 2)})
	}
	return nil
}

// halfOf returns half of a constant table, or nil if its halves differ.
func (f *fuser) halfOf(table *ir.Value) *ir.Value {
	if f.halves[table] != nil {
		return f.halves[table]
	}
	size := table.Const.Shape[len(table.Const.Shape)-1]
	var half []float64
	for row := range slices.Chunk(numbers(table), size) {
		if !slices.Equal(row[:size/2], row[size/2:]) {
			return nil
		}
		half = append(half, row[:size/2]...)
	}
	f.halves[table] = f.constant(table.Name+"_half", table, half, 1, len(half)/(size/2), size/2)
	return f.halves[table]
}

// hasEqualHalves reports whether the halves of v's last axis are equal because of how it is computed: both are the same values,
// to which the same functions are applied.
func (f *fuser) hasEqualHalves(v *ir.Value) bool {
	d := f.def(v, "Cast", "Concat", "Cos", "Mul", "Sin", "Unsqueeze")
	switch {
	case d == nil:
		return false
	case d.Is("Concat"):
		axis, err := op.Axis(d.Int("axis"), len(v.Type.Shape))
		return err == nil && axis == len(v.Type.Shape)-1 && len(d.In) == 2 && d.In[inJoined] == d.In[inJoined+1]
	case d.Is("Mul"):
		c, x := constOperand(d)
		return x != nil && c.Const.Len() == 1 && len(c.Type.Shape) <= len(x.Type.Shape) && f.hasEqualHalves(x)
	case d.Is("Unsqueeze"):
		last := v.Type.Shape[len(v.Type.Shape)-1]
		was := d.In[op.X].Type.Shape
		return len(was) > 0 && !last.Is(1) && last.Equal(was[len(was)-1]) && f.hasEqualHalves(d.In[op.X])
	}
	return f.hasEqualHalves(d.In[op.X])
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
