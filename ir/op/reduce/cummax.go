package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// CumMax is the largest element so far along an axis, which may be known only when the
// model runs. A NaN stays.
var CumMax = cumulativeBest("CumMax")

// CumMin is the smallest, as [CumMax] is the largest.
var CumMin = cumulativeBest("CumMin")

// The inputs of [CumMax], [CumMin], [CumProd] and [CumSum].
const (
	cumX = iota
	cumAxis
)

func cumulativeBest(name string) *op.Op {
	return &op.Op{
		Name:    name,
		Domain:  op.Tensors,
		Since:   []int{1},
		Attrs:   []op.Attr{{Name: "reverse", Kind: op.Int, Default: 0}},
		Inputs:  []op.Port{cumX: {Name: "x", Types: elem.Numbers}, cumAxis: {Name: "axis", Types: elem.Indices}},
		Outputs: []op.Port{{Name: "y", Like: "x"}},
		Infer:   inferCumulative,
		Grad:    cumulativeBestGrad,
		Lower: func(l *op.Lowering) error {
			l.Call(name, l.Out[0], l.In[cumX], l.In[cumAxis], op.Shape(l.In[cumX]), l.Int("reverse") != 0)
			return nil
		},
		Widen: true,
	}
}

// dx = Σ dy over the positions where x is the largest or smallest so far
func cumulativeBestGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "CumBestGrad", n.Attrs, dy[0], n.In[cumX], n.Out[0], n.In[cumAxis])}
}
