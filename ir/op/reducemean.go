package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ReduceMean is the mean along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
var ReduceMean = &Op{
	Name:    "ReduceMean",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(reducible),
	Outputs: []Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceMeanGrad,
	Lower:   reduce("ReduceMean"),
	Last:    &LastForm{Build: lastReduceMean},
	Widen:   true,
	Precise: []int{0},
}

// dx = dy/count
func reduceMeanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Div", dy[0], countOf(b, n.In[0], n.Out[0]))
	return []*ir.Value{b.Op("Expand", kept(b, n, g), shapeOf(b, n.In[0]))}
}

// lastReduceMean knows the mean of each channel.
func lastReduceMean(l *Last) *ir.Value {
	axes, ok := Content(l.Arg(1))
	if !ok || l.Int("keepdims") == 0 {
		return nil
	}
	rank := len(Shape(l.In[0]))
	seen := map[int]bool{}
	for _, d := range axes {
		a, ok := d.Const()
		if a, err := Axis(a, rank); ok && err == nil {
			seen[a] = true
		}
	}
	if len(axes) != rank-2 || len(seen) != rank-2 || seen[0] || seen[1] || rank < 3 || rank > 4 || l.In[0].Type.Elem != tensor.Float32 {
		return nil
	}
	x := l.Of(l.In[0])
	if x == nil {
		return nil
	}
	return l.own("ReduceMeanLast", nil, x)
}
