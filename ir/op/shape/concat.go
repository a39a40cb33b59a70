package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// Concat joins tensors along an axis.
//
// https://onnx.ai/onnx/operators/onnx__Concat.html
var Concat = &op.Op{
	Name:  "Concat",
	Since: []int{1, 4, 11, 13},
	Attrs: []op.Attr{
		{Name: "axis", Kind: op.Int, Until: 4},
		{Name: "axis", Kind: op.Int, Required: true, Since: 4},
	},
	Inputs:  []op.Port{{Name: "inputs", Types: elem.Any, Variadic: true, Min: 1}},
	Outputs: []op.Port{{Name: "concat_result", Like: "inputs"}},
	Infer:   inferConcat,
	Upgrade: upgradeConcat,
	Grad:    concatGrad,
	Lower:   lowerConcat,
	Last:    &op.LastForm{Build: lastConcat},
}

func upgradeConcat(_ *ir.Builder, n *ir.Node) error {
	if n.Version < 4 && !n.Has("axis") {
		n.Attrs.Set("axis", int64(1))
	}
	return nil
}

func inferConcat(c *op.Infer) error {
	first, err := c.Tensor(op.X)
	if err != nil {
		return err
	}
	rank := len(first.Shape)
	axis, err := op.Axis(c.Int("axis"), rank)
	if err != nil {
		return err
	}
	if rank == 0 {
		return fmt.Errorf("input %q is a scalar", c.In[op.X].Name)
	}
	shape := append([]ir.Dim{}, first.Shape...)
	shape[axis] = ir.C(0)
	for i := range c.In {
		t, err := c.Rank(i, rank)
		if err != nil {
			return err
		}
		if t.Elem != first.Elem {
			return fmt.Errorf("input %q is %s, want %s like input %q", c.In[i].Name, t.Elem, first.Elem, c.In[op.X].Name)
		}
		for k, d := range t.Shape {
			if k == axis {
				shape[k] = shape[k].Add(d)
			} else if shape[k], err = c.Agree(i, k, shape[k]); err != nil {
				return fmt.Errorf("input %q is %s, which does not fit %s along axis %d", c.In[i].Name, t, first, k)
			}
		}
	}
	c.OutTensor(0, first.Elem, shape...)
	knowConcat(c, rank)
	return nil
}

// knowConcat concatenates the known content of the inputs. If some is known, the other elements become
// symbols.
func knowConcat(c *op.Infer, rank int) {
	known := false
	for i := range c.In {
		_, ok := c.Content(i)
		known = known || ok
	}
	if !known || rank != 1 {
		return
	}
	var all []ir.Dim
	for i := range c.In {
		elems, err := c.Read(i)
		if err != nil || len(all)+len(elems) > op.MaxElems {
			return
		}
		all = append(all, elems...)
	}
	c.Know(0, all)
}

func lowerConcat(l *op.Lowering) error {
	y := l.Out[0]
	axis, err := op.Axis(l.Int("axis"), len(op.Shape(y)))
	if err != nil {
		return err
	}
	outer, at := op.Outer(op.Shape(y), axis), ir.C(0)
	cols := ir.Size(op.Shape(y)[axis:])
	for _, x := range l.In {
		n := ir.Size(op.Shape(x)[axis:])
		l.Call("CopyRows", y, x, outer, n, cols, at, n, 0)
		at = at.Add(n)
	}
	return nil
}

// each input gets its part of dy
func concatGrad(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	axis, _ := op.Axis(n.Int("axis"), len(op.Shape(n.Out[0])))
	return b.OpN("Split", len(n.In), op.Attrs("axis", axis), dy[0], op.SizesAlong(b, n.In, axis))
}

func lastConcat(l *op.Last) *ir.Value {
	rank := len(op.Shape(l.Res(0)))
	axis, err := op.Axis(l.Int("axis"), rank)
	in := l.All()
	if in == nil || err != nil {
		return nil
	}
	attrs := ir.Attrs{}
	attrs.Set("axis", int64(op.LastAxis(axis, rank)))
	return l.B.OpA("Concat", attrs, in...)
}
