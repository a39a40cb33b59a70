package pass

import (
	"maps"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Stored lets products of a matrix in bfloat16 and a constant that has no more digits read the matrix as it is stored, if no other
// node needs it in float32. Processors with tiles of bfloat16 multiply both as they are.
var Stored = &Pass{Name: "stored", Run: readStored, After: []*Pass{Fuse, Join}}

func readStored(c *Context, m *ir.Module) error {
	products := map[*ir.Node]*linear{}
	productsOfStored(m.Main.Body, c, products)
	uses := m.Main.Uses()
	maps.DeleteFunc(products, func(_ *ir.Node, p *linear) bool {
		return slices.ContainsFunc(uses[p.x], func(u ir.Use) bool { return u.Index != op.A || products[u.Node] == nil })
	})
	for n, p := range products {
		n.Op, n.Domain, n.Version, n.Attrs = "GemmStored", op.Own, 1, nil
		n.In = trim(p.x.Def.In[op.X], p.b, p.bias, p.residual)
		p.setAttrs(n)
	}
	return nil
}

// productsOfStored finds the products of a region.
func productsOfStored(r *ir.Region, c *Context, found map[*ir.Node]*linear) {
	for _, n := range r.Nodes {
		for _, in := range n.Regions {
			productsOfStored(in, c, found)
		}
		if !slices.Contains(linearOps, n.Op) || !isWidened(n.In[op.A]) {
			continue
		}
		if p := (&fuser{}).product(n); p != nil && op.StoredType(p.b, c.Target) == tensor.BFloat16 {
			found[n] = p
		}
	}
}

// isWidened reports whether v is a tensor that was stored in bfloat16.
func isWidened(v *ir.Value) bool {
	return v.Def != nil && v.Def.Is("Cast") && v.Type.Elem == tensor.Float32 && v.Def.In[op.X].Type.Elem == tensor.BFloat16
}
