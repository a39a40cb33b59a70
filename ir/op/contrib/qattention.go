package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [QAttention].
const (
	qAttentionInput = iota
	qAttentionWeight
	qAttentionBias
	qAttentionInputScale
	qAttentionWeightScale
	qAttentionMaskIndex
	qAttentionInputZeroPoint
	qAttentionWeightZeroPoint
	qAttentionPast
)

// QAttention is [Attention] with products of integers.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.QAttention
var QAttention = &op.Op{
	Name:   "QAttention",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "do_rotary", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "mask_filter_value", Kind: op.Float, Default: -10000.0},
		{Name: "num_heads", Kind: op.Int, Required: true},
		{Name: "past_present_share_buffer", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "scale", Kind: op.Float, Default: 0.0},
		{Name: "unidirectional", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		qAttentionInput:           {Name: "input", Types: elem.Bytes},
		qAttentionWeight:          {Name: "weight", Types: elem.Bytes},
		qAttentionBias:            {Name: "bias", Types: elem.Floats},
		qAttentionInputScale:      {Name: "input_scale", Like: "bias"},
		qAttentionWeightScale:     {Name: "weight_scale", Like: "bias"},
		qAttentionMaskIndex:       {Name: "mask_index", Types: elem.Indices, Optional: true},
		qAttentionInputZeroPoint:  {Name: "input_zero_point", Like: "input", Optional: true},
		qAttentionWeightZeroPoint: {Name: "weight_zero_point", Like: "weight", Optional: true},
		qAttentionPast:            {Name: "past", Like: "bias", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "bias"}, {Name: "present", Like: "bias", Optional: true}},
	Expand:  quantizedAttention,
}

// quantizedAttention is [projectedAttention] by integers.
func quantizedAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRanks(n, map[int]int{qAttentionInput: 3, qAttentionPast: 5}); err != nil {
		return nil, err
	}
	sums := b.Op("MatMulInteger", n.In[qAttentionInput], n.In[qAttentionWeight], withoutAxes(b, n.Arg(qAttentionInputZeroPoint)), withoutAxes(b, n.Arg(qAttentionWeightZeroPoint)))
	steps := b.Op("Mul", withoutAxes(b, n.In[qAttentionInputScale]), withoutAxes(b, n.In[qAttentionWeightScale]))
	qkv := b.OpN("Split", 3, op.Attrs("axis", -1, "num_outputs", 3), plus(b, b.Op("Mul", op.Cast(b, sums, n.In[qAttentionBias].Type.Elem), steps), n.In[qAttentionBias]))
	return projected(b, n, qkv, n.Arg(qAttentionMaskIndex), n.Arg(qAttentionPast), nil)
}

// withoutAxes returns v without axes, if it has one element.
func withoutAxes(b *ir.Builder, v *ir.Value) *ir.Value {
	if v == nil || !ir.Size(op.Shape(v)).Is(1) {
		return v
	}
	return b.Op("Reshape", v, b.Ints())
}
