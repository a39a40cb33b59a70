package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// SimplifiedLayerNormalization is ONNX's RMSNormalization under its former name.
var SimplifiedLayerNormalization = &op.Op{
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

func simplifiedLayerNorm(b *ir.Builder, n *ir.Node) ([]*ir.Value, error) {
	y := b.OpA("RMSNormalization", given(n, "axis", "epsilon", "stash_type"), n.In...)
	return []*ir.Value{y, nil}, unread(n, 1)
}
