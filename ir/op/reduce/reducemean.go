package reduce

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// ReduceMean is the mean along axes.
//
// https://onnx.ai/onnx/operators/onnx__ReduceMean.html
var ReduceMean = &op.Op{
	Name:    "ReduceMean",
	Since:   []int{1, 11, 13, 18},
	Attrs:   reduceAttrs,
	Inputs:  reduceInputs(elem.Reducible),
	Outputs: []op.Port{{Name: "reduced", Like: "data"}},
	Infer:   inferReduce,
	Upgrade: upgradeReduce,
	Grad:    reduceMeanGrad,
	Lower:   reduce("ReduceMean"),
	Expand:  reduceInInt64,
	Expands: sums32,
	Last:    &op.LastForm{Build: lastReduceMean},
	Widen:   true,
	Precise: []int{0},
}

// dx = dy/count
func reduceMeanGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	g := b.Op("Div", dy[0], op.CountOf(b, n.In[reduceData], n.Out[0]))
	return []*ir.Value{b.Op("Expand", kept(b, n, g), op.ShapeOf(b, n.In[reduceData]))}
}

// lastReduceMean converts the mean of each channel.
func lastReduceMean(l *op.Last) *ir.Value {
	axes, ok := op.Content(l.Arg(reduceAxes))
	if !ok || l.Int("keepdims") == 0 {
		return nil
	}
	rank := len(op.Shape(l.In[reduceData]))
	seen := map[int]bool{}
	for _, d := range axes {
		a, ok := d.Const()
		if a, err := op.Axis(a, rank); ok && err == nil {
			seen[a] = true
		}
	}
	if len(axes) != rank-2 || len(seen) != rank-2 || seen[0] || seen[1] || rank < 3 || rank > 4 || l.In[reduceData].Type.Elem != tensor.Float32 {
		return nil
	}
	x := l.Of(l.In[reduceData])
	if x == nil {
		return nil
	}
	return l.Own("ReduceMeanLast", nil, x)
}
