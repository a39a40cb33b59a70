package op

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
)

// LinearAttention attends through a recurrent state instead of all pairs of
// tokens.
//
// https://onnx.ai/onnx/operators/onnx__LinearAttention.html
var LinearAttention = &Op{
	Name:  "LinearAttention",
	Since: []int{27},
	Attrs: []Attr{
		{Name: "chunk_size", Kind: Int, Default: 64},
		{Name: "kv_num_heads", Kind: Int, Required: true},
		{Name: "q_num_heads", Kind: Int, Required: true},
		{Name: "scale", Kind: Float, Default: 0.0},
		{Name: "update_rule", Kind: String, Default: "gated_delta", Values: []string{"linear", "gated", "delta", "gated_delta"}},
	},
	Inputs: []Port{
		{Name: "query", Types: floats},
		{Name: "key", Like: "query"},
		{Name: "value", Like: "query"},
		{Name: "past_state", Types: floats, Optional: true},
		{Name: "decay", Like: "query", Optional: true},
		{Name: "beta", Like: "query", Optional: true},
	},
	Outputs: []Port{{Name: "output", Like: "query"}, {Name: "present_state", Like: "past_state", Optional: true}},
	Infer:   inferLinearAttention,
	Lower:   lowerLinearAttention,
	Widen:   true,

	Expand:  linearAttentionParts,
	Expands: never,
}

// linearAttention is the sizes of a node.
type linearAttention struct {
	batch, seq, keySize, valueSize ir.Dim
	heads, kvHeads                 int
}

func readLinearAttention(n *ir.Node) (a linearAttention, err error) {
	for _, v := range n.In[:3] {
		if len(Shape(v)) != 3 {
			return a, fmt.Errorf("input %q has rank %d, want 3", v.Name, len(Shape(v)))
		}
	}
	a.heads, a.kvHeads = n.Int("q_num_heads"), n.Int("kv_num_heads")
	if a.heads < 1 || a.kvHeads < 1 || a.heads%a.kvHeads != 0 {
		return a, fmt.Errorf("q_num_heads is %d and kv_num_heads %d, want a multiple", a.heads, a.kvHeads)
	}
	q, v := Shape(n.In[0]), Shape(n.In[2])
	a.batch, a.seq = q[0], q[1]
	a.keySize, a.valueSize = q[2].Div(ir.C(a.heads)), v[2].Div(ir.C(a.kvHeads))
	return a, nil
}

func (a linearAttention) state() []ir.Dim {
	return []ir.Dim{a.batch, ir.C(a.kvHeads), a.keySize, a.valueSize}
}

func inferLinearAttention(c *Infer) error {
	q, err := floatRank(c, 0, 3)
	if err != nil {
		return err
	}
	for i := 1; i < 3; i++ {
		if _, err := floatRank(c, i, 3); err != nil {
			return err
		}
		if err := likeInput0(c, i); err != nil {
			return err
		}
	}
	a, err := readLinearAttention(c.Node)
	if err != nil {
		return err
	}
	kv := ir.C(a.kvHeads)
	if err := hasShape(c, 0, a.batch, a.seq, a.keySize.Mul(ir.C(a.heads))); err != nil {
		return err
	}
	if err := hasShape(c, 1, a.batch, a.seq, a.keySize.Mul(kv)); err != nil {
		return err
	}
	if err := hasShape(c, 2, a.batch, a.seq, a.valueSize.Mul(kv)); err != nil {
		return err
	}
	if err := checkLinearRule(c, a); err != nil {
		return err
	}
	state := q.Elem
	if c.Arg(3) != nil {
		past, err := floatInput(c, 3)
		if err != nil {
			return err
		}
		if err := hasShape(c, 3, a.state()...); err != nil {
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

// checkLinearRule looks at the gates, which the update rule wants or forbids.
func checkLinearRule(c *Infer, a linearAttention) error {
	rule := c.Str("update_rule")
	has := map[string][2]bool{"linear": {}, "gated": {true, false}, "delta": {false, true}, "gated_delta": {true, true}}[rule]
	kv := ir.C(a.kvHeads)
	sizes := [2][2]ir.Dim{{kv, kv.Mul(a.keySize)}, {kv, ir.C(1)}}
	for i, name := range []string{"decay", "beta"} {
		v := c.Arg(4 + i)
		if (v != nil) != has[i] {
			return fmt.Errorf("update_rule is %q, and %s is there: %t", rule, name, v != nil)
		}
		if v == nil {
			continue
		}
		t, err := floatRank(c, 4+i, 3)
		if err != nil {
			return err
		}
		last := t.Shape[2]
		if err := hasShape(c, 4+i, a.batch, a.seq, last); err != nil {
			return err
		}
		if !mayBe(last, sizes[i][0]) && !mayBe(last, sizes[i][1]) {
			return fmt.Errorf("%s has shape %v, want %s or %s at the end", name, t.Shape, sizes[i][0], sizes[i][1])
		}
		if err := likeInput0(c, 4+i); err != nil {
			return err
		}
	}
	return nil
}

func lowerLinearAttention(l *Lowering) error {
	a, err := readLinearAttention(l.Node)
	if err != nil {
		return err
	}
	elem := l.In[0].Type.Elem
	fields := []Field{
		{"Batch", a.batch}, {"Seq", a.seq}, {"Heads", a.heads}, {"KVHeads", a.kvHeads},
		{"KeySize", a.keySize}, {"ValueSize", a.valueSize},
	}
	for i, name := range []string{"DecaySize", "BetaSize"} {
		if v := l.Arg(4 + i); v != nil {
			fields = append(fields, Field{name, Shape(v)[2]})
		}
	}
	if s := l.Float("scale"); s != 0 {
		fields = append(fields, Field{"Scale", s})
	}
	y := outOr(l, 0, ir.TensorOf(elem, a.batch, a.seq, a.valueSize.Mul(ir.C(a.heads))))
	l.Call("LinearAttention", y, outOr(l, 1, ir.TensorOf(elem, a.state()...)), l.In[0], l.In[1], l.In[2],
		l.Arg(3), l.Arg(4), l.Arg(5), l.Scratch(elem, a.valueSize), Struct{"LinearAttn", fields})
	return nil
}
