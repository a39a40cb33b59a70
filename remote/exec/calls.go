package exec

import (
	"math"

	"github.com/bbgen/bbgen/ir"
)

// nodeCost is about the memory in bytes of a node in the place of a call.
const nodeCost = 1 << 10

// called returns the memory of the nodes for which the calls of functions stand: few functions can stand for millions. None
// calls itself.
func called(m *ir.Module) int {
	funcs, known := m.Callees(), map[*ir.Func]int{}
	var nodes func(r *ir.Region) (all, own int)
	nodes = func(r *ir.Region) (all, own int) {
		r.Walk(func(n *ir.Node) {
			all++
			own++
			f := funcs.Of(n)
			if f == nil {
				return
			}
			if _, ok := known[f]; !ok {
				known[f], _ = nodes(f.Body)
			}
			all = min(all+known[f], math.MaxInt/2)
		})
		return all, own
	}
	all, own := nodes(m.Main.Body)
	return nodeCost * min(all-own, math.MaxInt/(2*nodeCost)) // more than any limit, where an int has 32 bits
}
