package train

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// The losses that compare vectors: the last axis of the output is the vector.

// cosine compares the output with a target of the same shape. A second target has one number for each vector:
// if it is 1, the loss is 1-cos, and if it is -1, the loss is the part of cos above the margin.
func cosine(l *lossBuilder) (*ir.Value, error) {
	rank := len(l.x.Type.Shape)
	if rank == 0 {
		return nil, fmt.Errorf("output %q is a scalar, want vectors", l.x.Name)
	}
	y := l.same()
	sign := l.target("sign", l.x.Type.Elem, l.x.Type.Shape[:rank-1]...)
	dot := l.sum(l.Op("Mul", l.x, y), rank-1)
	norms := l.Op("Sqrt", l.Op("Mul",
		l.Op("Add", l.sum(l.square(l.x), rank-1), l.num(1e-12)),
		l.Op("Add", l.sum(l.square(y), rank-1), l.num(1e-12))))
	cos := l.Op("Div", dot, norms)
	near := l.Op("Sub", l.num(1), cos)
	far := l.Op("Max", l.Op("Sub", cos, l.num(l.Margin)), l.num(0))
	return l.reduce(l.Op("Where", l.Op("Greater", sign, l.num(0)), near, far)), nil
}

// triplet requires the output to be nearer to the first target than to the second by the margin.
func triplet(l *lossBuilder) (*ir.Value, error) {
	rank := len(l.x.Type.Shape)
	if rank == 0 {
		return nil, fmt.Errorf("output %q is a scalar, want vectors", l.x.Name)
	}
	near := l.target("positive", l.x.Type.Elem, l.x.Type.Shape...)
	far := l.target("negative", l.x.Type.Elem, l.x.Type.Shape...)
	margin := l.Margin
	if margin == 0 {
		margin = 1
	}
	distance := func(y *ir.Value) *ir.Value {
		d := l.Op("Add", l.Op("Sub", l.x, y), l.num(1e-6))
		return l.Op("Sqrt", l.sum(l.square(d), rank-1))
	}
	d := l.Op("Add", l.Op("Sub", distance(near), distance(far)), l.num(margin))
	return l.reduce(l.Op("Max", d, l.num(0))), nil
}
