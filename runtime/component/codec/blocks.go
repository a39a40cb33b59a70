package codec

import (
	"cmp"
	"fmt"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Blocks sends each element as a small integer times a scale that fits the largest element of its block: T.
// Dettmers and others, "8-bit Optimizers via Block-wise Quantization", 2022, with steps of equal size. A large
// element reduces the precision only of its own block. Both ends must have the same configuration.
type Blocks struct {
	Bits int // of an element, 8 or 4; 0: 8
	Size int // elements of a block, an even number; 0: 256
}

// Open checks the configuration.
func (c *Blocks) Open(runtime.Env) error {
	if s := c.scaled(); s.bits != 8 && s.bits != 4 || s.run < 2 || s.run%2 != 0 {
		return fmt.Errorf("codec.Blocks: Bits is %d and Size %d, want 8 or 4 and an even number", c.Bits, c.Size)
	}
	return nil
}

func (c Blocks) scaled() scaled {
	return scaled{bits: cmp.Or(c.Bits, 8), run: cmp.Or(c.Size, 256)}
}

// Train does nothing.
func (Blocks) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (c Blocks) EncodedBytes(elements int) int {
	return shapeBytes(elements) + c.scaled().bytes(elements)
}

// Encode encodes x in small integers. It returns an error if an element is not finite.
func (c Blocks) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	return c.scaled().encode(x)
}

// Decode decodes the output of Encode, with an error of at most half of a block's step.
func (c Blocks) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	return c.scaled().decode(rest, n, shape)
}
