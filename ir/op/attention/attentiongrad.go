package attention

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [AttentionGrad].
const (
	attentionGradDy = iota
	attentionGradQ
	attentionGradK
	attentionGradV
	attentionGradMask
)

// AttentionGrad is the gradient of an [Attention] of new tokens, without a soft cap, by its queries, keys and values. Its inputs are
// dy and those of the attention. It computes the probabilities again, which are larger than what they follow from.
var AttentionGrad = &op.Op{
	Name:   "AttentionGrad",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "is_causal", Kind: op.Int, Default: 0},
		{Name: "kv_num_heads", Kind: op.Int, Default: 0},
		{Name: "left_window_size", Kind: op.Int, Default: -1},
		{Name: "q_num_heads", Kind: op.Int, Default: 0},
		{Name: "right_window_size", Kind: op.Int, Default: -1},
		{Name: "scale", Kind: op.Float},
	},
	Inputs: []op.Port{
		attentionGradDy:   {Name: "dy", Types: elem.Floats},
		attentionGradQ:    {Name: "Q", Like: "dy"},
		attentionGradK:    {Name: "K", Like: "dy"},
		attentionGradV:    {Name: "V", Like: "dy"},
		attentionGradMask: {Name: "attn_mask", Types: elem.NumbersOrBools, Optional: true},
	},
	Outputs: []op.Port{{Name: "dq", Like: "dy"}, {Name: "dk", Like: "dy"}, {Name: "dv", Like: "dy"}},
	Infer:   inferAttentionGrad,
	Lower:   lowerAttentionGrad,
	Expand:  expandAttentionGrad,
	Expands: scaleIsZero,
	Widen:   true,
	FLOPs:   attentionGradWork,
}

// attended returns the [Attention] whose gradient a node is, without outputs.
func attended(n *ir.Node) *ir.Node {
	return &ir.Node{Op: "Attention", Version: 25, In: n.In[attentionGradQ:], Attrs: n.Attrs, Class: n.Class, Pos: n.Pos}
}

// hasAttentionGrad reports whether [AttentionGrad] is the gradient of a node.
func hasAttentionGrad(n *ir.Node) bool {
	a, err := readAttention(n)
	if err != nil || a.groups() != nil || expandsAttention(n) || n.Float("softcap") != 0 {
		return false
	}
	for i := 1; i < len(n.Out); i++ {
		if n.Out[i] != nil {
			return false
		}
	}
	for _, i := range []int{attentionPastKey, attentionPastValue, attentionNonpadKvSeqlen} {
		if n.Arg(i) != nil {
			return false
		}
	}
	mask := n.Arg(attentionAttnMask)
	return mask == nil || mask.Type.Elem == tensor.Bool || mask.IsConst()
}

func attentionGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	var attrs ir.Attrs
	for _, a := range AttentionGrad.Attrs {
		if v := n.Attrs.Lookup(a.Name); v != nil {
			attrs.Set(a.Name, v)
		}
	}
	return op.OwnNodes(b, AttentionGrad.Name, 3, attrs, append([]*ir.Value{dy[0]}, n.In...)...)
}

func inferAttentionGrad(c *op.Infer) error {
	for i := range attentionGradMask {
		t, err := c.FloatTensor(i)
		if err != nil {
			return err
		}
		if i > 0 {
			if err := c.LikeInput0(i); err != nil {
				return err
			}
			c.Out(i-1, t)
		}
	}
	n := c.Node
	a, err := readAttention(attended(n))
	if err != nil {
		return err
	}
	if err := c.HasShape(attentionGradDy, a.shape(a.heads, a.queries, a.valueSize)...); err != nil {
		return err
	}
	c.Node = attended(n) // the inputs are where those of an attention are
	err = checkAttention(c, a)
	c.Node = n
	return err
}

func lowerAttentionGrad(l *op.Lowering) error {
	n := attended(l.Node)
	a, err := readAttention(n)
	if err != nil {
		return err
	}
	dy := l.In[attentionGradDy]
	e := dy.Type.Elem
	var buf *ir.Value
	if e != tensor.Float32 {
		buf = l.Scratch(e, ir.C(2), a.queries, a.keys)
	}
	mask, allow := maskOf(n)
	params := a.params(n)
	a.steps(&params, true, true)
	l.Call("AttentionGrad", l.Out[0], l.Out[1], l.Out[2], dy, op.Struct{Type: "AttnIn", Elems: []tensor.DType{e}, Fields: []op.Field{
		{Name: "Q", Value: n.In[attentionQ]}, {Name: "K", Value: n.In[attentionK]}, {Name: "V", Value: n.In[attentionV]},
		{Name: "Mask", Value: mask}, {Name: "Allow", Value: allow},
	}}, buf, params)
	return nil
}

// expandAttentionGrad returns the gradient as products:
//
//	ds = scale·p·(dy·vᵀ - Σ p·(dy·vᵀ))
//	dq = ds·k
//	dk = dsᵀ·q
//	dv = pᵀ·dy
func expandAttentionGrad(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	x := attended(n)
	a, err := readAttention(x)
	if err != nil {
		return nil, err
	}
	s, err := a.scored(b, x)
	if err != nil {
		return nil, err
	}
	dy, p := a.join(b, a.heads4(b, n.In[attentionGradDy], a.heads)), a.join(b, s.p)
	dp := b.Op("MatMul", dy, op.SwapLast(b, s.v))
	weighted := b.Op("Mul", p, dp)
	sum := b.Op("ReduceSum", weighted, b.Ints(-1))
	ds := b.Op("Mul", b.Op("Sub", weighted, b.Op("Mul", p, sum)), s.scale)
	dq := a.split(b, b.Op("MatMul", ds, s.k))
	dk := b.Op("MatMul", op.SwapLast(b, ds), a.join(b, s.q))
	dv := b.Op("MatMul", op.SwapLast(b, p), dy)
	return []*ir.Value{a.packs(b, dq), a.packs(b, dk), a.packs(b, dv)}, nil
}

// attentionGradWork counts five matrix products: the scores again, and the gradients of both products.
func attentionGradWork(n *ir.Node) ir.Dim {
	a, err := readAttention(attended(n))
	if err != nil {
		return ir.C(0)
	}
	pairs := a.batch.Mul(a.heads).Mul(a.queries).Mul(a.keys)
	return ir.C(2).Mul(pairs).Mul(ir.C(3).Mul(a.keySize).Add(ir.C(2).Mul(a.valueSize)))
}
