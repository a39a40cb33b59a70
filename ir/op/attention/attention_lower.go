package attention

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// scoreStages are the kernel's constants for qk_matmul_output_mode.
var scoreStages = []op.Const{"ScoresRaw", "ScoresCapped", "ScoresMasked", "ScoresSoftmax"}

func lowerAttention(l *op.Lowering) error {
	a, err := readAttention(l.Node)
	if err != nil {
		return err
	}
	q := l.In[attentionQ]
	k := a.lowerTokens(l, l.Res(1), l.Arg(attentionPastKey), l.In[attentionK], a.tokens, a.keySize)
	v := a.lowerTokens(l, l.Res(2), l.Arg(attentionPastValue), l.In[attentionV], a.tokens, a.valueSize)
	mask, allow := maskOf(l.Node)
	var buf *ir.Value
	if elem := q.Type.Elem; elem != tensor.Float32 {
		buf = l.Scratch(elem, a.queries, a.keys)
	}
	params := a.params(l.Node)
	a.steps(&params, k == l.In[attentionK], v == l.In[attentionV])
	l.Call("Attention", l.Res(0), l.Res(3), op.Struct{Type: "AttnIn", Elems: []tensor.DType{q.Type.Elem}, Fields: []op.Field{
		{Name: "Q", Value: q}, {Name: "K", Value: k}, {Name: "V", Value: v}, {Name: "Mask", Value: mask},
		{Name: "Allow", Value: allow}, {Name: "Valid", Value: l.Arg(attentionNonpadKvSeqlen)},
	}}, buf, params)
	return nil
}

// maskOf returns the mask of a node: numbers that are added, or the keys that it allows.
func maskOf(n *ir.Node) (mask, allow *ir.Value) {
	if m := n.Arg(attentionAttnMask); m != nil && m.Type.Elem == tensor.Bool {
		return nil, m
	}
	return n.Arg(attentionAttnMask), nil
}

// steps says where the kernel finds the heads of queries, and of keys and values unless these have been brought into another form: each
// token holds all of them.
func (a attention) steps(params *op.Struct, keys, values bool) {
	if !a.packed {
		return
	}
	params.Fields = append(params.Fields, op.Field{Name: "QStep", Value: a.heads.Mul(a.keySize)})
	if keys {
		params.Fields = append(params.Fields, op.Field{Name: "KStep", Value: a.kvHeads.Mul(a.keySize)})
	}
	if values {
		params.Fields = append(params.Fields, op.Field{Name: "VStep", Value: a.kvHeads.Mul(a.valueSize)})
	}
}

// lowerTokens converts keys or values to the form [batch, heads, tokens, size], after those of the past if
// there are any. It writes them to dst unless that is nil.
func (a attention) lowerTokens(l *op.Lowering, dst, past, x *ir.Value, tokens, size ir.Dim) *ir.Value {
	if dst == nil && past == nil {
		return x
	}
	if dst == nil {
		dst = l.Scratch(x.Type.Elem, a.batch, a.kvHeads, a.keys, size)
	}
	l.Call("AttentionTokens", dst, past, x, op.Struct{Type: "AttnTokens", Fields: []op.Field{
		{Name: "Batch", Value: a.batch}, {Name: "Heads", Value: a.kvHeads}, {Name: "Past", Value: a.past},
		{Name: "N", Value: tokens}, {Name: "Size", Value: size}, {Name: "Packed", Value: a.packed},
	}})
	return dst
}

// params returns the kernel's parameter.
func (a attention) params(n *ir.Node) op.Struct {
	window := func(name string) int { return min(n.Int(name), 1<<30) }
	fields := []op.Field{
		{Name: "Batch", Value: a.batch}, {Name: "Heads", Value: a.heads}, {Name: "KVHeads", Value: a.kvHeads},
		{Name: "Queries", Value: a.queries}, {Name: "Keys", Value: a.keys},
		{Name: "KeySize", Value: a.keySize}, {Name: "ValueSize", Value: a.valueSize},
		{Name: "Left", Value: window("left_window_size")}, {Name: "Right", Value: window("right_window_size")},
	}
	if n.Arg(attentionPastKey) != nil {
		fields = append(fields, op.Field{Name: "Past", Value: a.past})
	}
	if m := n.Arg(attentionAttnMask); m != nil {
		shape := op.Shape(m)
		for len(shape) < 4 {
			shape = append(ir.Cs(1), shape...)
		}
		fields = append(fields, op.Field{Name: "MaskBatch", Value: shape[0]}, op.Field{Name: "MaskHeads", Value: shape[1]},
			op.Field{Name: "MaskQueries", Value: shape[2]}, op.Field{Name: "MaskKeys", Value: shape[3]})
	}
	if n.Int("is_causal") != 0 {
		fields = append(fields, op.Field{Name: "Causal", Value: true})
	}
	for i, name := range []string{"scale", "softcap"} {
		if v := n.Float(name); v != 0 {
			fields = append(fields, op.Field{Name: []string{"Scale", "Softcap"}[i], Value: v})
		}
	}
	if a.packed {
		fields = append(fields, op.Field{Name: "PackedY", Value: true})
	}
	if n.Res(3) != nil {
		fields = append(fields, op.Field{Name: "Give", Value: scoreStages[n.Int("qk_matmul_output_mode")]})
	}
	return op.Struct{Type: "Attn", Fields: fields}
}

// expandsAttention reports whether the kernel does not compute a node: a scale of 0 is its usual one.
func expandsAttention(n *ir.Node) bool { return mixesTypes(n) || scaleIsZero(n) }

// scaleIsZero reports whether the scale is given, and 0: then all scores are 0 before the masks.
func scaleIsZero(n *ir.Node) bool { return n.Has("scale") && n.Float("scale") == 0 }

// mixesTypes reports whether the values or the mask have another type than the
// queries.
func mixesTypes(n *ir.Node) bool {
	elem, mask := op.Wide(n.In[attentionQ].Type.Elem), n.Arg(attentionAttnMask)
	return op.Wide(n.In[attentionV].Type.Elem) != elem ||
		mask != nil && mask.Type.Elem != tensor.Bool && op.Wide(mask.Type.Elem) != elem
}

// expandAttention casts values and mask to the type in which the queries are computed. If no cast is needed,
// the expansion is for differentiation, or for a scale of 0: [attentionParts].
func expandAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if !mixesTypes(n) {
		return attentionParts(b, n)
	}
	elem := op.Wide(n.In[attentionQ].Type.Elem)
	x := &ir.Node{Op: n.Op, Attrs: n.Attrs, Class: n.Class, Pos: n.Pos, Name: b.Module.FreshName(b.Prefix + "cast")}
	for i, v := range n.In {
		if (i == 2 || i == 3 || i == 5) && v != nil && v.Type.Elem != tensor.Bool {
			v = op.CastTo(b, v, elem)
		}
		x.In = append(x.In, v)
	}
	for _, v := range n.Out {
		if v != nil {
			v = &ir.Value{Name: b.Module.FreshName(b.Prefix + v.Name), Def: x}
		}
		x.Out = append(x.Out, v)
	}
	out := append([]*ir.Value{}, b.Add(x)...)
	for i, v := range out {
		if v != nil {
			out[i] = op.CastTo(b, v, n.Out[i].Type.Elem)
		}
	}
	return out, nil
}
