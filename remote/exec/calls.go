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
	type id struct{ domain, name, overload string }
	funcs, known := map[id]*ir.Func{}, map[*ir.Func]int{}
	for _, f := range m.Funcs {
		funcs[id{f.Domain, f.Name, f.Overload}] = f
	}
	var nodes func(r *ir.Region) (all, own int)
	nodes = func(r *ir.Region) (all, own int) {
		r.Walk(func(n *ir.Node) {
			all++
			own++
			f := funcs[id{n.Domain, n.Op, n.Over}]
			if !n.Local || f == nil {
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
