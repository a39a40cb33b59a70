package shape

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/op/elem"
)

// The inputs of [Scatter], [ScatterElements] and [ScatterND].
const (
	scatterData = iota
	scatterIndices
	scatterUpdates
)

// Scatter is ScatterElements under its first name.
//
// https://onnx.ai/onnx/operators/onnx__Scatter.html
var Scatter = &op.Op{
	Name:  "Scatter",
	Since: []int{9, 11},
	Attrs: []op.Attr{{Name: "axis", Kind: op.Int, Default: 0}, {Name: "reduction", Kind: op.String, Default: "none", Own: true}},
	Inputs: []op.Port{
		scatterData:    {Name: "data", Types: elem.Any},
		scatterIndices: {Name: "indices", Types: elem.Indices},
		scatterUpdates: {Name: "updates", Like: "data"},
	},
	Outputs: []op.Port{{Name: "output", Like: "data"}},
	Infer:   inferScatterElements,
	Grad:    scatterGrad("GatherElements"),
	Lower:   lowerScatterElements,
}

// reductions are the kernels' names of the functions that combine a scattered value with the existing one.
var reductions = map[string]op.Const{"add": "ReduceAdd", "mul": "ReduceMul", "max": "ReduceMax", "min": "ReduceMin"}

var scatterings = []string{"none", "add", "mul", "max", "min"}

// checkScatter looks at the operands that all scatters share.
func checkScatter(c *op.Infer) (x, index, updates ir.Type, err error) {
	if x, err = c.Tensor(scatterData); err != nil {
		return
	}
	if index, err = c.IndexTensor(scatterIndices); err != nil {
		return
	}
	if updates, err = c.Tensor(scatterUpdates); err != nil {
		return
	}
	switch _, ok := reductions[c.Str("reduction")]; {
	case updates.Elem != x.Elem:
		err = fmt.Errorf("updates are %s, want %s", updates.Elem, x.Elem)
	case ok && !elem.Numbers.Has(x.Elem):
		err = fmt.Errorf("cannot reduce %s", x.Elem)
	}
	c.Out(0, x)
	return
}

// reducesSmall reports whether a scatter computes on small floats, which it
// does in float32.
func reducesSmall(n *ir.Node) bool { return op.Small(n) && n.Str("reduction") != "none" }

// lowerScatter calls the kernel, in one of its two forms, on a copy of the
// input.
func lowerScatter(l *op.Lowering, kernel string, args ...any) {
	l.Call("Copy", l.Out[0], l.In[scatterData])
	args = append([]any{l.Out[0], l.In[scatterUpdates], l.In[scatterIndices]}, args...)
	if how, ok := reductions[l.Str("reduction")]; ok {
		kernel += "Reduce"
		args = append(args, how)
	}
	l.Call(kernel, args...)
}

// scatterGrad returns the gradient of a scatter with the given operator as its inverse.
func scatterGrad(gather string) func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
	return func(b *ir.Builder, n *ir.Node, dy []*ir.Value) []*ir.Value {
		x, index, updates := n.In[scatterData], n.In[scatterIndices], n.In[scatterUpdates]
		attrs := append(ir.Attrs{}, n.Attrs...)
		attrs.Delete("reduction")
		take := func(v *ir.Value) *ir.Value { return b.OpA(gather, attrs, v, index) }
		how := n.Str("reduction")
		switch how {
		case "none":
			return []*ir.Value{scatterInto(b, n, "none", dy[0], op.Fill(b, updates, 0)), nil, take(dy[0])}
		case "add":
			return []*ir.Value{dy[0], nil, take(dy[0])}
		case "mul": // of factors that are not 0
			all := b.Op("Mul", dy[0], n.Out[0])
			return []*ir.Value{b.Op("Div", all, x), nil, b.Op("Div", take(all), updates)}
		}
		// The largest or smallest share dy.
		stays, wins := b.Op("Equal", x, n.Out[0]), b.Op("Equal", updates, take(n.Out[0]))
		elem := x.Type.Elem
		ties := scatterInto(b, n, "add", op.CastTo(b, stays, elem), op.CastTo(b, wins, elem))
		share := b.Op("Div", dy[0], ties)
		return []*ir.Value{op.ZeroUnless(b, stays, share), nil, op.ZeroUnless(b, wins, take(share))}
	}
}

// scatterInto puts updates into x where n puts its own.
func scatterInto(b *ir.Builder, n *ir.Node, how string, x, updates *ir.Value) *ir.Value {
	attrs := append(ir.Attrs{}, n.Attrs...)
	attrs.Set("reduction", how)
	op := n.Op
	if op == "Scatter" {
		op = "ScatterElements"
	}
	return b.OpA(op, attrs, x, n.In[scatterIndices], updates)
}
