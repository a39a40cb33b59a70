package contrib

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// The inputs of [EmbedLayerNormalization].
const (
	embedNormInputIds = iota
	embedNormSegmentIds
	embedNormWordEmbedding
	embedNormPositionEmbedding
	embedNormSegmentEmbedding
	embedNormGamma
	embedNormBeta
	embedNormMask
	embedNormPositionIds
)

// The inputs of [SkipLayerNormalization].
const (
	skipNormInput = iota
	skipNormSkip
	skipNormGamma
	skipNormBeta
	skipNormBias
)

// The inputs of [SkipSimplifiedLayerNormalization].
const (
	skipRMSInput = iota
	skipRMSSkip
	skipRMSGamma
	skipRMSBias
)

// Normalizations of sums and of embeddings.
var (
	SimplifiedLayerNormalization = &op.Op{
		Name:   "SimplifiedLayerNormalization",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "axis", Kind: op.Int, Default: -1},
			{Name: "epsilon", Kind: op.Float, Default: 1e-5},
			{Name: "stash_type", Kind: op.Int, Default: 1},
		},
		Inputs:  []op.Port{{Name: "X", Types: elem.Floats}, {Name: "scale", Types: elem.Floats}},
		Outputs: []op.Port{{Name: "Y", Types: elem.Floats}, {Name: "inv_std_var", Types: elem.Floats, Optional: true}},
		Expand:  simplifiedLayerNorm,
	}
	SkipLayerNormalization = &op.Op{
		Name:   "SkipLayerNormalization",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "epsilon", Kind: op.Float, Default: 1e-12}},
		Inputs: []op.Port{
			skipNormInput: {Name: "input", Types: elem.Floats},
			skipNormSkip:  {Name: "skip", Like: "input"},
			skipNormGamma: {Name: "gamma", Like: "input"},
			skipNormBeta:  {Name: "beta", Like: "input", Optional: true},
			skipNormBias:  {Name: "bias", Like: "input", Optional: true},
		},
		Outputs: []op.Port{
			{Name: "output", Like: "input"},
			{Name: "mean", Types: elem.Floats, Optional: true},
			{Name: "inv_std_var", Types: elem.Floats, Optional: true},
			{Name: "input_skip_bias_sum", Like: "input", Optional: true},
		},
		Expand: skipLayerNorm,
	}
	SkipSimplifiedLayerNormalization = &op.Op{
		Name:   "SkipSimplifiedLayerNormalization",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs:  []op.Attr{{Name: "epsilon", Kind: op.Float, Default: 1e-12}},
		Inputs: []op.Port{
			skipRMSInput: {Name: "input", Types: elem.Floats},
			skipRMSSkip:  {Name: "skip", Like: "input"},
			skipRMSGamma: {Name: "gamma", Like: "input"},
			skipRMSBias:  {Name: "bias", Like: "input", Optional: true},
		},
		Outputs: []op.Port{
			{Name: "output", Like: "input"},
			{Name: "mean", Types: elem.Floats, Optional: true},
			{Name: "inv_std_var", Types: elem.Floats, Optional: true},
			{Name: "input_skip_bias_sum", Like: "input", Optional: true},
		},
		Expand: skipSimplifiedLayerNorm,
	}
	EmbedLayerNormalization = &op.Op{
		Name:   "EmbedLayerNormalization",
		Domain: op.Microsoft,
		Since:  []int{1},
		Attrs: []op.Attr{
			{Name: "epsilon", Kind: op.Float, Default: 1e-12},
			{Name: "mask_index_type", Kind: op.Int, Default: 0},
		},
		Inputs: []op.Port{
			embedNormInputIds:          {Name: "input_ids", Types: elem.Indices},
			embedNormSegmentIds:        {Name: "segment_ids", Like: "input_ids", Optional: true},
			embedNormWordEmbedding:     {Name: "word_embedding", Types: elem.Floats},
			embedNormPositionEmbedding: {Name: "position_embedding", Like: "word_embedding"},
			embedNormSegmentEmbedding:  {Name: "segment_embedding", Like: "word_embedding", Optional: true},
			embedNormGamma:             {Name: "gamma", Like: "word_embedding"},
			embedNormBeta:              {Name: "beta", Like: "word_embedding"},
			embedNormMask:              {Name: "mask", Like: "input_ids", Optional: true},
			embedNormPositionIds:       {Name: "position_ids", Like: "input_ids", Optional: true},
		},
		Outputs: []op.Port{
			{Name: "output", Like: "word_embedding"},
			{Name: "mask_index", Like: "input_ids", Optional: true},
			{Name: "embedding_sum", Like: "word_embedding", Optional: true},
		},
		Expand: embedLayerNorm,
	}
)

func simplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("RMSNormalization", given(n, "axis", "epsilon", "stash_type"), n.In...)
	return []*ir.Value{y, nil}, unread(n, 1)
}

// skipLayerNorm normalizes the sum of two tensors and an optional bias.
func skipLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[skipNormInput], n.In[skipNormSkip], n.Arg(skipNormBias))
	return append(layerNorms(b, n, sum, n.In[skipNormGamma], n.Arg(skipNormBeta)), sum), nil
}

// layerNorms returns the three outputs of a LayerNormalization with n's epsilon.
func layerNorms(b *ir.Builder, n *ir.Node, x, scale, shift *ir.Value) []*ir.Value {
	return slices.Clone(b.OpN("LayerNormalization", 3, op.Attrs("axis", -1, "epsilon", n.Float("epsilon")), x, scale, shift))
}

func skipSimplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[skipRMSInput], n.In[skipRMSSkip], n.Arg(skipRMSBias))
	y := b.OpA("RMSNormalization", op.Attrs("axis", -1, "epsilon", n.Float("epsilon")), sum, n.In[skipRMSGamma])
	return []*ir.Value{y, nil, nil, sum}, unread(n, 1, 2)
}

// embedLayerNorm normalizes the sum of the embeddings of words, of positions and, optionally, of segments.
// Its other outputs are the number of words of each row that the mask allows, and the sum.
func embedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRank(n, 0, 2); err != nil {
		return nil, err
	}
	for _, i := range []int{2, 3, 5, 6} {
		if n.Arg(i) == nil {
			return nil, fmt.Errorf("input %d is missing", i)
		}
	}
	ids, segments, mask := n.In[embedNormInputIds], n.Arg(embedNormSegmentIds), n.Arg(embedNormMask)
	sum := b.Op("Gather", n.In[embedNormWordEmbedding], ids)
	positions := n.Arg(embedNormPositionIds)
	if positions == nil {
		positions = countFrom(b, b.Ints(0), op.SizeOf(b, ids, 1))
	}
	sum = b.Op("Add", sum, b.Op("Gather", n.In[embedNormPositionEmbedding], positions))
	if segments != nil {
		sum = b.Op("Add", sum, b.Op("Gather", n.In[embedNormSegmentEmbedding], segments))
	}
	y := layerNorms(b, n, sum, n.In[embedNormGamma], n.In[embedNormBeta])[0]
	out := []*ir.Value{y, nil, sum}
	if n.Res(1) != nil {
		if mask == nil {
			mask = b.OpA("ConstantOfShape", ir.Attrs{{Name: "value", Value: tensor.Of([]int32{0}, 1)}}, op.ShapeOf(b, ids))
		}
		out[1] = b.OpA("ReduceSum", op.Attrs("keepdims", 0), mask, b.Ints(1))
	}
	return out, nil
}

// countFrom returns the n integers from first on; both are vectors of one element.
func countFrom(b *ir.Builder, first, n *ir.Value) *ir.Value {
	from := b.Op("Reshape", first, b.Ints()) // the file may not declare that the sizes are 1
	return b.Op("Range", from, b.Op("Add", from, b.Op("Reshape", n, b.Ints())), b.Const(tensor.Of([]int64{1})))
}
