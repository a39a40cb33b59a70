package contrib

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
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

// The inputs of [MultiHeadAttention].
const (
	mhaQuery = iota
	mhaKey
	mhaValue
	mhaBias
	mhaKeyPaddingMask
	mhaAttentionBias
	mhaPastKey
	mhaPastValue
	mhaPastSequenceLength
	mhaCacheIndirection
)

// The inputs of [RotaryEmbedding].
const (
	rotaryInput = iota
	rotaryPositionIds
	rotaryCosCache
	rotarySinCache
)

// Attention as ONNX Runtime fuses it, and its rotary embedding.
var (
	Attention = &op.Op{
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
	QAttention = &op.Op{
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
	MultiHeadAttention = &op.Op{
		Name:   "MultiHeadAttention",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "mask_filter_value", Kind: op.Float, Default: -10000.0},
			{Name: "num_heads", Kind: op.Int, Required: true},
			{Name: "scale", Kind: op.Float, Default: 0.0},
			{Name: "unidirectional", Kind: op.Int, Default: 0},
		},
		Inputs: []op.Port{
			mhaQuery:              {Name: "query", Types: elem.Floats},
			mhaKey:                {Name: "key", Like: "query", Optional: true},
			mhaValue:              {Name: "value", Like: "query", Optional: true},
			mhaBias:               {Name: "bias", Like: "query", Optional: true},
			mhaKeyPaddingMask:     {Name: "key_padding_mask", Types: elem.Indices, Optional: true},
			mhaAttentionBias:      {Name: "attention_bias", Like: "query", Optional: true},
			mhaPastKey:            {Name: "past_key", Like: "query", Optional: true},
			mhaPastValue:          {Name: "past_value", Like: "query", Optional: true},
			mhaPastSequenceLength: {Name: "past_sequence_length", Like: "key_padding_mask", Optional: true},
			mhaCacheIndirection:   {Name: "cache_indirection", Like: "key_padding_mask", Optional: true},
		},
		Outputs: []op.Port{
			{Name: "output", Like: "query"},
			{Name: "present_key", Like: "query", Optional: true},
			{Name: "present_value", Like: "query", Optional: true},
			{Name: "qk", Types: elem.Floats, Optional: true},
		},
		Expand: multiHeadAttention,
	}
	GroupQueryAttention = &op.Op{
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
	RotaryEmbedding = &op.Op{
		Name:   "RotaryEmbedding",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "interleaved", Kind: op.Int, Default: 0},
			{Name: "is_packed_batching", Kind: op.Int, Default: 0, Fixed: true},
			{Name: "num_heads", Kind: op.Int, Default: 0},
			{Name: "rotary_embedding_dim", Kind: op.Int, Default: 0},
			{Name: "scale", Kind: op.Float, Default: 1.0},
		},
		Inputs: []op.Port{
			rotaryInput:       {Name: "input", Types: elem.Floats},
			rotaryPositionIds: {Name: "position_ids", Types: elem.Indices},
			rotaryCosCache:    {Name: "cos_cache", Like: "input"},
			rotarySinCache:    {Name: "sin_cache", Like: "input"},
		},
		Outputs: []op.Port{{Name: "output", Like: "input"}},
		Expand:  rotaryEmbedding,
	}
)

