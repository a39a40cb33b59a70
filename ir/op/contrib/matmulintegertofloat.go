package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [MatMulIntegerToFloat].
const (
	toFloatA = iota
	toFloatB
	toFloatAScale
	toFloatBScale
	toFloatAZeroPoint
	toFloatBZeroPoint
	toFloatBias
)

// MatMulIntegerToFloat is the product of two matrices of bytes, as floats.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulIntegerToFloat
var MatMulIntegerToFloat = &op.Op{
	Name:   "MatMulIntegerToFloat",
	Domain: op.Microsoft,
	Since:  []int{1},
	Inputs: []op.Port{
		toFloatA:          {Name: "A", Types: elem.Bytes},
		toFloatB:          {Name: "B", Types: elem.Bytes},
		toFloatAScale:     {Name: "a_scale", Types: elem.Floats},
		toFloatBScale:     {Name: "b_scale", Like: "a_scale"},
		toFloatAZeroPoint: {Name: "a_zero_point", Like: "A", Optional: true},
		toFloatBZeroPoint: {Name: "b_zero_point", Like: "B", Optional: true},
		toFloatBias:       {Name: "bias", Like: "a_scale", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "a_scale"}},
	Expand:  one(matMulIntegerToFloat),
}

func matMulIntegerToFloat(b *ir.Builder, n *ir.Node) *ir.Value {
	sums := b.Op("MatMulInteger", n.In[toFloatA], n.In[toFloatB], n.Arg(toFloatAZeroPoint), n.Arg(toFloatBZeroPoint))
	return scaledSums(b, sums, n.In[toFloatAScale], n.In[toFloatBScale], n.Arg(toFloatBias))
}

// scaledSums returns sums of products of integers as floats, plus a bias unless that is nil.
func scaledSums(b *ir.Builder, sums, scaleA, scaleB, bias *ir.Value) *ir.Value {
	scale := b.Op("Mul", scaleA, scaleB)
	return plus(b, b.Op("Mul", op.Cast(b, sums, scale.Type.Elem), scale), bias)
}
