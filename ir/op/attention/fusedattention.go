package attention

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [FusedAttention].
const (
	fusedAttentionQ = iota
	fusedAttentionK
	fusedAttentionV
	fusedAttentionMask
)

// FusedAttention is [Attention] with queries, keys and values that are columns of [batch, tokens, width],
// starting at q_at, k_at and v_at, with consecutive heads of key_size or value_size. All three may be parts
// of one product.
var FusedAttention = &op.Op{
	Name:   "FusedAttention",
	Domain: op.Own,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "is_causal", Kind: op.Int, Default: 0},
		{Name: "k_at", Kind: op.Int, Default: 0},
		{Name: "key_size", Kind: op.Int, Default: 0},
		{Name: "kv_num_heads", Kind: op.Int, Default: 0},
		{Name: "left_window_size", Kind: op.Int, Default: -1},
		{Name: "q_at", Kind: op.Int, Default: 0},
		{Name: "q_num_heads", Kind: op.Int, Default: 0},
		{Name: "right_window_size", Kind: op.Int, Default: -1},
		{Name: "scale", Kind: op.Float, Default: 0.0},
		{Name: "softcap", Kind: op.Float, Default: 0.0},
		{Name: "v_at", Kind: op.Int, Default: 0},
		{Name: "value_size", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		fusedAttentionQ:    {Name: "Q", Types: elem.Floats},
		fusedAttentionK:    {Name: "K", Like: "Q"},
		fusedAttentionV:    {Name: "V", Like: "Q"},
		fusedAttentionMask: {Name: "mask", Like: "Q", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "Q"}},
	Infer:   inferFusedAttention,
	Lower:   lowerFusedAttention,
	Stops:   op.StopAfterGradients,
	FLOPs:   fusedAttentionWork,
}

// readFusedAttention returns the sizes of a node, and where its operands begin.
func readFusedAttention(n *ir.Node) (a attention, at [3]int, err error) {
	heads, kv := n.Int("q_num_heads"), n.Int("kv_num_heads")
	key, value := n.Int("key_size"), n.Int("value_size")
	if heads < 1 || kv < 1 || heads%kv != 0 || key < 1 || value < 1 {
		return a, at, fmt.Errorf("%d heads of %d and %d of %d are no attention", heads, key, kv, value)
	}
	columns := [3]int{heads * key, kv * key, kv * value}
	for i, name := range []string{"q_at", "k_at", "v_at"} {
		s := op.Shape(n.In[i])
		if len(s) != 3 {
			return a, at, fmt.Errorf("input %q has rank %d, want 3", n.In[i].Name, len(s))
		}
		width, ok := s[2].Const()
		if at[i] = n.Int(name); !ok || at[i] < 0 || at[i]+columns[i] > width {
			return a, at, fmt.Errorf("input %q is %s, want %d columns from %d on", n.In[i].Name, n.In[i].Type, columns[i], at[i])
		}
	}
	q, k := op.Shape(n.In[fusedAttentionQ]), op.Shape(n.In[fusedAttentionK])
	a = attention{
		batch: q[0], heads: ir.C(heads), kvHeads: ir.C(kv), queries: q[1], tokens: k[1], keys: k[1],
		keySize: ir.C(key), valueSize: ir.C(value), packed: true,
	}
	return a, at, nil
}

func inferFusedAttention(c *op.Infer) error {
	for i := range 3 {
		if t, err := c.Tensor(i); err != nil || t.Elem != tensor.Float32 {
			return fmt.Errorf("input %d is no float32", i)
		}
	}
	a, _, err := readFusedAttention(c.Node)
	if err != nil {
		return err
	}
	if k, v := op.Shape(c.In[fusedAttentionK]), op.Shape(c.In[fusedAttentionV]); !k[0].Equal(a.batch) || !ir.SameShape(k[:2], v[:2]) {
		return fmt.Errorf("keys are %s and values %s, want as many tokens in %s samples", c.In[fusedAttentionK].Type, c.In[fusedAttentionV].Type, a.batch)
	}
	if c.Arg(fusedAttentionMask) != nil {
		m, err := c.Tensor(fusedAttentionMask)
		if err != nil {
			return err
		}
		if err := checkMask(m, a); err != nil {
			return fmt.Errorf("input %q: %w", c.In[fusedAttentionMask].Name, err)
		}
		if m.Elem != tensor.Float32 && m.Elem != tensor.Bool {
			return fmt.Errorf("input %q is %s, want float32 or bool", c.In[fusedAttentionMask].Name, m.Elem)
		}
	}
	c.OutTensor(0, tensor.Float32, a.shape(a.heads, a.queries, a.valueSize)...)
	return nil
}

func lowerFusedAttention(l *op.Lowering) error {
	a, at, err := readFusedAttention(l.Node)
	if err != nil {
		return err
	}
	params := a.params(l.Node)
	for i, name := range []string{"Q", "K", "V"} {
		params.Fields = append(params.Fields, op.Field{Name: name + "Step", Value: op.Shape(l.In[i])[2]})
		if at[i] > 0 {
			params.Fields = append(params.Fields, op.Field{Name: name + "At", Value: at[i]})
		}
	}
	mask, allow := l.Arg(fusedAttentionMask), (*ir.Value)(nil)
	if mask != nil && mask.Type.Elem == tensor.Bool {
		mask, allow = nil, mask
	}
	l.Call("Attention", l.Out[0], nil, op.Struct{Type: "AttnIn", Elems: []tensor.DType{tensor.Float32}, Fields: []op.Field{
		{Name: "Q", Value: l.In[fusedAttentionQ]}, {Name: "K", Value: l.In[fusedAttentionK]},
		{Name: "V", Value: l.In[fusedAttentionV]}, {Name: "Mask", Value: mask}, {Name: "Allow", Value: allow},
	}}, nil, params)
	return nil
}

func fusedAttentionWork(n *ir.Node) ir.Dim {
	a, _, err := readFusedAttention(n)
	if err != nil {
		return ir.C(0)
	}
	return a.work()
}
