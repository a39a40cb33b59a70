package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [DynamicQuantizeMatMul].
const (
	quantMatMulA = iota
	quantMatMulB
	quantMatMulBScale
	quantMatMulBZeroPoint
	quantMatMulBias
)

// DynamicQuantizeMatMul is the product of floats, which it quantizes by the range that they have, and of bytes.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.DynamicQuantizeMatMul
var DynamicQuantizeMatMul = &op.Op{
	Name:   "DynamicQuantizeMatMul",
	Domain: op.Microsoft,
	Since:  []int{1},
	Inputs: []op.Port{
		quantMatMulA:          {Name: "A", Types: elem.Floats},
		quantMatMulB:          {Name: "B", Types: elem.Bytes},
		quantMatMulBScale:     {Name: "b_scale", Like: "A"},
		quantMatMulBZeroPoint: {Name: "b_zero_point", Like: "B", Optional: true},
		quantMatMulBias:       {Name: "bias", Like: "A", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Expand:  one(dynamicMatMul),
}

// dynamicMatMul quantizes its first operand by the range that it has.
func dynamicMatMul(b *ir.Builder, n *ir.Node) *ir.Value {
	x := b.OpN("DynamicQuantizeLinear", 3, nil, n.In[quantMatMulA])
	sums := b.Op("MatMulInteger", x[0], n.In[quantMatMulB], x[2], n.Arg(quantMatMulBZeroPoint))
	return scaledSums(b, sums, x[1], n.In[quantMatMulBScale], n.Arg(quantMatMulBias))
}
