package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [QGemm].
const (
	qGemmA = iota
	qGemmAScale
	qGemmAZeroPoint
	qGemmB
	qGemmBScale
	qGemmBZeroPoint
	qGemmC
	qGemmYScale
	qGemmYZeroPoint
)

// QGemm is the product of two matrices of bytes, plus integers. The result is quantized if it has a scale.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QGemm
var QGemm = &op.Op{
	Name:   "QGemm",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 1.0},
		{Name: "transA", Kind: op.Int, Default: 0},
		{Name: "transB", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		qGemmA:          {Name: "A", Types: elem.Bytes},
		qGemmAScale:     {Name: "a_scale", Types: elem.Floats},
		qGemmAZeroPoint: {Name: "a_zero_point", Like: "A"},
		qGemmB:          {Name: "B", Types: elem.Bytes},
		qGemmBScale:     {Name: "b_scale", Like: "a_scale"},
		qGemmBZeroPoint: {Name: "b_zero_point", Like: "B"},
		qGemmC:          {Name: "C", Types: elem.Indices, Optional: true},
		qGemmYScale:     {Name: "y_scale", Like: "a_scale", Optional: true},
		qGemmYZeroPoint: {Name: "y_zero_point", Types: elem.Bytes, Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Types: elem.Float32s.With(elem.Bytes)}},
	Expand:  one(qGemm),
}

// qGemm is α·A·B + C, where C counts in steps of α·scaleA·scaleB.
func qGemm(b *ir.Builder, n *ir.Node) *ir.Value {
	q := qnode{b, n}
	alpha := n.Float("alpha")
	axis := 1
	if n.Int("transB") != 0 {
		axis = 0
	}
	w := b.OpA("DequantizeLinear", op.Attrs("axis", axis), n.In[qGemmB], n.In[qGemmBScale], n.Arg(qGemmBZeroPoint))
	bias := n.Arg(qGemmC)
	if bias != nil {
		step := b.Op("Mul", n.In[qGemmAScale], n.In[qGemmBScale])
		if alpha != 1 {
			step = b.Op("Mul", step, op.ScalarLike(b, step, alpha))
		}
		bias = b.Op("Mul", op.Cast(b, bias, step.Type.Elem), step)
	}
	y := b.OpA("Gemm", given(n, "alpha", "transA", "transB"), q.dequantized(qGemmA), w, bias)
	if n.Arg(qGemmYScale) == nil {
		return y
	}
	return q.quantized(y, qGemmYScale)
}
