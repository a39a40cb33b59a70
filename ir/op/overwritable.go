package op

import "github.com/bbgen/bbgen/ir"

// Overwritable returns the inputs that output 0 of a node may overwrite if they have the same size and type: of an
// operator that broadcasts all, and of others the first. Kernels read the other operands, such as bounds and angles,
// again for later elements, also where there are as many of them as elements.
func Overwritable(n *ir.Node) []*ir.Value {
	switch o := Lookup(n); {
	case o == nil || !o.InPlace || len(n.In) == 0:
		return nil
	case o.Broadcasts:
		return n.In
	}
	return n.In[:1]
}
