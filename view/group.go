package view

import (
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// place returns the group of a node, by its class and its name, inside of the given group.
func (s *snapshot) place(n *ir.Node, group int) int {
	if group < 0 && n.Class != "" {
		group = s.group(Group{Name: n.Class, Parent: -1, Kind: "class"})
	}
	for _, name := range path(label(n)) {
		if len(s.graph.Groups) > maxVersions {
			break
		}
		group = s.group(Group{Name: name, Parent: group, Kind: "name"})
	}
	return group
}

// path returns the hierarchy in a node's name, without the node itself. Exporters write /layer1/attn/MatMul,
// or layer1.attn.y.
func path(name string) []string {
	separator := "/"
	if !strings.Contains(strings.Trim(name, "/"), separator) {
		separator = "."
	}
	parts := strings.Split(name, separator)
	out := []string{}
	for _, p := range parts[:len(parts)-1] {
		if p != "" && len(out) < maxDepth {
			out = append(out, p)
		}
	}
	return out
}
