package contrib

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
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
			return fmt.Errorf("output %d (%s) is read, which is not supported", i, op.Lookup(n).Outputs[i].Name)
		}
	}
	return nil
}

// unsupported returns an error if n has one of the inputs.
func unsupported(n *ir.Node, inputs ...int) error {
	for _, i := range inputs {
		if v := n.Arg(i); v != nil {
			return fmt.Errorf("input %d (%s) is %q, which is not supported: want none", i, op.Lookup(n).Inputs[i].Name, v.Name)
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
	want := make([]string, len(ranks))
	for j, r := range ranks {
		want[j] = strconv.Itoa(r)
	}
	return fmt.Errorf("input %q has rank %d, want %s", v.Name, len(op.Shape(v)), strings.Join(want, " or "))
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

// needConst returns an error if one of the inputs is present and not constant.
func needConst(n *ir.Node, inputs ...int) error {
	for _, i := range inputs {
		if v := n.Arg(i); v != nil && !v.IsConst() {
			return fmt.Errorf("input %d (%q) is computed, want a constant of the file", i, v.Name)
		}
	}
	return nil
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

// swapLast returns x with its last two axes exchanged; a vector stays as it is.
func swapLast(b *ir.Builder, x *ir.Value) *ir.Value {
	rank := len(op.Shape(x))
	if rank < 2 {
		return x
	}
	perm := make([]int, rank)
	for i := range perm {
		perm[i] = i
	}
	perm[rank-1], perm[rank-2] = rank-2, rank-1
	return b.OpA("Transpose", op.Attrs("perm", perm), x)
}

// countFrom returns the n integers from first on; both are vectors of one element.
func countFrom(b *ir.Builder, first, n *ir.Value) *ir.Value {
	from := b.Op("Reshape", first, b.Ints()) // the file may not declare that the sizes are 1
	return b.Op("Range", from, b.Op("Add", from, b.Op("Reshape", n, b.Ints())), b.Const(tensor.Of([]int64{1})))
}

// renamed returns the definition of an operator that ONNX has, too.
func renamed(name string) func(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	return one(func(b *ir.Builder, n *ir.Node) *ir.Value { return b.OpA(name, n.Attrs, n.In...) })
}
