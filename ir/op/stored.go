package op

import (
	"math"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/target"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// StoredProduct appends the call for y = act(x·w + bias + res) if w, a packed constant matrix of float32, is large for the target and can be
// stored in 16 bits without rounding. Weights that a file has in float16 or bfloat16 can. Otherwise it reports false.
func (l *Lowering) StoredProduct(y, x *ir.Value, w Packed, bias, res *ir.Value, shape Struct, act any) bool {
	if w.Elem = StoredType(w.Value, l.Target); w.Elem == tensor.Undefined {
		return false
	}
	l.Call("MatMulPackedAddStored", y, x, w, bias, res, shape, act)
	return true
}

// StoredType returns the type of 16 bits in which products of a target read w, or Undefined: w must be a constant in float32 that is
// large for the target, and have no number that would be rounded.
func StoredType(w *ir.Value, t *target.Target) tensor.DType {
	if !w.IsConst() || w.Type.Elem != tensor.Float32 || w.Const.Len() < target.Or(t).Stored() {
		return tensor.Undefined
	}
	return halfOf(tensor.Data[float32](w.Const))
}

// halfOf returns a type of 16 bits that has all numbers of x, or Undefined.
func halfOf(x []float32) tensor.DType {
	bfloat, half := true, true
	for _, v := range x {
		b := math.Float32bits(v)
		bfloat = bfloat && b<<16 == 0
		half = half && math.Float32bits(tensor.ToFloat16(v).Float32()) == b
		if !bfloat && !half {
			return tensor.Undefined
		}
	}
	if bfloat { // it is faster to convert
		return tensor.BFloat16
	}
	return tensor.Float16
}
