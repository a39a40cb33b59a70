package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [SkipSimplifiedLayerNormalization].
const (
	skipRMSInput = iota
	skipRMSSkip
	skipRMSGamma
	skipRMSBias
)

// SkipSimplifiedLayerNormalization is the root mean square normalization of the sum of two tensors and an optional
// bias.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.SkipSimplifiedLayerNormalization
var SkipSimplifiedLayerNormalization = &op.Op{
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

func skipSimplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	sum := plus(b, n.In[skipRMSInput], n.In[skipRMSSkip], n.Arg(skipRMSBias))
	y := b.OpA("RMSNormalization", op.Attrs("axis", -1, "epsilon", n.Float("epsilon")), sum, n.In[skipRMSGamma])
	return []*ir.Value{y, nil, nil, sum}, unread(n, 1, 2)
}
