package contrib

import (
	"errors"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
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

// mhaQK is the output of [MultiHeadAttention] with the scores.
const mhaQK = 3

// MultiHeadAttention is attention with queries, keys and values in three tensors.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MultiHeadAttention
var MultiHeadAttention = &op.Op{
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

// multiHeadAttention converts attention with separate queries, keys and values. Keys and values of another
// sequence may be from an earlier run, with their heads split.
func multiHeadAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := checkMultiHead(n); err != nil {
		return nil, err
	}
	a := attention{
		b: b, n: n, heads: n.Int("num_heads"),
		q: n.In[mhaQuery], k: n.Arg(mhaKey), v: n.Arg(mhaValue),
		pastK: n.Arg(mhaPastKey), pastV: n.Arg(mhaPastValue),
	}
	split := len(op.Shape(a.k)) == 4
	if bias := n.Arg(mhaBias); bias != nil {
		a.addBias(bias, split)
	}
	if split {
		a.q = swapHeads(b, b.Op("Reshape", a.q, b.Ints(0, 0, a.heads, -1)))
	}
	if err := a.mask(n.Arg(mhaKeyPaddingMask), n.Arg(mhaAttentionBias)); err != nil {
		return nil, err
	}
	out := a.attend()
	if split {
		out[0] = b.Op("Reshape", swapHeads(b, out[0]), b.Ints(0, 0, -1))
	}
	return append(out, nil), nil
}

// checkMultiHead returns an error if the node has a form that is not supported.
func checkMultiHead(n *ir.Node) error {
	if err := unsupported(n, mhaPastSequenceLength, mhaCacheIndirection); err != nil {
		return err
	}
	if err := unread(n, mhaQK); err != nil {
		return err
	}
	k, v := n.Arg(mhaKey), n.Arg(mhaValue)
	if err := errors.Join(needRank(n, mhaKey, 3, 4), needRanks(n, map[int]int{mhaPastKey: 4, mhaPastValue: 4})); err != nil {
		return err
	}
	if k == nil || v == nil || len(op.Shape(n.In[mhaQuery])) != 3 {
		return fmt.Errorf("has queries, keys and values in one tensor, which is not supported: want three")
	}
	if err := needRank(n, mhaValue, len(op.Shape(k))); err != nil {
		return err
	}
	return checkHeads(n, "num_heads")
}

// addBias adds its parts to queries, keys and values. Keys and values with split heads already include it.
func (a *attention) addBias(bias *ir.Value, split bool) {
	b, like := a.b, []*ir.Value{a.q, a.k, a.v}
	if split {
		like = []*ir.Value{a.q, a.q, a.q}
	}
	parts := b.OpN("Split", 3, op.Attrs("axis", 0), bias, op.SizesAlong(b, like, 2))
	a.q = b.Op("Add", a.q, parts[0])
	if !split {
		a.k, a.v = b.Op("Add", a.k, parts[1]), b.Op("Add", a.v, parts[2])
	}
}
