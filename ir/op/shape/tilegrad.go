package shape

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [TileGrad].
const (
	tileGradDy = iota
	tileGradData
	tileGradRepeats
)

// TileGrad sums dy over the repeats of a [Tile]. Its inputs are dy, the data, which only determine the size,
// and the repeats.
var TileGrad = &op.Op{
	Name:   "TileGrad",
	Domain: op.Own,
	Since:  []int{1},
	Inputs: []op.Port{
		tileGradDy:      {Name: "dy", Types: elem.Floats},
		tileGradData:    {Name: "data", Like: "dy"},
		tileGradRepeats: {Name: "repeats", Types: elem.Indices},
	},
	Outputs: []op.Port{{Name: "dx", Like: "dy"}},
	Infer:   op.InferGradient(inferTile),
	Grad:    tileGradGrad,
	Lower:   lowerTileGrad,
	Widen:   true,
}

// ddy = the gradient, repeated
func tileGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Tile", dy[0], n.In[tileGradRepeats])}
}

func lowerTileGrad(l *op.Lowering) error {
	repeats, _ := op.Content(l.In[tileGradRepeats])
	var from, to []ir.Dim
	for i, d := range op.Shape(l.Out[0]) {
		if !repeats[i].Is(1) {
			from, to = append(from, repeats[i]), append(to, ir.C(1))
		}
		from, to = append(from, d), append(to, d)
	}
	l.Call("ReduceSum", l.Out[0], l.In[tileGradDy], from, to)
	return nil
}
