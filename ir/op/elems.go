package op

import (
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// elemSet is the element types that an operand may have.
type elemSet struct {
	name string // as in "want a float"
	bits uint32
}

var (
	floats      = newElems("a float", tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64)
	signedInt   = newElems("a signed integer", tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64)
	unsigned    = newElems("an unsigned integer", tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)
	float8s     = newElems("a float8", tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ)
	nibbles     = newElems("an integer below a byte", tensor.Int4, tensor.Uint4, tensor.Int2, tensor.Uint2)
	bools       = newElems("bool", tensor.Bool)
	indices     = elems(tensor.Int32, tensor.Int64)
	int32s      = elems(tensor.Int32)
	int64s      = elems(tensor.Int64)
	float32s    = elems(tensor.Float32)
	uint8s      = elems(tensor.Uint8)
	intOrString = elems(tensor.Int64, tensor.String)
	integers    = signedInt.or("an integer", unsigned)
	signed      = signedInt.or("a signed number", floats)
	numbers     = integers.or("a number", floats)

	numbersOrBool = numbers.or("a number or bool", bools)
	equatable     = numbersOrBool.or("a number, a bool or a string", strs)
	floatsOr8     = floats.or("a float", float8s)
	notComplex    = equatable.or("no complex number", quantized).or("no complex number", scales)
	anyElem       = notComplex.or("elements of any type", elems(tensor.Complex64, tensor.Complex128))
)

func newElems(name string, types ...tensor.DType) elemSet {
	s := elemSet{name: name}
	for _, d := range types {
		s.bits |= 1 << d
	}
	return s
}

// elems is a set that is called by what is in it.
func elems(types ...tensor.DType) elemSet {
	names := make([]string, len(types))
	for i, d := range types {
		names[i] = d.String()
	}
	return newElems(strings.Join(names, " or "), types...)
}

// and is the union of s and t, called by both names.
func (s elemSet) and(t elemSet) elemSet { return s.or(s.name+" or "+t.name, t) }

// or is the union of s and t under a name of its own.
func (s elemSet) or(name string, t elemSet) elemSet { return elemSet{name, s.bits | t.bits} }

func (s elemSet) has(d tensor.DType) bool { return d.Valid() && s.bits>>d&1 != 0 }

// String names the set as in "want a float".
func (s elemSet) String() string { return s.name }

// takes is for tensors alone; inference says where something else is wrong.
func (s elemSet) takes(t ir.Type) bool { return t.Kind != ir.Tensor || s.has(t.Elem) }

// checkType reports whether an attribute names a type of the set.
func (s elemSet) checkType(attr string, d tensor.DType) error {
	if s.has(d) {
		return nil
	}
	return fmt.Errorf("%s is %s, want %s", attr, d, s.name)
}

// int8s are the elements of quantized operands.
var int8s = newElems("int8 or uint8", tensor.Int8, tensor.Uint8)

var factorScales = newElems("a float of at most 32 bits", tensor.Float32, tensor.Float16, tensor.BFloat16)

var quantInts = nibbles.or("", newElems("", tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16))

var quantized = quantInts.or("a quantized type", float8s).or("a quantized type", newElems("", tensor.Float4E2M1))

var scales = newElems("a float", tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Float8E8M0)

// reducible is what most reductions take.
var reducible = newElems("a float or an integer of 32 or 64 bits", tensor.Float16, tensor.BFloat16, tensor.Float32,
	tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64)

// strs is the element type of text.
var strs = newElems("string", tensor.String)
