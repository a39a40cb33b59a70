package conv

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [AveragePoolGrad] and [MaxPoolGrad].
const (
	poolGradDy = iota
	poolGradX
)

// AveragePoolGrad distributes each element of dy over its window of x, which only determines the size. If sum
// is set, each element of the window gets the whole value.
var AveragePoolGrad = &op.Op{
	Name:    "AveragePoolGrad",
	Domain:  op.Own,
	Since:   []int{1},
	Attrs:   op.NewestAttrs(averagePoolAttrs, op.Attr{Name: "sum", Kind: op.Int, Default: 0}),
	Inputs:  []op.Port{poolGradDy: {Name: "dy", Types: elem.Floats}, poolGradX: {Name: "x", Like: "dy"}},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferLike(1),
	Grad:    averagePoolGradGrad,
	Lower:   lowerAveragePoolGrad,
	Widen:   true,
}

// ddy = the means of the windows, or their sums: 1-norms of the positive part minus those of the negative
// part
func averagePoolGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	if n.Int("sum") == 0 {
		return []*ir.Value{b.OpA("AveragePool", n.Attrs, dy[0])}
	}
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Delete("sum")
	attrs.Set("p", int64(1))
	up, down := b.OpA("LpPool", attrs, b.Op("Relu", dy[0])), b.OpA("LpPool", attrs, b.Op("Relu", b.Op("Neg", dy[0])))
	return []*ir.Value{b.Op("Sub", up, down)}
}

func lowerAveragePoolGrad(l *op.Lowering) error {
	w, err := newPool(op.Alike(l.Node, l.In[1:]))
	if err != nil {
		return err
	}
	row := l.Scratch(l.In[poolGradDy].Type.Elem, w.out[len(w.out)-1])
	l.Call("AveragePoolGrad", l.Out[0], l.In[poolGradDy], row, ir.Size(op.Shape(l.In[poolGradX])[:2]),
		l.Int("count_include_pad") != 0, l.Int("sum") != 0, w.arg())
	return nil
}
