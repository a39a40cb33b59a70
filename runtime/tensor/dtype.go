package tensor

import "fmt"

// DType is an element type, numbered as in ONNX's TensorProto.DataType.
type DType uint8

// The element types. Those without a Go type of their own are stored as
// [F16], [BF16], [F8E4M3FN], [I4] and so on: [DType.GoType] names the type.
const (
	Undefined      DType = 0
	Float32        DType = 1
	Uint8          DType = 2
	Int8           DType = 3
	Uint16         DType = 4
	Int16          DType = 5
	Int32          DType = 6
	Int64          DType = 7
	String         DType = 8
	Bool           DType = 9
	Float16        DType = 10
	Float64        DType = 11
	Uint32         DType = 12
	Uint64         DType = 13
	Complex64      DType = 14
	Complex128     DType = 15
	BFloat16       DType = 16
	Float8E4M3FN   DType = 17
	Float8E4M3FNUZ DType = 18
	Float8E5M2     DType = 19
	Float8E5M2FNUZ DType = 20
	Uint4          DType = 21
	Int4           DType = 22
	Float4E2M1     DType = 23
	Float8E8M0     DType = 24
	Uint2          DType = 25
	Int2           DType = 26
)

// class is the kind of number of a dtype.
type class uint8

const (
	classSmallFloat class = 1 << iota
	classFloat
	classInt
	classSigned
	classComplex
)

// dtypes holds the properties of each dtype, by number.
var dtypes = [...]struct {
	name   string
	goType string
	size   uint8 // bytes in memory
	bits   uint8 // bits in a file
	class  class
}{
	Undefined:      {"undefined", "", 0, 0, 0},
	Float32:        {"float32", "float32", 4, 32, classFloat | classSigned},
	Uint8:          {"uint8", "uint8", 1, 8, classInt},
	Int8:           {"int8", "int8", 1, 8, classInt | classSigned},
	Uint16:         {"uint16", "uint16", 2, 16, classInt},
	Int16:          {"int16", "int16", 2, 16, classInt | classSigned},
	Int32:          {"int32", "int32", 4, 32, classInt | classSigned},
	Int64:          {"int64", "int64", 8, 64, classInt | classSigned},
	String:         {"string", "string", 0, 0, 0},
	Bool:           {"bool", "bool", 1, 8, 0},
	Float16:        {"float16", "tensor.F16", 2, 16, classSmallFloat | classFloat | classSigned},
	Float64:        {"float64", "float64", 8, 64, classFloat | classSigned},
	Uint32:         {"uint32", "uint32", 4, 32, classInt},
	Uint64:         {"uint64", "uint64", 8, 64, classInt},
	Complex64:      {"complex64", "complex64", 8, 64, classComplex | classSigned},
	Complex128:     {"complex128", "complex128", 16, 128, classComplex | classSigned},
	BFloat16:       {"bfloat16", "tensor.BF16", 2, 16, classSmallFloat | classFloat | classSigned},
	Float8E4M3FN:   {"float8e4m3fn", "tensor.F8E4M3FN", 1, 8, classSmallFloat | classFloat | classSigned},
	Float8E4M3FNUZ: {"float8e4m3fnuz", "tensor.F8E4M3FNUZ", 1, 8, classSmallFloat | classFloat | classSigned},
	Float8E5M2:     {"float8e5m2", "tensor.F8E5M2", 1, 8, classSmallFloat | classFloat | classSigned},
	Float8E5M2FNUZ: {"float8e5m2fnuz", "tensor.F8E5M2FNUZ", 1, 8, classSmallFloat | classFloat | classSigned},
	Uint4:          {"uint4", "tensor.U4", 1, 4, classInt},
	Int4:           {"int4", "tensor.I4", 1, 4, classInt | classSigned},
	Float4E2M1:     {"float4e2m1", "tensor.F4E2M1", 1, 4, classSmallFloat | classFloat | classSigned},
	Float8E8M0:     {"float8e8m0", "tensor.F8E8M0", 1, 8, classSmallFloat | classFloat},
	Uint2:          {"uint2", "tensor.U2", 1, 2, classInt},
	Int2:           {"int2", "tensor.I2", 1, 2, classInt | classSigned},
}

// ParseDType is the inverse of [DType.String]; "undefined" is not a dtype.
func ParseDType(s string) (DType, bool) {
	for d := Float32; d.Valid(); d++ {
		if dtypes[d].name == s {
			return d, true
		}
	}
	return Undefined, false
}

// String is the dtype's name: "float32", "bfloat16", "float8e4m3fn", "uint4".
func (d DType) String() string {
	if int(d) < len(dtypes) {
		return dtypes[d].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(d))
}

// Valid reports whether d is a dtype other than [Undefined].
func (d DType) Valid() bool { return d != Undefined && int(d) < len(dtypes) }

// GoType is the Go type of one element as generated code writes it:
// "float32", "tensor.F16", "tensor.I4", "string".
func (d DType) GoType() string { return dtypes[d.known()].goType }

// Size returns how many bytes one element takes in memory. Types below a byte take a whole one; for strings it
// is 0.
func (d DType) Size() int { return int(dtypes[d.known()].size) }

// Bits returns how many bits one element takes in a file: 4 for int4, 2 for int2, 0 for string.
func (d DType) Bits() int { return int(dtypes[d.known()].bits) }

// IsFloat reports whether d is a float of any width.
func (d DType) IsFloat() bool { return d.is(classFloat) }

// IsSmallFloat reports whether d is a float narrower than float32.
func (d DType) IsSmallFloat() bool { return d.is(classSmallFloat) }

// IsInt reports whether d is an integer of any width, signed or not.
func (d DType) IsInt() bool { return d.is(classInt) }

// IsSigned reports whether d can represent negative numbers.
func (d DType) IsSigned() bool { return d.is(classSigned) }

// IsComplex reports whether d is a complex number.
func (d DType) IsComplex() bool { return d.is(classComplex) }

func (d DType) is(c class) bool { return dtypes[d.known()].class&c != 0 }

// known returns d, or Undefined for numbers that are not a dtype.
func (d DType) known() DType {
	if int(d) < len(dtypes) {
		return d
	}
	return Undefined
}
