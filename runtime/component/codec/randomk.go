package codec

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/values"
)

// RandomK sends randomly chosen elements, with error feedback: S. U. Stich, J.-B. Cordonnier and M. Jaggi,
// "Sparsified SGD with Memory", 2018. Instead of their indices it sends a seed from which both ends draw them.
// Both must have the same configuration.
type RandomK struct {
	Fraction float64 // of the elements that are sent; 0: 0.01

	seed, drawn uint64
	feedback
}

// Open checks the configuration.
func (c *RandomK) Open(env runtime.Env) error {
	c.seed = runtime.SeedOf(env.Seed, env.Class, env.Rank)
	return checkFraction("codec.RandomK", c.Fraction)
}

func (c *RandomK) kept(n int) int { return kept(n, cmp.Or(c.Fraction, defaultFraction)) }

// Train does nothing.
func (*RandomK) Train(tensor.Dense[float32]) error { return nil }

// seedBytes is the size of the seed.
const seedBytes = 16

// EncodedBytes returns the encoded size of a vector.
func (c *RandomK) EncodedBytes(elements int) int {
	return shapeBytes(elements) + seedBytes + 4*c.kept(elements)
}

// Encode encodes some elements of x plus the accumulated error.
func (c *RandomK) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	left, err := c.add(x)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	k := c.kept(len(left))
	b := appendShape(make([]byte, 0, 4*k+seedBytes+16), x.Shape)
	b = binary.LittleEndian.AppendUint64(b, c.seed)
	b = binary.LittleEndian.AppendUint64(b, c.drawn)
	draw(len(left), k, c.seed, c.drawn, func(i int) {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(left[i]))
		left[i] = 0
	})
	c.drawn++
	return tensor.DenseOf(b, len(b)), nil
}

// draw calls f for k of n indices, in ascending order. All indices are equally likely.
func draw(n, k int, seed, number uint64, f func(i int)) {
	r := rand.NewPCG(seed, number)
	for i := 0; k > 0; i++ {
		if at, _ := bits.Mul64(r.Uint64(), uint64(n-i)); at < uint64(k) {
			f(i)
			k--
		}
	}
}

// Decode returns the sent elements, and zeros for the others.
func (c *RandomK) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	k := c.kept(n)
	if err == nil {
		err = wantBytes(rest, seedBytes+4*k, shape)
	}
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	x, values, next := zeros(shape), rest[seedBytes:], 0
	draw(n, k, binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[8:]), func(i int) {
		x.Data[i] = float32At(values, next)
		next++
	})
	return x, nil
}

// AppendBinary appends the accumulated error, and the number of draws.
func (c *RandomK) AppendBinary(b []byte) ([]byte, error) {
	return c.feedback.AppendBinary(values.AppendScalar(values.AppendScalar(b, c.seed), c.drawn))
}

// UnmarshalBinary reads the output of AppendBinary.
func (c *RandomK) UnmarshalBinary(b []byte) error {
	const size = 16
	if len(b) < size {
		return errShort
	}
	if err := c.feedback.UnmarshalBinary(b[size:]); err != nil {
		return err
	}
	r := values.NewFields(b[:size])
	values.ReadScalar(r, &c.seed)
	values.ReadScalar(r, &c.drawn)
	return r.End()
}
