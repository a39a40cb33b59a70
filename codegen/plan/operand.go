package plan

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op"
)

// Operands calls f for each value that a call reads or writes, in order.
func Operands(c op.Call, f func(v *ir.Value)) {
	for _, a := range c.Args {
		eachArg(a, f)
	}
}

func eachArg(a any, f func(v *ir.Value)) {
	switch a := a.(type) {
	case *ir.Value:
		if a != nil {
			f(a)
		}
	case op.Boxed:
		f(a.Value)
	case op.Whole:
		f(a.Value)
	case op.Struct:
		for _, x := range a.Fields {
			eachArg(x.Value, f)
		}
	}
}

// operands returns the values that a call uses, in order.
func operands(c op.Call) []*ir.Value {
	var out []*ir.Value
	Operands(c, func(v *ir.Value) { out = append(out, v) })
	return out
}
