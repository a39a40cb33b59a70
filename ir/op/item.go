package op

import "github.com/bbgen/bbgen/ir"

// Varies is the size of an axis that differs between items of a sequence. It is never bound: a node that
// extracts an item determines its sizes.
var Varies = ir.Sym("_")

// ItemType returns t as the type of an item of a sequence or an optional: sizes that are not constant become
// [Varies].
func ItemType(t ir.Type) ir.Type { return JoinItems(t, t) }

// JoinItems returns the type of items that are a or b. An item of unknown rank is assumed to be like the
// others, which kernels check.
func JoinItems(a, b ir.Type) ir.Type {
	switch {
	case a.Kind != ir.Tensor && a.Of != nil && b.Of != nil:
		of := JoinItems(*a.Of, *b.Of)
		return ir.Type{Kind: a.Kind, Of: &of}
	case !a.Ranked && !b.Ranked:
		return a
	case !a.Ranked:
		return ItemType(b)
	case !b.Ranked:
		return ItemType(a)
	case len(a.Shape) != len(b.Shape):
		return ir.Type{Elem: a.Elem}
	}
	shape := make([]ir.Dim, len(a.Shape))
	for i, d := range a.Shape {
		shape[i] = Varies
		if _, ok := d.Const(); ok && d.Equal(b.Shape[i]) {
			shape[i] = d
		}
	}
	return ir.TensorOf(a.Elem, shape...)
}
