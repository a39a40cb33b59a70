package conv

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// LpPool is the p-norm of each window.
//
// https://onnx.ai/onnx/operators/onnx__LpPool.html
var LpPool = &op.Op{
	Name:  "LpPool",
	Since: []int{1, 2, 11, 18, 22},
	Attrs: []op.Attr{
		{Name: "auto_pad", Kind: op.String, Default: "NOTSET", Values: op.AutoPads},
		{Name: "ceil_mode", Kind: op.Int, Default: 0, Since: 18},
		{Name: "dilations", Kind: op.Ints, Since: 18},
		{Name: "kernel_shape", Kind: op.Ints, Until: 2},
		{Name: "kernel_shape", Kind: op.Ints, Required: true, Since: 2},
		{Name: "p", Kind: op.Float, Default: 2.0, Until: 2},
		{Name: "p", Kind: op.Int, Default: 2, Since: 2},
		{Name: "order", Kind: op.Float, Own: true},
		{Name: "pads", Kind: op.Ints},
		{Name: "strides", Kind: op.Ints},
	},
	Inputs:  []op.Port{{Name: "X", Types: elem.Floats}},
	Outputs: []op.Port{{Name: "Y", Like: "X"}},
	Infer:   inferLpPool,
	Grad:    lpPoolGrad,
	Upgrade: upgradeNorm,
	Lower:   lowerLpPool,
	Widen:   true,
	FLOPs:   poolWork,
}

func inferLpPool(c *op.Infer) error {
	if _, err := normOrder(c.Node); err != nil {
		return err
	}
	return inferPool(c)
}

// upgradeNorm keeps the p of a p-norm that opset 1 has as a float.
func upgradeNorm(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 2 {
		n.Attrs.Set("order", n.Float("p"))
		n.Attrs.Delete("p")
	}
	return nil
}

// normOrder returns the p of a p-norm.
func normOrder(n *ir.Node) (float64, error) {
	p := float64(n.Int("p"))
	if n.Has("order") {
		p = n.Float("order")
	}
	if !(p > 0) {
		return 0, fmt.Errorf("p is %v, want more than 0", p)
	}
	return p, nil
}

func lowerLpPool(l *op.Lowering) error {
	w, err := newPool(l.Node)
	if err != nil {
		return err
	}
	p, err := normOrder(l.Node)
	l.Call("LpPool", l.Out[0], l.In[op.X], ir.Size(op.Shape(l.In[op.X])[:2]), p, w.arg())
	return err
}

// dx = sign(x)·|x|ᵖ⁻¹·Σ dy·y¹⁻ᵖ, over the windows that contain x
func lpPoolGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	x := n.In[op.X]
	p, _ := normOrder(n) // inference has made sure
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Delete("p")
	attrs.Delete("order")
	attrs.Set("sum", int64(1))
	g := op.OwnNode(b, "AveragePoolGrad", attrs, lpOuter(b, dy[0], n.Out[0], p), x)
	return []*ir.Value{b.Op("Mul", lpInner(b, x, p), g)}
}

// lpInner is sign(x)·|x|ᵖ⁻¹.
func lpInner(b *ir.Builder, x *ir.Value, p float64) *ir.Value {
	switch p {
	case 1:
		return b.Op("Sign", x)
	case 2:
		return x
	}
	return b.Op("Mul", b.Op("Sign", x), b.Op("Pow", b.Op("Abs", x), op.ScalarLike(b, x, p-1)))
}

// lpOuter is dy·y¹⁻ᵖ, 0 where y is.
func lpOuter(b *ir.Builder, dy, y *ir.Value, p float64) *ir.Value {
	if p == 1 {
		return dy
	}
	zero := op.ScalarLike(b, y, 0)
	g := b.Op("Div", dy, b.Op("Pow", y, op.ScalarLike(b, y, p-1)))
	return b.Op("Where", b.Op("Equal", y, zero), zero, g)
}
