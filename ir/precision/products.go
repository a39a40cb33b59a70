package precision

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// products lets matrix products read kept values as they are kept, where nobody
// else reads them widened.
func products(f *ir.Func) {
	uses := f.Uses()
	alone := map[*ir.Value]bool{} // values that only products read
	for v, us := range uses {
		alone[v] = true
		for _, u := range us {
			if u.Node == nil || u.Index > 1 || op.Stored(u.Node, u.Node.Arg(0), u.Node.Arg(1)) == nil {
				alone[v] = false
			}
		}
	}
	kept := func(v *ir.Value) *ir.Value {
		if alone[v] && v.Def.Is("Cast") && v.Def.In[0].Type.Elem.IsSmallFloat() {
			return v.Def.In[0]
		}
		return v
	}
	for _, n := range f.Body.Nodes {
		a, b := kept(n.Arg(0)), kept(n.Arg(1))
		if p := op.Stored(n, a, b); p != nil && (a != n.In[0] || b != n.In[1]) {
			*n = *p
		}
	}
}
