package cpu

// Number is the types that Go has arithmetic for.
type Number interface {
	Float | Integer
}

// Float is the types of differentiable kernels.
type Float interface{ float32 | float64 }

// Integer is the integer types.
type Integer interface{ Signed | Unsigned }

// Signed is the signed integer types.
type Signed interface{ int8 | int16 | int32 | int64 }

// Unsigned is the unsigned integer types.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Index is the types that ONNX allows for indices.
type Index interface{ int32 | int64 }
