package codec

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sign sends the sign of each element, one bit, and for each block the mean of the absolute values: signSGD
// with error feedback, of J. Bernstein and others, "signSGD: Compressed Optimisation for Non-Convex Problems",
// 2018, and S. P. Karimireddy and others, 2019. Both ends must have the same configuration.
type Sign struct {
	Size int // elements of a block, a multiple of 8; 0: 4096
	feedback
}

// Open checks the configuration.
func (c *Sign) Open(runtime.Env) error {
	if c.Size < 0 || c.Size%8 != 0 {
		return fmt.Errorf("codec.Sign: Size is %d, want a multiple of 8", c.Size)
	}
	return nil
}

func (c *Sign) scaled() scaled { return scaled{bits: 1, run: cmp.Or(c.Size, 4096)} }

// Train does nothing.
func (*Sign) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (c *Sign) EncodedBytes(elements int) int {
	return shapeBytes(elements) + c.scaled().bytes(elements)
}

// Encode encodes the signs of x plus the accumulated error.
func (c *Sign) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	left, err := c.add(x)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	s := c.scaled()
	b, at := encoding(x.Shape, s.bytes(len(left)))
	scales := b[at:]
	bits := scales[4*s.runs(len(left)):]
	for from := 0; from < len(left); from += s.run {
		part := left[from:min(from+s.run, len(left))]
		scale := float32(cpu.SumAbs64(part) / float64(len(part)))
		binary.LittleEndian.PutUint32(scales[4*(from/s.run):], math.Float32bits(scale))
		cpu.TakeSigns(bits[from/8:], part, scale)
	}
	return tensor.DenseOf(b, len(b)), nil
}

// Decode returns the values of the signs.
func (c *Sign) Decode(b tensor.Dense[uint8]) (x tensor.Dense[float32], err error) {
	shape, n, rest, err := readShape(b.Data)
	s := c.scaled()
	if err == nil {
		err = wantBytes(rest, s.bytes(n), shape)
	}
	if err != nil {
		return x, err
	}
	x.Resize(shape...)
	bits := rest[4*s.runs(n):]
	for from := 0; from < n; from += s.run {
		scale := binary.LittleEndian.Uint32(rest[4*(from/s.run):])
		if scale >= 0x7f800000 {
			return tensor.Dense[float32]{}, errScale
		}
		cpu.PutSigns(x.Data[from:min(from+s.run, n)], bits[from/8:], math.Float32frombits(scale))
	}
	return x, nil
}
