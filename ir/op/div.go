package op

import "github.com/bbgen/bbgen/ir"

// Div is a / b with numpy's broadcasting; whole numbers are rounded towards 0.
//
// https://onnx.ai/onnx/operators/onnx__Div.html
var Div = &Op{
	Name:  "Div",
	Since: []int{1, 6, 7, 13, 14},
	Attrs: []Attr{
		{Name: "axis", Kind: Int, Until: 7},
		{Name: "broadcast", Kind: Int, Default: 0, Until: 7},
		{Name: "consumed_inputs", Kind: Ints, Until: 6},
	},
	Inputs:  []Port{{Name: "A", Types: numbers}, {Name: "B", Like: "A"}},
	Outputs: []Port{{Name: "C", Like: "A"}},
	Infer:   inferDiv,
	Upgrade: upgradeBroadcast,
	Grad:    divGrad,
	Lower:   binary("Div"),
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
	Pointwise:  everyNode,
}

func inferDiv(c *Infer) error {
	if err := inferBinary(c); err != nil {
		return err
	}
	knowBinary(c, func(a, b ir.Dim) (ir.Dim, bool) { return quotient(c.Module, a, b) })
	return nil
}

// da = dy/b, db = -y·dy/b
func divGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	da := b.Op("Div", dy[0], n.In[1])
	db := b.Op("Neg", b.Op("Mul", da, n.Out[0]))
	return []*ir.Value{unbroadcast(b, da, n.In[0]), unbroadcast(b, db, n.In[1])}
}
