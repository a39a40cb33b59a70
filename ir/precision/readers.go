package precision

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/linear"
)

// readers lets nodes read stored values directly if their kernels can, and if no other node reads the widened
// value.
func readers(f *ir.Func) {
	wanted := map[*ir.Value]bool{} // values that some node must read as float32
	for v, uses := range f.Uses() {
		wanted[v] = slices.ContainsFunc(uses, func(u ir.Use) bool { return u.Node == nil || !reads(u.Node, u.Index) })
	}
	for _, n := range f.Body.Nodes {
		in := slices.Clone(n.In)
		for i, v := range in {
			if v != nil && !wanted[v] && v.Def.Is("Cast") && reads(n, i) && v.Def.In[0].Type.Elem.IsSmallFloat() {
				in[i] = v.Def.In[0]
			}
		}
		if slices.Equal(in, n.In) {
			continue
		}
		if p := linear.Stored(n); p != nil {
			*n = *p
		}
		copy(n.In, in)
	}
}

// reads reports whether the kernels of n can read input i in its stored form.
func reads(n *ir.Node, i int) bool {
	return i < 2 && linear.Stored(n) != nil || slices.Contains(op.Lookup(n).Stored, i)
}
