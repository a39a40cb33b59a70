// Package codec is the role Codec for tensors of float32: fewer bits for each
// element. What is encoded says its own shape; what comes from a peer is checked
// before anything is allocated.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// Float16 sends each element as IEEE half precision, 2 bytes.
type Float16 struct{}

// Train has nothing to learn.
func (Float16) Train(tensor.Dense[float32]) error { return nil }

// Encode is x in half precision.
func (Float16) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	b := appendShape(make([]byte, 0, 2*len(x.Data)+16), x.Shape)
	for _, v := range x.Data {
		b = binary.LittleEndian.AppendUint16(b, uint16(tensor.ToFloat16(v)))
	}
	return tensor.DenseOf(b, len(b)), nil
}

// Decode is what Encode has encoded.
func (Float16) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	x, rest, err := consumeShape(b.Data, 2)
	for i := range x.Data {
		x.Data[i] = tensor.F16(binary.LittleEndian.Uint16(rest[2*i:])).Float32()
	}
	return x, err
}

// Int8 sends each element as a number from -127 to 127, times what the largest of
// them needs.
type Int8 struct{}

// Train has nothing to learn.
func (Int8) Train(tensor.Dense[float32]) error { return nil }

// Encode is x in 8 bits. What is not finite cannot be encoded.
func (Int8) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	var largest float32
	for i, v := range x.Data {
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return tensor.Dense[uint8]{}, fmt.Errorf("element %d is %v", i, v)
		}
		largest = max(largest, v, -v)
	}
	scale := max(largest/127, math.SmallestNonzeroFloat32)
	b := appendShape(make([]byte, 0, len(x.Data)+20), x.Shape)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	for _, v := range x.Data {
		b = append(b, byte(int8(math.RoundToEven(float64(v)/float64(scale)))))
	}
	return tensor.DenseOf(b, len(b)), nil
}

var errScale = errors.New("the scale is no number above 0")

// Decode is what Encode has encoded, with an error of at most half of a step.
func (Int8) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	const scaleSize = 4
	x, rest, err := consumeShapeBehind(b.Data, 1, scaleSize)
	if err != nil {
		return x, err
	}
	scale := math.Float32frombits(binary.LittleEndian.Uint32(rest))
	if !(scale > 0) || math.IsInf(float64(scale), 0) {
		return tensor.Dense[float32]{}, errScale
	}
	for i := range x.Data {
		x.Data[i] = float32(int8(rest[scaleSize+i])) * scale
	}
	return x, nil
}

func appendShape(b []byte, shape []int) []byte {
	b = append(b, byte(len(shape)))
	for _, d := range shape {
		b = binary.AppendUvarint(b, uint64(d))
	}
	return b
}

var errShort = errors.New("what was encoded ends early")

// consumeShape makes a tensor of the shape that b begins with, and returns what
// follows: size bytes for each element.
func consumeShape(b []byte, size int) (tensor.Dense[float32], []byte, error) {
	return consumeShapeBehind(b, size, 0)
}

// consumeShapeBehind is consumeShape with extra bytes before the elements.
func consumeShapeBehind(b []byte, size, extra int) (x tensor.Dense[float32], rest []byte, err error) {
	if len(b) == 0 || int(b[0]) > tensor.MaxRank {
		return x, nil, errShort
	}
	shape := make([]int, b[0])
	b = b[1:]
	for i := range shape {
		d, n := binary.Uvarint(b)
		if n <= 0 || d > math.MaxInt32 {
			return x, nil, errShort
		}
		shape[i], b = int(d), b[n:]
	}
	n, err := tensor.NumElements(shape)
	if err != nil {
		return x, nil, err
	}
	if len(b) != n*size+extra {
		return x, nil, fmt.Errorf("%w: %d bytes for shape %v", errShort, len(b), shape)
	}
	x.Resize(shape...)
	return x, b, nil
}
