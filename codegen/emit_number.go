package codegen

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// emitInt emits a literal of 64 bits, such as a duration, which an int of the compiler may be too small for.
func emitInt(x int64) *jen.Statement { return jen.Id(strconv.FormatInt(x, 10)) }

// emitFloat emits a float constant.
func emitFloat(x float64) *jen.Statement {
	switch {
	case math.IsNaN(x):
		return jen.Qual("math", "NaN").Call()
	case math.IsInf(x, 1):
		return jen.Qual("math", "Inf").Call(jen.Lit(1))
	case math.IsInf(x, -1):
		return jen.Qual("math", "Inf").Call(jen.Lit(-1))
	case x == 0 && math.Signbit(x):
		return jen.Qual("math", "Copysign").Call(jen.Lit(0), jen.Lit(-1))
	}
	return jen.Lit(x)
}

// emitNumber emits a tensor of rank 0 as a Go expression of its type:
//
//	float32(1.5)
//	uint8(7)
//	tensor.F16(0x3e00)
func emitNumber(t *tensor.Tensor) *jen.Statement {
	switch x := t.Data.(type) {
	case []bool:
		return jen.Lit(x[0])
	case []string:
		return jen.Lit(x[0])
	}
	return emitElem(t.DType).Call(emitDigits(t))
}

// emitDigits emits the number of a tensor of rank 0 as a constant: that of a small float, which Go has no constants of, is
// its bits.
func emitDigits(t *tensor.Tensor) *jen.Statement {
	x := reflect.ValueOf(t.Data).Index(0)
	switch {
	case t.DType == tensor.Float32:
		return emitFloat(op.Decimal(x.Float()))
	case x.CanFloat():
		return emitFloat(x.Float())
	case t.DType == tensor.Complex64:
		return jen.Complex(emitFloat(op.Decimal(real(x.Complex()))), emitFloat(op.Decimal(imag(x.Complex()))))
	case x.CanComplex():
		return jen.Complex(emitFloat(real(x.Complex())), emitFloat(imag(x.Complex())))
	case x.CanInt():
		return emitInt(x.Int())
	case t.DType.IsSmallFloat():
		return jen.Id(fmt.Sprintf("%#x", x.Uint()))
	}
	return jen.Id(strconv.FormatUint(x.Uint(), 10))
}
