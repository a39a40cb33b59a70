package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Attention].
const (
	attentionInput = iota
	attentionWeights
	attentionBias
	attentionMaskIndex
	attentionPast
	attentionAttentionBias
	attentionPastSequenceLength
)

// Attention multiplies its input with one matrix of weights for queries, keys and values, and attends. The cache
// has the keys and the values along its first axis.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.Attention
var Attention = &op.Op{
	Name:   "Attention",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "do_rotary", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "mask_filter_value", Kind: op.Float, Default: -10000.0},
		{Name: "num_heads", Kind: op.Int, Required: true},
		{Name: "past_present_share_buffer", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "qkv_hidden_sizes", Kind: op.Ints},
		{Name: "rotary_embedding_dim", Kind: op.Int, Default: 0},
		{Name: "scale", Kind: op.Float, Default: 0.0},
		{Name: "unidirectional", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		attentionInput:              {Name: "input", Types: elem.Floats},
		attentionWeights:            {Name: "weights", Like: "input"},
		attentionBias:               {Name: "bias", Like: "input", Optional: true},
		attentionMaskIndex:          {Name: "mask_index", Types: elem.Indices, Optional: true},
		attentionPast:               {Name: "past", Like: "input", Optional: true},
		attentionAttentionBias:      {Name: "attention_bias", Like: "input", Optional: true},
		attentionPastSequenceLength: {Name: "past_sequence_length", Like: "mask_index", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}, {Name: "present", Like: "input", Optional: true}},
	Expand:  projectedAttention,
}

// projectedAttention multiplies its input with the weights of queries, keys and
// values first. The cache holds keys and values one after the other.
func projectedAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := unsupported(n, attentionPastSequenceLength); err != nil {
		return nil, err
	}
	if err := needRanks(n, map[int]int{attentionInput: 3, attentionPast: 5}); err != nil {
		return nil, err
	}
	parts := op.Attrs("axis", -1, "num_outputs", 3)
	var sizes *ir.Value
	if s := n.Ints("qkv_hidden_sizes"); len(s) == 3 {
		parts, sizes = op.Attrs("axis", -1), b.Ints(s...)
	}
	qkv := b.OpN("Split", 3, parts, plus(b, b.Op("MatMul", n.In[attentionInput], n.In[attentionWeights]), n.Arg(attentionBias)), sizes)
	return projected(b, n, qkv, n.Arg(attentionMaskIndex), n.Arg(attentionPast), n.Arg(attentionAttentionBias))
}
