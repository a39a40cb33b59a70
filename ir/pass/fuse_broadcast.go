package pass

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// transposeSmaller moves a Transpose before pointwise nodes that nothing else reads, if their operands, which
// broadcast, have at most half as many elements together: these are transposed instead of the result.
func transposeSmaller(f *fuser, n *ir.Node) *ir.Value {
	x := n.In[op.X]
	all, ok := ir.Size(x.Type.Shape).Const()
	if !ok || all == 0 || f.pointwise(x, len(x.Type.Shape)) == nil {
		return nil
	}
	if moved, ok := f.operands(x); !ok || 2*moved > all {
		return nil
	}
	return f.permuted(x, permOf(n))
}

// pointwise returns the pointwise node of the given rank that defines v, if v has no other reader.
func (f *fuser) pointwise(v *ir.Value, rank int) *ir.Node {
	if v == nil || v.Def == nil || len(v.Type.Shape) != rank {
		return nil
	}
	d := f.sole(v, v.Def.Op)
	if d == nil || slices.Contains(d.In, nil) {
		return nil
	}
	if o := op.Lookup(d); !o.Broadcasts && (len(d.In) != 1 || o.Pointwise == nil || !o.Pointwise(d)) {
		return nil
	}
	return d
}

// operands returns the number of elements of the operands of the pointwise nodes that compute v.
func (f *fuser) operands(v *ir.Value) (n int, ok bool) {
	d := f.pointwise(v, len(v.Type.Shape))
	if d == nil {
		return ir.Size(v.Type.Shape).Const()
	}
	for _, x := range d.In {
		k, ok := f.operands(x)
		if !ok {
			return 0, false
		}
		n += k
	}
	return n, true
}

// permuted returns v with its axes permuted. It computes pointwise nodes again from permuted operands, which
// have an axis of size 1 where they lack one.
func (f *fuser) permuted(v *ir.Value, perm []int) *ir.Value {
	if d := f.pointwise(v, len(perm)); d != nil {
		in := make([]*ir.Value, len(d.In))
		for i, x := range d.In {
			in[i] = f.permuted(x, perm)
		}
		n := &ir.Node{Op: d.Op, Domain: d.Domain, Version: d.Version, Name: f.m.FreshName(d.Name), Attrs: d.Attrs, In: in, Class: d.Class, Pos: d.Pos}
		n.Out = []*ir.Value{{Name: f.m.FreshName(v.Name + "_moved"), Def: n}}
		return f.b.Add(n)[0]
	}
	if ir.Size(v.Type.Shape).Is(1) {
		return v
	}
	full := slices.Concat(slices.Repeat([]ir.Dim{ir.C(1)}, len(perm)-len(v.Type.Shape)), v.Type.Shape)
	if !v.IsConst() {
		return move(f.b, f.reshape(v, full), perm)
	}
	t := *v.Const
	t.Shape, _ = ir.Static(full)
	scratch := &ir.Builder{Module: f.m, Infer: op.Inferrer{}, Prefix: v.Name + "_"}
	y := move(scratch, ir.NewConst(v.Name, &t), perm)
	if scratch.Err() == nil && foldNode(y.Def, t.Len(), nil) {
		return y
	}
	return move(f.b, f.reshape(v, full), perm)
}
