package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// GlobalLpPool is the p-norm of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
var GlobalLpPool = &op.Op{
	Name:  "GlobalLpPool",
	Since: []int{1, 2, 22},
	Attrs: []op.Attr{
		{Name: "p", Kind: op.Float, Default: 2.0, Until: 2},
		{Name: "p", Kind: op.Int, Default: 2, Since: 2},
		{Name: "order", Kind: op.Float, Own: true},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalLpPool,
	Grad:    globalLpPoolGrad,
	Upgrade: upgradeNorm,
	Lower:   lowerGlobalLpPool,
	Widen:   true,
}

func inferGlobalLpPool(c *op.Infer) error {
	if _, err := normOrder(c.Node); err != nil {
		return err
	}
	return inferGlobalPool(c)
}

func lowerGlobalLpPool(l *op.Lowering) error {
	p, err := normOrder(l.Node)
	l.Call("GlobalLpPool", l.Out[0], l.In[op.X], ir.Size(op.Shape(l.In[op.X])[2:]), p)
	return err
}

// dx = sign(x)·|x|ᵖ⁻¹·dy·y¹⁻ᵖ
func globalLpPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	p, _ := normOrder(n) // inference has made sure
	return []*ir.Value{b.Op("Mul", lpInner(b, n.In[op.X], p), lpOuter(b, dy[0], n.Out[0], p))}
}
