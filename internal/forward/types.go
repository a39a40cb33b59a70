package forward

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// typeOf returns the type of an input with the value x. In symbolic form, equal sizes have equal symbols.
func typeOf(x tensor.Value, f Form) ir.Type {
	switch x := x.(type) {
	case *tensor.Tensor:
		dims := ir.Cs(x.Shape...)
		for i, n := range x.Shape {
			if f == Symbolic {
				dims[i] = ir.Sym(fmt.Sprintf("d%d", n))
			}
		}
		return ir.TensorOf(x.DType, dims...)
	case *tensor.Sequence:
		return ir.SequenceOf(elementOf(x, f))
	case *tensor.Optional:
		if x.Value == nil {
			return ir.OptionalOf(ir.Type{Elem: tensor.Float32})
		}
		return ir.OptionalOf(typeOf(x.Value, f))
	case *tensor.Map:
		return ir.MapOf(x.Keys.DType, ir.TensorOf(x.Values.DType))
	}
	panic(fmt.Sprintf("BUG: input of %T", x))
}

// elementOf returns the type of a sequence's items: their common type, with symbols for sizes that differ, or
// of unknown rank if ranks differ or there are no items.
func elementOf(s *tensor.Sequence, f Form) ir.Type {
	unknown := ir.Type{Elem: s.Elem}
	if len(s.Items) == 0 {
		return unknown
	}
	first := typeOf(s.Items[0], f)
	for _, x := range s.Items[1:] {
		t := typeOf(x, f)
		if len(t.Shape) != len(first.Shape) {
			return unknown
		}
		for i := range t.Shape {
			if !t.Shape[i].Equal(first.Shape[i]) {
				first.Shape[i] = ir.Sym(fmt.Sprintf("s%d", i))
			}
		}
	}
	return first
}
