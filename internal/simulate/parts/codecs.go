package parts

import (
	"context"

	"github.com/bbgen/bbgen/runtime/component/codec"
	"github.com/bbgen/bbgen/runtime/component/dp"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// codecs returns a new component of each codec, and of the noise whose values are integers, as strategies.
func codecs() []Strategy {
	return []Strategy{
		&BFloat16{}, &Float16{}, &Int8{}, &Channels{}, &Blocks8{Blocks: codec.Blocks{Bits: 8}}, &Blocks4{Blocks: codec.Blocks{Bits: 4}},
		&TopK{}, &RandomK{}, &Sign{}, &Integers{Discrete: dp.Discrete{Clip: 4, Noise: 1, Peers: 2}},
	}
}

// The codecs. Each Step encodes a and decodes the result.
type (
	BFloat16 struct {
		codec.BFloat16
		stateless
	}
	Float16 struct {
		codec.Float16
		stateless
	}
	Int8 struct {
		codec.Int8
		stateless
	}
	Channels struct {
		codec.Channels
		stateless
	}
	Blocks8 struct {
		codec.Blocks
		stateless
	}
	Blocks4 struct {
		codec.Blocks
		stateless
	}
	TopK    struct{ codec.TopK }
	RandomK struct{ codec.RandomK }
	Sign    struct{ codec.Sign }
)

// Step is what arrives of a in half precision.
func (c *BFloat16) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of a in half precision.
func (c *Float16) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of a in 8 bits.
func (c *Int8) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of a in 8 bits, with a scale for each channel.
func (c *Channels) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of a in 8 bits, with a scale for each block.
func (c *Blocks8) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of a in 4 bits, with a scale for each block.
func (c *Blocks4) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of the largest elements of a, with what earlier calls have left out.
func (c *TopK) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of random elements of a, with what earlier calls have left out.
func (c *RandomK) Step(a, _ Model) (Model, error) { return through(c, a) }

// Step is what arrives of the signs of a, with what earlier calls have left out.
func (c *Sign) Step(a, _ Model) (Model, error) { return through(c, a) }

// through encodes and decodes a value.
func through(c interface {
	Encode(Model) (tensor.Dense[uint8], error)
	Decode(tensor.Dense[uint8]) (Model, error)
}, x Model) (Model, error) {
	b, err := c.Encode(x)
	if err != nil {
		return x, err
	}
	return c.Decode(b)
}

// Integers is distributed differential privacy.
type Integers struct{ dp.Discrete }

// Step is the mean of two contributions with noise.
func (i *Integers) Step(a, b Model) (Model, error) {
	sum, err := i.Encode(context.Background(), a)
	if err != nil {
		return a, err
	}
	sum = sum.Clone() // the next call may use its memory
	other, err := i.Encode(context.Background(), b)
	if err != nil {
		return a, err
	}
	for k, v := range other.Data {
		sum.Data[k] += v
	}
	return i.Mean(context.Background(), sum, 2)
}

// stateless is embedded in components without a state.
type stateless struct{}

// AppendBinary appends nothing.
func (stateless) AppendBinary(b []byte) ([]byte, error) { return b, nil }

// UnmarshalBinary sets nothing.
func (stateless) UnmarshalBinary([]byte) error { return nil }
