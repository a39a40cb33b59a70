package attention

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [Attention].
const (
	attentionQ = iota
	attentionK
	attentionV
	attentionAttnMask
	attentionPastKey
	attentionPastValue
	attentionNonpadKvSeqlen
)

// Attention is scaled dot product attention, with masks and a cache of keys and
// values.
//
// https://onnx.ai/onnx/operators/onnx__Attention.html
var Attention = &op.Op{
	Name:  "Attention",
	Since: []int{23, 24, 25},
	Attrs: []op.Attr{
		{Name: "is_causal", Kind: op.Int, Default: 0},
		{Name: "kv_num_heads", Kind: op.Int, Default: 0},
		{Name: "left_window_size", Kind: op.Int, Default: -1, Since: 25},
		{Name: "q_num_heads", Kind: op.Int, Default: 0},
		{Name: "qk_matmul_output_mode", Kind: op.Int, Default: 0},
		{Name: "right_window_size", Kind: op.Int, Default: -1, Since: 25},
		{Name: "scale", Kind: op.Float},
		{Name: "softcap", Kind: op.Float, Default: 0.0},
		{Name: "softmax_precision", Kind: op.Int},
	},
	Inputs: []op.Port{
		attentionQ:              {Name: "Q", Types: elem.Floats},
		attentionK:              {Name: "K", Like: "Q"},
		attentionV:              {Name: "V", Types: elem.Floats},
		attentionAttnMask:       {Name: "attn_mask", Types: elem.NumbersOrBools, Optional: true},
		attentionPastKey:        {Name: "past_key", Like: "Q", Optional: true},
		attentionPastValue:      {Name: "past_value", Like: "V", Optional: true},
		attentionNonpadKvSeqlen: {Name: "nonpad_kv_seqlen", Types: elem.Indices, Optional: true, Since: 24},
	},
	Outputs: []op.Port{
		{Name: "Y", Like: "Q"},
		{Name: "present_key", Like: "Q", Optional: true},
		{Name: "present_value", Like: "V", Optional: true},
		{Name: "qk_matmul_output", Like: "Q", Optional: true},
	},
	Infer:   inferAttention,
	Lower:   lowerAttention,
	Expand:  expandAttention,
	Expands: expandsAttention,
	Grad:    attentionGrad,
	HasGrad: hasAttentionGrad,
	Widen:   true,
	FLOPs:   attentionWork,
}

// attention holds the sizes of a node. The size keys is the number of past and new tokens.
type attention struct {
	batch, heads, kvHeads, queries, tokens, past, keys, keySize, valueSize ir.Dim
	packed                                                                 bool // [batch, tokens, heads·size]
}

func readAttention(n *ir.Node) (a attention, err error) {
	q, k, v := op.Shape(n.In[attentionQ]), op.Shape(n.In[attentionK]), op.Shape(n.In[attentionV])
	if len(q) != len(k) || len(q) != len(v) {
		return a, fmt.Errorf("queries, keys and values have ranks %d, %d and %d, want one", len(q), len(k), len(v))
	}
	switch len(q) {
	case 3:
		h, kv := n.Int("q_num_heads"), n.Int("kv_num_heads")
		if h < 1 || kv < 1 {
			return a, fmt.Errorf("q_num_heads is %d and kv_num_heads %d, want both for inputs of rank 3", h, kv)
		}
		a = attention{heads: ir.C(h), kvHeads: ir.C(kv), queries: q[1], tokens: k[1], packed: true}
		a.keySize, a.valueSize = q[2].Div(a.heads), v[2].Div(a.kvHeads)
	case 4:
		a = attention{heads: q[1], kvHeads: k[1], queries: q[2], tokens: k[2], keySize: q[3], valueSize: v[3]}
	default:
		return a, fmt.Errorf("input %q has rank %d, want 3 or 4", n.In[attentionQ].Name, len(q))
	}
	a.batch, a.keys = q[0], a.tokens
	if p := n.Arg(attentionPastKey); p != nil {
		if len(op.Shape(p)) != 4 {
			return a, fmt.Errorf("input %q has rank %d, want 4", p.Name, len(op.Shape(p)))
		}
		a.past = op.Shape(p)[2]
		a.keys = a.past.Add(a.tokens)
	}
	h, hok := a.heads.Const()
	kv, kok := a.kvHeads.Const()
	if hok && kok && (kv == 0 || h%kv != 0) {
		return a, fmt.Errorf("%d heads of queries are not divisible among %d of keys", h, kv)
	}
	return a, nil
}

// shape returns the shape of tokens with the given number of heads, in the layout of the node.
func (a attention) shape(heads, tokens, size ir.Dim) []ir.Dim {
	if a.packed {
		return []ir.Dim{a.batch, tokens, heads.Mul(size)}
	}
	return []ir.Dim{a.batch, heads, tokens, size}
}

