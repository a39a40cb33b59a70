package contrib

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// one returns a definition with one value and without errors.
func one(f func(b *ir.Builder, n *ir.Node) *ir.Value) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) { return []*ir.Value{f(b, n)}, nil }
}

// plus returns the sum of the values that are not nil.
func plus(b *ir.Builder, vs ...*ir.Value) *ir.Value {
	sum := vs[0]
	for _, v := range vs[1:] {
		if v != nil {
			sum = b.Op("Add", sum, v)
		}
	}
	return sum
}

// unread returns an error if an output of n is used that the definition does not compute.
func unread(n *ir.Node, outputs ...int) error {
	for _, i := range outputs {
		if n.Res(i) != nil {
			return fmt.Errorf("output %d is read, which has no definition here", i)
		}
	}
	return nil
}

// lacking returns an error if n has an input or an attribute that the definition does not support.
func lacking(n *ir.Node, inputs []int, attrs ...string) error {
	for _, i := range inputs {
		if v := n.Arg(i); v != nil {
			return fmt.Errorf("input %d (%q) is not supported", i, v.Name)
		}
	}
	for _, a := range attrs {
		if n.Int(a) != 0 {
			return fmt.Errorf("attribute %s is not supported", a)
		}
	}
	return nil
}

// needRank returns an error if input i is present and its rank is none of ranks.
func needRank(n *ir.Node, i int, ranks ...int) error {
	v := n.Arg(i)
	if v == nil || slices.Contains(ranks, len(op.Shape(v))) {
		return nil
	}
	return fmt.Errorf("input %q has rank %d, want %d", v.Name, len(op.Shape(v)), ranks)
}

// needRanks is [needRank] for several inputs, of one rank each.
func needRanks(n *ir.Node, ranks map[int]int) error {
	var errs []error
	for i := range n.In {
		if r, ok := ranks[i]; ok {
			errs = append(errs, needRank(n, i, r))
		}
	}
	return errors.Join(errs...)
}

// given returns the attributes of n that have one of the names.
func given(n *ir.Node, names ...string) ir.Attrs {
	var out ir.Attrs
	for _, name := range names {
		if v := n.Attrs.Lookup(name); v != nil {
			out.Set(name, v)
		}
	}
	return out
}
