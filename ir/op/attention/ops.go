package attention

import "github.com/bbgen/bbgen/ir/op"

// Ops are the operators of this family.
var Ops = []*op.Op{
	Attention,
	AttentionGrad,
	FlexAttention,
	FusedAttention,
	LinearAttention,
	RotaryEmbedding,
}
