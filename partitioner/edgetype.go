package partitioner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/ir"
)

// edgeType returns the type of values on an edge. An axis has a fixed size if both ends fix it; other sizes
// travel with the value.
func edgeType(sent, want ir.Type) (ir.Type, error) {
	if sent.Kind != want.Kind || sent.Elem != want.Elem || sent.Name != want.Name || sent.Ranked && want.Ranked && len(sent.Shape) != len(want.Shape) {
		return sent, fmt.Errorf("the types do not agree")
	}
	if !sent.Ranked || !want.Ranked {
		return want, nil
	}
	t := ir.TensorOf(sent.Elem, slices.Clone(want.Shape)...)
	for i, d := range sent.Shape {
		a, fixed := d.Const()
		b, wanted := want.Shape[i].Const()
		switch {
		case fixed && wanted && a != b:
			return t, fmt.Errorf("axis %d is %d and %d", i, a, b)
		case !fixed:
			t.Shape[i] = d
			if !wanted {
				t.Shape[i] = want.Shape[i]
			}
		}
	}
	return t, nil
}

// canonical returns the text of a type with a question mark for each variable size.
func canonical(t ir.Type) string {
	if t.Kind != ir.Tensor || !t.Ranked {
		return t.String()
	}
	dims := make([]string, len(t.Shape))
	for i, d := range t.Shape {
		dims[i] = "?"
		if _, fixed := d.Const(); fixed {
			dims[i] = d.String()
		}
	}
	return t.Elem.String() + "[" + strings.Join(dims, ",") + "]"
}