// projectedAttention multiplies its input with the weights of queries, keys and
// values first. The cache holds keys and values one after the other.
func projectedAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, []int{6}, "do_rotary", "past_present_share_buffer"); err != nil {
		return nil, err
	}
	if err := needRanks(n, map[int]int{0: 3, 4: 5}); err != nil {
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

// quantizedAttention is [projectedAttention] by integers.
func quantizedAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, nil, "do_rotary", "past_present_share_buffer"); err != nil {
		return nil, err
	}
	if err := needRanks(n, map[int]int{0: 3, 8: 5}); err != nil {
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

// projected returns the attention of queries, keys and values, of which the past holds
// more keys and values, one after the other.
func projected(b *ir.Builder, n *ir.Node, qkv []*ir.Value, mask, past, bias *ir.Value) ([]*ir.Value, error) {
	a := attention{b: b, n: n, q: qkv[0], k: qkv[1], v: qkv[2], heads: n.Int("num_heads")}
	if past != nil {
		a.pastK, a.pastV = b.OpA("Gather", op.Attrs("axis", 0), past, b.Scalar(tensor.Int64, 0)), b.OpA("Gather", op.Attrs("axis", 0), past, b.Scalar(tensor.Int64, 1))
	}
	if err := a.mask(mask, bias); err != nil {
		return nil, err
	}
	out := a.attend()
	if n.Res(1) != nil {
		out[1] = b.OpA("Concat", op.Attrs("axis", 0), b.Op("Unsqueeze", out[1], b.Ints(0)), b.Op("Unsqueeze", out[2], b.Ints(0)))
	}
	return out[:2], nil
}

// multiHeadAttention converts attention with separate queries, keys and values. Keys and values of another
// sequence may be from an earlier run, with their heads split.
func multiHeadAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, []int{8, 9}); err != nil {
		return nil, err
	}
	if err := unread(n, 3); err != nil {
		return nil, err
	}
	if err := errors.Join(needRank(n, 1, 3, 4), needRanks(n, map[int]int{6: 4, 7: 4})); err != nil {
		return nil, err
	}
	a := attention{b: b, n: n, q: n.In[mhaQuery], k: n.Arg(mhaKey), v: n.Arg(mhaValue), pastK: n.Arg(mhaPastKey), pastV: n.Arg(mhaPastValue), heads: n.Int("num_heads")}
	if a.k == nil || a.v == nil || len(op.Shape(a.q)) != 3 {
		return nil, fmt.Errorf("queries, keys and values in one tensor are not supported")
	}
	if err := needRank(n, 2, len(op.Shape(a.k))); err != nil {
		return nil, err
	}
	if a.heads < 1 {
		return nil, fmt.Errorf("num_heads is %d, want 1 or more", a.heads)
	}
	byHeads := len(op.Shape(a.k)) == 4
	if bias := n.Arg(mhaBias); bias != nil {
		w := op.SizesAlong(b, []*ir.Value{a.q, a.q, a.q}, 2)
		if !byHeads {
			w = op.SizesAlong(b, []*ir.Value{a.q, a.k, a.v}, 2)
		}
		parts := b.OpN("Split", 3, op.Attrs("axis", 0), bias, w)
		a.q = b.Op("Add", a.q, parts[0])
		if !byHeads {
			a.k, a.v = b.Op("Add", a.k, parts[1]), b.Op("Add", a.v, parts[2])
		}
	}
	if byHeads {
		a.q = b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), b.Op("Reshape", a.q, b.Ints(0, 0, a.heads, -1)))
	}
	if err := a.mask(n.Arg(mhaKeyPaddingMask), n.Arg(mhaAttentionBias)); err != nil {
		return nil, err
	}
	out := a.attend()
	if byHeads {
		out[0] = b.Op("Reshape", b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), out[0]), b.Ints(0, 0, -1))
	}
	return append(out, nil), nil
}

// attention is one in the making.
type attention struct {
	b              *ir.Builder
	n              *ir.Node
	q, k, v        *ir.Value
	pastK, pastV   *ir.Value
	heads, kvHeads int // kvHeads is 0 if it equals heads
	allow          *ir.Value
	window         int // tokens that a query sees, its own among them; 0 for all
	causal         bool
}

