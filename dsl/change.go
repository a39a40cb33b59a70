package dsl

// change transforms a tensor before it is encoded for sending. The result has the same type.
type change interface{ apply(g *Graph, x Value) Value }

// clip is an upper bound of the Euclidean norm.
type clip float64

// apply returns x · min(1, norm/‖x‖).
func (c clip) apply(g *Graph, x Value) Value {
	length := g.Sqrt(g.ReduceSum(g.Mul(x, x)))
	factor := g.Div(g.Scalar(x, float64(c)), g.Max(length, g.Scalar(x, float64(c))))
	return g.Mul(x, factor)
}

// via calls a method of the sender's component.
type via struct {
	slot   Component
	method string
}

func (v via) apply(g *Graph, x Value) Value {
	return v.slot.Call(g, v.method, typeLike(x.ir.Type), x)
}
