package activation

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	Celu,
	Elu,
	Gelu,
	GeluGrad,
	HardSigmoid,
	HardSwish,
	Hardmax,
	LeakyRelu,
	LogSoftmax,
	MaskedSoftmax,
	MaskedSoftmaxGrad,
	Mish,
	PRelu,
	Relu,
	ReluGrad,
	Selu,
	Shrink,
	Sigmoid,
	Softmax,
	SoftmaxGrad,
	Softplus,
	Softsign,
	SwiGLU,
	Swish,
	Tanh,
	ThresholdedRelu,
}
