package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

var (
	msSimplifiedLayerNorm     = microsoft("SimplifiedLayerNormalization", Two, Arity{1, 2}, simplifiedLayerNorm)
	msSkipLayerNorm           = microsoft("SkipLayerNormalization", Arity{3, 5}, Arity{1, 4}, skipLayerNorm)
	msSkipSimplifiedLayerNorm = microsoft("SkipSimplifiedLayerNormalization", Arity{3, 4}, Arity{1, 4}, skipSimplifiedLayerNorm)
	msEmbedLayerNorm          = microsoft("EmbedLayerNormalization", Arity{1, 9}, Arity{1, 3}, embedLayerNorm)
)

func simplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("RMSNormalization", given(n, "axis", "epsilon", "stash_type"), n.In...)
	return []*ir.Value{y, nil}, unread(n, 1)
}

// skipLayerNorm normalizes the sum of two tensors, and of a bias if there is one.
func skipLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[0], n.In[1], n.Arg(4))
	return append(layerNorms(b, n, sum, n.In[2], n.Arg(3)), sum), nil
}

// layerNorms are the three outputs of a LayerNormalization with n's epsilon.
func layerNorms(b *ir.Builder, n *ir.Node, x, scale, shift *ir.Value) []*ir.Value {
	return slices.Clone(b.OpN("LayerNormalization", 3, attr("axis", -1, "epsilon", n.Float("epsilon", 1e-12)), x, scale, shift))
}

func skipSimplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[0], n.In[1], n.Arg(3))
	y := b.OpA("RMSNormalization", attr("axis", -1, "epsilon", n.Float("epsilon", 1e-12)), sum, n.In[2])
	return []*ir.Value{y, nil, nil, sum}, unread(n, 1, 2)
}

// embedLayerNorm normalizes the sum of the embeddings of words, of positions and,
// if there are any, of segments. Its other outputs are how many words of each row
// the mask lets through, and the sum.
func embedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRank(n, 0, 2); err != nil {
		return nil, err
	}
	for _, i := range []int{2, 3, 5, 6} {
		if n.Arg(i) == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
	}
	ids, segments, mask := n.In[0], n.Arg(1), n.Arg(7)
	sum := b.Op("Gather", n.In[2], ids)
	positions := n.Arg(8)
	if positions == nil {
		positions = countFrom(b, b.Ints(0), sizeOf(b, ids, 1))
	}
	sum = b.Op("Add", sum, b.Op("Gather", n.In[3], positions))
	if segments != nil {
		sum = b.Op("Add", sum, b.Op("Gather", n.In[4], segments))
	}
	y := layerNorms(b, n, sum, n.In[5], n.In[6])[0]
	out := []*ir.Value{y, nil, sum}
	if n.Res(1) != nil {
		if mask == nil {
			mask = b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: tensor.Of([]int32{0}, 1)}}, shapeOf(b, ids))
		}
		out[1] = b.OpA("ReduceSum", attr("keepdims", 0), mask, b.Ints(1))
	}
	return out, nil
}

// countFrom is the n integers from first on; both are vectors of one element.
func countFrom(b *ir.Builder, first, n *ir.Value) *ir.Value {
	from := b.Op("Reshape", first, b.Ints()) // the sizes of a file may not say that they are 1
	return b.Op("Range", from, b.Op("Add", from, b.Op("Reshape", n, b.Ints())), b.Const(tensor.Of([]int64{1})))
}