// attend returns the result, and the keys and values including the past ones.
func (a *attention) attend() []*ir.Value {
	attrs := given(a.n, "scale", "softcap")
	if a.n.Float("scale") == 0 {
		attrs.Delete("scale")
	}
	if len(op.Shape(a.q)) == 3 {
		attrs.Set("q_num_heads", int64(a.heads))
		kv := a.kvHeads
		if kv == 0 {
			kv = a.heads
		}
		attrs.Set("kv_num_heads", int64(kv))
	}
	if a.causal || a.n.Int("unidirectional") != 0 {
		attrs.Set("is_causal", int64(1))
	}
	if a.window > 0 {
		attrs.Set("left_window_size", int64(a.window-1))
	}
	return slices.Clone(a.b.OpN("Attention", 3, attrs, a.q, a.k, a.v, a.allow, a.pastK, a.pastV))
}

// mask combines a mask of the keys, and a bias of the scores, into ONNX's single operand. The mask has a flag
// for each key, a flag for each query and key, or the number of valid keys.
func (a *attention) mask(keys, bias *ir.Value) error {
	if err := a.b.Err(); err != nil {
		return err
	}
	a.allow = bias
	if keys == nil {
		return nil
	}
	b := a.b
	var allow *ir.Value
	switch s := op.Shape(keys); {
	case len(s) == 2:
		allow = b.Op("Unsqueeze", op.Cast(b, keys, tensor.Bool), b.Ints(1, 2))
	case len(s) == 3:
		allow = b.Op("Unsqueeze", op.Cast(b, keys, tensor.Bool), b.Ints(1))
	case len(s) == 1 && op.MayEqual(s[0], op.Shape(a.q)[0]):
		total := op.SizeOf(b, a.k, len(op.Shape(a.k))-2)
		if a.pastK != nil {
			total = b.Op("Add", total, op.SizeOf(b, a.pastK, 2))
		}
		at := b.Op("Unsqueeze", countFrom(b, b.Ints(0), total), b.Ints(0))
		allow = b.Op("Less", at, b.Op("Unsqueeze", op.CastTo(b, keys, tensor.Int64), b.Ints(1)))
		allow = b.Op("Unsqueeze", allow, b.Ints(1, 2))
	default:
		return fmt.Errorf("mask %q is %s, want [batch, keys], [batch, queries, keys] or [batch]", keys.Name, keys.Type)
	}
	if bias != nil {
		filter := op.ScalarLike(b, bias, a.n.Float("mask_filter_value"))
		allow = b.Op("Where", allow, bias, filter)
	}
	a.allow = allow
	return nil
}

// groupQueryAttention is causal, with fewer heads of keys and values than of
// queries, and turns them by their positions itself. All sequences of a batch
// have a past of the same length; shorter ones are filled up at their end.
func groupQueryAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, []int{11, 12, 13}, "smooth_softmax"); err != nil {
		return nil, err
	}
	if err := unread(n, 3); err != nil {
		return nil, err
	}
	if err := needRanks(n, map[int]int{0: 3, 1: 3, 2: 3, 3: 4, 4: 4, 7: 2, 8: 2}); err != nil {
		return nil, err
	}
	if n.Arg(gqaSeqlensK) == nil || (n.Arg(gqaKey) == nil) != (n.Arg(gqaValue) == nil) {
		return nil, fmt.Errorf("input 5 (seqlens_k) is missing, or keys come without values")
	}
	a := attention{b: b, n: n, q: n.In[gqaQuery], k: n.Arg(gqaKey), v: n.Arg(gqaValue), pastK: n.Arg(gqaPastKey), pastV: n.Arg(gqaPastValue), causal: true, allow: n.Arg(gqaAttentionBias),
		heads: n.Int("num_heads"), kvHeads: n.Int("kv_num_heads")}
	if a.heads < 1 || a.kvHeads < 1 {
		return nil, fmt.Errorf("num_heads is %d and kv_num_heads %d, want 1 or more", a.heads, a.kvHeads)
	}
	if a.k == nil {
		width, ok := op.Shape(a.q)[2].Const()
		if !ok {
			return nil, fmt.Errorf("queries, keys and values in one tensor need a known size, not %s", op.Shape(a.q)[2])
		}
		size := width / (a.heads + 2*a.kvHeads)
		parts := b.OpN("Split", 3, op.Attrs("axis", -1), a.q, b.Ints(a.heads*size, a.kvHeads*size, a.kvHeads*size))
		a.q, a.k, a.v = parts[0], parts[1], parts[2]
	}
	if err := b.Err(); err != nil {
		return nil, err
	}
	if n.Int("do_rotary") != 0 {
		if n.Arg(gqaCosCache) == nil || n.Arg(gqaSinCache) == nil {
			return nil, fmt.Errorf("do_rotary is set without cos_cache and sin_cache")
		}
		at := n.Arg(gqaPositionIds)
		if at == nil {
			at = a.positions(n.In[gqaSeqlensK])
		}
		a.q, a.k = a.rotate(a.q, at, a.heads), a.rotate(a.k, at, a.kvHeads)
	}
	if w := n.Int("local_window_size"); w > 0 {
		a.window = w
	}
	return append(a.attend(), nil), nil
}

