package op

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/ir"
)

// Reshape gives the data another shape: 0 keeps an input's axis, -1 takes what
// is left.
//
// https://onnx.ai/onnx/operators/onnx__Reshape.html
var Reshape = &Op{
	Name:  "Reshape",
	Since: []int{1, 5, 13, 14, 19, 21, 23, 24, 25},
	Attrs: []Attr{
		{Name: "allowzero", Kind: Int, Default: 0, Since: 14},
		{Name: "consumed_inputs", Kind: Ints, Until: 5},
		{Name: "shape", Kind: Ints, Until: 5},
	},
	Inputs:  []Port{{Name: "data", Types: anyElem}, {Name: "shape", Types: indices, Since: 5}},
	Outputs: []Port{{Name: "reshaped", Like: "data"}},
	Infer:   inferReshape,
	Picks:   true,
	Upgrade: upgradeReshape,
	Grad:    reshapeGrad,
	Alias:   true,
	Lower:   lowerReshape,
	Last:    &LastForm{Build: lastShuffle},
}

func upgradeReshape(b *ir.Builder, n *ir.Node) error {
	if n.Version < 5 {
		n.Attrs.Delete("consumed_inputs")
		attrToInput(b, n, "shape", 1)
	}
	return nil
}

// lowerReshape computes the axes that depend on the content of the shape
// operand; the data stay where they are.
func lowerReshape(l *Lowering) error {
	k := 0
	for axis, d := range Shape(l.Out[0]) {
		if s, ok := d.Symbol(); ok && k < len(l.Syms) && s == l.Syms[k] {
			l.Count(k, "ReshapeDim", l.In[1], Shape(l.In[0]), l.Int("allowzero") != 0, axis)
			k++
		}
	}
	return nil
}

func inferReshape(c *Infer) error {
	x, err := c.Tensor(0)
	if err != nil {
		return err
	}
	want, err := c.Read(1)
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
	if elems, ok := c.Content(0); ok && len(shape) <= 1 {
		c.Know(0, elems)
	}
	return nil
}

// dx = dy in the shape of x
func reshapeGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return []*ir.Value{reshapeLike(b, dy[0], n.In[0])}
}

// lastShuffle knows a Reshape that puts the channels of groups in turns:
//
//	[N, C, …] → [N, G, C/G, …] → [N, C/G, G, …] → [N, C, …]
func lastShuffle(l *Last) *ir.Value {
	turn := l.In[0].Def
	if !turn.Is("Transpose") || !turn.In[0].Def.Is("Reshape") {
		return nil
	}
	split := turn.In[0].Def
	x, groups := split.In[0], Shape(turn.In[0])
	rank := len(Shape(x))
	perm, err := permOf(turn, len(groups))
	if err != nil || rank < 3 || len(groups) != rank+1 || !ir.SameShape(Shape(x), Shape(l.Res(0))) || !ir.SameShape(Shape(x)[2:], groups[3:]) ||
		!groups[0].Equal(Shape(x)[0]) {
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
