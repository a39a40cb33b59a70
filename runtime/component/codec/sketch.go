package codec

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// Sketch sends a count sketch, from which the receiver estimates the largest elements: M. Charikar, K. Chen and M.
// Farach-Colton, "Finding Frequent Items in Data Streams", 2002, with error feedback as in D. Rothchild and others,
// "FetchSGD: Communication-Efficient Federated Learning with Sketching", 2020. Both ends must have the same
// configuration. It sends no indices, and has errors where large elements share a counter.
//
// Where no elements are much larger than the others, estimates are mostly errors. So they are multiplied by the factor
// that brings them closest to x, and what remains is never larger than before.
type Sketch struct {
	Fraction float64 // of the elements that are estimated, the others become zero; 0: 0.01
	Rows     int     // estimates of each element, whose median counts, an odd number; 0: 5
	Width    int     // counters in a row for each estimated element; 0: 2
	feedback
}

// Open checks the configuration.
func (c *Sketch) Open(runtime.Env) error {
	if r := c.rows(); r < 1 || r > 15 || r%2 == 0 || c.Width < 0 || c.Width > 64 {
		return fmt.Errorf("codec.Sketch: Rows is %d and Width %d, want an odd number below 16, and 0 to 64", c.Rows, c.Width)
	}
	return checkFraction("codec.Sketch", c.Fraction)
}

func (c *Sketch) kept(n int) int { return kept(n, cmp.Or(c.Fraction, defaultFraction)) }

func (c *Sketch) rows() int { return cmp.Or(c.Rows, 5) }

// width returns how many counters a row has for n elements.
func (c *Sketch) width(n int) int { return c.kept(n) * cmp.Or(c.Width, 2) }

// Train does nothing.
func (*Sketch) Train(tensor.Dense[float32]) error { return nil }

// EncodedBytes returns the encoded size of a vector.
func (c *Sketch) EncodedBytes(elements int) int {
	return shapeBytes(elements) + 4 + 4*c.rows()*c.width(elements)
}

// Encode encodes x plus the accumulated error: the factor, and the counters.
func (c *Sketch) Encode(x tensor.Dense[float32]) (tensor.Dense[uint8], error) {
	left, err := c.add(x)
	if err != nil {
		return tensor.Dense[uint8]{}, err
	}
	width := c.width(len(left))
	counters := make([]float32, c.rows()*width)
	for r := range c.rows() {
		row := counters[r*width : (r+1)*width]
		for i, v := range left {
			at, sign := place(r, i, width)
			row[at] += sign * v
		}
	}
	estimates := c.estimate(counters, len(left))
	factor := projection(left, estimates)
	b := appendFloat(appendShape(make([]byte, 0, 4*len(counters)+20), x.Shape), factor)
	for _, v := range counters {
		b = appendFloat(b, v)
	}
	for i, v := range estimates {
		left[i] -= float32(factor * v)
	}
	return tensor.DenseOf(b, len(b)), nil
}

// projection returns the factor of y that brings it closest to x, at most 1.
func projection(x, y []float32) float32 {
	xy, yy := 0.0, 0.0
	for i, v := range y {
		xy += float64(float64(x[i]) * float64(v))
		yy += float64(float64(v) * float64(v))
	}
	if !(xy > 0) || !(yy > 0) {
		return 0
	}
	return float32(min(xy/yy, 1))
}

// Decode returns estimates of the largest elements, and zeros for the others.
func (c *Sketch) Decode(b tensor.Dense[uint8]) (tensor.Dense[float32], error) {
	shape, n, rest, err := readShape(b.Data)
	if err != nil {
		return tensor.Dense[float32]{}, err
	}
	if err := wantBytes(rest, 4+4*c.rows()*c.width(n), shape); err != nil {
		return tensor.Dense[float32]{}, err
	}
	numbers := make([]float32, len(rest)/4)
	for i := range numbers {
		numbers[i] = float32At(rest, i)
	}
	if _, err := largest(numbers, 0); err != nil {
		return tensor.Dense[float32]{}, fmt.Errorf("the sketch: %w", err)
	}
	x := c.estimate(numbers[1:], n)
	for i, v := range x {
		x[i] = numbers[0] * v
	}
	return tensor.DenseOf(x, shape...), nil
}

// estimate returns the median of each element's counters, for the elements with the largest ones.
func (c *Sketch) estimate(counters []float32, n int) []float32 {
	x, width, one := make([]float32, n), c.width(n), make([]float32, c.rows())
	for i := range x {
		for r := range one {
			at, sign := place(r, i, width)
			one[r] = sign * counters[r*width+at]
		}
		slices.Sort(one)
		x[i] = one[len(one)/2]
	}
	least, equal := threshold(x, c.kept(n))
	for i, v := range x {
		switch size := math.Float32bits(v) & 0x7fffffff; {
		case size < least:
			x[i] = 0
		case size == least && equal > 0:
			equal--
		case size == least:
			x[i] = 0
		}
	}
	return x
}

// place returns the counter of an element in a row, and the sign with which the element is in it. Both are hashes, by
// the finalizer of SplitMix64.
func place(row, i, width int) (at int, sign float32) {
	h := (uint64(row)<<32 | uint64(i)) + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	h ^= h >> 31
	sign = math.Float32frombits(0x3f800000 | uint32(h&1)<<31)
	return int(h >> 32 * uint64(width) >> 32), sign
}
