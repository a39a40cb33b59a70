package contrib

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [GroupQueryAttention].
const (
	gqaQuery = iota
	gqaKey
	gqaValue
	gqaPastKey
	gqaPastValue
	gqaSeqlensK
	gqaTotalSequenceLength
	gqaCosCache
	gqaSinCache
	gqaPositionIds
	gqaAttentionBias
	gqaHeadSink
	gqaKScale
	gqaVScale
)

// gqaOutputQK is the output of [GroupQueryAttention] with the scores.
const gqaOutputQK = 3

// GroupQueryAttention is causal attention with fewer heads of keys and values than of queries. It also computes
// the rotary embedding of both, if do_rotary is set.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
var GroupQueryAttention = &op.Op{
	Name:   "GroupQueryAttention",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "causal", Kind: op.Int, Default: 1, Fixed: true},
		{Name: "do_rotary", Kind: op.Int, Default: 0},
		{Name: "k_norm_epsilon", Kind: op.Float},
		{Name: "k_quant_type", Kind: op.String, Default: "NONE", Fixed: true},
		{Name: "kv_cache_bit_width", Kind: op.Int},
		{Name: "kv_num_heads", Kind: op.Int, Required: true},
		{Name: "local_window_size", Kind: op.Int, Default: -1},
		{Name: "num_heads", Kind: op.Int, Required: true},
		{Name: "q_norm_epsilon", Kind: op.Float},
		{Name: "qk_norm_epsilon", Kind: op.Float},
		{Name: "qk_output", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "rotary_interleaved", Kind: op.Int, Default: 0},
		{Name: "scale", Kind: op.Float, Default: 0.0},
		{Name: "sliding_window_cache", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "smooth_softmax", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "softcap", Kind: op.Float, Default: 0.0},
		{Name: "v_quant_type", Kind: op.String, Default: "NONE", Fixed: true},
	},
	Inputs: []op.Port{
		gqaQuery:               {Name: "query", Types: elem.Floats},
		gqaKey:                 {Name: "key", Like: "query", Optional: true},
		gqaValue:               {Name: "value", Like: "query", Optional: true},
		gqaPastKey:             {Name: "past_key", Types: elem.Floats, Lacks: elem.Of(tensor.Int8, tensor.Uint8, tensor.Float8E4M3FN), Optional: true},
		gqaPastValue:           {Name: "past_value", Like: "past_key", Optional: true},
		gqaSeqlensK:            {Name: "seqlens_k", Types: elem.Indices},
		gqaTotalSequenceLength: {Name: "total_sequence_length", Like: "seqlens_k"},
		gqaCosCache:            {Name: "cos_cache", Like: "query", Optional: true},
		gqaSinCache:            {Name: "sin_cache", Like: "query", Optional: true},
		gqaPositionIds:         {Name: "position_ids", Types: elem.Indices, Optional: true},
		gqaAttentionBias:       {Name: "attention_bias", Like: "query", Optional: true},
		gqaHeadSink:            {Name: "head_sink", Like: "query", Optional: true},
		gqaKScale:              {Name: "k_scale", Types: elem.Floats, Optional: true},
		gqaVScale:              {Name: "v_scale", Like: "k_scale", Optional: true},
	},
	Outputs: []op.Port{
		{Name: "output", Like: "query"},
		{Name: "present_key", Like: "past_key", Optional: true},
		{Name: "present_value", Like: "past_key", Optional: true},
		{Name: "output_qk", Like: "query", Optional: true},
	},
	Expand: groupQueryAttention,
}

// groupQueryAttention converts causal attention. All sequences of a batch must have a past of the same length;
// shorter ones are padded at their end.
func groupQueryAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := checkGroupQuery(n); err != nil {
		return nil, err
	}
	a := attention{
		b: b, n: n, heads: n.Int("num_heads"), kvHeads: n.Int("kv_num_heads"), causal: true,
		q: n.In[gqaQuery], k: n.Arg(gqaKey), v: n.Arg(gqaValue),
		pastK: n.Arg(gqaPastKey), pastV: n.Arg(gqaPastValue), allow: n.Arg(gqaAttentionBias),
		window: max(n.Int("local_window_size"), 0),
	}
	if a.k == nil {
		if err := a.unpack(); err != nil {
			return nil, err
		}
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if n.Int("do_rotary") != 0 {
		at := n.Arg(gqaPositionIds)
		if at == nil {
			at = a.positions(n.In[gqaSeqlensK])
		}
		a.q, a.k = a.rotate(a.q, at, a.heads), a.rotate(a.k, at, a.kvHeads)
	}
	return append(a.attend(), nil), nil
}

// checkGroupQuery returns an error if the node has a form that is not supported.
func checkGroupQuery(n *ir.Node) error {
	if err := unsupported(n, gqaHeadSink, gqaKScale, gqaVScale); err != nil {
		return err
	}
	if err := unread(n, gqaOutputQK); err != nil {
		return err
	}
	ranks := map[int]int{gqaQuery: 3, gqaKey: 3, gqaValue: 3, gqaPastKey: 4, gqaPastValue: 4, gqaCosCache: 2, gqaSinCache: 2}
	if err := needRanks(n, ranks); err != nil {
		return err
	}
	if (n.Arg(gqaKey) == nil) != (n.Arg(gqaValue) == nil) {
		return fmt.Errorf("has one of keys and values, want both or neither")
	}
	if n.Int("do_rotary") != 0 && (n.Arg(gqaCosCache) == nil || n.Arg(gqaSinCache) == nil) {
		return fmt.Errorf("do_rotary is set without cos_cache and sin_cache")
	}
	return checkHeads(n, "num_heads", "kv_num_heads")
}

// unpack splits queries, keys and values, which are one tensor.
func (a *attention) unpack() error {
	width, ok := op.Shape(a.q)[2].Const()
	if !ok {
		return fmt.Errorf("queries, keys and values are in one tensor of %s columns, want a constant number", op.Shape(a.q)[2])
	}
	size := width / (a.heads + 2*a.kvHeads)
	parts := a.b.OpN("Split", 3, op.Attrs("axis", -1), a.q, a.b.Ints(a.heads*size, a.kvHeads*size, a.kvHeads*size))
	a.q, a.k, a.v = parts[0], parts[1], parts[2]
	return nil
}

// positions returns the positions of the new tokens. The input last has the position of the last token of
// each sequence, which may be padded if there is no past.
func (a *attention) positions(last *ir.Value) *ir.Value {
	b := a.b
	seq := op.SizeOf(b, a.q, 1)
	first := b.Op("Sub", op.CastTo(b, b.Op("Reshape", last, b.Ints(-1, 1)), tensor.Int64), b.Op("Sub", seq, b.Ints(1)))
	return b.Op("Add", b.Op("Max", first, b.Ints(0)), countFrom(b, b.Ints(0), seq))
}

// rotate applies the rotary embedding to queries or keys at the given positions.
func (a *attention) rotate(x, at *ir.Value, heads int) *ir.Value {
	cos := a.n.In[gqaCosCache]
	attrs := op.Attrs("num_heads", heads, "interleaved", a.n.Int("rotary_interleaved"))
	if half, ok := op.Shape(cos)[len(op.Shape(cos))-1].Const(); ok {
		attrs.Set("rotary_embedding_dim", int64(2*half))
	}
	return a.b.OpA("RotaryEmbedding", attrs, x, cos, a.n.In[gqaSinCache], op.CastTo(a.b, at, tensor.Int64))
}
