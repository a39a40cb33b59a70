package attention

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [FlexAttention].
const (
	flexAttentionQ = iota
	flexAttentionK
	flexAttentionV
)

// FlexAttention is scaled dot product attention with scores and probabilities that
// pass through graphs of the model's own.
//
// https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html
var FlexAttention = &op.Op{
	Name:   "FlexAttention",
	Domain: "ai.onnx.preview",
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "prob_mod", Kind: op.Graph},
		{Name: "scale", Kind: op.Float},
		{Name: "score_mod", Kind: op.Graph},
		{Name: "softmax_precision", Kind: op.Int},
	},
	Inputs: []op.Port{
		flexAttentionQ: {Name: "Q", Types: elem.Floats},
		flexAttentionK: {Name: "K", Like: "Q"},
		flexAttentionV: {Name: "V", Like: "Q"},
	},
	Outputs: []op.Port{{Name: "Y", Like: "Q"}},
	Infer:   inferFlexAttention,
	Expand:  expandFlexAttention,
}

func inferFlexAttention(c *op.Infer) error {
	for i := range 3 {
		if _, err := c.FloatRank(i, 4); err != nil {
			return err
		}
		if err := c.LikeInput0(i); err != nil {
			return err
		}
	}
	a, err := readAttention(c.Node)
	if err != nil {
		return err
	}
	if err := c.HasShape(flexAttentionK, a.shape(a.kvHeads, a.tokens, a.keySize)...); err != nil {
		return err
	}
	if err := c.HasShape(flexAttentionV, a.shape(a.kvHeads, a.tokens, a.valueSize)...); err != nil {
		return err
	}
	if err := checkPrecision(c); err != nil {
		return err
	}
	if err := a.groups(); err != nil {
		return err
	}
	scores := ir.TensorOf(flexPrecision(c.Node), a.batch, a.heads, a.queries, a.tokens)
	for _, name := range []string{"score_mod", "prob_mod"} {
		if r := c.Node.Region(name); r != nil {
			if err := inferModifier(c, r, scores); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	c.OutTensor(0, c.Type(flexAttentionQ).Elem, a.shape(a.heads, a.queries, a.valueSize)...)
	return nil
}

// groups returns an error unless the number of heads of queries for each head of keys is known.
func (a attention) groups() error {
	_, h := a.heads.Const()
	_, kv := a.kvHeads.Const()
	if !a.heads.Equal(a.kvHeads) && !(h && kv) {
		return fmt.Errorf("there are %s heads of queries and %s of keys, want known numbers", a.heads, a.kvHeads)
	}
	return nil
}

// inferModifier infers a graph that maps scores to values of the same type.
func inferModifier(c *op.Infer, r *ir.Region, scores ir.Type) error {
	if len(r.Params) != 1 || len(r.Results) != 1 {
		return fmt.Errorf("has %d inputs and %d outputs, want one of each", len(r.Params), len(r.Results))
	}
	r.Params[0].Type = scores
	if err := c.Inner(r); err != nil {
		return err
	}
	got := r.Results[0].Type
	if got.Kind != ir.Tensor || got.Elem != scores.Elem || len(got.Shape) != len(scores.Shape) {
		return fmt.Errorf("gives %s, want %s", got, scores)
	}
	return nil
}

// flexPrecision returns the type that scores and probabilities have.
func flexPrecision(n *ir.Node) tensor.DType {
	return tensor.DType(n.IntOr("softmax_precision", int(op.Wide(n.In[flexAttentionQ].Type.Elem))))
}

// y = prob_mod(softmax(score_mod(scale·q·kᵀ)))·v, where the queries of all heads
// that share a head of keys stand below each other for the products.
func expandFlexAttention(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	a, err := readAttention(n)
	if err != nil {
		return nil, err
	}
	elem := n.In[flexAttentionQ].Type.Elem
	q, k := op.CastTo(b, n.In[flexAttentionQ], op.Wide(elem)), op.CastTo(b, n.In[flexAttentionK], op.Wide(elem))
	scale := b.Scalar(op.Wide(elem), n.Float("scale"))
	if !n.Has("scale") {
		d, ok := a.keySize.Const()
		if !ok {
			return nil, fmt.Errorf("heads have %s elements, want a known number or a scale", a.keySize)
		}
		scale = b.Scalar(op.Wide(elem), 1/math.Sqrt(float64(d)))
	}
	regroup := func(x *ir.Value, heads ir.Dim) *ir.Value {
		if a.heads.Equal(a.kvHeads) {
			return x
		}
		h, _ := heads.Const()
		return b.Op("Reshape", x, b.Ints(0, h, -1, 0))
	}
	k = b.OpA("Transpose", ir.Attrs{{Name: "perm", Value: []int64{0, 1, 3, 2}}}, k)
	s := b.Op("MatMul", regroup(b.Op("Mul", q, scale), a.kvHeads), k)
	s = op.CastTo(b, regroup(s, a.heads), flexPrecision(n))
	s = modify(b, n.Region("score_mod"), s)
	s = b.OpA("Softmax", ir.Attrs{{Name: "axis", Value: int64(-1)}}, s)
	s = modify(b, n.Region("prob_mod"), s)
	y := b.Op("MatMul", regroup(s, a.kvHeads), op.CastTo(b, n.In[flexAttentionV], s.Type.Elem))
	return []*ir.Value{op.CastTo(b, regroup(y, a.heads), elem)}, nil
}

// modify appends the nodes of a modifier, with x as its input.
func modify(b *ir.Builder, r *ir.Region, x *ir.Value) *ir.Value {
	if r == nil {
		return x
	}
	r.ReplaceAll(r.Params[0], x)
	b.Nodes = append(b.Nodes, r.Nodes...)
	return r.Results[0]
}
