package attention

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// attentionParts returns an Attention as products and a softmax:
//
//	y = softmax(softcap(scale·q·kᵀ) + mask)·v
//
// For the products, the queries of all heads that share a head of keys are concatenated.
func attentionParts(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	a, err := readAttention(n)
	if err != nil {
		return nil, err
	}
	s, err := a.scored(b, n)
	if err != nil {
		return nil, err
	}
	y := a.packs(b, a.split(b, b.Op("MatMul", a.join(b, s.p), s.v)))
	stages := []*ir.Value{s.raw, s.capped, s.masked, s.p}
	return []*ir.Value{y, s.k, s.v, stages[n.Int("qk_matmul_output_mode")]}[:len(n.Out)], nil
}

// scored is the operands of an attention, [batch, heads, tokens, size], and its scores up to the probabilities p.
type scored struct {
	q, k, v, scale         *ir.Value
	raw, capped, masked, p *ir.Value
}

func (a attention) scored(b *ir.Builder, n *ir.Node) (s scored, err error) {
	if err := a.groups(); err != nil {
		return s, err
	}
	s.q = a.heads4(b, n.In[attentionQ], a.heads)
	s.k, s.v = a.heads4(b, n.In[attentionK], a.kvHeads), a.heads4(b, n.In[attentionV], a.kvHeads)
	if past := n.Arg(attentionPastKey); past != nil {
		s.k = b.OpA("Concat", op.Attrs("axis", 2), past, s.k)
		s.v = b.OpA("Concat", op.Attrs("axis", 2), n.In[attentionPastValue], s.v)
	}
	if s.scale, err = a.scale(b, n, s.q); err != nil {
		return s, err
	}
	s.raw = a.split(b, b.Op("MatMul", a.join(b, b.Op("Mul", s.q, s.scale)), op.SwapLast(b, s.k)))
	s.capped = s.raw
	if c := n.Float("softcap"); c > 0 {
		bound := op.ScalarLike(b, s.raw, c)
		s.capped = b.Op("Mul", b.Op("Tanh", b.Op("Div", s.raw, bound)), bound)
	}
	var allow *ir.Value
	s.masked, allow = a.masked(b, n, s.capped)
	s.p = b.OpA("Softmax", op.Attrs("axis", -1), s.masked)
	if allow != nil { // a query with all keys excluded gives zeros
		s.p = op.ZeroUnless(b, allow, s.p)
	}
	return s, nil
}

// packs returns x, [batch, heads, tokens, size], in the layout of the node.
func (a attention) packs(b *ir.Builder, x *ir.Value) *ir.Value {
	if !a.packed {
		return x
	}
	return b.Op("Reshape", b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), x), b.Ints(0, 0, -1))
}

// heads4 returns x as [batch, heads, tokens, size].
func (a attention) heads4(b *ir.Builder, x *ir.Value, heads ir.Dim) *ir.Value {
	if !a.packed {
		return x
	}
	h, _ := heads.Const() // an attribute of the node
	return b.OpA("Transpose", op.Attrs("perm", []int{0, 2, 1, 3}), b.Op("Reshape", x, b.Ints(0, 0, h, -1)))
}

// join puts the queries that share a head of keys below each other, split undoes
// it.
func (a attention) join(b *ir.Builder, x *ir.Value) *ir.Value { return a.regroup(b, x, a.kvHeads) }

func (a attention) split(b *ir.Builder, x *ir.Value) *ir.Value { return a.regroup(b, x, a.heads) }

func (a attention) regroup(b *ir.Builder, x *ir.Value, heads ir.Dim) *ir.Value {
	if a.heads.Equal(a.kvHeads) {
		return x
	}
	h, _ := heads.Const() // see groups
	return b.Op("Reshape", x, b.Ints(0, h, -1, 0))
}

