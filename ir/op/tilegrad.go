package op

import "github.com/bbgen/bbgen/ir"

// TileGrad is the sum of dy over the repeats of a [Tile]. Its inputs are dy, the
// data, of which it takes the size, and the repeats.
var TileGrad = &Op{
	Name:    "TileGrad",
	Domain:  Own,
	Since:   []int{1},
	Inputs:  []Port{{Name: "dy", Types: floats}, {Name: "data", Like: "dy"}, {Name: "repeats", Types: indices}},
	Outputs: []Port{{Name: "dx", Like: "dy"}},
	Infer:   gradientOf(inferTile),
	Grad:    tileGradGrad,
	Lower:   lowerTileGrad,
	Widen:   true,
}

// ddy = the gradient, repeated
func tileGradGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{b.Op("Tile", dy[0], n.In[2])}
}

func lowerTileGrad(l *Lowering) error {
	repeats, _ := Content(l.In[2])
	var from, to []ir.Dim
	for i, d := range Shape(l.Out[0]) {
		if !repeats[i].Is(1) {
			from, to = append(from, repeats[i]), append(to, ir.C(1))
		}
		from, to = append(from, d), append(to, d)
	}
	l.Call("ReduceSum", l.Out[0], l.In[0], from, to)
	return nil
}
