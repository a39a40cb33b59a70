package pass

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// part is a slice of a tensor.
type part struct {
	x        *ir.Value
	axis, at int
}

// partOf returns the slice that v is.
func partOf(v *ir.Value) (p part, ok bool) {
	n := v.Def
	if n == nil || !n.Is("Gather") || !n.In[inIndices].IsConst() || len(n.In[inIndices].Type.Shape) > 0 {
		return p, false
	}
	axis, err := op.Axis(n.Int("axis"), len(n.In[op.X].Type.Shape))
	at, ok := op.Content(n.In[inIndices])
	if err != nil || !ok || len(at) != 1 {
		return p, false
	}
	k, ok := at[0].Const()
	size, fixed := n.In[op.X].Type.Shape[axis].Const()
	if k < 0 {
		k += size
	}
	return part{n.In[op.X], axis, k}, ok && fixed
}
