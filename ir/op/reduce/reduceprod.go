package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// ReduceProd is the product along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceProd.html
var ReduceProd = &op.Op{
	Name:    "ReduceProd",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Reducible),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceProdGrad,
	Lower:   reduce("ReduceProd"),
	Widen:   true,
	Precise: []int{0},
}

// dx = dy·the product of the others
func reduceProdGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[reduceData]
	if runtimeAxes(n) {
		return []*ir.Value{op.NoGrad}
	}
	mask, _ := reduceMask(n) // inference has made sure
	var perm []int
	for _, reduced := range []bool{false, true} {
		for i := range mask {
			if mask[i] == reduced {
				perm = append(perm, i)
			}
		}
	}
	rest := 0
	for _, reduced := range mask {
		if !reduced {
			rest++
		}
	}
	last := b.OpA("Transpose", op.Attrs("perm", perm), x)
	flat := last
	if rest < len(mask) {
		flat = b.OpA("Flatten", op.Attrs("axis", rest), last)
	} else {
		return dy
	}
	before := b.OpA("CumProd", op.Attrs("exclusive", 1), flat, b.Ints(1))
	after := b.OpA("CumProd", op.Attrs("exclusive", 1, "reverse", 1), flat, b.Ints(1))
	others := op.ReshapeLike(b, b.Op("Mul", before, after), last)
	back := make([]int, len(perm))
	for i, axis := range perm {
		back[axis] = i
	}
	return []*ir.Value{b.Op("Mul", b.OpA("Transpose", op.Attrs("perm", back), others), kept(b, n, dy[0]))}
}
