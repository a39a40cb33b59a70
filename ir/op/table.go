package op

import (
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// table lists all operators, sorted by domain and name, and byName indexes them.
var (
	table  []*Op
	byName map[opName]*Op
)

type opName struct{ domain, name string }

// Register sets the table of operators, from which nodes also read their defaults. Package all calls it once,
// when the program starts.
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

// Lookup returns the operator of a node, or nil.
func Lookup(n *ir.Node) *Op { return Find(n.Domain, n.Op) }

// Find returns the operator with the given name, or nil.
func Find(domain, name string) *Op {
	mustHaveTable()
	return byName[opName{domain, name}]
}

// mustHaveTable panics if the table is empty, as otherwise each operator would be unknown.
func mustHaveTable() {
	if table == nil {
		panic(`BUG: the table of operators is empty: import _ "github.com/bbgen/bbgen/ir/op/all"`)
	}
}

// NewestSet returns the newest version of a domain's operator set in the table, or 0 if it has no operator of
// the domain.
func NewestSet(domain string) int {
	newest := 0
	for _, o := range All() {
		if o.Domain == domain {
			newest = max(newest, o.Newest())
		}
	}
	return newest
}

// Default returns the schema's value for an attribute that a node does not have.
func Default(n *ir.Node, name string) any {
	o := Lookup(n)
	if o == nil {
		return nil
	}
	a := o.AttrAt(name, o.versionOf(n))
	if a == nil || a.Default == nil {
		return nil
	}
	return attrValue(a.Default)
}
