package op

import "github.com/bbgen/bbgen/ir"

// GlobalLpPool is the p-norm of each channel.
//
// https://onnx.ai/onnx/operators/onnx__GlobalLpPool.html
var GlobalLpPool = &Op{
	Name:  "GlobalLpPool",
	Since: []int{1, 2, 22},
	Attrs: []Attr{
		{Name: "p", Kind: Float, Default: 2.0, Until: 2},
		{Name: "p", Kind: Int, Default: 2, Since: 2},
		{Name: "order", Kind: Float, Own: true},
	},
	Inputs:  []Port{{Name: "X", Types: floats}},
	Outputs: []Port{{Name: "Y", Like: "X"}},
	Infer:   inferGlobalLpPool,
	Grad:    globalLpPoolGrad,
	Upgrade: upgradeNorm,
	Lower:   lowerGlobalLpPool,
	Widen:   true,
}

func inferGlobalLpPool(c *Infer) error {
	if _, err := normOrder(c.Node); err != nil {
		return err
	}
	return inferGlobalPool(c)
}

func lowerGlobalLpPool(l *Lowering) error {
	p, err := normOrder(l.Node)
	l.Call("GlobalLpPool", l.Out[0], l.In[0], ir.Size(Shape(l.In[0])[2:]), p)
	return err
}

// dx = sign(x)·|x|ᵖ⁻¹·dy·y¹⁻ᵖ
func globalLpPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	p, _ := normOrder(n) // inference has made sure
	return []*ir.Value{b.Op("Mul", lpInner(b, n.In[0], p), lpOuter(b, dy[0], n.Out[0], p))}
}
