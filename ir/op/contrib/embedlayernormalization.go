package contrib

import (
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

// EmbedLayerNormalization normalizes sums of embeddings.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.EmbedLayerNormalization
var EmbedLayerNormalization = &op.Op{
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

// embedLayerNorm normalizes the sum of the embeddings of words, of positions and, optionally, of segments.
// Its other outputs are the number of words of each row that the mask allows, and the sum.
func embedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	if err := needRank(n, embedNormInputIds, 2); err != nil {
		return nil, err
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
