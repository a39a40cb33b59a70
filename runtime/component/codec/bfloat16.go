package codec

import "github.com/bbgen/bbgen/runtime/tensor"

// BFloat16 sends each element as a bfloat16, 2 bytes: the range of float32, and 8 bits of precision. A finite element remains
// finite: one that would be rounded to infinity becomes the largest bfloat16.
type BFloat16 struct{}

// Train does nothing.
func (BFloat16) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (BFloat16) EncodedBytes(elements int) int { return shapeBytes(elements) + 2*elements }

// Encode encodes x as bfloat16.
func (BFloat16) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	return encodeHalves[tensor.BF16](x), nil
}

// Decode decodes the output of Encode.
func (BFloat16) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	return decodeHalves[tensor.BF16](b)
}