func (a attention) scale(b *ir.Builder, n *ir.Node, q *ir.Value) (*ir.Value, error) {
	if n.Has("scale") {
		return op.ScalarLike(b, q, n.Float("scale")), nil
	}
	d, ok := a.keySize.Const()
	if !ok || d == 0 {
		return nil, fmt.Errorf("heads have %s elements, want a known number or a scale", a.keySize)
	}
	return op.ScalarLike(b, q, 1/math.Sqrt(float64(d))), nil
}

// masked returns the scores with the mask, and the keys that each query may see; nil means all.
func (a attention) masked(b *ir.Builder, n *ir.Node, s *ir.Value) (masked, allow *ir.Value) {
	allow = a.visible(b, n, s)
	also := func(v *ir.Value) {
		if allow != nil {
			v = b.Op("And", allow, v)
		}
		allow = v
	}
	if mask := n.Arg(attentionAttnMask); mask != nil {
		short := a.keys.Sub(op.Shape(mask)[len(op.Shape(mask))-1])
		rest := []*ir.Value{b.Ints(0, 0), nil, b.Ints(-1)}
		if k, ok := short.Const(); ok {
			rest[0] = b.Ints(0, k)
		}
		if mask.Type.Elem == tensor.Bool {
			if !short.Is(0) {
				mask = b.Op("Pad", mask, rest[0], rest[1], rest[2])
			}
			also(mask)
		} else {
			none := op.ScalarLike(b, s, math.Inf(-1))
			if !short.Is(0) {
				mask = b.Op("Pad", mask, rest[0], none, rest[2])
			}
			seen := b.Op("Not", b.Op("Equal", mask, none))
			s = b.Op("Add", s, b.Op("Where", seen, mask, op.ScalarLike(b, s, 0)))
			also(seen)
		}
	}
	if allow != nil {
		s = b.Op("Where", allow, s, op.ScalarLike(b, s, hidden))
	}
	return s, allow
}

// hidden is the score of an excluded key: so low that its probability is 0 next to any other, and finite so
// that a query with all keys excluded has probabilities.
const hidden = -1e30

// visible returns which keys each query may see by its place, nil for all.
func (a attention) visible(b *ir.Builder, n *ir.Node, s *ir.Value) (allow *ir.Value) {
	left, right := n.Int("left_window_size"), n.Int("right_window_size")
	if n.Int("is_causal") != 0 && (right < 0 || right > 0) {
		right = 0
	}
	valid := n.Arg(attentionNonpadKvSeqlen)
	if left < 0 && right < 0 && valid == nil {
		return nil
	}
	count := func(axis int) *ir.Value {
		size := b.Op("Squeeze", b.OpA("Shape", op.Attrs("start", axis, "end", axis+1), s), b.Ints(0))
		return b.Op("Range", b.Const(tensor.Of([]int64{0})), size, b.Const(tensor.Of([]int64{1})))
	}
	key := count(3)
	at := b.Op("Unsqueeze", count(2), b.Ints(1))
	and := func(v *ir.Value) {
		if allow != nil {
			v = b.Op("And", allow, v)
		}
		allow = v
	}
	switch {
	case valid != nil:
		valid = b.Op("Unsqueeze", valid, b.Ints(1, 2, 3))
		and(b.Op("Less", key, valid))
		at = b.Op("Add", at, b.Op("Sub", valid, b.OpA("Shape", op.Attrs("start", 2, "end", 3), s)))
	case n.Arg(attentionPastKey) != nil:
		at = b.Op("Add", at, b.OpA("Shape", op.Attrs("start", 2, "end", 3), n.In[attentionPastKey]))
	}
	if right >= 0 {
		and(b.Op("LessOrEqual", key, b.Op("Add", at, b.Ints(min(right, 1<<30)))))
	}
	if left >= 0 {
		and(b.Op("GreaterOrEqual", key, b.Op("Sub", at, b.Ints(min(left, 1<<30)))))
	}
	return allow
}