func inferAttention(c *op.Infer) error {
	for i := range 3 {
		if _, err := c.FloatTensor(i); err != nil {
			return err
		}
	}
	if (c.Arg(attentionPastKey) == nil) != (c.Arg(attentionPastValue) == nil) {
		return fmt.Errorf("past_key and past_value come together")
	}
	if c.Arg(attentionNonpadKvSeqlen) != nil && c.Arg(attentionPastKey) != nil {
		return fmt.Errorf("nonpad_kv_seqlen does not go with past_key")
	}
	a, err := readAttention(c.Node)
	if err != nil {
		return err
	}
	if err := checkAttention(c, a); err != nil {
		return err
	}
	q, v := c.Type(attentionQ).Elem, c.Type(attentionV).Elem
	c.OutTensor(0, q, a.shape(a.heads, a.queries, a.valueSize)...)
	c.OutTensor(1, c.Type(attentionK).Elem, a.batch, a.kvHeads, a.keys, a.keySize)
	c.OutTensor(2, v, a.batch, a.kvHeads, a.keys, a.valueSize)
	c.OutTensor(3, q, a.batch, a.heads, a.queries, a.keys)
	return nil
}

// checkAttention compares the inputs' types with the sizes of the node, and
// looks at the attributes.
func checkAttention(c *op.Infer, a attention) error {
	shapes := [][]ir.Dim{
		a.shape(a.heads, a.queries, a.keySize), a.shape(a.kvHeads, a.tokens, a.keySize), a.shape(a.kvHeads, a.tokens, a.valueSize),
		nil, {a.batch, a.kvHeads, a.past, a.keySize}, {a.batch, a.kvHeads, a.past, a.valueSize}, {a.batch},
	}
	elems := []int{0, 0, 2, -1, 1, 2, -1} // the input that has the same type
	for i, s := range shapes {
		if s == nil || c.Arg(i) == nil {
			continue
		}
		if err := c.HasShape(i, s...); err != nil {
			return err
		}
		if k := elems[i]; k >= 0 && c.Type(i).Elem != c.Type(k).Elem {
			return fmt.Errorf("input %q is %s, want %s", c.In[i].Name, c.Type(i).Elem, c.Type(k).Elem)
		}
	}
	if v := c.Arg(attentionNonpadKvSeqlen); v != nil && v.Type.Elem != tensor.Int64 {
		return fmt.Errorf("input %q is %s, want int64", v.Name, v.Type.Elem)
	}
	if c.Arg(attentionAttnMask) != nil {
		m, err := c.Tensor(attentionAttnMask)
		if err != nil {
			return err
		}
		if err := checkMask(m, a); err != nil {
			return fmt.Errorf("input %q: %w", c.In[attentionAttnMask].Name, err)
		}
		if err := c.CheckElems(attentionAttnMask, masks); err != nil {
			return err
		}
	}
	for _, name := range []string{"left_window_size", "right_window_size"} {
		if w := c.Int(name); w < -1 {
			return fmt.Errorf("%s is %d, want -1 or more", name, w)
		}
	}
	if m := c.Int("qk_matmul_output_mode"); m < 0 || m > 3 {
		return fmt.Errorf("qk_matmul_output_mode is %d, want 0 to 3", m)
	}
	return checkPrecision(c)
}

// checkPrecision looks at the type that the softmax is to be computed in. It is
// computed in float32, or in float64 where the scores are.
func checkPrecision(c *op.Infer) error {
	p := tensor.DType(c.IntOr("softmax_precision", int(tensor.Float32)))
	switch p {
	case tensor.Float32, tensor.Float64, tensor.Float16, tensor.BFloat16:
		return nil
	}
	return fmt.Errorf("softmax_precision is %s, want a float", p)
}

// masks are the element types of a mask: bools for allowed keys, or numbers added to the scores.
var masks = elem.Numbers.Or("bool or a number", elem.Bools)

// checkMask checks the shape of a mask. Keys missing at its end are excluded.
func checkMask(m ir.Type, a attention) error {
	want := []ir.Dim{a.batch, a.heads, a.queries, a.keys}
	n := len(m.Shape)
	if n < 1 || n > 4 {
		return fmt.Errorf("mask has rank %d, want 1 to 4", n)
	}
	for i, d := range m.Shape[:n-1] {
		if w := want[4-n+i]; !d.Is(1) && !op.MayEqual(d, w) {
			return fmt.Errorf("mask has shape %v, which does not broadcast to %v", m.Shape, want)
		}
	}
	last, ok := m.Shape[n-1].Const()
	if keys, known := a.keys.Const(); ok && known && last > keys {
		return fmt.Errorf("mask has shape %v for %d keys", m.Shape, keys)
	}
	return nil
}

// attentionWork counts two matrix products: queries by keys, and probabilities by values.
func attentionWork(n *ir.Node) ir.Dim {
	a, err := readAttention(n)
	if err != nil {
		return ir.C(0)
	}
	return a.work()
}

func (a attention) work() ir.Dim {
	pairs := a.batch.Mul(a.heads).Mul(a.queries).Mul(a.keys)
	return ir.C(2).Mul(pairs).Mul(a.keySize.Add(a.valueSize))
}
