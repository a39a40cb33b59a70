package codec

import "github.com/bbgen/bbgen/runtime/tensor"

// Int8 sends each element as an integer from -127 to 127, times a scale that fits the largest of them.
type Int8 struct{}

// Train does nothing.
func (Int8) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (Int8) EncodedBytes(elements int) int {
	return shapeBytes(elements) + oneBlock(elements).bytes(elements)
}

// oneBlock is one scale for all elements.
func oneBlock(n int) scaled { return scaled{bits: 8, run: max(n, 1)} }

// Encode encodes x in 8 bits. It returns an error if an element is not finite.
func (Int8) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	return oneBlock(len(x.Data)).encode(x)
}

// Decode decodes the output of Encode, with an error of at most half of a step.
func (Int8) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	return oneBlock(n).decode(rest, n, shape)
}

// Channels sends each element as an integer from -127 to 127, times a scale that fits the largest of its
// channel, the index on the first axis. A vector is one channel.
type Channels struct{}

// Train does nothing.
func (Channels) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (Channels) EncodedBytes(elements int) int { return Int8{}.EncodedBytes(elements) }

// byChannel is a scale for each index on the first axis.
func byChannel(n int, shape []int) scaled {
	if len(shape) < 2 || n == 0 {
		return oneBlock(n)
	}
	return scaled{bits: 8, run: n / shape[0]}
}

// Encode encodes x in 8 bits. It returns an error if an element is not finite.
func (Channels) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	return byChannel(len(x.Data), x.Shape).encode(x)
}

// Decode decodes the output of Encode, with an error of at most half of a channel's step.
func (Channels) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	return byChannel(n, shape).decode(rest, n, shape)
}
