package vet

import (
	"fmt"
	"path"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// unread finds what nobody reads of a program as it was recorded: results of modules'
// nodes that do nothing else, and inputs.
func unread(m *ir.Module) (list []finding) {
	for _, f := range m.Funcs {
		read := readers(f.Body)
		for _, v := range f.Body.Params {
			if !read[v] {
				list = append(list, finding{text: fmt.Sprintf("module %s: nobody reads input %q", f.Name, path.Base(v.Name))})
			}
		}
		f.Body.Walk(func(n *ir.Node) {
			if computes(n) && !anyOf(read, n.Out) {
				list = append(list, finding{n.Pos, fmt.Sprintf("nobody reads what %s computes", n.Op)})
			}
		})
	}
	return list
}

// readers returns the values that something reads.
func readers(body *ir.Region) map[*ir.Value]bool {
	read := map[*ir.Value]bool{}
	results := func(r *ir.Region) {
		for _, v := range r.Results {
			read[v] = true
		}
	}
	results(body)
	body.Walk(func(n *ir.Node) {
		for _, v := range n.In {
			read[v] = true
		}
		for _, r := range n.Regions {
			results(r)
		}
	})
	return read
}

// computes reports whether a node does nothing but compute. A constant may be there for
// what was inferred from it alone.
func computes(n *ir.Node) bool {
	o := op.Lookup(n)
	return o != nil && !o.Effect && len(n.Regions) == 0 && !n.Is("Constant")
}

func anyOf(read map[*ir.Value]bool, vs []*ir.Value) bool {
	for _, v := range vs {
		if read[v] {
			return true
		}
	}
	return false
}
