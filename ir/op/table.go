package op

import (
	"maps"
	"slices"

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
	byName = map[opName]*Op{}
	byKey := map[string]*Op{}
	for _, o := range slices.Concat(families...) {
		key := o.Key()
		if byKey[key] != nil {
			panic("BUG: operator " + key + " stands in the table twice")
		}
		byKey[key] = o
		byName[opName{o.Domain, o.Name}] = o
	}
	table = nil
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		table = append(table, byKey[key])
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
