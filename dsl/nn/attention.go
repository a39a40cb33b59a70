package nn

import "github.com/bbgen/bbgen/dsl"

// MultiHeadAttention is attention between tokens, in Heads heads of Size/Heads numbers each. Its values have
// the axes batch, tokens and Size.
//
// Vaswani et al., Attention Is All You Need, https://arxiv.org/abs/1706.03762
type MultiHeadAttention struct {
	Size, Heads int
	Causal      bool // no token sees later ones

	InProjWeight *Parameter // [3·Size, Size]: queries, keys, values
	InProjBias   *Parameter // [3·Size]
	OutProj      *Linear
}

func (m *MultiHeadAttention) build() {
	if m.InProjWeight == nil {
		m.InProjWeight = &Parameter{Shape: []int{3 * m.Size, m.Size}, Init: XavierUniform(1)}
	}
	if m.InProjBias == nil {
		m.InProjBias = &Parameter{Shape: []int{3 * m.Size}, Init: Zeros()}
	}
	if m.OutProj == nil {
		m.OutProj = &Linear{In: m.Size, Out: m.Size, Bias: &Parameter{Shape: []int{m.Size}, Init: Zeros()}}
	}
}

// Forward returns the self-attention of x.
func (m *MultiHeadAttention) Forward(g *dsl.Graph, x dsl.Value) dsl.Value {
	if !m.accepts(g, x) {
		return x
	}
	all := g.Add(g.MatMul(x, g.Transpose(m.InProjWeight.Value(g), 1, 0)), m.InProjBias.Value(g))
	p := g.Split(all, 2, m.Size, m.Size, m.Size)
	return m.attend(g, p[0], p[1], p[2])
}

// Attend returns the attention of queries to keys and values.
func (m *MultiHeadAttention) Attend(g *dsl.Graph, queries, keys, values dsl.Value) dsl.Value {
	in := []dsl.Value{queries, keys, values}
	for _, x := range in {
		if !m.accepts(g, x) {
			return x
		}
	}
	w := g.Split(m.InProjWeight.Value(g), 0, m.Size, m.Size, m.Size)
	b := g.Split(m.InProjBias.Value(g), 0, m.Size, m.Size, m.Size)
	for i, x := range in {
		in[i] = g.Add(g.MatMul(x, g.Transpose(w[i], 1, 0)), b[i])
	}
	return m.attend(g, in[0], in[1], in[2])
}

func (m *MultiHeadAttention) accepts(g *dsl.Graph, x dsl.Value) bool {
	if m.Heads < 1 || m.Size%m.Heads != 0 {
		g.Fail("MultiHeadAttention: Size is %d and Heads is %d, want heads of one size", m.Size, m.Heads)
		return false
	}
	return rank(g, "MultiHeadAttention", x, 3) && size(g, "MultiHeadAttention", "Size", x, 2, m.Size)
}

func (m *MultiHeadAttention) attend(g *dsl.Graph, q, k, v dsl.Value) dsl.Value {
	a := dsl.Attrs{"q_num_heads": m.Heads, "kv_num_heads": m.Heads, "is_causal": m.Causal}
	return m.OutProj.Forward(g.Within("out_proj"), g.Op("Attention", a, q, k, v))
}
