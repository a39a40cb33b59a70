package op

import (
	"slices"
	"strings"
	"sync"
)

// All is the table, sorted by domain and name.
var All = sync.OnceValue(func() []*Op {
	ops := slices.Clone(table)
	slices.SortFunc(ops, func(a, b *Op) int { return strings.Compare(a.key(), b.key()) })
	return ops
})
