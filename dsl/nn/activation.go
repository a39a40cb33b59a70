package nn

import "github.com/bbgen/bbgen/dsl"

// Activation functions, which are applied to each element.
var (
	ReLU     Func = (*dsl.Graph).Relu
	Sigmoid  Func = (*dsl.Graph).Sigmoid
	Tanh     Func = (*dsl.Graph).Tanh
	Softplus Func = (*dsl.Graph).Softplus

	// GELU is x·Φ(x): Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415
	GELU Func = (*dsl.Graph).Gelu
	// SiLU is x/(1+e⁻ˣ): Elfwing et al., https://arxiv.org/abs/1702.03118
	SiLU Func = func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Mul(x, g.Sigmoid(x)) }
	// SELU is Klambauer et al., https://arxiv.org/abs/1706.02515
	SELU Func = operator("Selu")
	// Mish is x·tanh(log(1+eˣ)): Misra, https://arxiv.org/abs/1908.08681
	Mish Func = operator("Mish")
	// HardSwish is x·min(max(x/6+½, 0), 1): Howard et al., https://arxiv.org/abs/1905.02244
	HardSwish Func = operator("HardSwish")
)

// operator returns the module for an ONNX operator with one input.
func operator(name string) Func {
	return func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Op(name, nil, x) }
}

// LeakyReLU returns a module that computes x where x ≥ 0, and slope·x elsewhere.
func LeakyReLU(slope float64) Func {
	return func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.LeakyRelu(x, slope) }
}

// ELU returns a module that computes x where x ≥ 0, and alpha·(eˣ−1) elsewhere.
//
// Clevert et al., https://arxiv.org/abs/1511.07289
func ELU(alpha float64) Func {
	return func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Op("Elu", dsl.Attrs{"alpha": alpha}, x) }
}

// Softmax returns a module that computes the softmax along an axis.
func Softmax(axis int) Func {
	return func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.Softmax(x, axis) }
}

// LogSoftmax returns a module that computes the logarithm of [Softmax].
func LogSoftmax(axis int) Func {
	return func(g *dsl.Graph, x dsl.Value) dsl.Value { return g.LogSoftmax(x, axis) }
}
