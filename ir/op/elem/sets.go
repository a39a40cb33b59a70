package elem

import "github.com/bbgen/bbgen/runtime/tensor"

// Sets of one kind of number.
var (
	Floats   = Named("a float", tensor.Float16, tensor.BFloat16, tensor.Float32, tensor.Float64)
	Float8s  = Named("a float8", tensor.Float8E4M3FN, tensor.Float8E4M3FNUZ, tensor.Float8E5M2, tensor.Float8E5M2FNUZ)
	Integers = signedIntegers.Or("an integer", unsignedIntegers)
	Bytes    = Named("int8 or uint8", tensor.Int8, tensor.Uint8)
	Nibbles  = Named("an integer below a byte", tensor.Int4, tensor.Uint4, tensor.Int2, tensor.Uint2)
	Indices  = Of(tensor.Int32, tensor.Int64)

	signedIntegers   = Named("a signed integer", tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64)
	unsignedIntegers = Named("an unsigned integer", tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64)
)

// Sets of one type.
var (
	Bools    = Named("bool", tensor.Bool)
	Float32s = Of(tensor.Float32)
	Int32s   = Of(tensor.Int32)
	Int64s   = Of(tensor.Int64)
	Strings  = Named("string", tensor.String)
	Uint8s   = Of(tensor.Uint8)
)

// Sets of several kinds.
var (
	Numbers           = Integers.Or("a number", Floats)
	Signed            = signedIntegers.Or("a signed number", Floats)
	NumbersOrBools    = Numbers.Or("a number or bool", Bools)
	IntegersOrStrings = Of(tensor.Int64, tensor.String)
	Equatable         = NumbersOrBools.Or("a number, a bool or a string", Strings)
	FloatsOr8         = Floats.Or("a float", Float8s)
	NotComplex        = Equatable.Or("no complex number", Quantized).Or("no complex number", Scales)
	Any               = NotComplex.Or("elements of any type", Of(tensor.Complex64, tensor.Complex128))
)

// Reducible are the element types of most reductions.
var Reducible = Named("a float or an integer of 32 or 64 bits", tensor.Float16, tensor.BFloat16, tensor.Float32,
	tensor.Float64, tensor.Int32, tensor.Int64, tensor.Uint32, tensor.Uint64)

// Element types of quantized numbers and of their scales. FactorScales are the scales of products and
// convolutions.
var (
	QuantizedIntegers = Nibbles.Or("", Named("", tensor.Int8, tensor.Uint8, tensor.Int16, tensor.Uint16))
	Quantized         = QuantizedIntegers.Or("a quantized type", Float8s).Or("a quantized type", Named("", tensor.Float4E2M1))
	Scales            = Named("a float", tensor.Float32, tensor.Float16, tensor.BFloat16, tensor.Float8E8M0)
	FactorScales      = Named("a float of at most 32 bits", tensor.Float32, tensor.Float16, tensor.BFloat16)
)
