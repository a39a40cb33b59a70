package codec

import (
	"cmp"
	"encoding/binary"
	"math"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TopK sends the elements with the largest absolute values, and their indices, with error feedback: S. U.
// Stich, J.-B. Cordonnier and M. Jaggi, "Sparsified SGD with Memory", 2018. Both ends must have the same
// configuration.
type TopK struct {
	Fraction float64 // of the elements that are sent; 0: 0.01
	feedback
}

// Open checks the configuration.
func (c *TopK) Open(runtime.Env) error { return checkFraction("codec.TopK", c.Fraction) }

func (c *TopK) kept(n int) int { return kept(n, cmp.Or(c.Fraction, defaultFraction)) }

// Train does nothing.
func (*TopK) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector with evenly distributed large elements; other vectors are
// at most slightly larger.
func (c *TopK) EncodedBytes(elements int) int {
	k := c.kept(elements)
	if k == 0 {
		return shapeBytes(elements)
	}
	return shapeBytes(elements) + k*(4+len(binary.AppendUvarint(nil, uint64(elements/k))))
}

// Encode encodes the largest elements of x plus the accumulated error: their values, then the distances between
// their indices.
func (c *TopK) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	left, err := c.add(x)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	k := c.kept(len(left))
	b := appendShape(make([]byte, 0, 6*k+16), x.Shape)
	at := len(b)
	b = append(b, make([]byte, 4*k)...)
	least, equal := threshold(left, k)
	from, found := 0, 0
	for i, v := range left {
		bits := math.Float32bits(v)
		switch size := bits & 0x7fffffff; {
		case found == k || size < least:
			continue
		case size == least:
			if equal == 0 {
				continue
			}
			equal--
		}
		binary.LittleEndian.PutUint32(b[at+4*found:], bits)
		b = binary.AppendUvarint(b, uint64(i-from))
		left[i], from = 0, i+1
		found++
	}
	return tensor.DenseOf(b, len(b)), nil
}

// threshold returns the bits of the k-th largest absolute value, and how many equal ones are among the k
// largest. It determines the bits from the highest on, ten or eleven at a time, by counting.
func threshold(x []float32, k int) (least uint32, equal int) {
	equal = k
	known := uint32(0) // the known bits of least
	for _, shift := range [...]int{20, 10, 0} {
		var counts [1 << 11]int
		for _, v := range x {
			if b := math.Float32bits(v) & 0x7fffffff; b&known == least {
				counts[b>>shift&(1<<11-1)&^(known>>shift)]++
			}
		}
		digit := len(counts) - 1
		for digit > 0 && counts[digit] < equal {
			equal -= counts[digit]
			digit--
		}
		least |= uint32(digit) << shift
		known |= (1<<11 - 1) << shift
	}
	return least, equal
}

// Decode returns the sent elements, and zeros for the others.
func (c *TopK) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	k := c.kept(n)
	if err != nil || len(rest) < 5*k {
		return tensor.Dense[float32]{}, cmp.Or(err, errShort)
	}
	x, gaps, at := zeros(shape), rest[4*k:], 0
	for i := range k {
		gap, size := binary.Uvarint(gaps)
		if size <= 0 || gap >= uint64(n-at) {
			return tensor.Dense[float32]{}, errShort
		}
		at += int(gap)
		x.Data[at] = float32At(rest, i)
		gaps, at = gaps[size:], at+1
	}
	return x, wantBytes(gaps, 0, shape)
}
