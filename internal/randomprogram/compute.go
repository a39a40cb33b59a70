package randomprogram

import (
	"github.com/bbgen/bbgen/dsl"
)

// The results of what authors compute here are exact, so that they are the same in any graph.

func (a *author) arithmetic() {
	x, y := a.floats(), a.floats()
	a.keep(one(a, a.g.Add, a.g.Sub, a.g.Max, a.g.Min)(x, y))
}

func (a *author) scalars() {
	x := a.floats()
	switch a.rng.IntN(4) {
	case 0:
		a.keep(a.g.Add(x, a.g.Scalar(x, 1)))
	case 1:
		a.keep(a.g.Mul(x, a.g.Scalar(x, 0.5)))
	case 2:
		a.keep(a.g.Neg(x), a.g.Relu(x))
	default:
		a.keep(a.g.ReduceSum(x), a.g.ReduceMax(x))
	}
}

func (a *author) movement() {
	x := a.floats()
	switch a.rng.IntN(6) {
	case 0:
		a.keep(a.g.Concat(0, x, a.floats()))
	case 1:
		a.keep(a.g.Reshape(x, -1))
	case 2:
		a.keep(a.g.Split(x, 0, 1, 3)...)
	case 3:
		a.keep(a.g.Unsqueeze(x, 0), a.g.Shape(x))
	case 4:
		a.keep(a.g.Where(a.g.Greater(x, a.g.Scalar(x, 0)), x, a.floats()))
	default:
		a.keep(a.g.Gather(x, a.g.Const([]int64{1, 0}, 2), 0))
	}
}

// branch records a branch that reads values from outside.
func (a *author) branch() {
	x, y := a.floats(), a.floats()
	c := a.g.Greater(a.g.ReduceSum(x), a.g.ReduceSum(y))
	a.keep(a.g.If(c,
		func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.ReduceSum(a.inside(g, g.Add(x, y)))} },
		func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.ReduceSum(a.inside(g, y))} })...)
}

// loop records a loop that reads a value from outside.
func (a *author) loop() {
	x := a.floats()
	a.keep(a.g.Loop(a.g.Const(int64(a.rng.IntN(4))), func(g *dsl.Graph, i dsl.Value, c []dsl.Value) (dsl.Value, []dsl.Value) {
		return dsl.Value{}, []dsl.Value{g.Add(c[0], g.ReduceSum(a.inside(g, x)))}
	}, a.g.ReduceSum(a.floats()))...)
}

// inside may nest another branch in a body.
func (a *author) inside(g *dsl.Graph, x dsl.Value) dsl.Value {
	if a.depth == 2 || !a.chance(3) {
		return x
	}
	a.depth++
	defer func() { a.depth-- }()
	return g.If(g.Greater(g.ReduceMax(x), g.ReduceSum(x)),
		func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.ReduceMax(a.inside(g, x))} },
		func(g *dsl.Graph) []dsl.Value { return []dsl.Value{g.ReduceMin(x)} })[0]
}
