package attention

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [LinearAttention].
const (
	linearQuery = iota
	linearKey
	linearValue
	linearPastState
	linearDecay
	linearBeta
)

// LinearAttention attends through a recurrent state instead of all pairs of
// tokens.
//
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
var LinearAttention = &op.Op{
	Name:  "LinearAttention",
	Since: []int{27},
	Attrs: []op.Attr{
		{Name: "chunk_size", Kind: op.Int, Default: 64},
		{Name: "kv_num_heads", Kind: op.Int, Required: true},
		{Name: "q_num_heads", Kind: op.Int, Required: true},
		{Name: "scale", Kind: op.Float, Default: 0.0},
		{Name: "update_rule", Kind: op.String, Default: "gated_delta", Values: []string{"linear", "gated", "delta", "gated_delta"}},
	},
	Inputs: []op.Port{
		linearQuery:     {Name: "query", Types: elem.Floats},
		linearKey:       {Name: "key", Like: "query"},
		linearValue:     {Name: "value", Like: "query"},
		linearPastState: {Name: "past_state", Types: elem.Floats, Optional: true},
		linearDecay:     {Name: "decay", Like: "query", Optional: true},
		linearBeta:      {Name: "beta", Like: "query", Optional: true},
	},
	Outputs: []op.Port{{Name: "output", Like: "query"}, {Name: "present_state", Like: "past_state", Optional: true}},
	Infer:   inferLinearAttention,
	Lower:   lowerLinearAttention,
	Widen:   true,

	Expand:  linearAttentionParts,
	Expands: op.Never,
}

// linearAttention is the sizes of a node.
type linearAttention struct {
	batch, seq, keySize, valueSize ir.Dim
	heads, kvHeads                 int
}

func readLinearAttention(n *ir.Node) (a linearAttention, err error) {
	for _, v := range n.In[:3] {
		if len(op.Shape(v)) != 3 {
			return a, fmt.Errorf("input %q has rank %d, want 3", v.Name, len(op.Shape(v)))
		}
	}
	a.heads, a.kvHeads = n.Int("q_num_heads"), n.Int("kv_num_heads")
	if a.heads < 1 || a.kvHeads < 1 || a.heads%a.kvHeads != 0 {
		return a, fmt.Errorf("q_num_heads is %d and kv_num_heads %d, want a multiple", a.heads, a.kvHeads)
	}
	q, v := op.Shape(n.In[linearQuery]), op.Shape(n.In[linearValue])
	a.batch, a.seq = q[0], q[1]
	a.keySize, a.valueSize = q[2].Div(ir.C(a.heads)), v[2].Div(ir.C(a.kvHeads))
	return a, nil
}

func (a linearAttention) state() []ir.Dim {
	return []ir.Dim{a.batch, ir.C(a.kvHeads), a.keySize, a.valueSize}
}

func inferLinearAttention(c *op.Infer) error {
	q, err := c.FloatRank(linearQuery, 3)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if _, err := c.FloatRank(i, 3); err != nil {
			return err
		}
		if err := c.LikeInput0(i); err != nil {
			return err
		}
	}
	a, err := readLinearAttention(c.Node)
	if err != nil {
		return err
	}
	kv := ir.C(a.kvHeads)
	if err := c.HasShape(linearQuery, a.batch, a.seq, a.keySize.Mul(ir.C(a.heads))); err != nil {
		return err
	}
	if err := c.HasShape(linearKey, a.batch, a.seq, a.keySize.Mul(kv)); err != nil {
		return err
	}
	if err := c.HasShape(linearValue, a.batch, a.seq, a.valueSize.Mul(kv)); err != nil {
		return err
	}
	if err := checkLinearRule(c, a); err != nil {
		return err
	}
	state := q.Elem
	if c.Arg(linearPastState) != nil {
		past, err := c.FloatTensor(linearPastState)
		if err != nil {
			return err
		}
		if err := c.HasShape(linearPastState, a.state()...); err != nil {
			return err
		}
		state = past.Elem
	}
	if !state.IsSmallFloat() && !q.Elem.IsSmallFloat() && state != q.Elem {
		return fmt.Errorf("the state is %s, want %s", state, q.Elem)
	}
	c.OutTensor(0, q.Elem, a.batch, a.seq, a.valueSize.Mul(ir.C(a.heads)))
	c.OutTensor(1, state, a.state()...)
	return nil
}

// checkLinearRule checks the gates, which the update rule requires or forbids.
func checkLinearRule(c *op.Infer, a linearAttention) error {
	rule := c.Str("update_rule")
	has := map[string][2]bool{"linear": {}, "gated": {true, false}, "delta": {false, true}, "gated_delta": {true, true}}[rule]
	kv := ir.C(a.kvHeads)
	sizes := [2][2]ir.Dim{{kv, kv.Mul(a.keySize)}, {kv, ir.C(1)}}
	for i, name := range []string{"decay", "beta"} {
		v := c.Arg(linearDecay + i)
		if (v != nil) != has[i] {
			return fmt.Errorf("update_rule is %q, and %s is there: %t", rule, name, v != nil)
		}
		if v == nil {
			continue
		}
		t, err := c.FloatRank(linearDecay+i, 3)
		if err != nil {
			return err
		}
		last := t.Shape[2]
		if err := c.HasShape(linearDecay+i, a.batch, a.seq, last); err != nil {
			return err
		}
		if !op.MayEqual(last, sizes[i][0]) && !op.MayEqual(last, sizes[i][1]) {
			return fmt.Errorf("%s has shape %v, want %s or %s at the end", name, t.Shape, sizes[i][0], sizes[i][1])
		}
		if err := c.LikeInput0(linearDecay + i); err != nil {
			return err
		}
	}
	return nil
}

func lowerLinearAttention(l *op.Lowering) error {
	a, err := readLinearAttention(l.Node)
	if err != nil {
		return err
	}
	elem := l.In[linearQuery].Type.Elem
	fields := []op.Field{
		{Name: "Batch", Value: a.batch}, {Name: "Seq", Value: a.seq}, {Name: "Heads", Value: a.heads}, {Name: "KVHeads", Value: a.kvHeads},
		{Name: "KeySize", Value: a.keySize}, {Name: "ValueSize", Value: a.valueSize},
	}
	for i, name := range []string{"DecaySize", "BetaSize"} {
		if v := l.Arg(linearDecay + i); v != nil {
			fields = append(fields, op.Field{Name: name, Value: op.Shape(v)[2]})
		}
	}
	if s := l.Float("scale"); s != 0 {
		fields = append(fields, op.Field{Name: "Scale", Value: s})
	}
	y := l.OutOr(0, ir.TensorOf(elem, a.batch, a.seq, a.valueSize.Mul(ir.C(a.heads))))
	l.Call("LinearAttention", y, l.OutOr(1, ir.TensorOf(elem, a.state()...)), op.Struct{Type: "LinearAttnIn", Elems: []tensor.DType{elem}, Fields: []op.Field{
		{Name: "Q", Value: l.In[linearQuery]}, {Name: "K", Value: l.In[linearKey]}, {Name: "V", Value: l.In[linearValue]},
		{Name: "Past", Value: l.Arg(linearPastState)}, {Name: "Decay", Value: l.Arg(linearDecay)},
		{Name: "Beta", Value: l.Arg(linearBeta)},
	}}, l.Scratch(elem, a.valueSize), op.Struct{Type: "LinearAttn", Fields: fields})
	return nil
}
