package cpu

// Number is every type that Go itself computes with.
type Number interface {
	Float | Integer
}

// Float is the types that differentiable kernels work on.
type Float interface{ float32 | float64 }

// Integer is the whole numbers.
type Integer interface{ Signed | Unsigned }

// Signed is the whole numbers with a sign.
type Signed interface{ int8 | int16 | int32 | int64 }

// Unsigned is the whole numbers without a sign.
type Unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// Index is the types that ONNX allows for indices.
type Index interface{ int32 | int64 }
