package cpu

import "github.com/bbgen/bbgen/runtime/tensor"

// CopyOptional makes dst a copy of src.
func CopyOptional(dst, src *tensor.Optional) { dst.Value = src.Value }

// OptionalNone makes dst empty.
func OptionalNone(dst *tensor.Optional) { dst.Value = nil }

// OptionalTensor sets dst to a copy of x.
func OptionalTensor(dst *tensor.Optional, x *tensor.Tensor) { dst.Value = x.Clone() }

// OptionalSequence sets dst to a copy of x.
func OptionalSequence(dst *tensor.Optional, x *tensor.Sequence) {
	s := new(tensor.Sequence)
	CopySequence(s, x)
	dst.Value = s
}

// OptionalHas writes whether x, which may be nil, has a value.
func OptionalHas(dst []bool, x *tensor.Optional) { dst[0] = x != nil && x.Value != nil }

// OptionalDim returns the size of an axis of the tensor in x, which must have the given rank.
func OptionalDim(x *tensor.Optional, rank, axis int) int {
	return itemDim("OptionalGetElement", element(x), rank, axis)
}

// OptionalGet copies the tensor in x, which must have the given shape.
func OptionalGet[T any](dst []T, x *tensor.Optional, shape []int) {
	copyItem("OptionalGetElement", dst, element(x), shape)
}

// OptionalGetSequence makes dst a copy of the sequence in x.
func OptionalGetSequence(dst *tensor.Sequence, x *tensor.Optional) {
	s, ok := element(x).(*tensor.Sequence)
	if !ok {
		fail("OptionalGetElement", "element is %v, want a sequence", x.Value)
	}
	CopySequence(dst, s)
}

// element returns the value in x.
func element(x *tensor.Optional) tensor.Value {
	if x.Value == nil {
		fail("OptionalGetElement", "the optional is empty")
	}
	return x.Value
}
