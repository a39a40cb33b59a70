package vet

import (
	"fmt"
	"path"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// unread finds unused values in the record of a program: inputs, and results of module nodes without other
// effects.
func unread(m *ir.Module) (list []finding) {
	for _, f := range m.Funcs {
		read := readers(f.Body)
		for _, v := range f.Body.Params {
			if !read[v] {
				list = append(list, finding{text: fmt.Sprintf("module %s: input %q is not used", f.Name, path.Base(v.Name))})
			}
		}
		f.Body.Walk(func(n *ir.Node) {
			if computes(n) && !anyOf(read, n.Out) {
				list = append(list, finding{n.Pos, fmt.Sprintf("the result of %s is not used", n.Op)})
			}
		})
	}
	return list
}

// readers returns the values that have a reader.
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

// computes reports whether a node only computes. Constants are excluded, as they may only be used by
// inference.
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
