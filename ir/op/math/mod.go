package math

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Mod is the remainder of a / b with numpy's broadcasting. It has b's sign, or
// a's if fmod is set.
//
// https://onnx.ai/onnx/operators/onnx__Mod.html
var Mod = &op.Op{
	Name:    "Mod",
	Since:   []int{10, 13, 28},
	Attrs:   []op.Attr{{Name: "fmod", Kind: op.Int, Default: 0}},
	Inputs:  []op.Port{{Name: "A", Types: elem.Numbers}, {Name: "B", Like: "A"}},
	Outputs: []op.Port{{Name: "C", Like: "A"}},
	Infer:   inferMod,
	Grad:    modGrad,
	Lower:   lowerMod,
	InPlace: true,
	Widen:   true,

	Broadcasts: true,
}

func inferMod(c *op.Infer) error {
	if err := op.InferBinary(c); err != nil {
		return err
	}
	knowBinary(c, func(a, b ir.Dim) (ir.Dim, bool) {
		return a.Mod(b), !b.Is(0) && (c.Int("fmod") == 0 || isSize(c.Module, a) && isSize(c.Module, b))
	})
	return nil
}

func lowerMod(l *op.Lowering) error {
	kernel := "Mod"
	if l.Int("fmod") != 0 {
		kernel = "Fmod"
	}
	l.Binary(kernel, l.Out[0], l.In[op.A], l.In[op.B])
	return nil
}

// da = dy, db = -dy·(a-y)/b, where (a-y)/b is whole
func modGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	whole := b.Op("Round", b.Op("Div", b.Op("Sub", n.In[op.A], n.Out[0]), n.In[op.B]))
	db := b.Op("Neg", b.Op("Mul", dy[0], whole))
	return []*ir.Value{op.Unbroadcast(b, dy[0], n.In[op.A]), op.Unbroadcast(b, db, n.In[op.B])}
}
