package op

import "github.com/bbgen/bbgen/ir"

// Varies is the size of an axis that is not the same in all items of a
// sequence. Nothing binds it: who takes an item out asks for its sizes.
var Varies = ir.Sym("_")

// ItemType returns t as the type of something inside a sequence or an optional:
// sizes that are not constant vary.
func ItemType(t ir.Type) ir.Type { return JoinItems(t, t) }

// JoinItems returns the type of items that are a or b. An item of unknown rank is
// taken to be like the others; the kernels check that it is.
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
