package op

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// TakeOver makes the values that n defined the outputs of the nodes that b has built to compute vs, so that
// these nodes can replace n.
func TakeOver(b *ir.Builder, n *ir.Node, vs []*ir.Value) {
	for i, old := range n.Out {
		if old == nil {
			continue
		}
		v := vs[i]
		if k := slices.Index(vs[:i], v); k >= 0 && n.Out[k] != nil { // which has replaced it
			v = n.Out[k]
		}
		if v.Def == nil || !defines(b.Nodes, v) || taken(n.Out[:i], v) || old.ElemSyms != nil && v.ElemSyms != nil {
			v = b.Op("Identity", v)
		}
		def := v.Def
		for k, x := range def.Out {
			if x == v {
				def.Out[k] = old
			}
		}
		old.Def = def
		old.Type = v.Type
		if old.ElemSyms == nil { // otherwise its readers use these symbols
			old.Elems, old.ElemSyms = v.Elems, v.ElemSyms
		}
		for _, x := range b.Nodes {
			for k, in := range x.In {
				if in == v {
					x.In[k] = old
				}
			}
			for _, r := range x.Regions {
				r.ReplaceAll(v, old)
			}
		}
	}
}

func defines(nodes []*ir.Node, v *ir.Value) bool {
	for _, n := range nodes {
		if n == v.Def {
			return true
		}
	}
	return false
}

func taken(outs []*ir.Value, v *ir.Value) bool {
	for _, o := range outs {
		if o == v {
			return true
		}
	}
	return false
}
