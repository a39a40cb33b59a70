package codec

import (
	"encoding/binary"

	"github.com/bbgen/bbgen/runtime/tensor"
)

// BFloat16 sends each element as a bfloat16, 2 bytes: the range of float32, and 8 bits
// of precision.
type BFloat16 struct{}

// Train has nothing to learn.
func (BFloat16) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes is how many bytes a vector becomes.
func (BFloat16) EncodedBytes(elements int) int { return shapeBytes(elements) + 2*elements }

// Encode is x as bfloat16.
func (BFloat16) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	b, half := halves(x)
	for i, v := range x.Data {
		binary.LittleEndian.PutUint16(half[2*i:], uint16(tensor.ToBFloat16(v)))
	}
	return b, nil
}

// Decode is what Encode has encoded.
func (BFloat16) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	x, rest, err := consumeShape(b.Data, 2)
	for i := range x.Data {
		x.Data[i] = tensor.BF16(binary.LittleEndian.Uint16(rest[2*i:])).Float32()
	}
	return x, err
}

// halves is the shape of x, followed by 2 bytes for each element, which are half.
func halves(x tensor.Dense[float32]) (b tensor.Dense[uint8], half []byte) {
	data := appendShape(make([]byte, 0, 2*len(x.Data)+16), x.Shape)
	at := len(data)
	data = data[:at+2*len(x.Data)]
	return tensor.DenseOf(data, len(data)), data[at:]
}
