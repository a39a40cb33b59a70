package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// FusedGemm is Gemm, and then an activation.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedGemm
var FusedGemm = &op.Op{
	Name:   "FusedGemm",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "activation", Kind: op.String, Default: ""},
		{Name: "activation_alpha", Kind: op.Float, Default: 0.0},
		{Name: "activation_beta", Kind: op.Float, Default: 0.0},
		{Name: "activation_gamma", Kind: op.Float, Default: 0.0},
		{Name: "alpha", Kind: op.Float, Default: 1.0},
		{Name: "beta", Kind: op.Float, Default: 1.0},
		{Name: "transA", Kind: op.Int, Default: 0},
		{Name: "transB", Kind: op.Int, Default: 0},
	},
	Inputs: []op.Port{
		{Name: "A", Types: elem.Of(tensor.Float32, tensor.Int32, tensor.Int64, tensor.Float16, tensor.Float64, tensor.Uint32, tensor.Uint64)},
		{Name: "B", Like: "A"},
		{Name: "C", Like: "A", Optional: true},
	},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Expand:  fusedGemm,
}

func fusedGemm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("Gemm", given(n, "alpha", "beta", "transA", "transB"), n.In...)
	y, err := activated(b, y, n.Str("activation"), []float64{n.Float("activation_alpha"), n.Float("activation_beta")})
	return []*ir.Value{y}, err
}
