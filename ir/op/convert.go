package op

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/elem"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Cast converts x to y, through an intermediate type if there is no kernel for the pair.
func (l *Lowering) Cast(y, x *ir.Value) {
	from, to := x.Type.Elem, y.Type.Elem
	via := func(d tensor.DType) {
		t := l.Scratch(d, Shape(x)...)
		l.Cast(t, x)
		l.Cast(y, t)
	}
	switch {
	case from.IsSmallFloat() && to == tensor.Float32:
		l.Each("CastFromSmall", y, x)
	case from.IsSmallFloat():
		via(tensor.Float32)
	case to.IsSmallFloat() && (from == tensor.Float32 || from == tensor.Float64):
		mode, _ := tensor.ParseRoundMode(l.Str("round_mode"))
		l.Each("CastToSmall", y, x, l.IntOr("saturate", 1) != 0, int(mode)) // other operators use it, too
	case to.IsSmallFloat() && from != tensor.String && from.Size() <= 2:
		via(tensor.Float32)
	case to.IsSmallFloat():
		via(tensor.Float64)
	case elem.Nibbles.Has(to) && elem.Nibbles.Has(from), from == tensor.Bool && elem.Nibbles.Has(to), elem.Nibbles.Has(from) && to == tensor.String:
		via(tensor.Int8)
	case elem.Nibbles.Has(to) && from == tensor.String:
		via(tensor.Int64)
	case elem.Nibbles.Has(to):
		l.Call("CastToInt4", y, x)
	case from == tensor.String && to == tensor.Bool:
		via(tensor.Float64)
	case from == tensor.String:
		l.Call("CastFromString", y, x)
	case to == tensor.String:
		l.Call("CastToString", y, x)
	case to == tensor.Bool:
		l.Each("CastToBool", y, x)
	case from == tensor.Bool:
		l.Each("CastFromBool", y, x)
	default:
		l.Each("Cast", y, x)
	}
}
