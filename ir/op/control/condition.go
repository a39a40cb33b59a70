package control

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// condition returns the content of a bool of one element, if it follows from constants and shapes: exporters
// branch on the rank or an axis of a tensor.
func condition(v *ir.Value) (value, known bool) {
	v = op.Source(v)
	if v == nil {
		return false, false
	}
	if v.Const != nil {
		b, ok := v.Const.Data.([]bool)
		return ok && len(b) == 1 && b[0], ok && len(b) == 1
	}
	n := v.Def
	if n == nil || n.Domain != "" {
		return false, false
	}
	switch n.Op {
	case "Constant":
		t := n.TensorAttr("value")
		if t == nil || t.DType != tensor.Bool || t.Len() != 1 {
			return false, false
		}
		return tensor.Data[bool](t)[0], true
	case "Not":
		value, known = condition(n.Arg(op.A))
		return !value, known
	case "And", "Or":
		return junction(n)
	case "Cast":
		a, ok := op.KnownInteger(n.Arg(op.A))
		if ok && n.Int("to") == int(tensor.Bool) {
			d, ok := a.Const()
			return d != 0, ok
		}
		return condition(n.Arg(op.A))
	}
	return comparison(n)
}

// junction is like condition, for And and Or, for which one operand may be enough.
func junction(n *ir.Node) (value, known bool) {
	a, aok := condition(n.Arg(op.A))
	b, bok := condition(n.Arg(op.B))
	decides := n.Op == "Or"
	switch {
	case aok && a == decides, bok && b == decides:
		return decides, true
	}
	return !decides, aok && bok
}

// comparison is like condition, for comparisons of two numbers.
func comparison(n *ir.Node) (value, known bool) {
	a, aok := op.KnownInteger(n.Arg(op.A))
	b, bok := op.KnownInteger(n.Arg(op.B))
	if !aok || !bok {
		return false, false
	}
	d, ok := a.Sub(b).Const()
	if !ok {
		return false, false
	}
	switch n.Op {
	case "Equal":
		return d == 0, true
	case "Less":
		return d < 0, true
	case "LessOrEqual":
		return d <= 0, true
	case "Greater":
		return d > 0, true
	case "GreaterOrEqual":
		return d >= 0, true
	}
	return false, false
}
