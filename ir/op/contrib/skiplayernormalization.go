package contrib

import (
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SkipLayerNormalization].
const (
	skipNormInput = iota
	skipNormSkip
	skipNormGamma
	skipNormBeta
	skipNormBias
)

// SkipLayerNormalization normalizes the sum of two tensors and an optional bias.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipLayerNormalization
var SkipLayerNormalization = &op.Op{
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

// skipLayerNorm normalizes the sum of two tensors and an optional bias.
func skipLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[skipNormInput], n.In[skipNormSkip], n.Arg(skipNormBias))
	return append(layerNorms(b, n, sum, n.In[skipNormGamma], n.Arg(skipNormBeta)), sum), nil
}

// layerNorms returns the three outputs of a LayerNormalization with n's epsilon.
func layerNorms(b *ir.Builder, n *ir.Node, x, scale, shift *ir.Value) []*ir.Value {
	return slices.Clone(b.OpN("LayerNormalization", 3, op.Attrs("axis", -1, "epsilon", n.Float("epsilon")), x, scale, shift))
}
