package train

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The losses that require a margin between scores.

// hinge is max(0, margin - s·x), where s is 1 if the target is above 0, and -1
// otherwise: targets are -1 and 1, or 0 and 1.
func hinge(l *lossBuilder) (*ir.Value, error) { return l.reduce(l.short()), nil }

// squaredHinge is the square of hinge.
func squaredHinge(l *lossBuilder) (*ir.Value, error) { return l.reduce(l.square(l.short())), nil }

// short returns the amount by which each score is below the margin.
func (l *lossBuilder) short() *ir.Value {
	s := l.Op("Where", l.Op("Greater", l.same(), l.num(0)), l.num(1), l.num(-1))
	return l.Op("Max", l.Op("Sub", l.num(cmp.Or(l.Margin, 1)), l.Op("Mul", s, l.x)), l.num(0))
}

// marginRanking compares two scores, which are along the last axis of the output. It is max(0, margin -
// sign·(a-b)): the target sign is 1 if the first should be larger, and -1 if the second should.
func marginRanking(l *lossBuilder) (*ir.Value, error) {
	shape := l.x.Type.Shape
	last := len(shape) - 1
	if last < 0 || !shape[last].Is(2) {
		return nil, fmt.Errorf("output %q is %s, want two scores along the last axis", l.x.Name, l.x.Type)
	}
	sign := l.target("sign", l.x.Type.Elem, shape[:last]...)
	score := func(i int) *ir.Value {
		return l.OpA("Gather", attrs("axis", int64(last)), l.x, l.Const(tensor.Of([]int64{int64(i)})))
	}
	apart := l.Op("Mul", sign, l.Op("Sub", score(0), score(1)))
	return l.reduce(l.Op("Max", l.Op("Sub", l.num(l.Margin), apart), l.num(0))), nil
}
