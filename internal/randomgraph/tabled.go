package randomgraph

import (
	"slices"
	"sync"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// drawable are the operators of the table that compute tensors and are deterministic. Their inference decides
// which operands they accept.
var drawable = sync.OnceValue(func() []*op.Op {
	var out []*op.Op
	for _, o := range op.All() {
		if o.Domain == "" && o.In().Min > 0 && o.In().Min <= 3 && o.Flow == op.NoFlow && !o.Effect && !o.Random && o.Peer == nil && !o.Synonym() {
			out = append(out, o)
		}
	}
	return out
})

// tries is the number of operators that are tried.
const tries = 30

// tabled adds an operator of the table that accepts existing values without attributes.
func (d *drawer) tabled() {
	for range tries {
		if d.try(drawable()[d.rng.IntN(len(drawable()))]) {
			return
		}
	}
	panic(misfit{})
}

// try reports whether o accepts some existing values as operands.
func (d *drawer) try(o *op.Op) (ok bool) {
	x := d.any()
	if x == nil {
		panic(misfit{})
	}
	in := []*ir.Value{x}
	most := min(o.In().Max, o.In().Min+2)
	for range o.In().Min - 1 + d.rng.IntN(most-o.In().Min+1) {
		in = append(in, d.beside(x))
	}
	defer func() {
		if r := recover(); r != nil {
			if _, misfits := r.(misfit); !misfits {
				panic(r)
			}
		}
	}()
	nodes := len(d.nodes)
	d.opN("", o.Name, max(1, o.Out().Min), nil, in...)
	return len(d.nodes) > nodes
}

// beside returns another operand for an operator with x: a value, a constant or a number.
func (d *drawer) beside(x *ir.Value) *ir.Value {
	switch d.rng.IntN(5) {
	case 0:
		return d.broadcast(x)
	case 1:
		return d.ints(d.rng.IntN(3))
	case 2:
		return d.any()
	}
	if v := d.pick(func(v *ir.Value) bool { return v != x && v.Type.Elem == x.Type.Elem }); v != nil {
		return v
	}
	return x
}

// elementwise adds an operator with operands that are broadcast. One of them is constant or has another
// shape.
func (d *drawer) elementwise() {
	x := d.any()
	if x == nil {
		panic(misfit{})
	}
	in := []*ir.Value{x, d.broadcast(x)}
	if v := d.pick(func(v *ir.Value) bool { return v.Type.Elem == x.Type.Elem && v != x && mayBroadcast(v, x) }); v != nil && d.chance(2) {
		in[1] = v
	}
	if d.chance(2) {
		slices.Reverse(in)
	}
	name := one(d, "Add", "Add", "Mul", "Mul", "Sub", "Div", "Max", "Min", "Sum", "Mean", "Pow", "Less", "Equal", "GreaterOrEqual", "PRelu", "Where", "Mod", "And", "Xor", "BitwiseAnd")
	switch name {
	case "Max", "Min", "Sum", "Mean":
		for range d.rng.IntN(3) {
			in = append(in, d.broadcast(x))
		}
		in = in[:1+d.rng.IntN(len(in))]
	case "Where":
		cond := d.op(one(d, "Less", "GreaterOrEqual", "Equal"), in[0], d.broadcast(x))
		in = []*ir.Value{cond, in[0], in[1]}
	}
	d.op(name, in...)
}

// mayBroadcast reports whether v has at most the axes of x, each of the same size or 1.
func mayBroadcast(v, x *ir.Value) bool {
	a, b := v.Type.Shape, x.Type.Shape
	if len(a) > len(b) {
		return false
	}
	b = b[len(b)-len(a):]
	for i := range a {
		if !a[i].Is(1) && !b[i].Is(1) && !a[i].Equal(b[i]) {
			return false
		}
	}
	return true
}

// broadcast returns a constant that, except in rare cases, can be broadcast to the shape of x.
func (d *drawer) broadcast(x *ir.Value) *ir.Value {
	if d.chance(4) {
		return d.scalar(x.Type.Elem, float64(1+d.rng.IntN(4))/2)
	}
	shape := sizes(x)
	for i, n := range shape {
		if n < 0 || d.chance(3) {
			shape[i] = 1
		}
	}
	shape = shape[d.rng.IntN(len(shape)+1):]
	if d.chance(8) && len(shape) < 4 {
		shape = append([]int{1 + d.rng.IntN(2)}, shape...)
	}
	return d.constant(x.Type.Elem, shape...)
}
