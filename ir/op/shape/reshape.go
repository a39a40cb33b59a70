package shape

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Reshape].
const (
	reshapeData = iota
	reshapeShape
)

// Reshape gives the data another shape: 0 keeps an axis, and -1 is computed from the number of elements.
//
// https://onnx.ai/onnx/operators/onnx__Reshape.html
var Reshape = &op.Op{
	Name:  "Reshape",
	Since: []int{1, 5, 13, 14, 19, 21, 23, 24, 25},
	Attrs: []op.Attr{
		{Name: "allowzero", Kind: op.Int, Default: 0, Since: 14},
		{Name: "consumed_inputs", Kind: op.Ints, Until: 5},
		{Name: "shape", Kind: op.Ints, Until: 5},
	},
	Inputs: []op.Port{
		reshapeData:  {Name: "data", Types: elem.Any},
		reshapeShape: {Name: "shape", Types: elem.Indices, Since: 5},
	},
	Outputs: []op.Port{{Name: "reshaped", Like: "data"}},
	Infer:   inferReshape,
	Picks:   true,
	Upgrade: upgradeReshape,
	Grad:    reshapeGrad,
	Alias:   true,
	Lower:   lowerReshape,
	Last:    &op.LastForm{Build: lastShuffle},
}

func upgradeReshape(b *ir.Builder, n *ir.Node) error {
	if n.Version < 5 {
		n.Attrs.Delete("consumed_inputs")
		op.AttrToInput(b, n, "shape", 1)
	}
	return nil
}

// lowerReshape computes the sizes that depend on the content of the shape operand. The data do not move.
func lowerReshape(l *op.Lowering) error {
	k := 0
	for axis, d := range op.Shape(l.Out[0]) {
		if s, ok := d.Symbol(); ok && k < len(l.Syms) && s == l.Syms[k] {
			l.Count(k, "ReshapeDim", l.In[reshapeShape], op.Shape(l.In[reshapeData]), l.Int("allowzero") != 0, axis)
			k++
		}
	}
	return nil
}

func inferReshape(c *op.Infer) error {
	x, err := c.Tensor(reshapeData)
	if err != nil {
		return err
	}
	want, err := c.Read(reshapeShape)
	if err != nil {
		return err
	}
	shape := make([]ir.Dim, len(want))
	known, wild := ir.C(1), -1
	for i, d := range want {
		switch n, ok := d.Const(); {
		case ok && n == -1:
			if wild >= 0 {
				return fmt.Errorf("shape %v has two -1", want)
			}
			wild = i
			continue
		case ok && n < 0:
			return fmt.Errorf("shape %v has a negative axis", want)
		case ok && n == 0 && c.Int("allowzero") == 0:
			if i >= len(x.Shape) {
				return fmt.Errorf("shape %v keeps axis %d of an input of rank %d", want, i, len(x.Shape))
			}
			d = x.Shape[i]
		}
		if c.Module.FromData(d) { // it may be 0 or -1 when the model runs
			d = c.Fresh("dim")
		}
		shape[i] = d
		known = known.Mul(d)
	}
	total := ir.Size(x.Shape)
	if wild >= 0 {
		shape[wild] = total.Div(known)
		if known.Is(0) {
			shape[wild] = ir.C(0)
		}
	}
	a, aok := total.Const()
	b, bok := ir.Size(shape).Const()
	if aok && bok && a != b {
		return fmt.Errorf("cannot give %d elements the shape %v", a, want)
	}
	c.OutTensor(0, x.Elem, shape...)
	if elems, ok := c.Content(reshapeData); ok && len(shape) <= 1 {
		c.Know(0, elems)
	}
	return nil
}

// dx = dy in the shape of x
func reshapeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{op.ReshapeLike(b, dy[0], n.In[op.X])}
}

// lastShuffle converts a Reshape that interleaves the channels of groups:
//
//	[N, C, …] → [N, G, C/G, …] → [N, C/G, G, …] → [N, C, …]
func lastShuffle(l *op.Last) *ir.Value {
	turn := l.In[reshapeData].Def
	if !turn.Is("Transpose") || !turn.In[op.X].Def.Is("Reshape") {
		return nil
	}
	split := turn.In[op.X].Def
	x, groups := split.In[reshapeData], op.Shape(turn.In[op.X])
	rank := len(op.Shape(x))
	perm, err := permOf(turn, len(groups))
	if err != nil || rank < 3 || len(groups) != rank+1 || !ir.SameShape(op.Shape(x), op.Shape(l.Res(0))) || !ir.SameShape(op.Shape(x)[2:], groups[3:]) ||
		!groups[0].Equal(op.Shape(x)[0]) {
		return nil
	}
	for i, p := range perm {
		if want := []int{0, 2, 1}; i < 3 && p != want[i] || i >= 3 && p != i {
			return nil
		}
	}
	inner, ok := ir.Static(append(slices.Clone(groups[3:]), groups[1], groups[2]))
	if !ok {
		return nil
	}
	y := l.Of(x)
	if y == nil {
		return nil
	}
	y = l.B.Op("Reshape", y, l.B.Ints(append([]int{-1}, inner...)...))
	swap := make([]int64, rank+1)
	for i := range swap {
		swap[i] = int64(i)
	}
	swap[rank-1], swap[rank] = swap[rank], swap[rank-1]
	attrs := ir.Attrs{}
	attrs.Set("perm", swap)
	y = l.B.OpA("Transpose", attrs, y)
	return l.B.Op("Reshape", y, l.B.Ints(append(append([]int{-1}, inner[:rank-2]...), inner[rank-2]*inner[rank-1])...))
}
