package contrib

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// FusedMatMul is the product of matrices, each of which may be transposed, times a number.
//
// https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.FusedMatMul
var FusedMatMul = &op.Op{
	Name:   "FusedMatMul",
	Domain: op.Microsoft,
	Since:  []int{1},
	Attrs: []op.Attr{
		{Name: "alpha", Kind: op.Float, Default: 1.0},
		{Name: "transA", Kind: op.Int, Default: 0},
		{Name: "transB", Kind: op.Int, Default: 0},
		{Name: "transBatchA", Kind: op.Int, Default: 0, Fixed: true},
		{Name: "transBatchB", Kind: op.Int, Default: 0, Fixed: true},
	},
	Inputs:  []op.Port{{Name: "A", Types: elem.Floats}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "Y", Like: "A"}},
	Expand:  one(fusedMatMul),
}

// fusedMatMul returns a product of matrices of which each may be transposed, times a
// number.
func fusedMatMul(b *ir.Builder, n *ir.Node) *ir.Value {
	x, y := n.In[op.A], n.In[op.B]
	if n.Int("transA") != 0 {
		x = swapLast(b, x)
	}
	if n.Int("transB") != 0 {
		y = swapLast(b, y)
	}
	p := b.Op("MatMul", x, y)
	if alpha := n.Float("alpha"); alpha != 1 {
		p = b.Op("Mul", p, op.ScalarLike(b, p, alpha))
	}
	return p
}
