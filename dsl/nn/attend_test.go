package nn_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/dsl/nn"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/ir/grad"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The sizes of [crossAttention].
const (
	sequences, queries, keys = 2, 2, 3
	width, heads             = 4, 2
)

// crossAttention attends from the tokens of one input to those of others, which are more.
type crossAttention struct {
	Attention *nn.MultiHeadAttention
}

func (c crossAttention) Body(g *dsl.Graph) {
	q := g.Input("q", dsl.Float32(sequences, queries, width))
	k := g.Input("k", dsl.Float32(sequences, keys, width))
	v := g.Input("v", dsl.Float32(sequences, keys, width))
	g.Output("y", c.Attention.Attend(g, q, k, v))
}

// operands are queries, keys, values, and the parameters in_proj_weight, in_proj_bias, out_proj.weight, out_proj.bias.
type operands [7][]float64

// attention is PyTorch's torch.nn.MultiheadAttention: each of the queries, keys and values is multiplied by its
// part of in_proj_weight; each head returns softmax(q·kᵀ/√head)·v; their results side by side are multiplied by
// out_proj.
func (o operands) attention(causal bool) (y []float64) {
	const head = width / heads
	for s := range sequences {
		project := func(which, tokens int) []float64 {
			x := o[which][s*tokens*width:][:tokens*width]
			return product(x, o[3][which*width*width:][:width*width], o[4][which*width:][:width], tokens, width, width)
		}
		q, k, v := project(0, queries), project(1, keys), project(2, keys)
		all := make([]float64, queries*width)
		for i := range queries {
			for h := 0; h < width; h += head {
				weights, sum := make([]float64, keys), 0.0
				for j := range keys {
					if j <= i || !causal {
						dot := 0.0
						for d := h; d < h+head; d++ {
							dot += q[i*width+d] * k[j*width+d]
						}
						weights[j] = math.Exp(dot / math.Sqrt(head))
					}
					sum += weights[j]
				}
				for j, w := range weights {
					for d := h; d < h+head; d++ {
						all[i*width+d] += w / sum * v[j*width+d]
					}
				}
			}
		}
		y = append(y, product(all, o[5], o[6], queries, width, width)...)
	}
	return y
}

// TestAttend compares attention to other tokens, and its gradients by inputs and parameters, with PyTorch's formula.
func TestAttend(t *testing.T) {
	for _, causal := range []bool{false, true} {
		net := crossAttention{&nn.MultiHeadAttention{Size: width, Heads: heads, Causal: causal, InProjBias: &nn.Parameter{Shape: []int{3 * width}, Init: nn.Normal(0, 1)}}}
		m, err := nn.Record(&net, nn.Options{Seed: 3, Training: true})
		if err != nil {
			t.Fatal(err)
		}
		in := append([]tensor.Value{random(1, sequences, queries, width), random(2, sequences, keys, width), random(3, sequences, keys, width)}, net.freed(t, m)...)
		var o operands
		for i, x := range in {
			o[i] = data(x.(*tensor.Tensor))
		}
		if err := pass.Run(m, []*pass.Pass{pass.Inline, pass.Infer}, nil); err != nil {
			t.Fatal(err)
		}
		dxs := gradients(t, m, m.Main.Body.Params)
		if err := pass.Run(m, []*pass.Pass{pass.Expand, pass.Fold}, nil); err != nil {
			t.Fatal(err)
		}
		out, err := eval.Run(m.Main, in)
		if err != nil {
			t.Fatal(err)
		}
		near(t, out[0].(*tensor.Tensor), o.attention(causal))
		for i := range dxs {
			alike(t, data(out[1+i].(*tensor.Tensor)), o.differences(i, causal))
		}
	}
}

// freed makes the parameters of a graph inputs of it, behind the others, and returns their values.
func (c crossAttention) freed(t *testing.T, m *ir.Module) (values []tensor.Value) {
	byName := map[string]*ir.Value{}
	for _, v := range m.Main.Consts() {
		byName[v.Name] = v
	}
	for _, name := range []string{"in_proj_weight", "in_proj_bias", "out_proj.weight", "out_proj.bias"} {
		v := byName["attention."+name]
		if v == nil {
			t.Fatalf("there is no attention.%s among %q", name, slices.Collect(maps.Keys(byName)))
		}
		values = append(values, v.Const)
		m.Main.Body.Params, v.Const = append(m.Main.Body.Params, v), nil
	}
	return values
}

// gradients adds the derivatives of Σ sin(y) to the results of a graph with the result y.
func gradients(t *testing.T, m *ir.Module, xs []*ir.Value) []*ir.Value {
	t.Helper()
	body := m.Main.Body
	b := &ir.Builder{Module: m, Infer: op.Inferrer{}, Prefix: "loss/"}
	loss := b.OpA("ReduceSum", ir.Attrs{{Name: "keepdims", Value: int64(0)}}, b.Op("Sin", body.Results[0]))
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	body.Nodes = append(body.Nodes, b.Nodes...)
	dxs, err := grad.Gradients(m, body, loss, xs)
	if err != nil {
		t.Fatal(err)
	}
	body.Results = append(body.Results, dxs...)
	return dxs
}

// differences returns the derivative of Σ sin(y) by operand i, by central differences.
func (o operands) differences(i int, causal bool) []float64 {
	const h = 1e-4
	out := make([]float64, len(o[i]))
	for k, x := range o[i] {
		for _, d := range []float64{h, -h} {
			o[i][k] = x + d
			for _, y := range o.attention(causal) {
				out[k] += math.Sin(y) / (2 * d)
			}
		}
		o[i][k] = x
	}
	return out
}

// alike checks gradients: float32 loses digits where large terms cancel.
func alike(t *testing.T, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d elements, want %d", len(got), len(want))
	}
	largest := slices.MaxFunc(want, func(a, b float64) int { return int(math.Copysign(1, math.Abs(a)-math.Abs(b))) })
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= 1e-4*(0.1+math.Abs(largest))) {
			t.Fatalf("element %d of the gradient is %v, want %v", i, got[i], want[i])
		}
	}
}
