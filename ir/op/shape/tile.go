package shape

import (
	"fmt"
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Tile].
const (
	tileInput = iota
	tileRepeats
	tileAxis
)

// Tile repeats its input along each axis.
//
// https://onnx.ai/onnx/operators/onnx__Tile.html
var Tile = &op.Op{
	Name:  "Tile",
	Since: []int{1, 6, 13},
	Inputs: []op.Port{
		tileInput:   {Name: "input", Types: elem.Any},
		tileRepeats: {Name: "repeats", Types: elem.Indices},
		tileAxis:    {Name: "axis", Types: elem.Floats, Until: 6},
	},
	Outputs: []op.Port{{Name: "output", Like: "input"}},
	Infer:   inferTile,
	Picks:   true,
	Repeats: true,
	Upgrade: upgradeTile,
	Grad:    tileGrad,
	Lower:   lowerTile,
}

// upgradeTile converts an axis and a number of repeats to a list of repeats.
func upgradeTile(b *ir.Builder, n *ir.Node) error {
	if n.Version >= 6 {
		return nil
	}
	if len(n.In) != 3 || n.In[tileInput] == nil || !n.In[tileInput].Type.Ranked || !n.In[tileRepeats].IsConst() || !n.In[tileAxis].IsConst() {
		return fmt.Errorf("version 1 takes an input, and tiles and an axis that are constant")
	}
	rank := len(n.In[tileInput].Type.Shape)
	axis, err := wholeOf(n.In[tileAxis])
	if err != nil {
		return err
	}
	if axis, err = op.Axis(axis, rank); err != nil {
		return err
	}
	tiles, err := wholeOf(n.In[tileRepeats])
	if err != nil {
		return err
	}
	repeats := make([]int, rank)
	for i := range repeats {
		repeats[i] = 1
		if i == axis {
			repeats[i] = tiles
		}
	}
	n.In = []*ir.Value{n.In[tileInput], b.Ints(repeats...)}
	return nil
}

// wholeOf returns the first element of a constant as an int.
func wholeOf(v *ir.Value) (int, error) {
	f := floatOf(v)
	if f != math.Trunc(f) || math.Abs(f) > op.MaxSize {
		return 0, fmt.Errorf("input %q is %v, want an integer, at most %d", v.Name, f, op.MaxSize)
	}
	return int(f), nil
}

// floatOf returns the first element of a constant.
func floatOf(v *ir.Value) float64 {
	switch d := v.Const.Data.(type) {
	case []float32:
		if len(d) > 0 {
			return float64(d[0])
		}
	case []float64:
		if len(d) > 0 {
			return d[0]
		}
	case []int64:
		if len(d) > 0 {
			return float64(d[0])
		}
	case []int32:
		if len(d) > 0 {
			return float64(d[0])
		}
	}
	return 0
}

func inferTile(c *op.Infer) error {
	x, err := c.Tensor(tileInput)
	if err != nil {
		return err
	}
	repeats, err := c.Read(tileRepeats)
	if err != nil {
		return err
	}
	if len(repeats) != len(x.Shape) {
		return fmt.Errorf("%d repeats for an input of rank %d", len(repeats), len(x.Shape))
	}
	if err := op.CheckNotNegative(repeats); err != nil {
		return err
	}
	shape := make([]ir.Dim, len(repeats))
	for i, r := range repeats {
		shape[i] = x.Shape[i].Mul(r)
		if c.Module.FromData(r) {
			shape[i] = c.Fresh("dim")
		}
	}
	c.OutTensor(0, x.Elem, shape...)
	return nil
}

func lowerTile(l *op.Lowering) error {
	x, y := l.In[tileInput], l.Out[0]
	repeats, _ := op.Content(l.In[tileRepeats])
	k := 0
	for i, d := range op.Shape(y) {
		if l.IsSym(d, k) {
			l.Count(k, "Extent", []ir.Dim{repeats[i], op.Shape(x)[i]}, "Tile")
			k++
		}
	}
	l.Call("Tile", y, x, op.Shape(x), repeats)
	return nil
}

// dx = the sum of dy over the repeats
func tileGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.OwnNode(b, "TileGrad", nil, dy[0], n.In[tileInput], n.In[tileRepeats])}
}
