package pass

import (
	"math"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// attentionRules recognize scaled dot product attention. If a mask excludes all keys of a query, the result
// is zeros, and not that of a division by zero.
var attentionRules = rules{
	":MatMul":  {attention},
	":Reshape": {packedAttention},
}

// trainedAttentionRules are those for graphs that will be differentiated: an attention has no gradient by its mask, or by heads that are
// columns of one product.
var trainedAttentionRules = rules{
	":MatMul":  {trainedAttention},
	":Reshape": {wholeAttention},
}

// heads holds the operands of an attention.
type heads struct {
	q, k, v, mask *ir.Value
	scale         float64
	causal        bool
}

// attention recognizes softmax(scale·q·kᵀ + mask)·v.
func attention(f *fuser, n *ir.Node) *ir.Value {
	h, rank := f.attended(n)
	if h == nil {
		return nil
	}
	return f.attention(h, rank)
}

// trainedAttention is [attention] whose mask needs no gradient.
func trainedAttention(f *fuser, n *ir.Node) *ir.Value {
	h, rank := f.attended(n)
	if h == nil || h.mask != nil && isFloat(h.mask) && !h.mask.IsConst() {
		return nil
	}
	return f.attention(h, rank)
}

// attended reads the attention whose last node is n, of operands of the given rank. It is nil if there is none.
func (f *fuser) attended(n *ir.Node) (h *heads, rank int) {
	rank = len(n.In[op.A].Type.Shape)
	s := f.probabilities(n.In[op.A])
	if s == nil || rank < 2 || rank > 4 || len(n.In[op.B].Type.Shape) != rank || !isFloat(n.In[op.B]) {
		return nil, 0
	}
	if axis := s.Int("axis"); axis != -1 && axis != rank-1 {
		return nil, 0
	}
	h = f.heads(s.In[op.X])
	if h == nil {
		return nil, 0
	}
	h.v = n.In[op.B]
	if !h.valid(rank) {
		return nil, 0
	}
	switch {
	case h.mask == nil:
	case addsNothing(h.mask):
		h.mask = nil
	case isCausal(h.mask):
		h.mask, h.causal = nil, true
	}
	if k, v := f.unrepeated(h.k), f.unrepeated(h.v); k != nil && v != nil && k.Type.Shape[1].Equal(v.Type.Shape[1]) {
		h.k, h.v = k, v
	}
	return h, rank
}

// probabilities returns the softmax that computes v, also if its NaNs are replaced by 0.
func (f *fuser) probabilities(v *ir.Value) *ir.Node {
	if w := f.sole(v, "Where"); w != nil && f.uses[w.In[inElse]] == 2 {
		if nan := f.sole(w.In[inCondition], "IsNaN"); nan != nil && nan.In[op.X] == w.In[inElse] && isConst(w.In[inThen], 0) {
			return f.def(w.In[inElse], "Softmax")
		}
	}
	return f.sole(v, "Softmax")
}

// heads reads the scores scale·q·kᵀ + mask.
func (f *fuser) heads(scores *ir.Value) *heads {
	if d := f.sole(scores, "Add"); d != nil {
		for i, v := range d.In {
			if h := f.dotProducts(v); h != nil {
				h.mask = d.In[1-i]
				return h
			}
		}
		return nil
	}
	if d := f.sole(scores, "Where"); d != nil {
		return f.masked(d)
	}
	return f.dotProducts(scores)
}

// excluded is the largest score that excludes a key: exporters write -∞, the least number of a type, or -10⁹. No score of
// a network comes near it, and the exponential of the difference to any score is 0.
const excluded = -1e9

// masked reads scores that are replaced by a constant where a Where excludes keys. One of its two operands is that
// constant, the other one the scores.
func (f *fuser) masked(d *ir.Node) *heads {
	for _, scores := range []int{inThen, inElse} {
		c, ok := scalar(d.In[inThen+inElse-scores])
		if !ok || c > excluded {
			continue
		}
		h := f.dotProducts(d.In[scores])
		if h != nil {
			h.mask = f.maskOf(d, scores, c)
		}
		return h
	}
	return nil
}

// maskOf returns the mask that a Where applies to its operand scores: it selects these, or else the constant c.
func (f *fuser) maskOf(d *ir.Node, scores int, c float64) *ir.Value {
	selects, like := d.In[inCondition], d.In[scores]
	switch {
	case selects.IsConst():
		x := make([]float64, selects.Const.Len())
		for k, then := range tensor.Data[bool](selects.Const) {
			if then != (scores == inThen) {
				x[k] = c
			}
		}
		return f.constant(selects.Name+"_mask", like, x, selects.Const.Shape...)
	case scores == inThen && math.IsInf(c, -1):
		return selects
	}
	in := slices.Clone(d.In)
	in[scores] = f.constant(f.b.Prefix+"zero", like, []float64{0})
	return f.b.Op("Where", in...)
}

// dotProducts reads scale·q·kᵀ. The operands may be scaled, too.
func (f *fuser) dotProducts(v *ir.Value) *heads {
	c, xs := f.factorsOf(v)
	if len(xs) != 1 {
		return nil
	}
	d := f.sole(xs[0], "MatMul")
	if d == nil {
		return nil
	}
	c1, q := f.factorsOf(d.In[op.A])
	c2, kt := f.factorsOf(d.In[op.B])
	if len(q) != 1 || len(kt) != 1 {
		return nil
	}
	c3, k := f.keys(kt[0], len(d.In[op.A].Type.Shape))
	if k == nil {
		return nil
	}
	h := &heads{q: q[0], k: k, scale: stored(c*c1*c2*c3, q[0])}
	if h.scale == 0 || math.IsNaN(h.scale) || math.IsInf(h.scale, 0) {
		return nil
	}
	return h
}

// keys returns c and k if v, of the given rank, is the transpose of c·k. It is nil otherwise.
func (f *fuser) keys(v *ir.Value, rank int) (c float64, k *ir.Value) {
	t := f.def(v, "Transpose")
	if t == nil || rank < 2 || len(t.In[op.X].Type.Shape) != rank {
		return 0, nil
	}
	c, k = 1, t.In[op.X]
	if f.uses[v] == 1 {
		if c1, ks := f.factorsOf(k); len(ks) == 1 && ir.SameShape(ks[0].Type.Shape, k.Type.Shape) {
			c, k = c1, ks[0]
		}
	}
	perm := permOf(t)
	perm[rank-1], perm[rank-2] = perm[rank-2], perm[rank-1]
	if !slices.IsSorted(perm) {
		k = transpose(f.b, k, perm) // it permutes other axes, too
	}
	return c, k
}

// unrepeated returns the heads [batch, heads, tokens, size] that v repeats: each one for some adjacent heads of the queries, which
// attention does itself. It is nil if v does not.
func (f *fuser) unrepeated(v *ir.Value) *ir.Value {
	d := f.def(f.unshaped(v), "Expand")
	if d == nil || len(v.Type.Shape) != 4 {
		return nil
	}
	from, to := d.In[op.X].Type.Shape, d.Out[0].Type.Shape
	if len(from) != 5 || len(to) != 5 || !from[2].Is(1) {
		return nil
	}
	heads := []ir.Dim{from[0], from[1], from[3], from[4]}
	joined := []ir.Dim{from[0], from[1].Mul(to[2]), from[3], from[4]}
	if !ir.SameShape(v.Type.Shape, joined) {
		return nil
	}
	if x := f.unshaped(d.In[op.X]); ir.SameShape(x.Type.Shape, heads) {
		return x
	}
	return f.reshape(d.In[op.X], heads)
}

// valid reports whether the operands have the shapes that attention requires. A mask must cover all keys, as
// missing ones would be excluded.
func (h *heads) valid(rank int) bool {
	q, k, v := h.q.Type.Shape, h.k.Type.Shape, h.v.Type.Shape
	if len(q) != rank || len(k) != rank || !ir.SameShape(q[:rank-2], k[:rank-2]) || !ir.SameShape(k[:rank-1], v[:rank-1]) || !q[rank-1].Equal(k[rank-1]) {
		return false
	}
	if h.mask == nil {
		return true
	}
	m := h.mask.Type.Shape
	want := append(slices.Clone(q[:rank-1]), k[rank-2])
	if len(m) == 0 || len(m) > rank || !m[len(m)-1].Equal(k[rank-2]) {
		return false
	}
	for i, d := range m {
		if !d.Is(1) && !d.Equal(want[rank-len(m)+i]) {
			return false
		}
	}
	return true
}

// addsNothing reports whether a mask is constant and lets each query see all keys, as exporters write it that know of no padding.
func addsNothing(mask *ir.Value) bool {
	x := numbers(mask)
	return x != nil && !slices.ContainsFunc(x, func(m float64) bool { return m != 0 })
}

// isCausal reports whether a constant mask lets each query see exactly the keys up to its own position.
func isCausal(mask *ir.Value) bool {
	x := numbers(mask)
	shape, _ := mask.Type.Static()
	if x == nil || len(shape) < 2 {
		return false
	}
	rows, cols := shape[len(shape)-2], shape[len(shape)-1]
	if rows != cols || len(x) != rows*cols {
		return false
	}
	for i := range rows {
		for j, m := range x[i*cols : (i+1)*cols] {
			if j <= i && m != 0 || j > i && m > excluded {
				return false
			}
		}
	}
	return true
}

// attention builds an attention of operands of the given rank. Missing axes for batches or heads have size 1.
func (f *fuser) attention(h *heads, rank int) *ir.Value {
	in := []*ir.Value{h.q, h.k, h.v, h.mask}
	var lacks *ir.Value
	switch rank {
	case 2:
		lacks = f.b.Ints(0, 1)
	case 3:
		lacks = f.b.Ints(1)
	}
	for i, v := range in {
		if lacks != nil && v != nil && (i < inMask || len(v.Type.Shape) == 3) {
			in[i] = f.b.Op("Unsqueeze", v, lacks)
		}
	}
	attrs := op.Attrs("scale", h.scale)
	if h.causal {
		attrs.Set("is_causal", int64(1))
	}
	y := f.b.OpA("Attention", attrs, trim(in...)...)
	if lacks != nil {
		y = f.b.Op("Squeeze", y, lacks)
	}
	return y
}

// packedAttention lets an attention split the heads of its operands and join those of its result.
func packedAttention(f *fuser, n *ir.Node) *ir.Value {
	p := f.packed(n)
	if p == nil {
		return nil
	}
	if p.whole { // ONNX's operator splits the heads of whole tensors, but knows no columns
		return f.b.OpA("Attention", p.attrs, p.in...)
	}
	for i, name := range []string{"q_at", "k_at", "v_at"} {
		p.attrs.Set(name, int64(p.first[i]))
	}
	p.attrs.Set("key_size", int64(p.keySize))
	p.attrs.Set("value_size", int64(p.valueSize))
	return f.own(&ir.Node{Op: "FusedAttention", In: p.in, Attrs: p.attrs})
}

// wholeAttention is [packedAttention] for operands that are whole tensors.
func wholeAttention(f *fuser, n *ir.Node) *ir.Value {
	p := f.packed(n)
	if p == nil || !p.whole {
		return nil
	}
	return f.b.OpA("Attention", p.attrs, p.in...)
}

// packed is an attention of operands whose tokens hold all heads.
type packed struct {
	in                 []*ir.Value
	attrs              ir.Attrs
	first              [3]int // the columns at which queries, keys and values begin
	whole              bool   // each is all of its operand
	keySize, valueSize int
}

// packed reads the attention whose result n joins. It is nil if there is none.
func (f *fuser) packed(n *ir.Node) *packed {
	t := f.swapped(n.In[op.X])
	d := f.sole(t, "Attention")
	y := n.Out[0].Type.Shape
	if d == nil || len(d.In) > inMask+1 || len(y) != 3 || d.Has("q_num_heads") {
		return nil
	}
	q, v := d.In[inQueries].Type.Shape, d.In[inValues].Type.Shape
	if !y[0].Equal(q[0]) || !y[1].Equal(q[2]) || !y[2].Equal(q[1].Mul(v[3])) {
		return nil
	}
	sizes, ok := constants(q[1], v[1], q[3], v[3])
	if !ok {
		return nil
	}
	p := &packed{in: slices.Clone(d.In), attrs: slices.Clone(d.Attrs), whole: true, keySize: sizes[2], valueSize: sizes[3]}
	for i := range p.first {
		s := d.In[i].Type.Shape
		if p.in[i], p.first[i] = f.columns(d.In[i]); p.in[i] == nil {
			return nil
		}
		p.whole = p.whole && p.in[i].Type.Shape[2].Equal(s[1].Mul(s[3]))
	}
	p.attrs.Set("q_num_heads", int64(sizes[0]))
	p.attrs.Set("kv_num_heads", int64(sizes[1]))
	return p
}

// constants returns sizes if all of them are known.
func constants(dims ...ir.Dim) (out []int, ok bool) {
	for _, d := range dims {
		n, ok := d.Const()
		if !ok {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

// swapped returns [a, c, b, d] if v is its transpose [a, b, c, d] and is read once.
func (f *fuser) swapped(v *ir.Value) *ir.Value {
	d := f.sole(v, "Transpose")
	if d == nil || !slices.Equal(permOf(d), []int{0, 2, 1, 3}) {
		return nil
	}
	return d.In[op.X]
}