// positions returns the positions of the new tokens. The input last has the position of the last token of
// each sequence, which may be padded if there is no past.
func (a *attention) positions(last *ir.Value) *ir.Value {
	b := a.b
	seq := op.SizeOf(b, a.q, 1)
	first := b.Op("Sub", op.CastTo(b, b.Op("Reshape", last, b.Ints(-1, 1)), tensor.Int64), b.Op("Sub", seq, b.Ints(1)))
	return b.Op("Add", b.Op("Max", first, b.Ints(0)), countFrom(b, b.Ints(0), seq))
}

func (a *attention) rotate(x, at *ir.Value, heads int) *ir.Value {
	cos := a.n.In[gqaCosCache]
	attrs := op.Attrs("num_heads", heads, "interleaved", a.n.Int("rotary_interleaved"))
	if half, ok := op.Shape(cos)[len(op.Shape(cos))-1].Const(); ok {
		attrs.Set("rotary_embedding_dim", int64(2*half))
	}
	return a.b.OpA("RotaryEmbedding", attrs, x, cos, a.n.In[gqaSinCache], op.CastTo(a.b, at, tensor.Int64))
}

// rotaryEmbedding has the positions before the tables, or the first position.
func rotaryEmbedding(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := lacking(n, nil, "is_packed_batching"); err != nil {
		return nil, err
	}
	if s := n.Float("scale"); s != 1 {
		return nil, fmt.Errorf("scale is %g, want 1", s)
	}
	if err := errors.Join(needRank(n, 0, 3, 4), needRank(n, 1, 1, 2), needRank(n, 2, 2)); err != nil {
		return nil, err
	}
	x, at, cos := n.In[rotaryInput], n.In[rotaryPositionIds], n.In[rotaryCosCache]
	attrs := given(n, "interleaved", "num_heads", "rotary_embedding_dim")
	seq, half := 1, op.Shape(cos)[len(op.Shape(cos))-1]
	if len(op.Shape(x)) == 4 {
		seq = 2
	} else if n.Int("num_heads") == 0 {
		width, ok1 := op.Shape(x)[len(op.Shape(x))-1].Const()
		h, ok2 := half.Const()
		if !ok1 || !ok2 || h == 0 {
			return nil, fmt.Errorf("num_heads is 0, and the sizes %v and %s do not determine it", op.Shape(x), half)
		}
		attrs.Set("num_heads", int64(width/(2*h)))
	}
	if len(op.Shape(at)) == 1 {
		shape := b.OpA("Concat", op.Attrs("axis", 0), op.SizeOf(b, x, 0), op.SizeOf(b, x, seq))
		at = b.Op("Expand", countFrom(b, at, op.SizeOf(b, x, seq)), shape)
	}
	return []*ir.Value{b.OpA("RotaryEmbedding", attrs, x, cos, n.In[rotarySinCache], at)}, nil
}
