package nn

import (
	"math"

	"github.com/bbgen/bbgen/dsl"
)

// Linear is x·Wᵀ + b along the last axis of x.
type Linear struct {
	In, Out int
	NoBias  bool

	Weight *Parameter // [Out, In]
	Bias   *Parameter // [Out]
}

func (l *Linear) build() {
	if l.Weight == nil {
		l.Weight = &Parameter{Shape: []int{l.Out, l.In}, Init: KaimingUniform(math.Sqrt(5))}
	}
	if l.Bias == nil && !l.NoBias {
		l.Bias = &Parameter{Shape: []int{l.Out}, Init: biasOf(l.In)}
	}
}

// biasOf returns PyTorch's initializer for a bias: uniform within 1/√in.
func biasOf(in int) Initializer {
	k := 1 / math.Sqrt(float64(max(in, 1)))
	return Uniform(-k, k)
}

// Forward returns x·Wᵀ + b.
func (l *Linear) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !size(g, "Linear", "In", x, -1, l.In) {
		return x
	}
	w, b := l.Weight.Value(g), dsl.Value{}
	if !l.NoBias {
		b = l.Bias.Value(g)
	}
	if len(x.Shape()) == 2 {
		return g.Gemm(x, w, b, true)
	}
	y := g.MatMul(x, g.Transpose(w, 1, 0))
	if l.NoBias {
		return y
	}
	return g.Add(y, b)
}
