package random

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	Bernoulli,
	Dropout,
	Multinomial,
	RandomNormal,
	RandomNormalLike,
	RandomUniform,
	RandomUniformLike,
}
