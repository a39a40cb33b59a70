package op

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// table is every operator, sorted by domain and name, and byName finds them there.
var (
	table  []*Op
	byName map[opName]*Op
)

type opName struct{ domain, name string }

// Register makes the families the table, and lets nodes read their defaults from it.
// Package all calls it, once, when the program starts.
func Register(families ...[]*Op) {
	table = slices.Concat(families...)
	slices.SortFunc(table, func(a, b *Op) int { return strings.Compare(a.Key(), b.Key()) })
	byName = make(map[opName]*Op, len(table))
	for _, o := range table {
		if byName[opName{o.Domain, o.Name}] != nil {
			panic("BUG: operator " + o.Key() + " stands in the table twice")
		}
		byName[opName{o.Domain, o.Name}] = o
	}
	ir.SetDefaults(Default)
}

// All returns the table, sorted by domain and name.
func All() []*Op {
	mustHaveTable()
	return table
}

// Lookup returns the operator of a node, nil if the table has none.
func Lookup(n *ir.Node) *Op { return Find(n.Domain, n.Op) }

// Find returns the operator of the given name, nil if the table has none.
func Find(domain, name string) *Op {
	mustHaveTable()
	return byName[opName{domain, name}]
}

// mustHaveTable stops a program that knows of no operators, rather than have each be
// unknown to it.
func mustHaveTable() {
	if table == nil {
		panic(`BUG: the table of operators is empty: import _ "github.com/bbgen/bbgen/ir/op/all"`)
	}
}

// NewestSet returns the newest version of a domain's operator set in the table, 0 if
// the table has none of its operators.
func NewestSet(domain string) int {
	newest := 0
	for _, o := range All() {
		if o.Domain == domain {
			newest = max(newest, o.Newest())
		}
	}
	return newest
}
